//! The places in a program that call a tool, and which of them need approval.
//!
//! In: references, and the decisions of the rules. Out: [`CallImpact`]s with arguments under
//! the tool's own names, and [`AskedCall`]s, which a person is shown and an approval is bound
//! to. A reader that was compromised may report anything here: a call that it hides or
//! invents is still decided, and asked about, when it is made.

use std::sync::Arc;

use serde_json::Value;
use tidegate_catalog::Catalog;
use tidegate_model::{
    CallImpact, Decision, Effect, KnownArguments, Language, Reference, ToolDef, ToolImpact, ToolRef,
};
use tidegate_policy::RulingReason;

/// The most bytes of arguments that are reported for one program. Readers report less.
pub(super) const ARGUMENT_BYTES: usize = 256 * 1024;

/// A call that needs approval, as far as it is visible before the program runs.
#[derive(Clone, Debug)]
pub(crate) struct AskedCall {
    pub(crate) tool: ToolRef,
    pub(crate) definition: Arc<ToolDef>,
    pub(crate) effect: Effect,
    pub(crate) why: RulingReason,
    /// The reason in words.
    pub(crate) because: String,
    pub(crate) call: CallImpact,
}

/// A parameter of a function in Python.
struct Parameter {
    /// Its name in programs.
    written: String,
    /// Its name in the tool.
    own: String,
    /// Whether None omits it.
    omits_none: bool,
}

/// A tool that a program names, and the parameters of its function.
pub(super) struct NamedTool {
    pub(super) definition: Arc<ToolDef>,
    parameters: Vec<Parameter>,
}

impl NamedTool {
    pub(super) fn new(
        language: Language,
        catalog: &Catalog,
        id: &ToolRef,
        definition: Arc<ToolDef>,
    ) -> Self {
        let functions = match language {
            Language::TypeScript => Vec::new(),
            Language::Python => {
                catalog.server(&id.server).map(|tools| tools.python_functions()).unwrap_or_default()
            }
        };
        let function = functions.into_iter().find(|(_, tool, _)| *tool == id.tool);
        let parameter = |(written, own, omits_none): (String, &str, bool)| Parameter {
            written,
            own: own.to_owned(),
            omits_none,
        };
        let parameters = function.map(|(.., all)| all.into_iter().map(parameter).collect());
        Self { definition, parameters: parameters.unwrap_or_default() }
    }

    /// One call of this tool, undecided. `left` is how many more bytes of arguments are
    /// reported.
    pub(super) fn call(&self, reference: &Reference, left: &mut usize) -> CallImpact {
        let KnownArguments { literals, computed, open, .. } = self.arguments(&reference.known);
        let names: usize = computed.iter().map(String::len).sum();
        let bytes = names + Value::Object(literals.clone()).to_string().len();
        let fits = bytes <= *left;
        *left = left.saturating_sub(bytes);
        let mut call = CallImpact {
            line: reference.line,
            column: reference.column,
            arguments: literals,
            computed,
            open,
            repeated: reference.repeated,
            decision: Decision::Allow,
        };
        if !fits {
            (call.arguments, call.computed, call.open) = (Default::default(), Vec::new(), true);
        }
        call
    }

    /// Arguments under the tool's own names, as `arguments_of` in `api.py` does it.
    fn arguments(&self, known: &KnownArguments) -> KnownArguments {
        let mut named = KnownArguments { open: known.open, ..KnownArguments::default() };
        for (at, value) in known.positional.iter().enumerate() {
            match self.parameters.get(at) {
                Some(parameter) => {
                    named.add(parameter.own.clone(), value.clone(), value.is_some());
                }
                None => named.open = true,
            }
        }
        let own = |name: &str| {
            let found = self.parameters.iter().find(|parameter| parameter.written == name);
            found.map_or(name, |parameter| parameter.own.as_str()).to_owned()
        };
        for (name, value) in &known.literals {
            named.add(own(name), Some(value.clone()), !known.computed.contains(name));
        }
        for name in known.computed.iter().filter(|name| !known.literals.contains_key(*name)) {
            named.add(own(name), None, false);
        }
        for parameter in self.parameters.iter().filter(|parameter| parameter.omits_none) {
            if named.literals.get(&parameter.own) == Some(&Value::Null) {
                named.literals.remove(&parameter.own);
            }
        }
        named
    }
}

/// What a person has to look at first comes first: calls that need approval, then what
/// destroys most.
pub(crate) fn attention(tool: &ToolImpact) -> (bool, u8) {
    let effect = match tool.effect {
        Effect::Destructive => 0,
        Effect::Unknown => 1,
        Effect::Additive => 2,
        Effect::ReadOnly => 3,
    };
    (!tool.calls.iter().any(|call| call.decision == Decision::Ask), effect)
}
