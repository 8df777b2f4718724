//! JSON shapes that take what they find: an unknown field is passed over, a repeated one wins, and a value of another
//! type than expected leaves its field empty and marked instead of losing the whole record. Only broken syntax is an
//! error. Strings stay borrowed wherever the log has no escapes in them.

use std::{borrow::Cow, fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{Error, IgnoredAny, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer},
};
use serde_json::value::RawValue;

/// A value that may turn out to be of another type than its field holds.
pub trait Lenient {
    /// Whether it was of another type.
    fn wrong(&self) -> bool {
        false
    }
}

/// A struct whose place a bare text may take.
pub trait Bare<'a> {
    /// What such a text makes of it: nothing but `stray`.
    fn bare(text: Text<'a>) -> Self;
}

/// A string.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Text<'a> {
    /// No field, or `null`.
    #[default]
    Absent,
    /// A string.
    Is(Cow<'a, str>),
    /// Something else.
    Wrong,
}

impl Text<'_> {
    /// The string, if it is one.
    pub fn get(&self) -> Option<&str> {
        match self {
            Text::Is(text) => Some(text),
            _ => None,
        }
    }

    /// The string, owned, if it is one that holds anything.
    pub fn owned(&self) -> Option<String> {
        self.get().filter(|t| !t.is_empty()).map(str::to_string)
    }
}

impl Text<'_> {
    /// The string, taken out, if it is one.
    pub fn take(&mut self) -> Option<String> {
        match std::mem::take(self) {
            Text::Is(text) => Some(text.into_owned()),
            _ => None,
        }
    }
}

impl Lenient for Text<'_> {
    fn wrong(&self) -> bool {
        matches!(self, Text::Wrong)
    }
}

/// A truth value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Flag {
    /// No field, or `null`.
    #[default]
    Absent,
    /// A truth value.
    Is(bool),
    /// Something else.
    Wrong,
}

impl Flag {
    /// The value, if there is one.
    pub fn get(self) -> Option<bool> {
        match self {
            Flag::Is(value) => Some(value),
            _ => None,
        }
    }

    /// Whether it is `true`.
    pub fn set(self) -> bool {
        self == Flag::Is(true)
    }
}

impl Lenient for Flag {
    fn wrong(&self) -> bool {
        *self == Flag::Wrong
    }
}

/// A number; also one written as a string.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum Number {
    /// No field, or `null`.
    #[default]
    Absent,
    /// A number.
    Is(f64),
    /// Something else.
    Wrong,
}

impl Number {
    /// The number, if it is one.
    pub fn get(self) -> Option<f64> {
        match self {
            Number::Is(value) => Some(value),
            _ => None,
        }
    }

    /// The number as a count: whole and not negative.
    pub fn count(self) -> Option<u64> {
        self.get().filter(|n| *n >= 0.0 && n.fract() == 0.0 && *n < 9e15).map(|n| n as u64)
    }

    /// The number as a whole one that may be negative.
    pub fn whole(self) -> Option<i64> {
        self.get().filter(|n| n.fract() == 0.0 && n.abs() < 9e15).map(|n| n as i64)
    }
}

impl Lenient for Number {
    fn wrong(&self) -> bool {
        *self == Number::Wrong
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Leaf;
        impl<'de> Visitor<'de> for Leaf {
            type Value = Number;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("any JSON value")
            }
            fn visit_unit<E: Error>(self) -> Result<Number, E> {
                Ok(Number::Absent)
            }
            fn visit_bool<E: Error>(self, _: bool) -> Result<Number, E> {
                Ok(Number::Wrong)
            }
            fn visit_i64<E: Error>(self, value: i64) -> Result<Number, E> {
                Ok(Number::Is(value as f64))
            }
            fn visit_u64<E: Error>(self, value: u64) -> Result<Number, E> {
                Ok(Number::Is(value as f64))
            }
            fn visit_f64<E: Error>(self, value: f64) -> Result<Number, E> {
                Ok(Number::Is(value))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Number, E> {
                Ok(text.trim().parse().ok().filter(|n: &f64| n.is_finite()).map_or(Number::Wrong, Number::Is))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Number, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Number::Wrong)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Number, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Number::Wrong)
            }
        }
        deserializer.deserialize_any(Leaf)
    }
}

/// Any value, unparsed; `None` for `null`.
pub type Raw<'a> = Option<&'a RawValue>;

