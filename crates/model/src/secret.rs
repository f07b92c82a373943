//! A value that must not be printed.
//!
//! Invariant: no `Debug`, `Display` or `Serialize` of a `Secret` ever shows the
//! value. It comes out through [`Secret::expose`] only, called where it leaves
//! the process (a child's environment, a request header).

use std::fmt;

/// Wraps a credential. Prints as `Secret(..)`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret<T>(T);

impl<T> Secret<T> {
    /// Takes ownership of a value that must not be printed.
    pub fn new(value: T) -> Self {
        Self(value)
    }

    /// The value itself. Call this only where it leaves the process.
    pub fn expose(&self) -> &T {
        &self.0
    }
}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::Secret;

    #[test]
    fn a_secret_never_prints_its_value() {
        let secret = Secret::new("hunter2");
        assert_eq!(format!("{secret:?}"), "Secret(..)");
        assert_eq!(format!("{:#?}", Some(&secret)), "Some(\n    Secret(..),\n)");
        assert_eq!(*secret.expose(), "hunter2");
    }
}
