//! Reads configuration files and the environment into settings.
//!
//! The only crate that reads configuration files and variables. One way:
//!
//! ```text
//! file -> Source -> Node -> RawConfig -> Settings
//!         text      tree    as typed     resolved, every variable expanded
//! ```
//!
//! TOML and JSON meet at `Node`, a tree that knows where each value was
//! written, so there is one reader and every error has a line and a column.
//!
//! Invariant: no error and no warning shows a configured text, since it may be
//! a credential. They name the key, the place, and at most a variable by name.

mod check_http;
mod check_name;
mod environment;
mod error;
mod expand;
mod keys;
mod keys_approvals;
mod keys_execution;
mod keys_input;
mod keys_network;
mod keys_permissions;
mod keys_policy;
mod keys_privacy;
mod keys_python;
mod keys_search;
mod keys_server;
mod load;
mod node;
mod parse_json;
mod parse_toml;
mod policy_file;
mod privacy;
mod quantity;
mod raw;
mod read;
mod read_permissions;
mod read_policy;
mod read_value;
mod reference;
mod resolve;
mod resolve_command;
mod resolve_network;
mod resolve_profile;
mod settings;
mod source;

pub use environment::Environment;
pub use error::{ConfigError, ConfigErrorKind, Place};
pub use load::{defaults, find_and_load, load_file, load_text};
pub use policy_file::{PolicyFile, PolicySource};
pub use privacy::{BinaryContent, Privacy, PrivacyMode};
pub use reference::reference_page;
pub use settings::{
    Approvals, Capacity, Checks, Input, Permissions, RiskTable, Sandbox, Search, Settings,
    TypeCheck, state_dir,
};
