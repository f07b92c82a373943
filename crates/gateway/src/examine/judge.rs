//! Judges a program before it runs: findings, risk, impact, and whether a person is asked.
//!
//! In: what was read out of the program, and the tools that it names. Out: a
//! [`Judgement`]. It informs people and rules. Each call is decided on its own, and the
//! jail decides what the program can reach. A program may have compromised its reader, so a
//! judgement never replaces the decision on each call.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use tidegate_catalog::{Catalog, Resolution};
use tidegate_model::reading::{Fact, FactKind, Reading, ValueForm};
use tidegate_model::{
    Decision, Effect, FileImpact, Finding, Impact, Language, Prepared, Reference, RiskLevel,
    Severity, ToolImpact, ToolRef,
};
use tidegate_policy::{Permissions, RuleInput, Ruling, destroying_sql, risk};

use super::Examiner;
use super::calls::{ARGUMENT_BYTES, AskedCall, NamedTool, attention};
use crate::explain::{self, because};

/// The most entries in each list of an impact. Chosen: ten times what programs have. A form
/// shows fewer, and says so.
const MOST: usize = 1000;

/// The most bytes of the arguments that stand for all calls of a tool.
const SAMPLE_BYTES: usize = 2000;

/// The result of judging a program.
#[derive(Clone, Debug, Serialize)]
pub struct Judgement {
    /// Whether nothing of high severity was found. Tools do not count here.
    pub is_secure: bool,
    /// From 0 to 100.
    pub risk_score: u8,
    /// The same as a word.
    pub level: RiskLevel,
    /// Whether a person is asked before it runs.
    pub requires_approval: bool,
    /// What was found.
    pub issues: Vec<Finding>,
    /// What it would touch.
    pub impact: Impact,
    /// The ruling on the program as a whole.
    #[serde(skip)]
    pub(crate) ruling: Ruling,
    /// The visible calls that need approval, in the order in which a person is shown them. A
    /// call whose ruling depends on arguments that are computed is asked about when it is made.
    #[serde(skip)]
    pub(crate) asked: Vec<AskedCall>,
}

impl Examiner {
    /// Judges a program that was read.
    pub(super) fn judgement(
        &self,
        language: Language,
        permissions: &Permissions,
        catalog: &Catalog,
        prepared: &Prepared,
    ) -> Judgement {
        let Prepared { reading, references, .. } = prepared;
        let issues = self.patterns.findings(language, reading);
        let mut named = BTreeMap::new();
        let mut impact = self.impact(language, permissions, catalog, references, &mut named);
        touched(reading, &mut impact);
        let (risk_score, level) = risk(&issues, &impact);
        // Rules can depend on the risk, which is known only now.
        let mut asked = Vec::new();
        for tool in &mut impact.tools {
            asked.extend(self.rule_on(permissions, level, tool, &named));
        }
        asked.sort_by_key(|one| attention_of(&impact.tools, &one.tool));
        let ruling = self.policy.ruling_on_program(permissions, level);
        Judgement {
            is_secure: issues.iter().all(|issue| issue.severity < Severity::High),
            risk_score,
            level,
            requires_approval: !asked.is_empty() || ruling.word == Decision::Ask,
            issues,
            impact,
            ruling,
            asked,
        }
    }

