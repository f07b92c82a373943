//! Why a call is decided as it is, step by step, for a person.
//!
//! In: what a decision looks at. Out: every step of it, also those after the one that
//! decides. No permit comes from here.

use std::sync::Arc;

use tidegate_model::{Change, Effect, EffectSource, Level, ToolCall, ToolDef, ToolRef, Word};

use crate::arguments::ArgumentProblem;
use crate::decide::Policy;
use crate::permissions::{Permissions, Refusal};
use crate::rules::{Considered, Ruling, Subject};

/// A call to be explained.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// What the run may do.
    pub permissions: &'a Permissions,
    /// Which tool.
    pub id: &'a ToolRef,
    /// Its definition.
    pub tool: &'a Arc<ToolDef>,
    /// How it differs from the accepted one.
    pub change: Option<&'a Change>,
    /// Its arguments; none if they are not known.
    pub arguments: Option<&'a serde_json::Map<String, serde_json::Value>>,
    /// How risky the program is.
    pub level: Level,
}

/// The steps of a decision, in their order.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// Whether its server is granted.
    pub granted: bool,
    /// The profile that does not allow it.
    pub refused: Option<Refusal>,
    /// What keeps it in quarantine.
    pub quarantined: Option<Change>,
    /// What the tool does, and how that is known.
    pub effect: (Effect, EffectSource),
    /// Every rule beside it.
    pub rules: Vec<Considered>,
    /// What the rules say together.
    pub ruling: Ruling,
    /// What is wrong with its arguments.
    pub problem: Option<ArgumentProblem>,
    /// What comes out of all of it.
    pub word: Word,
}

impl Policy {
    /// Explains what [`decide`](Policy::decide) would say.
    pub fn explain(&self, question: &Question<'_>) -> Explanation {
        let Question { permissions, id, tool, change, arguments, level } = *question;
        let granted = self.grants(&id.server);
        let refused = self.refusal(permissions, id, tool);
        let quarantined = self.quarantined(permissions, id, change).cloned();
        let effect = self.effect(id, tool);
        let mut call =
            arguments.map(|arguments| ToolCall { tool: id.clone(), arguments: arguments.clone() });
        let problem = call.as_mut().and_then(|call| self.check_arguments(call, tool).err());
        let subject = Subject {
            tool: Some(id),
            arguments: call.as_ref().map(|call| &call.arguments),
            profiles: &permissions.names(),
            level,
            effect: effect.0,
        };
        let in_force = self.rules();
        let ruling = in_force.rule(&subject);
        let open = granted && refused.is_none() && quarantined.is_none() && problem.is_none();
        let word = if open { ruling.word } else { Word::Deny };
        let rules = in_force.explain(&subject);
        Explanation { granted, refused, quarantined, effect, rules, ruling, problem, word }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};
    use tidegate_model::{
        ArgumentRule, Change, Level, OnChange, PolicyDefaults, PolicyRule, Profile, ToolCall,
        ToolDef, ToolRef, Word,
    };

    use super::Question;
    use crate::approved::Approved;
    use crate::decide::{Denial, Grants, Policy, Standing};
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
            PolicyRule { arguments: vec![path("/etc/*")], ..PolicyRule::new("etc", Word::Deny) },
            PolicyRule { arguments: vec![path("/home/*")], ..PolicyRule::new("home", Word::Ask) },
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
    fn what_is_explained_is_what_is_decided() {
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
                        let explained = policy.explain(&Question {
                            permissions: &permissions,
                            id: &id,
                            tool: &tool,
                            change,
                            arguments: Some(arguments),
                            level: Level::Low,
                        });
                        let call = ToolCall { tool: id, arguments: arguments.clone() };
                        let standing =
                            Standing { level: Level::Low, run: &nobody, session: &nobody };
                        let decided = policy.decide(&permissions, call, &tool, change, standing);
                        let word = match decided {
                            Ok(_) => Word::Allow,
                            Err(Denial::NeedsApproval(_)) => Word::Ask,
                            Err(_) => Word::Deny,
                        };
                        assert_eq!(explained.word, word, "{server} {profile:?} {arguments:?}");
                        words.push(word);
                    }
                }
            }
        }
        assert!(Word::ALL.iter().all(|word| words.contains(word)));
    }
}
