//! Knows every tool: names, search, definitions, snapshots.
