//! Explains the errors of the layers below to a model.
//!
//! In: errors and refusals as types. Out: a `RunError` that says what to change and
//! reveals nothing about the host: no path, no URL, no output of a server. The operator
//! finds all of that in the log. A leaf: it uses no floor.

pub(crate) mod command;
pub(crate) mod limit;
pub(crate) mod reported;

use tidegate_model::{
    Decision, EffectCeiling, ErrorCode, Isolation, IsolationReport, Language, LimitName, RunError,
    SandboxKind, ToolRef, did_you_mean, visible_line,
};
use tidegate_policy::{Denial, ProfileRefusal, ProfileRule, Ruling, RulingReason};
use tidegate_sandbox::{PythonError, SandboxError};
use tidegate_upstream::UpstreamError;

use reported::quoted;

/// A worker that is not isolated enough for a risky program.
pub(crate) fn not_strict(report: &IsolationReport) -> RunError {
    isolation("programs of this risk are not run", Isolation::Strict, report)
}

/// A call that policy refused.
pub(crate) fn denial(denial: &Denial, tool: &ToolRef) -> RunError {
    match denial {
        Denial::NotGranted => {
            let message = format!("`{tool}` may not be called: its server is not granted");
            RunError::new(ErrorCode::Denied, message)
                .with_hint("use another tool; asking again will not change this")
        }
        Denial::Profile(refused) => {
            let (reason, hint) = refusal(refused);
            let message = format!("`{tool}` may not be called: {reason}");
            RunError::new(ErrorCode::Denied, message).with_hint(hint)
        }
        Denial::Quarantined(change) => {
            let message = format!("`{tool}` may not be called: it is {change}");
            let name = tool.in_a_command();
            RunError::new(ErrorCode::Quarantined, message).with_hint(format!(
                "use another tool; the user can look at the difference and accept it with \
                 `tidegate tools accept {name}`"
            ))
        }
        Denial::Rule(ruling) => {
            let message = format!("`{tool}` may not be called, because {}", because(ruling));
            RunError::new(ErrorCode::Denied, message)
                .with_hint("do not work around it; the user can change the rule in policy.toml")
        }
        // A person is asked before it comes to this.
        Denial::NeedsApproval(asked) => {
            let message = format!("`{tool}` needs a person's approval");
            let hint = format!("approval is required because {}", because(&asked.ruling));
            RunError::new(ErrorCode::ApprovalDenied, message).with_hint(hint)
        }
        Denial::WrongDefinition => {
            RunError::new(ErrorCode::Denied, format!("`{tool}` is not the tool that was checked"))
        }
        Denial::Arguments(problem) => {
            let place = match problem.path.as_str() {
                "" => String::new(),
                path => format!(": `{path}`"),
            };
            let message = format!("`{tool}`{place} {}", problem.problem);
            let mut error = RunError::new(ErrorCode::BadArgument, message);
            error.hint.clone_from(&problem.hint);
            // It contains names and values from the server's schema.
            error.clipped()
        }
    }
}

/// Why a profile refuses something, as the end of "… may not …: ", and what would allow
/// it.
pub(crate) fn refusal(ProfileRefusal { profile, rule }: &ProfileRefusal) -> (String, String) {
    let own = match profile.as_str() {
        "read_only" | "write_restricted" | "strict" | "default" | "execute_full" => "or choose",
        _ => "or change it, or choose",
    };
    let wider = |first: &str| format!("{first}{own} a wider `profile`");
    match rule {
        ProfileRule::Effects(EffectCeiling::ReadOnly) => (
            format!("profile `{profile}` allows only tools that change nothing"),
            wider("the user can list it under `tools.read_only` if it does not, "),
        ),
        ProfileRule::Effects(_) => (
            format!("profile `{profile}` allows only tools that destroy nothing"),
            wider("the user can list it under `tools.additive` if it does not, "),
        ),
        ProfileRule::Allow => (
            format!("it is not among the tools in `allow` of profile `{profile}`"),
            wider("the user can list it there, "),
        ),
        ProfileRule::Deny(pattern) => (
            format!("`{pattern}` is in `deny` of profile `{profile}`"),
            "the user can take it out there".into(),
        ),
        ProfileRule::Read => (
            format!("the folder is not in `read` of profile `{profile}`"),
            wider("the user can list it there, "),
        ),
        ProfileRule::Write => (
            format!("the folder is not in `write` of profile `{profile}`"),
            wider("the user can list it there, "),
        ),
        ProfileRule::Network => (
            format!("`network` of profile `{profile}` is `none`"),
            "the user can choose a wider `profile`".into(),
        ),
        ProfileRule::Commands => (
            format!("it is not among the `commands` of profile `{profile}`"),
            "the user can choose a `profile` that has it, such as `execute_full`".into(),
        ),
    }
}

