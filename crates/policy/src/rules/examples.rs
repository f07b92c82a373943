//! Tests the examples that rules carry.
//!
//! In: compiled rules and their source. Out: the first example that fails. An example tests
//! all rules together: it passes if the whole policy decides as expected, whichever rule
//! decides.

use tidegate_model::{PolicyExample, PolicyRule, ToolRef};

use super::{RuleError, RuleInput, RuleProblem, Rules, Ruling};

/// The first example that fails.
pub(super) fn check(rules: &Rules, sources: &[PolicyRule]) -> Result<(), RuleError> {
    for rule in sources {
        for example in &rule.examples {
            let ruling = ruling_on(rules, example);
            if ruling.word != example.expected {
                let problem = RuleProblem::Example {
                    expected: example.expected,
                    actual: ruling.word,
                    by: ruling.why.to_string(),
                };
                let (rule, place) = (rule.name.clone(), example.place.clone());
                return Err(RuleError { rule, place, problem });
            }
        }
    }
    Ok(())
}

fn ruling_on(rules: &Rules, example: &PolicyExample) -> Ruling {
    let call = example.call.as_deref().and_then(|call| call.split_once("__"));
    let tool = call.map(|(server, tool)| ToolRef::new(server, tool));
    let profiles: Vec<&str> = example.profiles.iter().map(String::as_str).collect();
    rules.rule(&RuleInput {
        tool: tool.as_ref(),
        arguments: example.arguments.as_ref(),
        profiles: &profiles,
        level: example.risk,
        effect: example.effect,
    })
}
