//! Plain data that all other crates share.
//!
//! Owns the vocabulary: programs, principals, servers, tools, calls, answers, limits and
//! errors. No I/O, no async, no decisions. A type that two crates of layer 1 need is defined
//! here, because they may not depend on each other.

mod answer;
mod change;
mod clock;
mod command;
mod cut;
mod detect;
mod event;
mod finding;
mod hidden;
mod impact;
mod isolation;
mod json_cost;
mod language;
mod limits;
mod line_map;
mod nearest;
mod network;
mod network_rule;
mod permissions;
mod personal;
mod prepared;
mod principal;
pub mod reading;
mod reference;
mod response;
mod ruling;
mod run;
mod run_options;
mod sandbox_kind;
mod secret;
mod server;
mod tool;

pub use answer::{Answer, Held};
pub use change::{Change, DefinitionPart, OnChange};
pub use clock::Clock;
pub use command::{ArgumentPattern, CommandSpec, FileIdentity};
pub use cut::{whole_words, without_half_word};
pub use detect::{Certainty, Detect, Span, TextKind};
pub use event::{
    AlertRecord, ApprovalRecord, ApprovalStep, CallRecord, CommandRecord, CommandSizes,
    EffectRecord, Event, ExitStatus, MAX_RULES, Outcome, ProgramRecord, RestoresRecord, RunRecord,
    SeenRecord, SkillRecord, Stage, StageRecord, Towards,
};
pub use finding::{Finding, Severity};
pub use hidden::{
    cleaned, cleaned_line, hides_text, is_hidden, shown_name, visible, visible_json, visible_line,
};
pub use impact::{CallImpact, FileImpact, Impact, ToolImpact};
pub use isolation::{Isolation, IsolationReport, Layer, LayerReport, LayerState};
pub use json_cost::{VALUE_BYTES, json_bytes, values_in};
pub use language::{Language, fenced_lines};
pub use limits::Limits;
pub use line_map::{LineMap, LineMapping};
pub use nearest::{did_you_mean, nearest};
pub use network::{Alert, Connection, Network, NetworkMode, Verdict};
pub use network_rule::{
    HostPattern, NetworkRule, PortPattern, RuleProblem, Scheme, normal_host, parse_host,
    parse_method,
};
pub use permissions::{
    CommandAccess, EffectCeiling, EffectOverrides, HostLists, LimitCeilings, LimitName,
    NetworkAccess, Profile, Scope, ToolPattern,
};
pub use personal::DataType;
pub use prepared::{Executable, Import, KeyHints, Prepared, PythonNames};
pub use principal::{InvalidSessionName, Principal, PrincipalKey, PrincipalKind, SessionName};
pub use reference::{
    ArgumentPassing, KnownArguments, LiteralArguments, NAME_LIMIT, Position, Reference,
};
pub use response::{Metrics, Response};
pub use ruling::{
    ArgumentRule, Decision, Effect, EffectSource, PolicyDefaults, PolicyExample, PolicyRule,
    RiskLevel,
};
pub use run::{Engine, ErrorCode, Program, RunError, RunId};
pub use run_options::RunOptions;
pub use sandbox_kind::SandboxKind;
pub use secret::Secret;
pub use server::{ServerSpec, Transport};
pub use tool::{Hints, ServerInfo, ToolCall, ToolDef, ToolList, ToolRef};
