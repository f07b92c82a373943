//! Knows every tool: names, search, definitions, snapshots.
//!
//! In: tool lists as servers send them, or as files hold them. Out: exact tools
//! for the names a program writes, search hits, and definitions as TypeScript.
//! Starts no server: what is known comes from the caller or from a snapshot.

mod api;
mod catalog;
mod check_py;
mod combine;
mod describe;
mod fingerprint;
mod folder;
mod index;
mod instructions;
pub mod names;
mod note;
mod prose;
mod read_schema;
mod reference;
mod render_py;
mod render_ts;
mod shape;
mod share;
mod snapshot;
mod tree;
mod types;
mod write_tree;

pub use api::{PythonUse, Results, ServerApi, one_line};
pub use catalog::{Catalog, PythonFunction, Resolution, ServerTools};
pub use check_py::Passed;
pub use fingerprint::{definition_hash, difference};
pub use folder::{CatalogFile, Described, FolderError, Package, each_server, read_catalog};
pub use index::{Hit, Offer, OfferKind, OfferedTool, Offers, Reason, Recommended, Scoring};
pub use note::{Note, marked};
pub use shape::{Observed, Shape};
pub use snapshot::{Snapshot, SnapshotError, Snapshots, server_fingerprint};
pub use tree::{Languages, TreeFile, folder_name, tree};
pub use write_tree::{MANIFEST, WriteError, Written, write_tree};