impl Lenient for Raw<'_> {}

/// A value of a shape that varies by design: nothing in it counts as wrong.
#[derive(Default, Debug)]
pub struct Any<T>(pub T);

impl<T> Lenient for Any<T> {}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Any<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Any)
    }
}

/// Length of a string in bytes as written; the string itself is not kept (base64 of images).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Length(pub usize);

impl Lenient for Length {}

/// Whether a field stands there at all, `null` included.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Present(pub bool);

impl Lenient for Present {}

impl<'de> Deserialize<'de> for Present {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Present(true))
    }
}

/// The visitor methods for every JSON value that is neither list nor object: `$make` turns what stood there into the
/// value; it is [`Text::Wrong`] for numbers and truth values.
macro_rules! scalars {
    ($life:lifetime, $value:ty, |$text:ident| $make:expr) => {
        fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
            f.write_str("any JSON value")
        }
        fn visit_unit<E: serde::de::Error>(self) -> Result<$value, E> {
            let $text = $crate::source::lenient::Text::Absent;
            Ok($make)
        }
        fn visit_bool<E: serde::de::Error>(self, _: bool) -> Result<$value, E> {
            let $text = $crate::source::lenient::Text::Wrong;
            Ok($make)
        }
        fn visit_i64<E: serde::de::Error>(self, _: i64) -> Result<$value, E> {
            let $text = $crate::source::lenient::Text::Wrong;
            Ok($make)
        }
        fn visit_u64<E: serde::de::Error>(self, _: u64) -> Result<$value, E> {
            let $text = $crate::source::lenient::Text::Wrong;
            Ok($make)
        }
        fn visit_f64<E: serde::de::Error>(self, _: f64) -> Result<$value, E> {
            let $text = $crate::source::lenient::Text::Wrong;
            Ok($make)
        }
        fn visit_borrowed_str<E: serde::de::Error>(self, text: &$life str) -> Result<$value, E> {
            let $text = $crate::source::lenient::Text::Is(std::borrow::Cow::Borrowed(text));
            Ok($make)
        }
        fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<$value, E> {
            let $text = $crate::source::lenient::Text::Is(std::borrow::Cow::Owned(text.to_string()));
            Ok($make)
        }
    };
}

/// A struct over a JSON object: each field names its key; what stood in place of an object is kept as `stray`.
macro_rules! lenient {
    ($(#[$meta:meta])* $vis:vis struct $name:ident<$life:lifetime> {
        $( $(#[$doc:meta])* $field:ident : $ty:ty = $key:literal ),* $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Default, Debug)]
        $vis struct $name<$life> {
            /// What stood in place of an object.
            pub stray: $crate::source::lenient::Text<$life>,
            $( $(#[$doc])* pub $field: $ty, )*
        }

        impl $name<'_> {
            /// Name of the first field whose value is of another type; "" when this is no object at all.
            pub fn fault(&self) -> Option<&'static str> {
                use $crate::source::lenient::Lenient;
                if self.stray.wrong() {
                    return Some("");
                }
                $( if self.$field.wrong() { return Some($key); } )*
                None
            }
        }

        impl $crate::source::lenient::Lenient for $name<'_> {
            fn wrong(&self) -> bool {
                self.fault().is_some()
            }
        }

        impl<$life> $crate::source::lenient::Bare<$life> for $name<$life> {
            fn bare(text: $crate::source::lenient::Text<$life>) -> Self {
                $name { stray: text, ..Default::default() }
            }
        }

        impl<$life> serde::Deserialize<$life> for $name<$life> {
            fn deserialize<D: serde::Deserializer<$life>>(deserializer: D) -> Result<Self, D::Error> {
                struct Shape;
                impl<$life> serde::de::Visitor<$life> for Shape {
                    type Value = $name<$life>;
                    $crate::source::lenient::scalars!($life, $name<$life>, |text| $crate::source::lenient::Bare::bare(text));
                    fn visit_seq<A: serde::de::SeqAccess<$life>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                        while seq.next_element::<serde::de::IgnoredAny>()?.is_some() {}
                        Ok($crate::source::lenient::Bare::bare($crate::source::lenient::Text::Wrong))
                    }
                    fn visit_map<A: serde::de::MapAccess<$life>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                        let mut out = $name::default();
                        while let Some(key) = map.next_key::<$crate::source::lenient::Text<$life>>()? {
                            match key.get().unwrap_or_default() {
                                $( $key => out.$field = map.next_value()?, )*
                                _ => { map.next_value::<serde::de::IgnoredAny>()?; }
                            }
                        }
                        Ok(out)
                    }
                }
                deserializer.deserialize_any(Shape)
            }
        }
    };
}

