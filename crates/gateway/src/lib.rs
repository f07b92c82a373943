//! The pipeline and the bridge: joins the layers below, never links an engine.
//!
//! One request goes one way: discovery, decision, sandbox, bridge, result,
//! store. Start reading at `pipeline.rs`.

mod admit;
mod answer;
mod bridge;
mod consent;
mod context;
mod examine;
mod explain;
mod gateway;
mod pipeline;
mod privacy;
mod run;
mod run_id;
pub mod tokens;
mod tools;

pub use admit::admission::SessionId;
pub use answer::shown::{Sanitized, ShowResult, Shown, ToolAnswer, ToolText};
pub use bridge::rules_file::{PolicyError, read_policy};
pub use bridge::skills::SaveSkill;
pub use consent::approvals::{Approver, Form, Reply};
pub use context::{Progress, RunContext};
pub use examine::inspect::Inspected;
pub use examine::judge::Judgement;
pub use examine::patterns::{FailedExample, PatternsError};
pub use gateway::{Gateway, GatewayError};
pub use privacy::named_session::{OwnSession, SessionError};
pub use privacy::personal::PrivacyReport;
pub use privacy::{Redacted, detector};
pub use tidegate_validate::Expected;
pub use tools::discovery::ServerReport;
pub use tools::known::{Known, catalog_paths};
pub use tools::recommend::{Recommended, RecommendedServer, RecommendedSkill};
pub use tools::search::{Detail, Found, SearchAnswer, SearchRequest, describe, search};
pub use tools::together::UsedWith;
pub use tools::unaccepted::Unaccepted;
