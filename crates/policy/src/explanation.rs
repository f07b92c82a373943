//! Explains to a person, step by step, why a call is decided as it is.
//!
//! In: the inputs of a decision. Out: every step, including those after the deciding one.
//! Invariant: agrees with [`decide`](Policy::decide), and never makes a permit.

use std::sync::Arc;

use tidegate_model::{
    Change, Decision, Effect, EffectSource, RiskLevel, ToolCall, ToolDef, ToolRef,
};

use crate::arguments::problem::ArgumentProblem;
use crate::decide::Policy;
use crate::permissions::{Permissions, ProfileRefusal};
use crate::rules::{RuleEvaluation, RuleInput, Ruling};

/// A call whose decision is to be explained.
#[derive(Debug, Clone, Copy)]
pub struct ExplainRequest<'a> {
    /// The permissions of the run.
    pub permissions: &'a Permissions,
    /// The tool.
    pub id: &'a ToolRef,
    /// Its definition.
    pub tool: &'a Arc<ToolDef>,
    /// How it differs from the accepted definition.
    pub change: Option<&'a Change>,
    /// The arguments, if known.
    pub arguments: Option<&'a serde_json::Map<String, serde_json::Value>>,
    /// The risk level of the program.
    pub level: RiskLevel,
}

/// The steps of a decision, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// Whether the server is configured.
    pub granted: bool,
    /// The profile that refuses it.
    pub refused: Option<ProfileRefusal>,
    /// The change that quarantines it.
    pub quarantined: Option<Change>,
    /// What the call does, and the source of that answer.
    pub effect: (Effect, EffectSource),
    /// How each rule evaluates.
    pub rules: Vec<RuleEvaluation>,
    /// The outcome of all rules.
    pub ruling: Ruling,
    /// The problem with the arguments, if any.
    pub problem: Option<ArgumentProblem>,
    /// The decision.
    pub word: Decision,
}

impl Policy {
    /// Explains what [`decide`](Policy::decide) would say.
    pub fn explain(&self, request: &ExplainRequest<'_>) -> Explanation {
        let ExplainRequest { permissions, id, tool, change, arguments, level } = *request;
        let granted = self.grants(&id.server);
        let found = self.effect(id, tool, arguments);
        // What it executes is in its arguments: without them, the strictest effect counts.
        let is_open = arguments.is_none() && found.depends_on_arguments;
        let effect = if is_open { Effect::Destructive } else { found.effect };
        let refused = self.refusal(permissions, id, effect);
        let quarantined = self.quarantined(permissions, id, change).cloned();
        let mut call =
            arguments.map(|arguments| ToolCall { tool: id.clone(), arguments: arguments.clone() });
        let problem = call.as_mut().and_then(|call| self.check_arguments(call, tool).err());
        let input = RuleInput {
            tool: Some(id),
            arguments: call.as_ref().map(|call| &call.arguments),
            profiles: &permissions.names(),
            level,
            effect,
        };
        let current_rules = self.rules();
        let mut ruling = current_rules.rule(&input);
        ruling.depends_on_arguments |= is_open;
        let permitted = granted && refused.is_none() && quarantined.is_none() && problem.is_none();
        let word = if permitted { ruling.word } else { Decision::Deny };
        let rules = current_rules.explain(&input);
        let effect = (effect, found.source);
        Explanation { granted, refused, quarantined, effect, rules, ruling, problem, word }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};
    use tidegate_model::{
        ArgumentRule, Change, Decision, Effect, OnChange, PolicyDefaults, PolicyRule, Profile,
        RiskLevel, ToolCall, ToolDef, ToolRef,
    };

    use super::ExplainRequest;
    use crate::approved::Approved;
    use crate::decide::{CallContext, Denial, Grants, Policy};
    use crate::rules::Rules;

    fn policy() -> Policy {
        let policy = Policy::new(Grants {
            servers: ["files".to_owned()].into(),
            profiles: Profile::built_in().into(),
            profile: Profile::DEFAULT.into(),
            on_change: OnChange::Quarantine,
            ..Grants::default()
        });
        let path = |path: &str| ArgumentRule { key: "path".into(), values: vec![path.into()] };
        let rules = [
            PolicyRule {
                arguments: vec![path("/etc/*")],
                ..PolicyRule::new("etc", Decision::Deny)
            },
            PolicyRule {
                arguments: vec![path("/home/*")],
                ..PolicyRule::new("home", Decision::Ask)
            },
        ];
        policy.set_rules(Rules::new(&rules, PolicyDefaults::default()).unwrap());
        policy
    }

    fn tool() -> Arc<ToolDef> {
        Arc::new(ToolDef {
            name: "read".into(),
            title: None,
            description: None,
            input_schema: json!({"type": "object", "properties": {"path": {"type": "string"}}}),
            output_schema: None,
            annotations: None,
        })
    }

    #[test]
    fn without_its_arguments_a_tool_that_executes_text_gets_the_strictest_decision() {
        let policy = policy();
        let permissions = policy.permissions(None).unwrap();
        let explained = |name: &str| {
            let tool = Arc::new(ToolDef { name: name.into(), ..(*tool()).clone() });
            let (id, level) = (ToolRef::new("files", name), RiskLevel::Low);
            let (permissions, arguments, change) = (&permissions, None, None);
            let request =
                ExplainRequest { permissions, id: &id, tool: &tool, change, arguments, level };
            let explanation = policy.explain(&request);
            (explanation.effect.0, explanation.ruling.depends_on_arguments)
        };
        assert_eq!(explained("write_query"), (Effect::Destructive, true));
        assert_ne!(explained("read").0, Effect::Destructive);
    }

    #[test]
    fn explanations_agree_with_decisions() {
        let (policy, tool, nobody) = (policy(), tool(), Approved::default());
        let mut words = Vec::new();
        for server in ["files", "other"] {
            for profile in [None, Some("read_only")] {
                for change in [None, Some(&Change::New)] {
                    for path in [json!("/tmp/a"), json!("/home/a"), json!("/etc/a"), json!(1)] {
                        let permissions = policy.permissions(profile).unwrap();
                        let id = ToolRef::new(server, "read");
                        let arguments = Value::from_iter([("path", path)]);
                        let arguments = arguments.as_object().unwrap();
                        let explained = policy.explain(&ExplainRequest {
                            permissions: &permissions,
                            id: &id,
                            tool: &tool,
                            change,
                            arguments: Some(arguments),
                            level: RiskLevel::Low,
                        });
                        let call = ToolCall { tool: id, arguments: arguments.clone() };
                        let context =
                            CallContext { level: RiskLevel::Low, run: &nobody, session: &nobody };
                        let decided = policy.decide(&permissions, call, &tool, change, context);
                        let word = match decided {
                            Ok(_) => Decision::Allow,
                            Err(Denial::NeedsApproval(_)) => Decision::Ask,
                            Err(_) => Decision::Deny,
                        };
                        assert_eq!(explained.word, word, "{server} {profile:?} {arguments:?}");
                        words.push(word);
                    }
                }
            }
        }
        assert!(Decision::ALL.iter().all(|word| words.contains(word)));
    }
}
