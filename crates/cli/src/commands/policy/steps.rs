//! The steps of a decision in words.

use serde::Serialize;
use serde_json::{Value, json};
use tidegate_model::{EffectSource, Word};
use tidegate_policy::{
    Explanation, Permissions, RuleEvaluation, RuleMatch, RulePart, RulingReason,
};

use super::Asked;

/// One step.
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
    asked: &Asked<'_>,
    permissions: &Permissions,
    explained: &Explanation,
) -> Vec<Step> {
    vec![
        server(asked, explained),
        profile(permissions, explained),
        acceptance(explained),
        effect(explained),
        rules(explained),
        arguments(asked, explained),
    ]
}

fn server(asked: &Asked<'_>, explained: &Explanation) -> Step {
    let server = &asked.id.server;
    let said = if explained.granted { "is configured" } else { "is not configured" };
    Step::new("server", explained.granted, format!("`{server}` {said}"))
}

fn profile(permissions: &Permissions, explained: &Explanation) -> Step {
    let names: Vec<String> = permissions.names().iter().map(|name| format!("`{name}`")).collect();
    let said = match &explained.refused {
        None => format!("allowed by {}", names.join(" and ")),
        Some(refusal) => {
            format!("profile `{}` refuses it, and no rule opens that", refusal.profile)
        }
    };
    Step::new("profile", explained.refused.is_none(), said)
}

fn acceptance(explained: &Explanation) -> Step {
    match &explained.quarantined {
        None => Step::new("accepted", true, "not in quarantine"),
        Some(_) => {
            let said = "in quarantine until `tidegate tools accept`, and no rule opens that";
            Step::new("accepted", false, said)
        }
    }
}

fn effect(explained: &Explanation) -> Step {
    let (effect, source) = explained.effect;
    let known = match source {
        EffectSource::User => "by `[tools]` of the configuration",
        EffectSource::Claim => "by its annotations",
        EffectSource::Name => "by a verb in its name",
        EffectSource::Nothing => "nobody says what it does",
    };
    Step::new("effect", true, format!("{effect}, {known}"))
}

fn rules(explained: &Explanation) -> Step {
    let ruling = &explained.ruling;
    let matching = explained.rules.iter().filter(|rule| !matches!(rule.fit, RuleMatch::No(_)));
    let mut matching: Vec<&RuleEvaluation> = matching.collect();
    // The winner first, as the rules themselves compare.
    matching.sort_by(|a, b| (rank(b), b.word).cmp(&(rank(a), a.word)));
    let certain = matching.iter().filter(|rule| matches!(rule.fit, RuleMatch::Yes(_))).count();
    let all = explained.rules.len();
    let mut said = format!("{} by {}; {certain} of {all} rules match", ruling.word, ruling.why);
    if matching.len() > certain {
        said.push_str(&format!(", {} may", matching.len() - certain));
    }
    if let RulingReason::Rule { because: Some(because), .. } = &ruling.why {
        said.push_str(&format!("; because {because}"));
    }
    if ruling.depends_on_arguments {
        said.push_str(" (the sternest that could come; give `--arguments` to know)");
    }
    let mut step = Step::new("rules", ruling.word != Word::Deny, said);
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

fn arguments(asked: &Asked<'_>, explained: &Explanation) -> Step {
    match (&explained.problem, asked.arguments) {
        (Some(problem), _) => {
            let place = if problem.path.is_empty() { "" } else { &problem.path };
            let said = format!("do not fit the schema: `{place}` {}", problem.problem);
            Step::new("arguments", false, said)
        }
        (None, Some(_)) => Step::new("arguments", true, "fit the schema"),
        (None, None) => Step::new("arguments", true, "not given, so not checked"),
    }
}

pub(super) fn rules_json(explained: &Explanation) -> Value {
    let rule = |rule: &RuleEvaluation| {
        let (matches, specificity, differs) = match &rule.fit {
            RuleMatch::Yes(specificity) => ("yes", Some(specificity.to_string()), None),
            RuleMatch::Maybe(specificity) => ("perhaps", Some(specificity.to_string()), None),
            RuleMatch::No(part) => ("no", None, Some(part_name(*part))),
        };
        let wins =
            matches!(&explained.ruling.why, RulingReason::Rule { name, .. } if *name == rule.name);
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
    explained.rules.iter().map(rule).collect()
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
