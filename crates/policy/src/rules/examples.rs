//! Tries the examples that rules carry.
//!
//! An example is about all rules together: it holds if the whole policy says what it
//! expects, whichever rule says it.

use tidegate_model::{PolicyExample, PolicyRule, ToolRef};

use super::{RuleError, RuleProblem, Rules, Ruling, Subject};

/// The first example that does not hold.
pub(super) fn check(rules: &Rules, written: &[PolicyRule]) -> Result<(), RuleError> {
    for rule in written {
        for example in &rule.examples {
            let ruling = tried(rules, example);
            if ruling.word != example.expected {
                let problem = RuleProblem::Example {
                    expected: example.expected,
                    came: ruling.word,
                    by: ruling.why.to_string(),
                };
                let (rule, place) = (rule.name.clone(), example.place.clone());
                return Err(RuleError { rule, place, problem });
            }
        }
    }
    Ok(())
}

fn tried(rules: &Rules, example: &PolicyExample) -> Ruling {
    let call = example.call.as_deref().and_then(|call| call.split_once("__"));
    let tool = call.map(|(server, tool)| ToolRef::new(server, tool));
    let profiles: Vec<&str> = example.profiles.iter().map(String::as_str).collect();
    rules.rule(&Subject {
        tool: tool.as_ref(),
        arguments: example.arguments.as_ref(),
        profiles: &profiles,
        level: example.risk,
        effect: example.effect,
    })
}
