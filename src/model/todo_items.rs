//! The items of a task list, shared with the lists before it: a tool that writes increments gives as many whole lists as
//! it has calls, and all but the items that a call touched are held once.

use std::{collections::BTreeSet, fmt, iter::FusedIterator, ops::Index, sync::Arc};

use super::todo::TodoItem;

/// Items of one block: a change copies the places of its block only.
const BLOCK: usize = 64;

/// Items in order. Cheap to clone; a clone shares everything until one of the two is changed.
#[derive(Clone, Default)]
pub struct Items {
    blocks: Vec<Block>,
}

#[derive(Clone)]
struct Block {
    /// Position behind its last item.
    end: usize,
    items: Arc<Vec<Arc<TodoItem>>>,
}

impl Items {
    /// None at all.
    pub const NONE: Items = Items { blocks: Vec::new() };

    /// How many.
    pub fn len(&self) -> usize {
        self.blocks.last().map_or(0, |block| block.end)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The item at a position.
    pub fn get(&self, at: usize) -> Option<&TodoItem> {
        self.shared(at).map(Arc::as_ref)
    }

    /// The item at a position, as it is shared.
    pub fn shared(&self, at: usize) -> Option<&Arc<TodoItem>> {
        let (block, inside) = self.place(at)?;
        self.blocks[block].items.get(inside)
    }

    /// The items in order.
    pub fn iter(&self) -> Iter<'_> {
        Iter { items: self, block: 0, inside: 0 }
    }

    /// Puts an item at the end.
    pub fn push(&mut self, item: TodoItem) {
        let end = self.len() + 1;
        match self.blocks.last_mut().filter(|block| block.items.len() < BLOCK) {
            Some(block) => {
                Arc::make_mut(&mut block.items).push(Arc::new(item));
                block.end = end;
            }
            None => self.blocks.push(Block { end, items: Arc::new(vec![Arc::new(item)]) }),
        }
    }

    /// Puts another item in the place of one; nothing where there is no such place.
    pub fn set(&mut self, at: usize, item: TodoItem) {
        if let Some((block, inside)) = self.place(at) {
            Arc::make_mut(&mut self.blocks[block].items)[inside] = Arc::new(item);
        }
    }

    /// Takes an item off.
    pub fn remove(&mut self, at: usize) -> Option<Arc<TodoItem>> {
        let (block, inside) = self.place(at)?;
        let item = Arc::make_mut(&mut self.blocks[block].items).remove(inside);
        self.blocks[block..].iter_mut().for_each(|block| block.end -= 1);
        self.blocks.retain(|block| !block.items.is_empty());
        Some(item)
    }

    /// Positions whose item is not the very one that `earlier` holds at the same position: what a call touched or added.
    pub fn unlike<'a>(&'a self, earlier: &'a Items) -> impl Iterator<Item = (usize, &'a TodoItem)> {
        let own = self.blocks.iter().enumerate().filter(|(i, block)| {
            earlier.blocks.get(*i).is_none_or(|e| e.end != block.end || !Arc::ptr_eq(&e.items, &block.items))
        });
        own.flat_map(move |(_, block)| {
            let start = block.end - block.items.len();
            block.items.iter().enumerate().filter_map(move |(inside, item)| {
                let at = start + inside;
                let same = earlier.shared(at).is_some_and(|e| Arc::ptr_eq(e, item));
                (!same).then_some((at, item.as_ref()))
            })
        })
    }

    /// How many items and places for items some lists hold in memory, each that they share counted once.
    pub fn held<'a>(lists: impl IntoIterator<Item = &'a Items>) -> (usize, usize) {
        let (mut items, mut blocks, mut places) = (BTreeSet::new(), BTreeSet::new(), 0);
        for block in lists.into_iter().flat_map(|list| &list.blocks) {
            places += 1;
            if blocks.insert(Arc::as_ptr(&block.items)) {
                places += block.items.len();
                items.extend(block.items.iter().map(Arc::as_ptr));
            }
        }
        (items.len(), places)
    }

    fn place(&self, at: usize) -> Option<(usize, usize)> {
        let block = self.blocks.partition_point(|block| block.end <= at);
        let found = self.blocks.get(block)?;
        Some((block, at + found.items.len() - found.end))
    }
}

