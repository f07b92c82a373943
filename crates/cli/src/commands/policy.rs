//! `tidegate policy show|test`: shows the rules in force, and explains a decision step by
//! step.

mod steps;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use tidegate_catalog::{Catalog, Resolution};
use tidegate_config::{Environment, PolicyFile, Settings};
use tidegate_gateway::admin::Admin;
use tidegate_gateway::read_policy;
use tidegate_model::{Change, Effect, PolicyRule, RiskLevel, ToolDef, ToolRef, visible};
use tidegate_policy::{ExplainRequest, Explanation, Grants, Permissions, Policy};

use crate::args::{PolicyArgs, PolicyCommand, PolicyTestArgs};
use crate::commands::search::from_files;
use crate::print::Usage;
use crate::{context, print};

pub(crate) async fn run(config: &Option<PathBuf>, args: &PolicyArgs) -> anyhow::Result<ExitCode> {
    match &args.command {
        PolicyCommand::Show { json } => show(config, *json),
        PolicyCommand::Test(args) => test(config, args).await,
    }
}

fn show(config: &Option<PathBuf>, json: bool) -> anyhow::Result<ExitCode> {
    let settings = context::settings(config, &Environment::from_process())?;
    let read = read_policy(&settings.policy)?;
    let path = settings.policy.path();
    let file = read.as_ref().map(|(file, _)| file);
    if json {
        let rules: Vec<Value> = file.iter().flat_map(|file| &file.rules).map(rule_json).collect();
        let path = path.filter(|_| file.is_some());
        print::json(&json!({"file": path, "defaults": defaults_json(file), "rules": rules}));
        return Ok(ExitCode::SUCCESS);
    }
    match (file, path) {
        (Some(_), Some(path)) => print::line(format!("rules from `{}`", path.display())),
        (_, Some(path)) => {
            print::line(format!("no rules; they are read from `{}`", path.display()));
        }
        (_, None) => print::line("no rules"),
    }
    for path in settings.source.as_deref().into_iter().chain(path) {
        if let Some(line) = seen(&Admin::new(&settings), path)? {
            print::line(line);
        }
    }
    for rule in file.iter().flat_map(|file| &file.rules) {
        let conditions = conditions(rule);
        let name = print::bold(&rule.name);
        print::line(print::harmless(&format!("  {:<5}  {name}  {conditions}", rule.word)));
    }
    print::line("defaults, where no rule matches");
    for (name, word) in defaults(file) {
        print::line(format!("  {word:<5}  {name}"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Since when a file decides here, and who owns it.
fn seen(admin: &Admin, path: &Path) -> anyhow::Result<Option<String>> {
    let Some(seen) = admin.rules_seen(path)? else { return Ok(None) };
    let minutes = seen.seen_at.elapsed().unwrap_or_default().as_secs() / 60;
    let was = match &seen.before {
        Some(before) => format!("changed (before: sha256 {})", start(before)),
        None => "first seen".to_owned(),
    };
    Ok(Some(format!(
        "  `{}`: sha256 {}, {was} by a gateway {minutes} min ago, owner {}",
        path.display(),
        start(&seen.sha256),
        seen.owner
    )))
}

fn start(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}

fn defaults(file: Option<&PolicyFile>) -> Vec<(String, tidegate_model::Decision)> {
    let defaults = file.map(|file| file.defaults).unwrap_or_default();
    let of_effect = |effect: Effect| (format!("{effect} tools"), defaults.of(effect));
    let programs = ("programs of critical risk".to_owned(), defaults.critical);
    Effect::ALL.map(of_effect).into_iter().chain([programs]).collect()
}

fn defaults_json(file: Option<&PolicyFile>) -> Value {
    let defaults = file.map(|file| file.defaults).unwrap_or_default();
    let effects =
        Effect::ALL.map(|effect| (effect.as_str().to_owned(), json!(defaults.of(effect))));
    let all = effects.into_iter().chain([("critical".to_owned(), json!(defaults.critical))]);
    Value::Object(all.collect())
}

/// The conditions of a rule, as in the file.
fn conditions(rule: &PolicyRule) -> String {
    let listed = |name: &str, texts: &[String]| {
        (!texts.is_empty()).then(|| format!("{name} {}", texts.join(" or ")))
    };
    let mut parts: Vec<String> = [
        listed("server", &rule.servers),
        listed("tool", &rule.tools),
        listed("sql", &rule.sql),
        listed("profile", &rule.profiles),
        rule.risk.map(|risk| format!("risk {risk}")),
    ]
    .into_iter()
    .flatten()
    .collect();
    parts.extend(rule.arguments.iter().filter_map(|one| listed(&one.key, &one.values)));
    if parts.is_empty() { "every call".to_owned() } else { parts.join(", ") }
}

fn rule_json(rule: &PolicyRule) -> Value {
    let arguments = rule.arguments.iter().map(|one| (one.key.clone(), json!(one.values)));
    json!({
        "name": rule.name,
        "decision": rule.word,
        "server": rule.servers,
        "tool": rule.tools,
        "arguments": Value::Object(arguments.collect()),
        "sql": rule.sql,
        "profile": rule.profiles,
        "risk": rule.risk,
        "because": rule.because,
        "examples": rule.examples.len(),
        "place": rule.place,
    })
}

/// The tool of the tested call, with how it differs from its accepted definition.
struct Subject {
    id: ToolRef,
    tool: Arc<ToolDef>,
    change: Option<Change>,
}

async fn test(config: &Option<PathBuf>, args: &PolicyTestArgs) -> anyhow::Result<ExitCode> {
    let arguments = args.arguments.as_deref().map(parse_arguments).transpose()?;
    let level = args.risk.map_or(RiskLevel::Low, crate::args::LevelArg::level);
    let environment = Environment::from_process();
    let mut settings = context::settings(config, &environment)?;
    let subject = match &args.catalog {
        Some(path) => {
            let (catalog, _) = from_files(path)?;
            // They are not configured; the decision is shown as if they were.
            settings.policy.add_servers(catalog.servers().map(str::to_owned));
            find_tool(&catalog, &args.call)
        }
        None => find_on_servers(&settings, &environment, &args.call).await?,
    };
    let subject = subject.map_err(|problem| Usage(visible(&problem).into_owned()))?;
    let policy = policy_of(&settings)?;
    let permissions = permissions(&policy, args.profile.as_deref())?;
    let explanation = policy.explain(&ExplainRequest {
        permissions: &permissions,
        id: &subject.id,
        tool: &subject.tool,
        change: subject.change.as_ref(),
        arguments: arguments.as_ref(),
        level,
    });
    let call = TestedCall { id: &subject.id, arguments: arguments.as_ref(), level };
    show_explanation(&call, &permissions, &explanation, args.json);
    Ok(ExitCode::SUCCESS)
}

/// The call whose decision is explained.
struct TestedCall<'a> {
    id: &'a ToolRef,
    arguments: Option<&'a Map<String, Value>>,
    level: RiskLevel,
}

fn show_explanation(
    call: &TestedCall<'_>,
    permissions: &Permissions,
    explanation: &Explanation,
    json: bool,
) {
    let steps = steps::steps(call, permissions, explanation);
    if json {
        print::json(&json!({
            "call": call.id.to_string(),
            "arguments": call.arguments,
            "profiles": permissions.names(),
            "risk": call.level,
            "decision": explanation.word,
            "depends_on_arguments": explanation.ruling.depends_on_arguments,
            "steps": steps,
            "rules": steps::rules_json(explanation),
        }));
        return;
    }
    for (index, step) in steps.iter().enumerate() {
        let text = format!("{}  {:<9}  {}", index + 1, step.name, step.said);
        print::line(visible(&text));
        for line in &step.lines {
            print::line(visible(&format!("     {line}")));
        }
    }
    print::line(print::bold(&format!("decision: {}", explanation.word)));
}

fn parse_arguments(text: &str) -> anyhow::Result<Map<String, Value>> {
    let parsed: Result<Map<String, Value>, _> = serde_json::from_str(text);
    parsed.map_err(|error| {
        let problem = format!("`--arguments` is not a JSON object: {error}");
        Usage(format!("{problem}\nhint: write it like '{{\"path\": \"/tmp/a\"}}'")).into()
    })
}

/// The tool as it was last listed. Starts the servers only if it is not known.
async fn find_on_servers(
    settings: &Settings,
    environment: &Environment,
    call: &str,
) -> anyhow::Result<Result<Subject, String>> {
    let gateway = context::open(settings.clone(), environment)?;
    let mut subject = find_tool(&gateway.tools().catalog(), call);
    if subject.is_err() {
        let (catalog, failed) = gateway.tools().complete_catalog().await;
        for (name, error) in &failed {
            print::note(visible(&format!("warning: {name}: {error}")));
        }
        subject = find_tool(&catalog, call);
    }
    gateway.close().await;
    Ok(subject)
}

fn find_tool(catalog: &Catalog, call: &str) -> Result<Subject, String> {
    match catalog.resolve(call) {
        Resolution::Tool { id, tool } => {
            let change = catalog.change(&id).cloned();
            Ok(Subject { id, tool, change })
        }
        Resolution::UnknownTool { server, given, hint } => {
            Err(format!("server `{server}` has no tool `{given}`\nhint: {hint}"))
        }
        Resolution::UnknownServer { given, hint } => {
            Err(format!("there is no server `{given}`\nhint: {hint}"))
        }
        Resolution::NotListed { server } => Err(format!("server `{server}` has listed no tools")),
    }
}

fn policy_of(settings: &Settings) -> anyhow::Result<Policy> {
    let permissions = settings.permissions.clone();
    let policy = Policy::new(Grants {
        servers: settings.policy.servers().map(str::to_owned).collect(),
        tools: permissions.tools,
        profiles: permissions.profiles,
        profile: permissions.profile,
        on_change: permissions.on_change,
        commands: permissions.commands,
    });
    if let Some((_, rules)) = read_policy(&settings.policy)? {
        policy.set_rules(rules);
    }
    Ok(policy)
}

fn permissions(policy: &Policy, profile: Option<&str>) -> anyhow::Result<Permissions> {
    policy.permissions(profile).map_err(|known| {
        let name = profile.unwrap_or_default();
        let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
        let hint = format!("available profiles: {}", known.join(", "));
        Usage(format!("there is no profile `{name}`\nhint: {hint}")).into()
    })
}
