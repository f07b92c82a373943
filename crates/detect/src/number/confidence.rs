//! How far the form of a number alone identifies it.
//!
//! The validators of telephone numbers and identity numbers return it; `number` adds the
//! context.

/// What the form of a number proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Confidence {
    /// Only numbers of this type have this form.
    Sure,
    /// Needs a word or key nearby that says so.
    NeedsCue,
    /// Not a number of this type.
    No,
}
