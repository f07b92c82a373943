//! The database: every run, every call and every connection, what was learned about tools, the
//! outputs that were too large to send, the skills that were saved, the values that tokens
//! stand for, and in numbers where personal data came from and went.
//!
//! The one owner of SQLite and of the state folder's files. A run is on disk
//! before its answer is returned: [`Store::record_run`] waits for the commit of
//! the run and of all of its calls.
//!
//! One thread writes. Calls and shapes are handed to it without waiting and committed in
//! batches, no later than 50 ms after they ended.

mod accepted;
mod alerts;
mod approvals;
mod connections;
mod outputs;
mod parked;
mod personal;
mod record;
mod schema;
mod shapes;
mod skills;
mod store;
mod together;
mod vault;
mod waiting;

pub use accepted::{AcceptedServer, AcceptedTool};
pub use alerts::AlertRecord;
pub use approvals::{Approval, ApprovalScope, ApprovalState, Approvals, NewApproval};
pub use outputs::Outputs;
pub use parked::{Parked, ParkedRun, WaitingRun};
pub use personal::{PiiReport, RestoredRow, RestoresRecord, SeenRow, Towards};
pub use record::{CallRecord, CommandRecord, Outcome, RunRecord, SkillRecord, Stats};
pub use shapes::ShapeRecord;
pub use skills::{
    MOST_SKILLS, NewSkill, Origin, SKILL_BYTES, Saved, Skill, SkillError, SkillList, SkillName,
    Skills, TEXT_FILE, code_file,
};
pub use store::{Store, StoreError};
pub use vault::{KeptValue, Loaded, Vault, VaultEntry, VaultKey, VaultReport, VaultSession};
