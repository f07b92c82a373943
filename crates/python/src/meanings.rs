//! What the expressions of a program stand for: all servers, one server, a tool, or
//! something of a module.
//!
//! In: what its names are bound to. Out: the meaning of an expression in a scope,
//! as far as it can be told without running anything. What is computed, passed
//! around or bound twice has no meaning here and is left to the run. The rules for
//! imports are those of `api.py`.

use std::collections::HashSet;

use ruff_python_ast::Expr;
use ruff_text_size::{Ranged, TextSize};

use crate::bindings::{Binding, Bindings, Imported, ScopeId};

/// How far an expression is followed, through attributes and names. The longest
/// that means anything has half of this.
const DEPTH: u32 = 12;

/// Functions of the language that have a rule of their own.
const BUILTINS: [&str; 8] =
    ["eval", "exec", "compile", "__import__", "__builtins__", "globals", "vars", "setattr"];

/// A name as it is written somewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Name<'a> {
    pub(crate) text: &'a str,
    pub(crate) at: TextSize,
}

/// What an expression stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Meaning<'a> {
    /// The package with all servers.
    Servers,
    /// One server.
    Server(Name<'a>),
    /// One tool of a server.
    Tool(Name<'a>, Name<'a>),
    /// `call_tool`.
    CallByName,
    /// A module of Python, or something in one: `os.system`.
    Python(String),
}

/// The meanings of a program's expressions.
pub(crate) struct Meanings<'b, 'a> {
    bindings: &'b Bindings<'a>,
}

impl<'b, 'a> Meanings<'b, 'a> {
    pub(crate) fn new(bindings: &'b Bindings<'a>) -> Self {
        Self { bindings }
    }

    pub(crate) fn bindings(&self) -> &'b Bindings<'a> {
        self.bindings
    }

    /// What an expression stands for, if that is certain.
    pub(crate) fn of(&self, expression: &'a Expr, scope: ScopeId) -> Option<Meaning<'a>> {
        self.within(expression, scope, DEPTH)
    }

    fn within(&self, expression: &'a Expr, scope: ScopeId, depth: u32) -> Option<Meaning<'a>> {
        let depth = depth.checked_sub(1)?;
        match expression {
            Expr::Name(name) => self.name(name.id.as_str(), scope, depth),
            Expr::Attribute(attribute) => {
                let owner = self.within(&attribute.value, scope, depth)?;
                let name = Name { text: attribute.attr.id.as_str(), at: attribute.attr.start() };
                owner.member(name, &self.bindings.assigned)
            }
            // `servers["github"]` works as well.
            Expr::Subscript(subscript) => {
                let text = literal(&subscript.slice)?;
                match self.within(&subscript.value, scope, depth)? {
                    Meaning::Servers => {
                        let name = Name { text, at: subscript.slice.start() };
                        Meaning::Servers.member(name, &self.bindings.assigned)
                    }
                    _ => None,
                }
            }
            Expr::Named(named) => self.within(&named.value, scope, depth),
            _ => None,
        }
    }

    fn name(&self, name: &'a str, scope: ScopeId, depth: u32) -> Option<Meaning<'a>> {
        let mut at = Some(scope);
        while let Some(id) = at {
            let seen = &self.bindings.scopes[id];
            let binding = seen.names.get(name).filter(|_| !seen.is_class || id == scope);
            match binding {
                Some(Binding::Import(imported)) => return self.imported(*imported),
                Some(Binding::Value(value)) => return self.within(value, id, depth),
                Some(Binding::Anything) => return None,
                None => at = seen.parent,
            }
        }
        self.global(name)
    }

    fn global(&self, name: &str) -> Option<Meaning<'a>> {
        let ours = !self.bindings.has_star && !self.bindings.assigned.contains(name);
        match name {
            "servers" => ours.then_some(Meaning::Servers),
            "call_tool" => ours.then_some(Meaning::CallByName),
            name if BUILTINS.contains(&name) => Some(Meaning::Python(format!("builtins.{name}"))),
            _ => None,
        }
    }

    /// What an import binds.
    pub(crate) fn imported(&self, imported: Imported<'a>) -> Option<Meaning<'a>> {
        let module = module(imported.module, imported.module_at)?;
        match imported.member {
            None => Some(module),
            Some((text, at)) => module.member(Name { text, at }, &self.bindings.assigned),
        }
    }
}

/// What the package `servers` holds besides servers, as in `api.py` of the guest.
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

impl<'a> Meaning<'a> {
    /// What an attribute stands for.
    fn member(self, name: Name<'a>, assigned: &HashSet<&str>) -> Option<Self> {
        // The language's own names, and what the program puts there itself.
        let ours = !name.text.starts_with("__") && !assigned.contains(name.text);
        match self {
            // `from servers import ToolError`: no server is called so.
            Self::Servers if name.text == "call_tool" => ours.then_some(Self::CallByName),
            Self::Servers if HELPERS.contains(&name.text) => None,
            Self::Servers if ours => Some(Self::Server(name)),
            Self::Server(server) if ours => Some(Self::Tool(server, name)),
            Self::Python(path) => Some(Self::Python(format!("{path}.{}", name.text))),
            Self::Servers | Self::Server(_) | Self::Tool(..) | Self::CallByName => None,
        }
    }
}

/// What a module stands for; `servers.github.x` is none.
pub(crate) fn module(path: &str, at: TextSize) -> Option<Meaning<'_>> {
    let Some(rest) = path.strip_prefix("servers") else {
        return Some(Meaning::Python(path.to_owned()));
    };
    match rest.strip_prefix('.') {
        Some(server) if !server.contains('.') => {
            let before = TextSize::of("servers.");
            Some(Meaning::Server(Name { text: server, at: at + before }))
        }
        Some(_) => None,
        None if rest.is_empty() => Some(Meaning::Servers),
        None => Some(Meaning::Python(path.to_owned())),
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
    fn the_helpers_are_those_of_the_guest() {
        let guest = include_str!("../../worker/src/python/api.py");
        let (_, list) = guest.split_once("\nHELPERS = (").unwrap();
        let (list, _) = list.split_once(')').unwrap();
        let mut named: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
        named.sort_unstable();
        // `call_tool` has a meaning of its own.
        let mut known: Vec<&str> = HELPERS.iter().copied().chain(["call_tool"]).collect();
        known.sort_unstable();
        assert_eq!(named, known);
    }
}