/// A `fetch` in a run that has no network.
pub(crate) fn no_network(refused: &ProfileRefusal) -> RunError {
    let (reason, hint) = refusal(refused);
    RunError::new(ErrorCode::FetchDenied, format!("there is no network: {reason}")).with_hint(hint)
}

/// A run that asks for a profile that does not exist.
pub(crate) fn unknown_profile(given: &str, known: &[String]) -> RunError {
    let names = || known.iter().map(String::as_str);
    let listed: Vec<String> = names().map(|name| format!("`{name}`")).collect();
    let hint =
        did_you_mean(given, names()).unwrap_or_else(|| format!("there is {}", listed.join(", ")));
    let given = given[..given.floor_char_boundary(100)].escape_debug();
    RunError::new(ErrorCode::Denied, format!("there is no profile `{given}`")).with_hint(hint)
}

/// Something in the gateway that should be impossible.
pub(crate) fn internal() -> RunError {
    RunError::new(ErrorCode::Internal, "something in the gateway failed")
}

/// A name that no server has.
pub(crate) fn unknown_server(given: &str, hint: &str) -> RunError {
    RunError::new(ErrorCode::UnknownServer, format!("there is no server `{given}`")).with_hint(hint)
}

/// A name that no tool of a server has.
pub(crate) fn unknown_tool(server: &str, given: &str, hint: &str) -> RunError {
    let message = format!("server `{server}` has no tool `{given}`");
    RunError::new(ErrorCode::UnknownTool, message).with_hint(hint)
}

/// A tool of a server that has none.
pub(crate) fn no_tools(server: &str) -> RunError {
    RunError::new(ErrorCode::UnknownTool, format!("server `{server}` has no tools"))
}

/// A server that is called as if it were one of its tools.
pub(crate) fn called_server(server: &str, language: Language, tools: &[String]) -> RunError {
    let message = format!("`{server}` is a server, not a function");
    let error = RunError::new(ErrorCode::UnknownTool, message);
    let shown: Vec<String> = tools.iter().take(12).map(|tool| format!("`{tool}`")).collect();
    let arguments = match language {
        Language::TypeScript => "{ … }",
        Language::Python => "…",
    };
    match tools.first() {
        None => error,
        Some(first) => error.with_hint(format!(
            "call one of its tools, such as `servers.{server}.{first}({arguments})`; it has {}{}",
            shown.join(", "),
            if tools.len() > shown.len() { ", …" } else { "" },
        )),
    }
}

/// A call whose arguments are not one object. `arguments` is their JSON text; `wanted`
/// are the required arguments of the tool, or all of them if none is required.
pub(crate) fn not_named(
    tool: &ToolRef,
    function: &str,
    arguments: &str,
    wanted: &[&str],
) -> RunError {
    let got = match arguments.bytes().next() {
        Some(b'{') => {
            let message = format!("the arguments of `{tool}` are nested too deeply");
            return RunError::new(ErrorCode::BadArgument, message)
                .with_hint("data may be nested up to 128 levels");
        }
        Some(b'[') => "a list",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "a function or a symbol",
        _ => "a number",
    };
    let short = arguments.len() <= 40 && !matches!(got, "a list" | "a function or a symbol");
    let value = if short { arguments } else { "…" };
    let hint = match wanted {
        [] => format!("write `{function}({{}})`: it takes no arguments"),
        [only] => format!("write `{function}({{ {only}: {value} }})`"),
        several => {
            let shown: Vec<String> =
                several.iter().take(6).map(|key| format!("{key}: …")).collect();
            format!("write `{function}({{ {} }})`", shown.join(", "))
        }
    };
    let message = format!("`{tool}` takes one object with named arguments, got {got}");
    RunError::new(ErrorCode::BadArgument, message).with_hint(hint)
}

