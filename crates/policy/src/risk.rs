//! Computes how risky a program is: one score from its findings and its impact.
//!
//! In: findings and impact. Out: a score from 0 to 100 and its level. The worst finding
//! sets the base, everything else adds to it. The numbers are chosen so that a single
//! finding produces the level of the same name, and that tools alone, however many, stay
//! below high: a program that deletes what it was told to delete is a matter for the
//! rules, not an attack.

use tidegate_model::{Effect, Finding, Impact, RiskLevel, Severity, ToolImpact};

/// The most that tools, commands and network can add.
const MAX_IMPACT_SCORE: u32 = 40;

/// A limit of at least this asks for bulk data. Chosen: nobody reads that many entries.
const BULK_LIMIT: f64 = 1000.0;

/// The most that findings other than the worst can add.
const MAX_EXTRA_FINDINGS_SCORE: u32 = 15;

/// The risk of a program, from 0 to 100, and its level.
pub fn risk(findings: &[Finding], impact: &Impact) -> (u8, RiskLevel) {
    let base = findings.iter().map(|finding| base_score(finding.severity)).max().unwrap_or(0);
    let worst = findings.iter().map(|finding| finding.severity).max();
    let mut others = findings.iter().map(|finding| extra_score(finding.severity)).sum::<u32>();
    others = others.saturating_sub(worst.map_or(0, extra_score)).min(MAX_EXTRA_FINDINGS_SCORE);
    let mut score = base + others + impact_score(impact).min(MAX_IMPACT_SCORE);
    // Many small things do not make a large one: each level needs a finding of its own.
    score = score.min(ceiling(worst));
    let score = u8::try_from(score.min(100)).unwrap_or(100);
    (score, RiskLevel::of_score(score))
}

const fn base_score(severity: Severity) -> u32 {
    match severity {
        Severity::Low => 3,
        Severity::Medium => 25,
        Severity::High => 55,
        Severity::Critical => 80,
    }
}

const fn extra_score(severity: Severity) -> u32 {
    match severity {
        Severity::Low => 1,
        Severity::Medium => 3,
        Severity::High => 6,
        Severity::Critical => 10,
    }
}

/// The highest score of a program whose worst finding this is.
const fn ceiling(worst: Option<Severity>) -> u32 {
    match worst {
        None | Some(Severity::Low | Severity::Medium) => 49,
        Some(Severity::High) => 74,
        Some(Severity::Critical) => 100,
    }
}

fn impact_score(impact: &Impact) -> u32 {
    let tools: u32 = impact.tools.iter().map(tool_score).sum();
    // Data read from one place can leave to another; the more is read, the worse.
    let read = impact.tools.iter().map(read_score).max().unwrap_or(0);
    let leaves = !impact.network.is_empty() || impact.tools.iter().any(sends);
    let network = if impact.network.is_empty() { 0 } else { 5 };
    let commands = 10 * u32::try_from(impact.commands.len()).unwrap_or(u32::MAX).min(2);
    let rest = network + u32::from(leaves) * read + commands + u32::from(impact.unseen) * 10;
    tools.saturating_add(rest)
}

/// The score of the data that a tool reads: none, some or bulk.
fn read_score(tool: &ToolImpact) -> u32 {
    match tool.effect {
        Effect::ReadOnly | Effect::Unknown if tool.repeated || asks_for_bulk(tool) => 15,
        Effect::ReadOnly => 8,
        Effect::Unknown | Effect::Additive | Effect::Destructive => 0,
    }
}

/// Whether a literal argument asks for bulk data: `limit`, `max_results` or `pageSize` of
/// a thousand or more.
fn asks_for_bulk(tool: &ToolImpact) -> bool {
    tool.arguments.iter().any(|(key, value)| {
        let key = key.to_ascii_lowercase();
        let counts = ["limit", "max", "count", "size", "per_page", "perpage", "top", "first"];
        value.as_f64().is_some_and(|number| number >= BULK_LIMIT)
            && counts.iter().any(|word| key.contains(word))
    })
}

