//! The database: runs, calls, outputs.
