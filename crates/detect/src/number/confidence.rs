//! How conclusive the form of a number is on its own.
//!
//! The validators of telephone numbers and identity numbers return it; `number` adds the
//! context.

/// How conclusive the form of a number is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Confidence {
    /// Only numbers of this type have this form.
    Sure,
    /// Requires a word or key nearby that confirms the type.
    NeedsCue,
    /// Not a number of this type.
    No,
}
