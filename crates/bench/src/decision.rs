//! One decision with many rules, compared with its time limit.
//!
//! Every call pays for it. Half of the rules are about other servers, as in a policy
//! that grew; the rest look at the arguments, and the schema is checked too. The
//! outcome is asserted, so that a decision that looks at less does not count as fast.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{anyhow, ensure};
use serde_json::{Map, Value, json};
use tidegate_model::{
    ArgumentRule, Decision, PolicyDefaults, PolicyRule, RiskLevel, ToolCall, ToolDef, ToolRef,
};
use tidegate_policy::{Approved, CallContext, Denial, Permissions, Policy, Rules};

use crate::arguments::{typical, typical_arguments};
use crate::report::Figure;
use crate::samples::Samples;

/// Decisions per sample: one takes only microseconds.
const CALLS: u32 = 1_000;
const ROUNDS: usize = 50;

/// Total number of rules. Chosen: more than anyone writes by hand.
const RULES: usize = 200;

/// The time limit of a decision, in milliseconds.
const GOAL_MS: f64 = 0.020;

pub(crate) fn measure() -> anyhow::Result<Vec<Figure>> {
    let bench = Bench::new()?;
    bench.check()?;
    let mut decisions = Samples::default();
    let mut call = bench.call(&typical_arguments());
    // The first round does not count: caches warm up.
    for round in 0..=ROUNDS {
        let took;
        (call, took) = bench.decide(call)?;
        if round > 0 {
            decisions.add(took);
        }
    }
    Ok(vec![Figure {
        name: format!("decision, {RULES} rules and 6 arguments with a schema"),
        ms: decisions.median(),
        yardstick: "the goal of 20 µs".to_owned(),
        yardstick_ms: GOAL_MS,
    }])
}

struct Bench {
    policy: Policy,
    permissions: Permissions,
    tool: Arc<ToolDef>,
    approved: Approved,
}

impl Bench {
    fn new() -> anyhow::Result<Self> {
        let policy = Policy::for_configured_servers(["bench"]);
        let rules: Vec<PolicyRule> = (0..RULES).map(rule).collect();
        policy.set_rules(Rules::new(&rules, PolicyDefaults::default())?);
        let permissions = policy.permissions(None).map_err(|_| anyhow!("there is no profile"))?;
        Ok(Self { policy, permissions, tool: Arc::new(typical()), approved: Approved::default() })
    }

    fn call(&self, arguments: &Value) -> ToolCall {
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        ToolCall { tool: ToolRef::new("bench", &self.tool.name), arguments }
    }

    fn call_context(&self) -> CallContext<'_> {
        CallContext { level: RiskLevel::Low, run: &self.approved, session: &self.approved }
    }

    /// Asserts that rules and schema are checked.
    fn check(&self) -> anyhow::Result<()> {
        let decide = |arguments: &Value| {
            let call = self.call(arguments);
            self.policy.decide(&self.permissions, call, &self.tool, None, self.call_context())
        };
        let mut denied = typical_arguments();
        denied["body"] = json!("see secret-199-plan");
        ensure!(matches!(decide(&denied), Err(Denial::Rule(_))), "the last rule is not applied");
        let wrong = Value::Object(Map::new());
        ensure!(matches!(decide(&wrong), Err(Denial::Arguments(_))), "arguments are not checked");
        Ok(())
    }

    /// The time of one decision. Returns the call for the next one.
    fn decide(&self, mut call: ToolCall) -> anyhow::Result<(ToolCall, Duration)> {
        let started = Instant::now();
        for _ in 0..CALLS {
            let (permissions, standing) = (&self.permissions, self.call_context());
            let permit =
                self.policy.decide(permissions, black_box(call), &self.tool, None, standing);
            call =
                permit.map_err(|denial| anyhow!("the call was refused: {denial:?}"))?.into_call();
        }
        Ok((call, started.elapsed() / CALLS))
    }
}

/// Every other rule is about another server; the rest look at arguments in each of the
/// ways there are.
fn rule(index: usize) -> PolicyRule {
    let word = if index.is_multiple_of(4) { Decision::Ask } else { Decision::Deny };
    let mut rule = PolicyRule::new(format!("rule {index}"), word);
    if index.is_multiple_of(2) {
        rule.servers = vec![format!("server-{index}")];
        return rule;
    }
    let argument = |key: &str, value: String| ArgumentRule { key: key.into(), values: vec![value] };
    rule.servers = vec!["bench".into()];
    rule.tools = vec!["create_*".into()];
    match index % 8 {
        1 => rule.arguments = vec![argument("title", format!("*forbidden {index}*"))],
        3 => rule.arguments = vec![argument("assignee.id", format!("{index}000"))],
        5 => rule.arguments = vec![argument("body", format!("regex:token-{index}-[a-z]+$"))],
        _ => rule.arguments = vec![argument("*", format!("*secret-{index}-*"))],
    }
    rule
}
