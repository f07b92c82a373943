//! Judges a program before it runs: findings, risk, impact, and whether a person is asked.
//!
//! In: what was read out of the program, and the tools that it names. Out: a
//! [`Judgement`]. It informs people and rules. Each call is decided on its own, and the
//! jail decides what the program can reach. A program may have compromised its reader, so a
//! judgement never replaces the decision on each call.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};
use tidegate_catalog::{Catalog, Resolution};
use tidegate_model::reading::{FactKind, Reading};
use tidegate_model::{
    Decision, Effect, EffectSource, Finding, Impact, Language, MAX_RULES, NAME_LIMIT, Prepared,
    Reference, RiskLevel, Severity, Stage, ToolDef, ToolImpact, ToolRef,
};
use tidegate_policy::{CallEffect, Permissions, RuleInput, Rules, Ruling, RulingReason, risk};

use super::Examiner;
use super::calls::{ARGUMENT_BYTES, AskedCall, NamedTool, attention};
use super::file_access::{COMPUTED, files_of, written};
use crate::explain::{self, because};

/// The most entries in each list of an impact. Chosen: ten times what programs have. A form
/// shows fewer, and says so.
const MOST: usize = 1000;

/// The most bytes of the arguments that stand for all calls of a tool.
const SAMPLE_BYTES: usize = 2000;

