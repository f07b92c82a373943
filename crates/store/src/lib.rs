//! The state folder: two databases, the outputs that were too large to send, and the saved
//! skills.
//!
//! `record.db` is append-only and records what happened: runs, calls, connections,
//! commands, saved skills, approvals, and counts of where personal data came from and went.
//! `state.db` holds what changes: approvals, parked runs, the vault, learned shapes,
//! accepted tools.
//!
//! The only owner of SQLite and of the state folder's files. A run is on disk before its
//! answer is returned: [`Records::run_ended`] answers after the commit of the run and of
//! everything that its session recorded before.
//!
//! Each file has one thread that writes and two that read. Changes that nobody waits for
//! are committed in batches, no later than 50 ms after they happened. Several gateways can
//! share a folder.

mod accepted_tools;
mod approvals;
mod approver_key;
mod database;
mod database_file;
mod error;
mod migration;
mod outputs;
mod parked_runs;
mod private_files;
mod private_folder;
mod records;
mod retention;
mod rules_seen;
mod schema;
mod shapes;
mod skills;
mod store;
mod token_numbers;
mod units;
mod vault;

pub use accepted_tools::{AcceptedServer, AcceptedTool, AcceptedTools};
pub use approvals::{
    Answered, Approval, ApprovalAnswer, ApprovalFilter, ApprovalScope, ApprovalState, Approvals,
    NewApproval,
};
pub use approver_key::{ApproverKey, ClientForms, KeyPlace, Signer};
pub use database::{Reply, wait};
pub use database_file::QUOTA_BYTES;
pub use error::StoreError;
pub use outputs::Outputs;
pub use parked_runs::{Lease, Parked, ParkedRun, ParkedRuns, UnclaimedRun};
pub use private_folder::make_state_private;
pub use records::{PiiReport, Records, RestoredRow, RunOnRecord, SeenRow, Stats};
pub use rules_seen::{RulesSeen, SeenRules};
pub use shapes::{ShapeRecord, Shapes};
pub use skills::{
    MAX_SKILLS, NewSkill, Origin, SKILL_BYTES, Saved, Skill, SkillError, SkillList, SkillName,
    Skills, TEXT_FILE, code_file,
};
pub use store::Store;
pub use token_numbers::TokenNumbers;
pub use vault::{Loaded, StoredValue, Vault, VaultEntry, VaultKey, VaultReport, VaultSession};
