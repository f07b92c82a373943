//! Puts the steps of a decision into words.
//!
//! In: the explanation that the policy gives. Out: one line for each step, for people and
//! for JSON.

use serde::Serialize;
use serde_json::{Value, json};
use tidegate_model::{Decision, EffectSource};
use tidegate_policy::{
    Explanation, Permissions, RuleEvaluation, RuleMatch, RulePart, RulingReason,
};

use super::TestedCall;

/// One step of a decision.
#[derive(Debug, Serialize)]
pub(super) struct Step {
    pub(super) name: &'static str,
    pub(super) passed: bool,
    pub(super) said: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) lines: Vec<String>,
}

impl Step {
    fn new(name: &'static str, passed: bool, said: impl Into<String>) -> Self {
        Self { name, passed, said: said.into(), lines: Vec::new() }
    }
}

pub(super) fn steps(
    call: &TestedCall<'_>,
    permissions: &Permissions,
    explanation: &Explanation,
) -> Vec<Step> {
    vec![
        server(call, explanation),
        profile(permissions, explanation),
        acceptance(explanation),
        effect(explanation),
        rules(explanation),
        arguments(call, explanation),
    ]
}

fn server(call: &TestedCall<'_>, explanation: &Explanation) -> Step {
    let server = &call.id.server;
    let said = if explanation.granted { "is configured" } else { "is not configured" };
    Step::new("server", explanation.granted, format!("`{server}` {said}"))
}

fn profile(permissions: &Permissions, explanation: &Explanation) -> Step {
    let names: Vec<String> = permissions.names().iter().map(|name| format!("`{name}`")).collect();
    let said = match &explanation.refused {
        None => format!("allowed by {}", names.join(" and ")),
        Some(refusal) => {
            format!("profile `{}` denies it, and no rule can override that", refusal.profile)
        }
    };
    Step::new("profile", explanation.refused.is_none(), said)
}

fn acceptance(explanation: &Explanation) -> Step {
    match &explanation.quarantined {
        None => Step::new("accepted", true, "not in quarantine"),
        Some(_) => {
            let said = "in quarantine until `tidegate tools accept`, and no rule can override that";
            Step::new("accepted", false, said)
        }
    }
}

fn effect(explanation: &Explanation) -> Step {
    let (effect, source) = explanation.effect;
    let known = match source {
        EffectSource::User => "set in `[tools]` of the configuration",
        EffectSource::Claim => "from its annotations",
        EffectSource::Name => "from a verb in its name",
        EffectSource::Arguments => "from what its arguments execute",
        EffectSource::Nothing => "assumed, since nothing says what it does",
    };
    Step::new("effect", true, format!("{effect}, {known}"))
}

fn rules(explanation: &Explanation) -> Step {
    let ruling = &explanation.ruling;
    let matching = explanation.rules.iter().filter(|rule| !matches!(rule.fit, RuleMatch::No(_)));
    let mut matching: Vec<&RuleEvaluation> = matching.collect();
    // The winner first, as the rules themselves compare.
    matching.sort_by(|a, b| (rank(b), b.word).cmp(&(rank(a), a.word)));
    let certain = matching.iter().filter(|rule| matches!(rule.fit, RuleMatch::Yes(_))).count();
    let all = explanation.rules.len();
    let mut said = format!("{} by {}; {certain} of {all} rules match", ruling.word, ruling.why);
    if matching.len() > certain {
        said.push_str(&format!(", {} may", matching.len() - certain));
    }
    if let RulingReason::Rule { because: Some(because), .. } = &ruling.why {
        said.push_str(&format!("; because {because}"));
    }
    if ruling.depends_on_arguments {
        said.push_str(" (the strictest possible; pass `--arguments` for the exact decision)");
    }
    let mut step = Step::new("rules", ruling.word != Decision::Deny, said);
    step.lines = matching.into_iter().map(|rule| line(rule, &ruling.why)).collect();
    step
}

fn rank(rule: &RuleEvaluation) -> Option<&tidegate_policy::Specificity> {
    match &rule.fit {
        RuleMatch::Yes(specificity) | RuleMatch::Maybe(specificity) => Some(specificity),
        RuleMatch::No(_) => None,
    }
}

fn line(rule: &RuleEvaluation, why: &RulingReason) -> String {
    let wins = matches!(why, RulingReason::Rule { name, .. } if *name == rule.name);
    let mark = if wins { "wins " } else { "     " };
    let how = match &rule.fit {
        RuleMatch::Yes(specificity) => specificity.to_string(),
        RuleMatch::Maybe(specificity) => format!("perhaps; {specificity}"),
        RuleMatch::No(part) => format!("no; `{}` differs", part_name(*part)),
    };
    format!("{mark} {:<5}  {} at {}: {how}", rule.word, rule.name, rule.place)
}

fn arguments(call: &TestedCall<'_>, explanation: &Explanation) -> Step {
    match (&explanation.problem, call.arguments) {
        (Some(problem), _) => {
            let place = if problem.path.is_empty() { "" } else { &problem.path };
            let said = format!("do not match the schema: `{place}` {}", problem.problem);
            Step::new("arguments", false, said)
        }
        (None, Some(_)) => Step::new("arguments", true, "match the schema"),
        (None, None) => Step::new("arguments", true, "not given, so not checked"),
    }
}

pub(super) fn rules_json(explanation: &Explanation) -> Value {
    let rule = |rule: &RuleEvaluation| {
        let (matches, specificity, differs) = match &rule.fit {
            RuleMatch::Yes(specificity) => ("yes", Some(specificity.to_string()), None),
            RuleMatch::Maybe(specificity) => ("perhaps", Some(specificity.to_string()), None),
            RuleMatch::No(part) => ("no", None, Some(part_name(*part))),
        };
        let wins = matches!(&explanation.ruling.why, RulingReason::Rule { name, .. } if *name == rule.name);
        json!({
            "name": *rule.name,
            "place": *rule.place,
            "decision": rule.word,
            "matches": matches,
            "specificity": specificity,
            "differs": differs,
            "wins": wins,
        })
    };
    explanation.rules.iter().map(rule).collect()
}

fn part_name(part: RulePart) -> &'static str {
    match part {
        RulePart::Server => "server",
        RulePart::Tool => "tool",
        RulePart::Profile => "profile",
        RulePart::Risk => "risk",
        RulePart::Arguments => "arguments",
        RulePart::Sql => "sql",
        RulePart::Program => "program",
    }
}