/// The result of judging a program.
#[derive(Clone, Debug, Serialize)]
pub struct Judgement {
    /// Whether nothing of high severity was found, and no call destroys something for certain
    /// or does so again and again.
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

impl Judgement {
    /// What is recorded of it.
    pub(super) fn stage(&self) -> Stage {
        let rules: BTreeSet<String> = self.issues.iter().map(|issue| issue.rule.clone()).collect();
        Stage::Judged {
            risk_score: self.risk_score,
            level: self.level,
            rules: rules.into_iter().take(MAX_RULES).collect(),
            tools: self.impact.tools.len(),
            requires_approval: self.requires_approval,
        }
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
        let mut named = BTreeMap::new();
        let mut impact = self.impact(language, permissions, catalog, references, &mut named);
        touched(reading, references, &mut impact);
        let (risk_score, level) = risk(&issues, &impact);
        // Rules can depend on the risk, which is known only now.
        let mut asked = Vec::new();
        for tool in &mut impact.tools {
            asked.extend(self.rule_on(permissions, level, tool, &named));
        }
        asked.sort_by_key(|one| attention_of(&impact.tools, &one.tool));
        let ruling = self.policy.ruling_on_program(permissions, level);
        Judgement {
            is_secure: issues.iter().all(|issue| issue.severity < Severity::High)
                && !references.iter().any(passes_server)
                && !impact.tools.iter().any(|tool| {
                    destroys_visibly(tool, catalog.server(&tool.tool.server).is_some())
                }),
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
        for reference in references.iter().filter(|one| one.arguments.is_some() || one.passed) {
            let Some((id, definition)) = named_tool(language, catalog, reference) else { continue };
            let is_known = catalog.server(&id.server).is_some();
            if !is_known && tools.len() >= MOST && !places.contains_key(&id) {
                continue;
            }
            let at = *places.entry(id.clone()).or_insert_with(|| {
                let tool = NamedTool::new(language, catalog, &id, Arc::clone(&definition));
                named.insert(id.clone(), tool);
                tools.push(new_impact(&id, &definition, is_known));
                tools.len() - 1
            });
            let Some(known) = tools.get_mut(at) else { continue };
            known.places += 1;
            known.repeated |= reference.repeated;
            let Some(tool) = named.get(&id) else { continue };
            let call = tool.call(reference, &mut bytes_left);
            let grants = self.policy.grants();
            add_effect(known, grants.effect(&id, &definition, Some(&call.arguments)));
            if let Some(refusal) = grants.refusal(permissions, &id, known.effect) {
                known.decision = Decision::Deny;
                known.because = explain::refusal(&refusal).0;
            }
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
        let Some(known) = named.get(&tool.tool) else { return Vec::new() };
        let effect =
            |arguments| self.policy.grants().effect(&tool.tool, &known.definition, arguments);
        let executes_text = effect(None).depends_on_arguments;
        let mut is_open = false;
        let mut asked = Vec::new();
        for call in &mut tool.calls {
            let found = effect(Some(&call.arguments));
            let input = RuleInput { effect: found.effect, ..input };
            let ruling = if call.is_literal() {
                rules.rule(&RuleInput { arguments: Some(&call.arguments), ..input })
            } else {
                is_open |= executes_text;
                ahead(&rules, &input, executes_text)
            };
            call.decision = ruling.word;
            if ruling.word == Decision::Ask && !ruling.depends_on_arguments {
                asked.push(AskedCall {
                    tool: tool.tool.clone(),
                    definition: Arc::clone(&known.definition),
                    effect: found.effect,
                    because: because(&ruling),
                    why: ruling.why,
                    call: call.clone(),
                });
            }
        }
        let strictest = ahead(&rules, &input, is_open);
        tool.decision = strictest.word;
        tool.depends_on_arguments = strictest.depends_on_arguments;
        let is_computed = is_open && strictest.why == RulingReason::Effect(Effect::Destructive);
        tool.because = match is_computed && tool.effect != Effect::Destructive {
            true => COMPUTED_TEXT.to_owned(),
            false => because(&strictest),
        };
        asked
    }
}

/// The strictest possible ruling while arguments are not known. `is_open`: they may be text
/// that the tool executes.
fn ahead(rules: &Rules, input: &RuleInput<'_>, is_open: bool) -> Ruling {
    let ruling = rules.rule(input);
    let strictest = rules.defaults().of(Effect::Destructive);
    let by_default = ruling.why == RulingReason::Effect(input.effect);
    if !(is_open && by_default && strictest > ruling.word) {
        return ruling;
    }
    let why = RulingReason::Effect(Effect::Destructive);
    Ruling { word: strictest, why, depends_on_arguments: true }
}

/// What a person has to look at first comes first.
fn attention_of(tools: &[ToolImpact], id: &ToolRef) -> Option<(bool, u8, usize)> {
    let at = tools.iter().position(|tool| tool.tool == *id)?;
    let (is_calm, effect) = attention(tools.get(at)?);
    Some((is_calm, effect, at))
}

/// Why the decision on a tool that executes text is open.
const COMPUTED_TEXT: &str =
    "what it executes is computed at run time, so each call is decided then";

/// The tool that a reference names. One that nobody knows counts by its name and arguments.
fn named_tool(
    language: Language,
    catalog: &Catalog,
    reference: &Reference,
) -> Option<(ToolRef, Arc<ToolDef>)> {
    let tool = reference.tool.as_ref()?;
    if reference.server.len() > NAME_LIMIT || tool.len() > NAME_LIMIT {
        return None;
    }
    let name = format!("{}__{tool}", reference.server);
    if let Resolution::Tool { id, tool } = catalog.resolve_in(language, &name) {
        return catalog.shown(&id).is_some().then_some((id, tool));
    }
    let definition = ToolDef {
        name: tool.clone(),
        title: None,
        description: None,
        input_schema: Value::Object(Map::new()),
        output_schema: None,
        annotations: None,
    };
    Some((ToolRef::new(&reference.server, tool), Arc::new(definition)))
}

fn new_impact(id: &ToolRef, definition: &ToolDef, is_known: bool) -> ToolImpact {
    let hints = definition.annotations.as_ref();
    ToolImpact {
        tool: id.clone(),
        effect: Effect::ReadOnly,
        known_by: EffectSource::Nothing,
        open_world: hints.and_then(|hints| hints.open_world_hint).unwrap_or(!is_known),
        places: 0,
        repeated: false,
        arguments: Map::new(),
        calls: Vec::new(),
        destroys: None,
        decision: Decision::Allow,
        depends_on_arguments: false,
        because: String::new(),
    }
}

/// The strictest effect of all calls of a tool counts.
fn add_effect(tool: &mut ToolImpact, call: CallEffect) {
    if tool.places == 1 || call.effect.is_stricter_than(tool.effect) {
        (tool.effect, tool.known_by) = (call.effect, call.source);
    }
    tool.destroys = tool.destroys.take().or(call.destroys);
}

/// Whether a call destroys something by its written arguments, or does by its name: again and
/// again, or on a server that is not configured, where no rule of ours asks about it.
fn destroys_visibly(tool: &ToolImpact, is_configured: bool) -> bool {
    let is_named = tool.known_by == EffectSource::Name && tool.effect == Effect::Destructive;
    tool.destroys.is_some() || is_named && (tool.repeated || !is_configured)
}

/// Whether all of a server is handed to something that may call any of its tools.
fn passes_server(reference: &Reference) -> bool {
    reference.passed && reference.tool.is_none()
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
fn touched(reading: &Reading, references: &[Reference], impact: &mut Impact) {
    for fact in reading.facts.iter().filter(|fact| fact.kind == FactKind::Call) {
        let first = || written(fact, 0);
        match fact.path.as_str() {
            "fetch" => add(&mut impact.network, first()),
            "commands.run" => add(&mut impact.commands, first()),
            "callMCPTool" | "call_mcp_tool" if first() == COMPUTED => impact.unseen = true,
            _ => {
                for file in files_of(fact) {
                    if impact.files.len() < MOST && !impact.files.contains(&file) {
                        impact.files.push(file);
                    }
                }
            }
        }
    }
    impact.unseen |= references.iter().any(passes_server);
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

fn add(list: &mut Vec<String>, text: String) {
    if list.len() < MOST && !list.contains(&text) {
        list.push(text);
    }
}

#[cfg(test)]
mod tests {
    use tidegate_model::reading::{AbstractValue, Fact, FactKind, Reading, ValueForm};
    use tidegate_model::{Impact, Reference};

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
        touched(&Reading { facts, complete: true, ..Reading::default() }, &[], &mut impact);
        assert_eq!(impact.network, ["https://a.example/x", "https://b.example/*"]);
        assert_eq!(impact.commands, ["*"]);
        let files: Vec<String> =
            impact.files.iter().map(|file| format!("{} {}", file.access, file.path)).collect();
        assert_eq!(files, ["write ./workspace/a", "remove b"]);
        assert!(impact.modifies_data);
        assert_eq!(impact.reversible, None);
    }

    #[test]
    fn a_server_that_is_handed_over_may_change_data() {
        let passed = Reference { passed: true, ..Reference::default() };
        let mut impact = Impact { reversible: Some(true), ..Impact::default() };
        touched(&Reading::default(), &[passed], &mut impact);
        assert!(impact.unseen && impact.modifies_data);
        assert_eq!(impact.reversible, None);
    }
}