    /// The impact of the tools that a program names.
    fn impact(
        &self,
        language: Language,
        permissions: &Permissions,
        catalog: &Catalog,
        references: &[Reference],
        named: &mut BTreeMap<ToolRef, NamedTool>,
    ) -> Impact {
        let mut tools: Vec<ToolImpact> = Vec::new();
        let mut bytes_left = ARGUMENT_BYTES;
        let mut places: BTreeMap<ToolRef, usize> = BTreeMap::new();
        for reference in references.iter().filter(|one| one.arguments.is_some()) {
            let Some(tool) = &reference.tool else { continue };
            let name = format!("{}__{tool}", reference.server);
            let Resolution::Tool { id, tool } = catalog.resolve_in(language, &name) else {
                continue;
            };
            let Some(definition) = catalog.shown(&id) else { continue };
            let at = *places.entry(id.clone()).or_insert_with(|| {
                let (effect, known_by) = self.policy.grants().effect(&id, &definition);
                let hints = definition.annotations.as_ref();
                let refusal = self.policy.grants().refusal(permissions, &id, &definition);
                named.insert(id.clone(), NamedTool::new(language, catalog, &id, tool));
                tools.push(ToolImpact {
                    tool: id.clone(),
                    effect,
                    known_by,
                    open_world: hints.and_then(|hints| hints.open_world_hint).unwrap_or(false),
                    places: 0,
                    repeated: false,
                    arguments: serde_json::Map::new(),
                    calls: Vec::new(),
                    sql: None,
                    decision: if refusal.is_some() { Decision::Deny } else { Decision::Allow },
                    depends_on_arguments: false,
                    because: refusal
                        .map(|refusal| explain::refusal(&refusal).0)
                        .unwrap_or_default(),
                });
                tools.len() - 1
            });
            let Some(known) = tools.get_mut(at) else { continue };
            known.places += 1;
            known.repeated |= reference.repeated;
            if known.sql.is_none() {
                known.sql = destroying_sql(&reference.known.literals).map(str::to_owned);
            }
            let Some(tool) = named.get(&id) else { continue };
            let call = tool.call(reference, &mut bytes_left);
            let bytes = || Value::Object(call.arguments.clone()).to_string().len();
            if known.arguments.is_empty() && bytes() <= SAMPLE_BYTES {
                known.arguments.clone_from(&call.arguments);
            }
            known.calls.push(call);
        }
        let servers: BTreeSet<String> = tools.iter().map(|tool| tool.tool.server.clone()).collect();
        let changes = |tool: &ToolImpact| tool.effect != Effect::ReadOnly;
        let modifies_data = tools.iter().any(changes);
        Impact {
            servers: servers.into_iter().collect(),
            modifies_data,
            reversible: reversible(&tools),
            tools,
            ..Impact::default()
        }
    }

    /// Applies the rules to a tool and its calls. Returns the calls that need approval.
    fn rule_on(
        &self,
        permissions: &Permissions,
        level: RiskLevel,
        tool: &mut ToolImpact,
        named: &BTreeMap<ToolRef, NamedTool>,
    ) -> Vec<AskedCall> {
        // Nobody is asked about what a profile refuses anyway.
        if tool.decision == Decision::Deny {
            tool.calls.iter_mut().for_each(|call| call.decision = Decision::Deny);
            return Vec::new();
        }
        let rules = self.policy.with_current_rules().rules();
        let profiles = permissions.names();
        let input = RuleInput {
            tool: Some(&tool.tool),
            arguments: None,
            profiles: &profiles,
            level,
            effect: tool.effect,
        };
        let strictest = rules.rule(&input);
        tool.decision = strictest.word;
        tool.depends_on_arguments = strictest.depends_on_arguments;
        tool.because = because(&strictest);
        let mut asked = Vec::new();
        for call in &mut tool.calls {
            let ruling = match call.is_literal() {
                true => rules.rule(&RuleInput { arguments: Some(&call.arguments), ..input }),
                false => strictest.clone(),
            };
            call.decision = ruling.word;
            let Some(known) = named.get(&tool.tool) else { continue };
            if ruling.word == Decision::Ask && !ruling.depends_on_arguments {
                asked.push(AskedCall {
                    tool: tool.tool.clone(),
                    definition: Arc::clone(&known.definition),
                    effect: tool.effect,
                    because: because(&ruling),
                    why: ruling.why,
                    call: call.clone(),
                });
            }
        }
        asked
    }
}

/// What a person has to look at first comes first.
fn attention_of(tools: &[ToolImpact], id: &ToolRef) -> Option<(bool, u8, usize)> {
    let at = tools.iter().position(|tool| tool.tool == *id)?;
    let (is_calm, effect) = attention(tools.get(at)?);
    Some((is_calm, effect, at))
}

/// Whether the changes that tools make can be undone.
fn reversible(tools: &[ToolImpact]) -> Option<bool> {
    let effects = || tools.iter().map(|tool| tool.effect);
    if effects().any(|effect| effect == Effect::Destructive) {
        Some(false)
    } else if effects().any(|effect| effect == Effect::Unknown) {
        None
    } else {
        Some(true)
    }
}

