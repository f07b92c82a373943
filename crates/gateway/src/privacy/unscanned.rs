//! Content from outside in which personal data has not been searched for.
//!
//! In: what a server, a host or a command answered. Out: the content, to the privacy floor
//! only, which searches it. Everybody else can convert it, count it and store it, but not
//! take it out.
//! Invariant: content of an [`Unscanned`] comes out only through [`Unscanned::open`], which only
//! this floor calls. What converts or counts it is a function without captures: a closure could
//! carry a copy of it away.

use std::fmt;

use serde::{Deserialize, Serialize};
use tidegate_catalog::Shape;
use tidegate_detect::may_name_a_person;
use tidegate_model::{Answer, ErrorCode, ToolRef};

/// Wraps content from outside. Prints as `Unscanned(..)`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Unscanned<T>(T);

impl<T> Unscanned<T> {
    /// Wraps content from outside, where it comes in.
    pub(crate) fn new(content: T) -> Self {
        Self(content)
    }

    /// The same content in another form.
    pub(crate) fn map<U>(self, convert: fn(T) -> U) -> Unscanned<U> {
        Unscanned(convert(self.0))
    }

    /// The same, with the name of the tool that it is from.
    pub(crate) fn map_with<N: Name, U>(self, name: N, convert: fn(N, T) -> U) -> Unscanned<U> {
        Unscanned(convert(name, self.0))
    }

    /// A number or a yes or no about the content.
    pub(crate) fn fact<F: Fact>(&self, ask: fn(&T) -> F) -> F {
        ask(&self.0)
    }

    /// The content, to be searched now.
    pub(super) fn open(self) -> T {
        self.0
    }
}

impl Unscanned<Answer> {
    /// Adds the structure of an answer to what is known about the answers of its tool: a shape
    /// holds no values, nor keys that may name a person. Returns whether that changed it, or
    /// `None` if the answer has no structure.
    pub(crate) fn teach(&self, shape: &mut Shape) -> Option<bool> {
        let value = self.0.value()?;
        Some(shape.observe(&value, &may_name_a_person))
    }
}

impl<T> fmt::Debug for Unscanned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Unscanned(..)")
    }
}

/// The name of a tool, which nothing can be written to.
pub(crate) trait Name: sealed::Sealed {}

impl sealed::Sealed for &str {}
impl sealed::Sealed for &ToolRef {}
impl Name for &str {}
impl Name for &ToolRef {}

/// What may be known about content before it is searched: nothing that can hold text.
pub(crate) trait Fact: sealed::Sealed {}

mod sealed {
    pub(crate) trait Sealed {}
}

macro_rules! facts {
    ($($fact:ty),*) => { $(impl sealed::Sealed for $fact {} impl Fact for $fact {})* };
}

facts!(bool, u64, usize, Option<ErrorCode>);

#[cfg(test)]
mod tests {
    use super::Unscanned;

    #[test]
    fn unscanned_content_is_not_printed() {
        let content = Unscanned::new("ann@example.org".to_owned());
        assert_eq!(format!("{content:?}"), "Unscanned(..)");
        assert_eq!(content.fact(String::len), 15);
        assert_eq!(content.map(|text| text.len()).fact(|length| *length), 15);
    }
}
