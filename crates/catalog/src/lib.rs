//! Knows every tool: names, search, definitions, snapshots.
//!
//! In: tool lists, sent by servers or read from files. Out: exact tools for the
//! names in programs, search hits, and definitions as TypeScript and Python.
//! Starts no server: its knowledge comes from the caller or from a snapshot.

mod api;
mod catalog;
mod check_py;
mod combine;
mod describe;
mod fingerprint;
mod folder;
mod index;
mod instructions;
mod named_types;
pub mod names;
mod note;
mod prose;
mod read_schema;
mod recommend;
mod reference;
mod render_py;
mod render_ts;
mod server_tools;
mod shape;
mod snapshot;
mod tree;
mod types;
mod write_tree;

pub use api::{PythonUse, ResultTypes, ServerApi, one_line};
pub use catalog::{Catalog, Resolution};
pub use check_py::ArgumentStyle;
pub use fingerprint::{definition_hash, difference};
pub use folder::{CatalogFile, CatalogServer, FolderError, Package, for_each_server, read_catalog};
pub use index::{Hit, Scoring};
pub use note::{Note, with_notes};
pub use recommend::{Offer, OfferKind, OfferedTool, Offers, Recommendation, RecommendationReason};
pub use server_tools::{PythonFunction, ServerTools};
pub use shape::{ObservedSchema, Shape};
pub use snapshot::{Snapshot, SnapshotError, Snapshots, server_fingerprint};
pub use tree::{Languages, TreeFile, folder_name, tree};
pub use write_tree::{MANIFEST, WriteError, WriteSummary, write_tree};
