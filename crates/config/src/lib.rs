//! Reads configuration files and the environment into settings.
//!
//! The only crate that reads configuration files and variables. The stages:
//!
//! ```text
//! file -> Source -> Node -> RawConfig -> Settings
//!         text      tree    as typed     resolved, every variable expanded
//! ```
//!
//! | folder | contains | may import |
//! |---|---|---|
//! | `settings` | settings as the program uses them | |
//! | `keys` | the declaration of every key | `settings` |
//! | `read` | the file as typed | `keys`, `settings` |
//! | `resolve` | the conversion from `read` to `settings` | `read`, `settings` |
//!
//! TOML and JSON meet at `Node`, a tree that knows where each value was
//! written, so there is one reader and every error has a line and a column.
//!
//! Invariant: no error and no warning shows a configured value, since it may be
//! a credential. They name the key, the place, and at most a variable.

mod environment;
mod error;
mod keys;
mod load;
mod policy_file;
mod quantity;
mod read;
mod resolve;
mod settings;

pub use environment::Environment;
pub use error::{ConfigError, ConfigErrorKind, Place};
pub use keys::reference::reference_page;
pub use load::{defaults, find_and_load, load_file, load_text};
pub use policy_file::PolicyFile;
pub use settings::checks::{Checks, TypeCheck};
pub use settings::permissions::Permissions;
pub use settings::policy_source::PolicySource;
pub use settings::privacy::{BinaryContent, Privacy, PrivacyMode};
pub use settings::risk::RiskTable;
pub use settings::sandbox::{Capacity, Sandbox};
pub use settings::state_dir::state_dir;
pub use settings::{Approvals, Input, Search, Settings};
