//! Runs one program and holds nothing (guest side).
