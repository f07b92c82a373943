//! The pipeline and the bridge: joins the layers below, never links an engine.
//!
//! Each folder is a floor: one struct that owns its parts. A floor uses the floors below it
//! and never names one above. From the bottom: `policy`, `privacy`, `answer`, `tools`,
//! `approvals`, `bridge`, `admit`, `examine`, `consent`, `run`, and `admin` beside them.
//! Start reading at `pipeline.rs`.

pub mod admin;
mod admit;
mod answer;
mod approvals;
mod bridge;
mod consent;
mod context;
mod digest;
mod examine;
mod explain;
mod facade;
mod gateway;
mod ids;
mod input_limits;
mod pipeline;
mod policy;
mod privacy;
mod recorder;
mod run;
mod session;
mod skill_library;
pub mod tokens;
mod tools;

pub use answer::form::Form;
pub use answer::shown::{Sanitized, ShowResult, Shown, ToolAnswer, ToolText};
pub use bridge::skills::SaveSkill;
pub use context::{Approver, Progress, Reply, RunContext, Yes};
pub use examine::inspect::Inspected;
pub use examine::judge::Judgement;
pub use examine::patterns::{FailedExample, PatternsError};
pub use gateway::{Gateway, GatewayError};
pub use policy::rules_file::{PolicyError, read_policy};
pub use privacy::named_session::SessionError;
pub use privacy::{Redacted, detector};
pub use session::OpenSession;
pub use tidegate_store::{QUOTA_BYTES, make_state_private};
pub use tidegate_validate::Expected;
pub use tools::co_usage::UsedWith;
pub use tools::known_servers::{KnownServers, catalog_paths};
pub use tools::recommended::{Recommended, RecommendedServer, RecommendedSkill};
pub use tools::search::{
    Detail, SearchAnswer, SearchRequest, SearchResult, ToolState, describe, search,
};
pub use tools::{ServerReport, Tools};
