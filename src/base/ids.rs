//! Index newtypes. They are meaningful inside one session and never leave it; what leaves is a producer's id or a
//! message number.

/// Position of a message in [`Session::messages`](crate::model::session::Session), from 0. Not the printed number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct MessageIdx(pub u32);

/// Number of a step, from 0 in conversation order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StepIdx(pub u32);

impl MessageIdx {
    /// As an index into a slice.
    pub fn at(self) -> usize {
        self.0 as usize
    }
}

impl StepIdx {
    /// As an index into a slice.
    pub fn at(self) -> usize {
        self.0 as usize
    }
}
