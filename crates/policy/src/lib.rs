//! Decides which calls may happen.