/// A call that failed at the server.
pub(crate) fn upstream(error: &UpstreamError) -> RunError {
    match error {
        UpstreamError::Unknown { server } => {
            RunError::new(ErrorCode::UnknownServer, format!("there is no server `{server}`"))
        }
        UpstreamError::CommandNotFound { server, .. } => RunError::new(
            ErrorCode::UpstreamUnavailable,
            format!("server `{server}` could not be started: its command was not found"),
        )
        .with_hint(format!(
            "the user must fix its configuration; `tidegate servers test {server}` shows it"
        )),
        UpstreamError::StartFailed { server, reason, .. } => RunError::new(
            ErrorCode::UpstreamUnavailable,
            format!("server `{server}` could not be started: {}", quoted(reason)),
        )
        .with_hint(format!("the user can find the reason with `tidegate servers test {server}`")),
        UpstreamError::BackingOff { server, retry_in, reason, .. } => RunError::new(
            ErrorCode::UpstreamUnavailable,
            format!(
                "server `{server}` keeps failing and is tried again in {} s: {}",
                retry_in.as_secs().max(1),
                quoted(reason)
            ),
        ),
        UpstreamError::Died { server, reason, .. } => RunError::new(
            ErrorCode::UpstreamDied,
            format!("server `{server}` died while it worked on the call: {}", quoted(reason)),
        )
        .with_hint("the next call starts it again; whether this one took effect is unknown"),
        UpstreamError::TimedOut { server, after } => RunError::new(
            ErrorCode::UpstreamTimeout,
            format!("server `{server}` did not answer within {} ms", after.as_millis()),
        )
        .with_hint(format!("ask for less, or let the user raise `timeout` of server `{server}`")),
        UpstreamError::Refused { server, message, .. } => RunError::new(
            ErrorCode::ToolFailed,
            format!("server `{server}` refused the call, it says: {}", quoted(message)),
        ),
        UpstreamError::TooLarge { server, tool, limit } => RunError::new(
            ErrorCode::UpstreamTooLarge,
            format!("server `{server}` answered `{tool}` with more than {limit}"),
        )
        .with_hint("ask for less at a time, with a filter or page by page"),
        UpstreamError::Protocol { server, reason } => RunError::new(
            ErrorCode::UpstreamProtocol,
            format!("server `{server}` broke the protocol: {}", quoted(reason)),
        ),
    }
}

/// A run for which there is no worker. `limited` explains the limit that it hit.
pub(crate) fn sandbox(error: &SandboxError, limited: impl Fn(LimitName) -> RunError) -> RunError {
    match error {
        SandboxError::Isolation { wanted, report } => {
            isolation("programs are not run", *wanted, report)
        }
        SandboxError::Processes => limited(LimitName::Processes),
        SandboxError::Start(_)
        | SandboxError::Hello(_)
        | SandboxError::Version { .. }
        | SandboxError::Closed
        | SandboxError::Silent => {
            RunError::new(ErrorCode::WorkerDied, "no worker could be started")
                .with_hint("the user can find the reason with `tidegate doctor`")
        }
    }
}

/// Something that is refused because the machine does not confine it well enough.
pub(crate) fn isolation(what: &str, wanted: Isolation, report: &IsolationReport) -> RunError {
    let missing: Vec<&str> =
        report.missing(wanted).into_iter().map(|line| line.layer.as_str()).collect();
    let message = format!(
        "{what}: this machine isolates them as `{}`, and `sandbox.min_isolation` is `{wanted}`; \
         missing: {}",
        report.level(),
        missing.join(", ")
    );
    RunError::new(ErrorCode::Isolation, message)
        .with_hint("the user can see the remedies with `tidegate doctor`")
}

/// For the model and its user. Omits the paths of the machine, which `tidegate doctor`
/// shows.
pub(crate) fn no_python(error: &PythonError) -> RunError {
    let fact = match error {
        PythonError::Missing { .. } => "there is no Python on this machine".to_owned(),
        PythonError::Broken { .. } => "the Python of this machine does not run".to_owned(),
        PythonError::TooOld { version, .. } => {
            format!("found Python {version}; 3.9 or later is required")
        }
        PythonError::NoPackages { version, .. } => {
            format!("`python.packages` has no packages for Python {version}")
        }
    };
    let hint = "write the program in TypeScript, or ask the user to install Python 3.9 or later on \
                PATH or to set `python.path`; `tidegate doctor` shows what was found";
    RunError::new(ErrorCode::EngineMissing, fact).with_hint(hint)
}

/// The reason for a ruling, as the end of "because …".
pub(crate) fn because(ruling: &Ruling) -> String {
    match &ruling.why {
        RulingReason::Rule { name, place, because } => {
            let said = because.as_ref().map(|text| format!(": {}", visible_line(text)));
            format!("of rule `{}` ({place}){}", visible_line(name), said.unwrap_or_default())
        }
        RulingReason::Effect(effect) => {
            format!("tools that are `{effect}` {} by default", default_for(ruling.word))
        }
        RulingReason::Risk(level) => {
            format!("programs of {level} risk {} by default", default_for(ruling.word))
        }
        RulingReason::Level(level) => {
            format!(
                "`risk.{level}` says that programs of {level} risk {}",
                default_for(ruling.word)
            )
        }
        RulingReason::Profile(name) => {
            format!("the profile `{}` has `approval_required`", visible_line(name))
        }
        RulingReason::Request => "the request asks for it".to_owned(),
    }
}

const fn default_for(word: Decision) -> &'static str {
    match word {
        Decision::Allow => "are allowed",
        Decision::Ask => "require approval",
        Decision::Deny => "are refused",
    }
}

/// A kind of sandbox that this version or this machine does not have.
pub(crate) fn no_such_sandbox(kind: SandboxKind) -> RunError {
    let message = format!("the sandbox `{}` is not available here", kind.as_str());
    RunError::new(ErrorCode::Isolation, message)
        .with_hint("ask for `process` or `strict`; a weaker one is never used instead")
}
