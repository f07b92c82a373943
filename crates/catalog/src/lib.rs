//! Knows every tool: names, search, definitions, snapshots.
//!
//! In: tool lists as servers send them, or as files hold them. Out: exact tools
//! for the names a program writes, search hits, and definitions as TypeScript.
//! Starts no server: what is known comes from the caller or from a snapshot.

mod catalog;
mod fingerprint;
mod folder;
mod index;
pub mod names;
mod render_ts;
mod shape;
mod snapshot;

pub use catalog::{Catalog, Resolution, ServerTools};
pub use fingerprint::definition_hash;
pub use folder::{CatalogFile, FolderError, read_catalog};
pub use index::Hit;
pub use render_ts::{one_line, render_tool};
pub use shape::{Observed, Shape};
pub use snapshot::{Snapshot, SnapshotError, Snapshots};
