//! Judges a program before it runs: findings, risk, impact, and whether a person is asked.
//!
//! In: what was read out of the program, and the tools that it names. Out: a
//! [`Judgement`]. It informs people and rules. Each call is decided on its own, and the
//! jail decides what the program can reach. A program may have compromised its reader, so a
//! judgement never replaces the decision on each call.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;
use tidegate_catalog::{Catalog, Resolution};
use tidegate_model::reading::{Fact, FactKind, Reading, ValueForm};
use tidegate_model::{
    Decision, Effect, FileImpact, Finding, Impact, Language, Prepared, Reference, RiskLevel,
    Severity, ToolImpact, ToolRef,
};
use tidegate_policy::{Permissions, RuleInput, Ruling, RulingReason, destroying_sql, risk};

use super::Examiner;
use crate::explain::{self, because};

/// The most entries in each list of an impact. Chosen: as many as a person reads.
const MOST: usize = 50;

/// The most bytes of one tool's literal arguments that are reported.
const ARGUMENT_BYTES: usize = 2000;

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
    /// The reasons for the rulings on its tools.
    #[serde(skip)]
    tools_by: BTreeMap<ToolRef, RulingReason>,
}

impl Judgement {
    /// The tools that need approval and that approving the program covers. A tool whose
    /// ruling depends on its arguments is asked about when they are known.
    pub(crate) fn asked_tools(&self) -> impl Iterator<Item = (&ToolRef, &RulingReason)> {
        let asked = self.impact.tools.iter().filter(|tool| asked_ahead(tool));
        asked.filter_map(|tool| self.tools_by.get_key_value(&tool.tool))
    }
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
        let mut impact = self.impact(language, permissions, catalog, references);
        touched(reading, &mut impact);
        let (risk_score, level) = risk(&issues, &impact);
        // Rules can depend on the risk, which is known only now.
        let tools_by = self.rule_on(permissions, level, &mut impact.tools);
        let profiles = permissions.names();
        let ruling = self.policy.with_current_rules().rules().rule(&RuleInput {
            tool: None,
            arguments: None,
            profiles: &profiles,
            level,
            effect: Effect::Unknown,
        });
        let asks = impact.tools.iter().any(asked_ahead);
        Judgement {
            is_secure: issues.iter().all(|issue| issue.severity < Severity::High),
            risk_score,
            level,
            requires_approval: asks || ruling.word == Decision::Ask,
            issues,
            impact,
            ruling,
            tools_by,
        }
    }

    /// The impact of the tools that a program names.
    fn impact(
        &self,
        language: Language,
        permissions: &Permissions,
        catalog: &Catalog,
        references: &[Reference],
    ) -> Impact {
        let mut tools: Vec<ToolImpact> = Vec::new();
        let mut places: BTreeMap<ToolRef, usize> = BTreeMap::new();
        for reference in references.iter().filter(|one| one.arguments.is_some()) {
            let Some(tool) = &reference.tool else { continue };
            let name = format!("{}__{tool}", reference.server);
            let Resolution::Tool { id, .. } = catalog.resolve_in(language, &name) else { continue };
            let Some(definition) = catalog.shown(&id) else { continue };
            let at = *places.entry(id.clone()).or_insert_with(|| {
                let (effect, known_by) = self.policy.grants().effect(&id, &definition);
                let hints = definition.annotations.as_ref();
                let refusal = self.policy.grants().refusal(permissions, &id, &definition);
                tools.push(ToolImpact {
                    tool: id.clone(),
                    effect,
                    known_by,
                    open_world: hints.and_then(|hints| hints.open_world_hint).unwrap_or(false),
                    places: 0,
                    repeated: false,
                    arguments: serde_json::Map::new(),
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
                known.sql = destroying_sql(&reference.literals).map(str::to_owned);
            }
            let bytes = || Value::Object(reference.literals.clone()).to_string().len();
            if known.arguments.is_empty() && bytes() <= ARGUMENT_BYTES {
                known.arguments.clone_from(&reference.literals);
            }
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

    /// Applies the rules to each tool. Returns the reasons.
    fn rule_on(
        &self,
        permissions: &Permissions,
        level: RiskLevel,
        tools: &mut [ToolImpact],
    ) -> BTreeMap<ToolRef, RulingReason> {
        let mut tools_by = BTreeMap::new();
        let rules = self.policy.with_current_rules().rules();
        let profiles = permissions.names();
        // Nobody is asked about what a profile refuses anyway.
        for tool in tools.iter_mut().filter(|tool| tool.decision != Decision::Deny) {
            // The literal arguments may not be all of them, so no argument counts as known.
            let ruling = rules.rule(&RuleInput {
                tool: Some(&tool.tool),
                arguments: None,
                profiles: &profiles,
                level,
                effect: tool.effect,
            });
            tool.decision = ruling.word;
            tool.depends_on_arguments = ruling.depends_on_arguments;
            tool.because = because(&ruling);
            tools_by.insert(tool.tool.clone(), ruling.why);
        }
        tools_by
    }
}

fn asked_ahead(tool: &ToolImpact) -> bool {
    tool.decision == Decision::Ask && !tool.depends_on_arguments
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