/// Adds files, network and commands from the facts.
fn touched(reading: &Reading, impact: &mut Impact) {
    for fact in reading.facts.iter().filter(|fact| fact.kind == FactKind::Call) {
        let first = || written(fact);
        match fact.path.as_str() {
            "fetch" => add(&mut impact.network, first()),
            "commands.run" => add(&mut impact.commands, first()),
            "callMCPTool" | "call_mcp_tool" if first() == COMPUTED => impact.unseen = true,
            path => {
                if let Some(access) = file_access(path) {
                    let file = FileImpact { path: first(), access: access.into() };
                    if impact.files.len() < MOST && !impact.files.contains(&file) {
                        impact.files.push(file);
                    }
                }
            }
        }
    }
    impact.unseen |= reading.facts.iter().any(|fact| {
        fact.kind == FactKind::Call && fact.path.starts_with("servers.") && fact.path.contains("[]")
    });
    if !(impact.network.is_empty() && impact.commands.is_empty()) || impact.unseen {
        impact.modifies_data = true;
        if impact.reversible == Some(true) {
            impact.reversible = None;
        }
    }
}

/// Stands for something that is not written out.
const COMPUTED: &str = "*";

/// The first argument as far as it is written out.
fn written(fact: &Fact) -> String {
    match fact.arguments.first().map(|argument| &argument.form) {
        Some(ValueForm::Text(text)) => text.clone(),
        Some(ValueForm::Begins(text)) => format!("{text}{COMPUTED}"),
        _ => COMPUTED.to_owned(),
    }
}

fn add(list: &mut Vec<String>, text: String) {
    if list.len() < MOST && !list.contains(&text) {
        list.push(text);
    }
}

/// How a function accesses a file, by the function's path.
fn file_access(path: &str) -> Option<&'static str> {
    let (module, function) = path.rsplit_once('.').unwrap_or(("", path));
    let module = module.trim_start_matches("node:");
    let of_files = matches!(module, "" | "fs" | "fs/promises" | "fs.promises" | "os" | "shutil")
        || module.starts_with("Deno")
        || module.starts_with("pathlib.Path");
    let access = match function {
        "read_file" | "readFile" | "readFileSync" | "read_text" | "read_bytes" | "open" => "read",
        "write_file" | "writeFile" | "writeFileSync" | "appendFile" | "write_text" | "mkdir" => {
            "write"
        }
        "rm" | "unlink" | "rmdir" | "remove" | "rmtree" | "unlinkSync" | "rmSync" => "remove",
        _ => return None,
    };
    // Bare names are ours only where we have such a function.
    let bare = matches!(function, "read_file" | "write_file" | "open");
    (of_files && (!module.is_empty() || bare)).then_some(access)
}

#[cfg(test)]
mod tests {
    use tidegate_model::Impact;
    use tidegate_model::reading::{AbstractValue, Fact, FactKind, Reading, ValueForm};

    use super::touched;

    fn call(path: &str, first: ValueForm) -> Fact {
        let arguments = vec![AbstractValue { form: first, ..AbstractValue::default() }];
        Fact { kind: FactKind::Call, path: path.into(), arguments, ..Fact::default() }
    }

    #[test]
    fn files_network_and_commands_are_seen_as_far_as_they_are_written() {
        let text = |text: &str| ValueForm::Text(text.into());
        let facts = vec![
            call("fetch", text("https://a.example/x")),
            call("fetch", ValueForm::Begins("https://b.example/".into())),
            call("commands.run", ValueForm::Unknown),
            call("fs/promises.writeFile", text("./workspace/a")),
            call("os.remove", text("b")),
            call("?.remove", text("c")),
            call("list.remove", text("d")),
        ];
        let mut impact = Impact { reversible: Some(true), ..Impact::default() };
        touched(&Reading { facts, complete: true, ..Reading::default() }, &mut impact);
        assert_eq!(impact.network, ["https://a.example/x", "https://b.example/*"]);
        assert_eq!(impact.commands, ["*"]);
        let files: Vec<String> =
            impact.files.iter().map(|file| format!("{} {}", file.access, file.path)).collect();
        assert_eq!(files, ["write ./workspace/a", "remove b"]);
        assert!(impact.modifies_data);
        assert_eq!(impact.reversible, None);
    }
}