pub(crate) use {lenient, scalars};

macro_rules! leaf {
    ($name:ty, |$text:ident| $make:expr, |$truth:ident| $of_truth:expr) => {
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Leaf;
                impl<'de> Visitor<'de> for Leaf {
                    type Value = $name;
                    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                        f.write_str("any JSON value")
                    }
                    fn visit_unit<E: Error>(self) -> Result<$name, E> {
                        Ok(<$name>::default())
                    }
                    fn visit_bool<E: Error>(self, $truth: bool) -> Result<$name, E> {
                        Ok($of_truth)
                    }
                    fn visit_i64<E: Error>(self, _: i64) -> Result<$name, E> {
                        let $text = Text::Wrong;
                        Ok($make)
                    }
                    fn visit_u64<E: Error>(self, _: u64) -> Result<$name, E> {
                        let $text = Text::Wrong;
                        Ok($make)
                    }
                    fn visit_f64<E: Error>(self, _: f64) -> Result<$name, E> {
                        let $text = Text::Wrong;
                        Ok($make)
                    }
                    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<$name, E> {
                        let $text = Text::Is(Cow::Borrowed(text));
                        Ok($make)
                    }
                    fn visit_str<E: Error>(self, text: &str) -> Result<$name, E> {
                        let $text = Text::Is(Cow::Owned(text.to_string()));
                        Ok($make)
                    }
                    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<$name, A::Error> {
                        while seq.next_element::<IgnoredAny>()?.is_some() {}
                        let $text = Text::Wrong;
                        Ok($make)
                    }
                    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<$name, A::Error> {
                        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                        let $text = Text::Wrong;
                        Ok($make)
                    }
                }
                deserializer.deserialize_any(Leaf)
            }
        }
    };
}
leaf!(Text<'de>, |text| text, |_truth| Text::Wrong);
leaf!(Flag, |_text| Flag::Wrong, |truth| Flag::Is(truth));
leaf!(Length, |text| Length(text.get().map_or(0, str::len)), |_truth| Length(0));

/// A list of lenient values; anything else is an empty one.
#[derive(Debug)]
pub struct List<T> {
    /// Its elements.
    pub items: Vec<T>,
    wrong: bool,
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self { items: Vec::new(), wrong: false }
    }
}

impl<T> Lenient for List<T> {
    fn wrong(&self) -> bool {
        self.wrong
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Shape<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Shape<T> {
            type Value = List<T>;
            scalars!('de, List<T>, |text| List { items: Vec::new(), wrong: text != Text::Absent });
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<List<T>, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                Ok(List { items, wrong: false })
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<List<T>, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(List { items: Vec::new(), wrong: true })
            }
        }
        deserializer.deserialize_any(Shape(PhantomData))
    }
}

/// What is said: a text, a list of blocks or (seldom) a single block. A bare text is a block under `stray`.
#[derive(Debug)]
pub struct Content<B> {
    /// Its blocks.
    pub blocks: Vec<B>,
    wrong: bool,
}

impl<B> Default for Content<B> {
    fn default() -> Self {
        Self { blocks: Vec::new(), wrong: false }
    }
}

impl<B> Content<B> {
    /// The texts of its blocks, one below the other; and whether any of them only stands for something.
    pub fn joined(self, text_of: impl FnMut(B) -> (String, bool)) -> (String, bool) {
        let mut parts = self.blocks.into_iter().map(text_of);
        let (mut text, mut placeholder) = parts.next().unwrap_or_default();
        for (part, stands_in) in parts {
            text.push('\n');
            text += &part;
            placeholder |= stands_in;
        }
        (text, placeholder)
    }
}

impl<B: Lenient> Lenient for Content<B> {
    fn wrong(&self) -> bool {
        self.wrong || self.blocks.iter().any(Lenient::wrong)
    }
}

