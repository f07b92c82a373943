//! A value that must not be printed.
//!
//! In: a credential of the configuration. Out: the value, through [`Secret::expose`] only,
//! which is called where the value leaves the process (a child's environment, a request
//! header). Invariant: neither `Debug` nor `Display` nor `Serialize` shows it.

use std::fmt;

/// Wraps a credential. Prints as `Secret(..)`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret<T>(T);

impl<T> Secret<T> {
    /// Wraps a value that must not be printed.
    pub fn new(value: T) -> Self {
        Self(value)
    }

    /// The value. Call this only where it leaves the process.
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
