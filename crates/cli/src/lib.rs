//! The executable.