/// Whether a tool can send data elsewhere, according to its annotations.
fn sends(tool: &ToolImpact) -> bool {
    tool.open_world && tool.effect != Effect::ReadOnly
}

fn tool_score(tool: &ToolImpact) -> u32 {
    let effect = match tool.effect {
        Effect::ReadOnly => 0,
        Effect::Additive | Effect::Unknown => 4,
        Effect::Destructive => 15,
    };
    let repetition = if tool.repeated && tool.effect == Effect::Destructive { 10 } else { 0 };
    effect + repetition + u32::from(tool.open_world) * 3 + u32::from(tool.destroys.is_some()) * 15
}

#[cfg(test)]
mod tests {
    use serde_json::Map;
    use tidegate_model::{
        Decision, Effect, EffectSource, Finding, Impact, RiskLevel, Severity, ToolImpact, ToolRef,
    };

    use super::risk;

    fn finding(severity: Severity) -> Finding {
        Finding {
            rule: "r".into(),
            severity,
            line: 1,
            column: 1,
            message: String::new(),
            suggestion: String::new(),
        }
    }

    fn tool(name: &str, effect: Effect) -> ToolImpact {
        ToolImpact {
            tool: ToolRef::new("s", name),
            effect,
            known_by: EffectSource::Claim,
            open_world: false,
            places: 1,
            repeated: true,
            arguments: Map::new(),
            calls: Vec::new(),
            destroys: Some("DROP".into()),
            decision: Decision::Ask,
            depends_on_arguments: false,
            because: String::new(),
        }
    }

    #[test]
    fn a_single_finding_gives_the_level_of_its_name() {
        let level = |severity| risk(&[finding(severity)], &Impact::default()).1;
        let levels =
            [Severity::Low, Severity::Medium, Severity::High, Severity::Critical].map(level);
        assert_eq!(levels, RiskLevel::ALL);
        assert_eq!(risk(&[], &Impact::default()), (0, RiskLevel::Low));
    }

    #[test]
    fn neither_tools_nor_small_findings_add_up_to_an_attack() {
        let tools = (0..50).map(|n| tool(&format!("t{n}"), Effect::Destructive)).collect();
        let impact = Impact { tools, unseen: true, ..Impact::default() };
        let findings: Vec<Finding> = (0..50).map(|_| finding(Severity::Medium)).collect();
        for findings in [&[][..], &findings] {
            let (score, level) = risk(findings, &impact);
            assert_eq!(level, RiskLevel::Medium, "{score}");
        }
        let highs: Vec<Finding> = (0..50).map(|_| finding(Severity::High)).collect();
        assert_eq!(risk(&highs, &impact).1, RiskLevel::High);
    }

    #[test]
    fn reading_is_no_risk_until_data_can_leave() {
        let reading = Impact { tools: vec![tool("get", Effect::ReadOnly)], ..Impact::default() };
        let mut harmless = reading.clone();
        harmless.tools.iter_mut().for_each(|tool| tool.destroys = None);
        assert_eq!(risk(&[], &harmless), (0, RiskLevel::Low));
        let mut once = harmless.clone();
        once.tools.iter_mut().for_each(|tool| tool.repeated = false);
        let leaving = |impact: &Impact| Impact {
            network: vec!["https://a.example".into()],
            ..impact.clone()
        };
        let nothing = leaving(&Impact::default());
        let mut many = once.clone();
        many.tools.iter_mut().for_each(|tool| {
            tool.arguments.insert("pageSize".into(), 5000.into());
        });
        let mut mailed = harmless.clone();
        let mail =
            ToolImpact { open_world: true, destroys: None, ..tool("send", Effect::Additive) };
        mailed.tools.push(mail);
        let scores = [&harmless, &nothing, &leaving(&once), &leaving(&many), &leaving(&harmless)]
            .map(|impact| risk(&[], impact).0);
        assert_eq!(scores, [0, 5, 13, 20, 20]);
        assert_eq!(risk(&[], &mailed).0, 22);
    }
}
