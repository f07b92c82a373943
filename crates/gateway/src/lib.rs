//! The pipeline and the bridge: joins the layers below, never links an engine.
//!
//! One request goes one way: discovery, decision, sandbox, bridge, result,
//! store. Start reading at `pipeline.rs`.

mod acceptance;
mod admission;
mod allowance;
mod bridge;
mod capacity;
mod check;
mod commands;
mod contents;
mod discovery;
mod engines;
mod explain;
mod explain_command;
mod explain_limit;
mod fetch;
mod gateway;
mod guest;
mod known;
mod pipeline;
mod python_check;
mod python_types;
mod ready;
mod recommend;
mod request;
mod result;
mod run;
mod run_id;
mod run_limits;
mod search;
mod shapes;
mod skills;
mod summary;
mod together;
pub mod tokens;
mod type_check;
mod type_verdict;
mod unaccepted;
mod view;
mod weight;
mod wider;

pub use admission::SessionId;
pub use discovery::ServerReport;
pub use gateway::{Gateway, GatewayError};
pub use known::{Known, catalog_paths};
pub use pipeline::{Progress, RunContext};
pub use recommend::{Recommended, RecommendedServer, RecommendedSkill};
pub use search::{Detail, Found, SearchAnswer, SearchRequest, describe, search};
pub use skills::SaveSkill;
pub use together::UsedWith;
pub use unaccepted::Unaccepted;