impl<'de, B: Deserialize<'de> + Bare<'de>> Deserialize<'de> for Content<B> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Shape<B>(PhantomData<B>);
        impl<'de, B: Deserialize<'de> + Bare<'de>> Visitor<'de> for Shape<B> {
            type Value = Content<B>;
            scalars!('de, Content<B>, |text| match text {
                Text::Absent => Content::default(),
                Text::Wrong => Content { blocks: Vec::new(), wrong: true },
                text => Content { blocks: vec![B::bare(text)], wrong: false },
            });
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Content<B>, A::Error> {
                let mut blocks = Vec::new();
                while let Some(block) = seq.next_element()? {
                    blocks.push(block);
                }
                Ok(Content { blocks, wrong: false })
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Content<B>, A::Error> {
                Ok(Content { blocks: vec![B::deserialize(MapAccessDeserializer::new(map))?], wrong: false })
            }
        }
        deserializer.deserialize_any(Shape(PhantomData))
    }
}

/// The members of an object whose names are no fields but ids, in order; anything else is an empty one.
#[derive(Debug)]
pub struct Map<'a, T> {
    /// Its members.
    pub items: Vec<(Cow<'a, str>, T)>,
    wrong: bool,
}

impl<T> Default for Map<'_, T> {
    fn default() -> Self {
        Self { items: Vec::new(), wrong: false }
    }
}

impl<T> Lenient for Map<'_, T> {
    fn wrong(&self) -> bool {
        self.wrong
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Map<'de, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Shape<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Shape<T> {
            type Value = Map<'de, T>;
            scalars!('de, Map<'de, T>, |text| Map { items: Vec::new(), wrong: text != Text::Absent });
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Map<'de, T>, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Map { items: Vec::new(), wrong: true })
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Map<'de, T>, A::Error> {
                let mut items = Vec::new();
                while let Some((name, value)) = map.next_entry::<Text, T>()? {
                    if let Text::Is(name) = name {
                        items.push((name, value));
                    }
                }
                Ok(Map { items, wrong: false })
            }
        }
        deserializer.deserialize_any(Shape(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    lenient! {
        /// Both kinds of leaf, and a list.
        struct Sample<'a> {
            name: Text<'a> = "name",
            done: Flag = "done",
            tags: List<Text<'a>> = "tags",
        }
    }

    fn read(json: &str) -> Sample<'_> {
        serde_json::from_str(json).expect("syntax is right")
    }

    #[test]
    fn strings_without_escapes_stay_borrowed() {
        assert!(matches!(read(r#"{"name":"a b"}"#).name, Text::Is(Cow::Borrowed("a b"))));
        assert!(matches!(read(r#"{"name":"a\nb"}"#).name, Text::Is(Cow::Owned(_))));
    }

    #[test]
    fn a_wrong_type_costs_its_field_only() {
        let sample = read(r#"{"name":{"x":[1]},"done":true,"tags":7,"other":1e400}"#);
        assert_eq!((sample.fault(), sample.done.set()), (Some("name"), true));
        assert!(sample.tags.wrong());
        assert_eq!(read("[1]").fault(), Some(""));
        assert_eq!(read(r#""bare""#).stray.get(), Some("bare"));
        assert_eq!(read("null").fault(), None);
    }

    #[test]
    fn content_is_blocks_however_it_is_written() {
        let names = |json: &'static str| {
            let content: Content<Sample> = serde_json::from_str(json).expect("syntax is right");
            let of = |block: &Sample| block.name.get().or(block.stray.get()).unwrap_or("-").to_string();
            (content.blocks.iter().map(of).collect::<Vec<_>>().join(" "), content.wrong())
        };
        assert_eq!(names(r#""bare""#), ("bare".into(), false));
        assert_eq!(names(r#"{"name":"lone"}"#), ("lone".into(), false));
        assert_eq!(names(r#"["bare",{"name":"a"},{"name":7}]"#), ("bare a -".into(), true));
        assert_eq!(names("7"), (String::new(), true));
        assert_eq!(names("null"), (String::new(), false));
    }

    #[test]
    fn the_last_of_a_repeated_field_counts() {
        assert_eq!(read(r#"{"name":"a","name":"b"}"#).name.get(), Some("b"));
    }

    #[test]
    fn broken_syntax_is_an_error() {
        assert!(serde_json::from_str::<Sample>(r#"{"name":"a""#).is_err());
        assert!(serde_json::from_str::<Sample>(r#"{"name":"\ud83d"}"#).is_err());
    }
}