/// Items in order.
#[derive(Clone)]
pub struct Iter<'a> {
    items: &'a Items,
    block: usize,
    inside: usize,
}

impl<'a> Iterator for Iter<'a> {
    type Item = &'a TodoItem;

    fn next(&mut self) -> Option<&'a TodoItem> {
        let block = self.items.blocks.get(self.block)?;
        let item = block.items.get(self.inside)?;
        self.inside += 1;
        if self.inside == block.items.len() {
            (self.block, self.inside) = (self.block + 1, 0);
        }
        Some(item)
    }
}

impl FusedIterator for Iter<'_> {}

impl<'a> IntoIterator for &'a Items {
    type Item = &'a TodoItem;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

impl FromIterator<TodoItem> for Items {
    fn from_iter<I: IntoIterator<Item = TodoItem>>(items: I) -> Self {
        let mut list = Items::default();
        items.into_iter().for_each(|item| list.push(item));
        list
    }
}

impl Index<usize> for Items {
    type Output = TodoItem;

    fn index(&self, at: usize) -> &TodoItem {
        self.get(at).expect("a position lies within its list")
    }
}

impl PartialEq for Items {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.unlike(other).all(|(at, item)| other.get(at) == Some(item))
    }
}

impl fmt::Debug for Items {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        base::{ids::MessageIdx, span::ByteSpan},
        model::{
            builder::{Origin, SessionBuilder},
            todo::{Provenance, TodoStatus},
        },
    };

    fn item(content: usize) -> TodoItem {
        let mut session = SessionBuilder::new("test");
        session.user(Origin::default(), "x");
        TodoItem {
            content: content.to_string(),
            content_cut: false,
            status: TodoStatus::Pending,
            status_raw: String::new(),
            priority: None,
            id: None,
            group: None,
            known: Provenance::Input,
            evidence: session.finish().cite(MessageIdx(0), 0, ByteSpan::new(0, 1)).expect("it has a text"),
        }
    }

    fn contents(items: &Items) -> Vec<usize> {
        items.iter().map(|i| i.content.parse().expect("numbers")).collect()
    }

    #[test]
    fn a_list_is_what_a_vector_would_be() {
        let (mut items, mut plain) = (Items::default(), Vec::new());
        // Numbers that jump about, the same at every run.
        let mut next = 7_usize;
        for turn in 0..2_000 {
            next = next.wrapping_mul(25_214_903_917).wrapping_add(11) % 1_000_003;
            let at = next % (plain.len() + 1);
            match turn % 5 {
                0 if at < plain.len() => {
                    items.set(at, item(turn));
                    plain[at] = turn;
                }
                1 if at < plain.len() => {
                    items.remove(at);
                    plain.remove(at);
                }
                _ => {
                    items.push(item(turn));
                    plain.push(turn);
                }
            }
            assert_eq!(items.len(), plain.len());
        }
        assert_eq!(contents(&items), plain);
        assert!((0..plain.len()).all(|at| items[at].content == plain[at].to_string()));
        assert!(items.get(plain.len()).is_none() && items.remove(plain.len()).is_none());
        assert_eq!(items, plain.iter().map(|n| item(*n)).collect());
    }

    #[test]
    fn a_changed_clone_differs_where_it_was_changed() {
        let items: Items = (0..200).map(item).collect();
        let mut other = items.clone();
        assert_eq!(other.unlike(&items).count(), 0);
        other.set(70, item(5));
        other.push(item(6));
        let changed: Vec<usize> = other.unlike(&items).map(|(at, _)| at).collect();
        assert_eq!(changed, [70, 200]);
        assert_eq!(items.unlike(&other).map(|(at, _)| at).collect::<Vec<_>>(), [70]);
        assert_ne!(items, other);
        // 200 items and two more; four blocks each, of which two are shared; a block of 64 and one of 9 copied.
        assert_eq!(Items::held([&items, &other]), (202, 8 + 200 + 64 + 9));
    }
}
