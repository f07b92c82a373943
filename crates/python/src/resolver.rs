//! Resolves what expressions refer to: all servers, one server, a tool, or a member of a module.
//!
//! In: the bindings of a program. Out: the referent of an expression in a scope, if it is
//! certain without running anything. Anything computed, passed around or bound twice is left
//! to the run. Imports follow the rules of `api.py`.

use std::collections::HashSet;

use ruff_python_ast::Expr;
use ruff_text_size::{Ranged, TextSize};

use crate::bindings::{Binding, Bindings, Imported, ScopeId};

/// Maximum steps through attributes and names. The longest meaningful expression needs half
/// of this.
const MAX_STEPS: u32 = 12;

/// Builtins that have a rule of their own.
const BUILTINS: [&str; 8] =
    ["eval", "exec", "compile", "__import__", "__builtins__", "globals", "vars", "setattr"];

/// A name and its offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Name<'a> {
    pub(crate) text: &'a str,
    pub(crate) at: TextSize,
}

/// The object that an expression refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Referent<'a> {
    /// The package of all servers.
    Servers,
    /// One server.
    Server(Name<'a>),
    /// One tool of a server.
    Tool(Name<'a>, Name<'a>),
    /// `call_tool`.
    CallByName,
    /// A Python module or a member of one: `os.system`.
    Python(String),
}

/// Resolves the expressions of one program.
pub(crate) struct Resolver<'b, 'a> {
    bindings: &'b Bindings<'a>,
}

impl<'b, 'a> Resolver<'b, 'a> {
    pub(crate) fn new(bindings: &'b Bindings<'a>) -> Self {
        Self { bindings }
    }

    pub(crate) fn bindings(&self) -> &'b Bindings<'a> {
        self.bindings
    }

    /// The referent of an expression, if it is certain.
    pub(crate) fn of(&self, expression: &'a Expr, scope: ScopeId) -> Option<Referent<'a>> {
        self.resolve(expression, scope, MAX_STEPS)
    }

    fn resolve(&self, expression: &'a Expr, scope: ScopeId, depth: u32) -> Option<Referent<'a>> {
        let depth = depth.checked_sub(1)?;
        match expression {
            Expr::Name(name) => self.name(name.id.as_str(), scope, depth),
            Expr::Attribute(attribute) => {
                let owner = self.resolve(&attribute.value, scope, depth)?;
                let name = Name { text: attribute.attr.id.as_str(), at: attribute.attr.start() };
                owner.member(name, &self.bindings.assigned)
            }
            // `servers["github"]` works as well.
            Expr::Subscript(subscript) => {
                let text = literal(&subscript.slice)?;
                match self.resolve(&subscript.value, scope, depth)? {
                    Referent::Servers => {
                        let name = Name { text, at: subscript.slice.start() };
                        Referent::Servers.member(name, &self.bindings.assigned)
                    }
                    _ => None,
                }
            }
            Expr::Named(named) => self.resolve(&named.value, scope, depth),
            _ => None,
        }
    }

    fn name(&self, name: &'a str, scope: ScopeId, depth: u32) -> Option<Referent<'a>> {
        let mut at = Some(scope);
        while let Some(id) = at {
            let seen = &self.bindings.scopes[id];
            let binding = seen.names.get(name).filter(|_| !seen.is_class || id == scope);
            match binding {
                Some(Binding::Import(imported)) => return self.imported(*imported),
                Some(Binding::Value(value)) => return self.resolve(value, id, depth),
                Some(Binding::Anything) => return None,
                None => at = seen.parent,
            }
        }
        self.global(name)
    }

    fn global(&self, name: &str) -> Option<Referent<'a>> {
        let is_unshadowed = !self.bindings.has_star && !self.bindings.assigned.contains(name);
        match name {
            "servers" => is_unshadowed.then_some(Referent::Servers),
            "call_tool" => is_unshadowed.then_some(Referent::CallByName),
            name if BUILTINS.contains(&name) => Some(Referent::Python(format!("builtins.{name}"))),
            _ => None,
        }
    }

    /// The referent of an import.
    pub(crate) fn imported(&self, imported: Imported<'a>) -> Option<Referent<'a>> {
        let module = module(imported.module, imported.module_at)?;
        match imported.member {
            None => Some(module),
            Some((text, at)) => module.member(Name { text, at }, &self.bindings.assigned),
        }
    }
}

/// Members of the package `servers` that are not servers, as in `api.py` of the guest.
pub(crate) const HELPERS: [&str; 10] = [
    "ToolError",
    "commands",
    "fetch",
    "list_files",
    "load_skill",
    "pii",
    "read_file",
    "save_skill",
    "search_tools",
    "write_file",
];

impl<'a> Referent<'a> {
    /// The referent of an attribute.
    fn member(self, name: Name<'a>, assigned: &HashSet<&str>) -> Option<Self> {
        // Neither names of the language nor attributes that the program assigns.
        let is_unshadowed = !name.text.starts_with("__") && !assigned.contains(name.text);
        match self {
            // `from servers import ToolError`: not a server.
            Self::Servers if name.text == "call_tool" => is_unshadowed.then_some(Self::CallByName),
            Self::Servers if HELPERS.contains(&name.text) => None,
            Self::Servers if is_unshadowed => Some(Self::Server(name)),
            Self::Server(server) if is_unshadowed => Some(Self::Tool(server, name)),
            Self::Python(path) => Some(Self::Python(format!("{path}.{}", name.text))),
            Self::Servers | Self::Server(_) | Self::Tool(..) | Self::CallByName => None,
        }
    }
}

/// The referent of a module name; `servers.github.x` is not a module.
pub(crate) fn module(path: &str, at: TextSize) -> Option<Referent<'_>> {
    let Some(rest) = path.strip_prefix("servers") else {
        return Some(Referent::Python(path.to_owned()));
    };
    match rest.strip_prefix('.') {
        Some(server) if !server.contains('.') => {
            let before = TextSize::of("servers.");
            Some(Referent::Server(Name { text: server, at: at + before }))
        }
        Some(_) => None,
        None if rest.is_empty() => Some(Referent::Servers),
        None => Some(Referent::Python(path.to_owned())),
    }
}

/// The text of a literal.
pub(crate) fn literal(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::StringLiteral(text) => Some(text.value.to_str()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::HELPERS;

    #[test]
    fn helpers_match_those_of_the_guest() {
        let guest = include_str!("../../worker/src/python/api.py");
        let (_, list) = guest.split_once("\nHELPERS = (").unwrap();
        let (list, _) = list.split_once(')').unwrap();
        let mut named: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
        named.sort_unstable();
        // `call_tool` has a referent of its own.
        let mut known: Vec<&str> = HELPERS.iter().copied().chain(["call_tool"]).collect();
        known.sort_unstable();
        assert_eq!(named, known);
    }
}
