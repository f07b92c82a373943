//! Resolves what the names in a program refer to: all servers, one server, a tool.
//!
//! In: the parsed program and its scopes. Out: the referent of an expression, if it is certain
//! without running anything. Anything computed (`servers[name]`), passed around or reassigned
//! is left to the run. Imports follow the rules of `api.js`.

use std::collections::HashMap;

use oxc::ast::ast::{
    Argument, AssignmentTarget, BindingPattern, ChainElement, Expression, Function,
    IdentifierReference, ImportDeclaration, ImportDeclarationSpecifier, MemberExpression, Program,
    PropertyKey, SimpleAssignmentTarget, Str, VariableDeclarator,
};
use oxc::ast_visit::{Visit, walk};
use oxc::semantic::{Reference, ScopeFlags, Scoping, SymbolFlags, SymbolId};
use oxc::span::{GetSpan, Span};

/// Maximum steps into an expression. The longest meaningful one,
/// `(await import('./servers')).crm.getLead(…)`, needs half of this; without a bound, a chain
/// of a hundred thousand links would be walked once per link.
const MAX_STEPS: u32 = 12;

/// Names that the language itself accesses on any object (see `api.js`).
const LANGUAGE_NAMES: [&str; 6] =
    ["then", "toJSON", "valueOf", "toString", "constructor", "inspect"];

/// A name and its span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// The object that an expression refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Referent {
    /// The object of all servers.
    Servers,
    /// One server.
    Server(Name),
    /// The module of one tool.
    ToolFile(Name, Name),
    /// One tool of a server.
    Tool(Name, Name),
    /// `callMCPTool`.
    CallByName,
    /// An `async` function of the program.
    AsyncFunction,
    /// The promise of a call that is not awaited yet, with the span of the callee.
    Promise(Span),
}

/// Resolves the constants and imports of one program.
pub(crate) struct Resolver<'s> {
    scoping: &'s Scoping,
    symbols: HashMap<SymbolId, Referent>,
    /// Whether the program replaces our globals.
    overwritten: bool,
}

impl<'s> Resolver<'s> {
    pub(crate) fn of_program(program: &Program<'_>, scoping: &'s Scoping) -> Self {
        let resolver = Self { scoping, symbols: HashMap::new(), overwritten: false };
        let mut declarations = Declarations(resolver);
        // A function may use what is declared below it; more rounds than this
        // only serve chains of such functions.
        for _ in 0..3 {
            let known = declarations.0.symbols.len();
            declarations.visit_program(program);
            if declarations.0.symbols.len() == known {
                break;
            }
        }
        declarations.0
    }

    /// The referent of an expression, if it is certain.
    pub(crate) fn of(&self, expression: &Expression<'_>) -> Option<Referent> {
        self.resolve(expression, MAX_STEPS)
    }

    fn resolve(&self, expression: &Expression<'_>, depth: u32) -> Option<Referent> {
        let depth = depth.checked_sub(1)?;
        let inner = expression.get_inner_expression();
        if let Some(member) = inner.as_member_expression() {
            return self.member(member, depth);
        }
        match inner {
            Expression::Identifier(name) => self.identifier(name),
            Expression::ChainExpression(chain) => match &chain.expression {
                ChainElement::CallExpression(call) => {
                    self.call(&call.callee, &call.arguments, depth)
                }
                ChainElement::TSNonNullExpression(inner) => self.resolve(&inner.expression, depth),
                member => self.member(member.as_member_expression()?, depth),
            },
            Expression::CallExpression(call) => self.call(&call.callee, &call.arguments, depth),
            Expression::AwaitExpression(awaited) => match awaited.argument.get_inner_expression() {
                Expression::ImportExpression(import) => module(literal(&import.source)?),
                argument => self
                    .resolve(argument, depth)
                    .filter(|referent| !matches!(referent, Referent::Promise(_))),
            },
            Expression::ArrowFunctionExpression(function) if function.r#async => {
                Some(Referent::AsyncFunction)
            }
            Expression::FunctionExpression(function) if is_async(function) => {
                Some(Referent::AsyncFunction)
            }
            _ => None,
        }
    }

    /// The referent of an identifier.
    pub(crate) fn identifier(&self, name: &IdentifierReference<'_>) -> Option<Referent> {
        let reference = self.scoping.get_reference(name.reference_id());
        if let Some(symbol) = reference.symbol_id() {
            return self.symbols.get(&symbol).cloned();
        }
        match name.name.as_str() {
            "servers" if !self.overwritten => Some(Referent::Servers),
            "callMCPTool" if !self.overwritten => Some(Referent::CallByName),
            _ => None,
        }
    }

    fn member(&self, member: &MemberExpression<'_>, depth: u32) -> Option<Referent> {
        let name = member.static_property_name()?;
        let span = match member {
            MemberExpression::StaticMemberExpression(member) => member.property.span,
            MemberExpression::ComputedMemberExpression(member) => member.expression.span(),
            MemberExpression::PrivateFieldExpression(_) => return None,
        };
        self.resolve(member.object(), depth)?.member(name, span)
    }

    fn call(
        &self,
        callee: &Expression<'_>,
        arguments: &[Argument<'_>],
        depth: u32,
    ) -> Option<Referent> {
        if self.is_global(callee, "require") {
            return module(literal(arguments.first()?.as_expression()?)?);
        }
        match self.resolve(callee, depth)? {
            Referent::Tool(..) | Referent::CallByName | Referent::AsyncFunction => {
                Some(Referent::Promise(callee.span()))
            }
            Referent::Servers
            | Referent::Server(_)
            | Referent::ToolFile(..)
            | Referent::Promise(_) => None,
        }
    }

    /// Whether this is the global of that name, not shadowed by the program.
    pub(crate) fn is_global(&self, expression: &Expression<'_>, name: &str) -> bool {
        match expression.get_inner_expression() {
            Expression::Identifier(found) => {
                found.name == name && !self.scoping.has_binding(found.reference_id())
            }
            _ => false,
        }
    }

    /// Whether a name refers to one thing only, wherever it is used.
    pub(crate) fn knows(&self, symbol: SymbolId) -> bool {
        self.symbols.contains_key(&symbol)
    }

    /// Whether an import is used as a value. Otherwise it is a type and is erased before the
    /// program runs.
    pub(crate) fn is_value(&self, symbol: SymbolId) -> bool {
        self.scoping.get_resolved_references(symbol).any(Reference::is_value)
    }

    /// Binds the names of a pattern.
    fn bind(&mut self, pattern: &BindingPattern<'_>, referent: Referent) {
        match pattern {
            BindingPattern::BindingIdentifier(name) => {
                let symbol = name.symbol_id();
                let flags = self.scoping.symbol_flags(symbol);
                let block =
                    flags.intersects(SymbolFlags::BlockScopedVariable | SymbolFlags::Import);
                if block && !self.scoping.symbol_is_mutated(symbol) {
                    self.symbols.insert(symbol, referent);
                }
            }
            BindingPattern::ObjectPattern(object) => {
                for property in &object.properties {
                    if let Some(referent) = destructured(&referent, &property.key) {
                        self.bind(&property.value, referent);
                    }
                }
            }
            // With a default, a name may refer to that instead.
            BindingPattern::ArrayPattern(_) | BindingPattern::AssignmentPattern(_) => {}
        }
    }
}

impl Referent {
    /// The referent of a member.
    fn member(self, name: &str, span: Span) -> Option<Self> {
        if LANGUAGE_NAMES.contains(&name) {
            return None;
        }
        let named = || Name { text: name.to_owned(), span };
        match self {
            Self::ToolFile(server, tool) if name == "default" || name == tool.text => {
                Some(Self::Tool(server, Name { span, ..tool }))
            }
            // `default` is the module itself or a name, depending on the import.
            _ if name == "default" => None,
            Self::Servers => Some(Self::Server(named())),
            Self::Server(server) => Some(Self::Tool(server, named())),
            Self::ToolFile(..)
            | Self::Tool(..)
            | Self::CallByName
            | Self::AsyncFunction
            | Self::Promise(_) => None,
        }
    }
}

/// The referent of a property of a destructured value.
pub(crate) fn destructured(referent: &Referent, key: &PropertyKey<'_>) -> Option<Referent> {
    referent.clone().member(&key.static_name()?, key.span())
}

/// The referent of one import specifier.
pub(crate) fn imported(
    import: &ImportDeclaration<'_>,
    specifier: &ImportDeclarationSpecifier<'_>,
) -> Option<Referent> {
    if import.import_kind.is_type() {
        return None;
    }
    let module = module(import.source.value.as_str())?;
    match specifier {
        ImportDeclarationSpecifier::ImportSpecifier(one) if one.import_kind.is_type() => None,
        ImportDeclarationSpecifier::ImportSpecifier(one) if one.imported.name() != "default" => {
            module.member(one.imported.name().as_str(), one.imported.span())
        }
        ImportDeclarationSpecifier::ImportNamespaceSpecifier(_) => Some(module),
        default => Some(match module {
            Referent::ToolFile(server, tool) => {
                Referent::Tool(server, Name { span: default.span(), ..tool })
            }
            other => other,
        }),
    }
}

/// The referent of an import from `./servers`. Its names have no spans of their own: they are
/// located at the whole specifier.
pub(crate) fn module(specifier: &str) -> Option<Referent> {
    let rest = in_tree(specifier)?;
    let named = |text: &str| Name { text: text.to_owned(), span: Span::default() };
    let (server, file) = match rest.split_once('/') {
        Some((_, file)) if file.contains('/') => return None,
        Some((server, file)) => (server, file),
        None => (rest, ""),
    };
    match (server, file) {
        ("." | "..", _) | (_, "." | "..") => None,
        ("" | "index", _) => Some(Referent::Servers),
        (server, "" | "index") => Some(Referent::Server(named(server))),
        (server, tool) => Some(Referent::ToolFile(named(server), named(tool))),
    }
}

/// The part of an import after `./servers`, without a file extension.
pub(crate) fn in_tree(specifier: &str) -> Option<&str> {
    let mut rest = specifier.strip_prefix('/').unwrap_or(specifier);
    if rest.len() == specifier.len() {
        while let Some(shorter) = rest.strip_prefix("./").or_else(|| rest.strip_prefix("../")) {
            rest = shorter;
        }
    }
    let rest = match rest.strip_prefix("servers")? {
        "" => "",
        rest => rest.strip_prefix('/')?,
    };
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    let endings = [".ts", ".js", ".mjs"];
    Some(endings.iter().find_map(|ending| rest.strip_suffix(ending)).unwrap_or(rest))
}

/// The text of a literal: a string, or a template without expressions.
pub(crate) fn literal<'e>(expression: &'e Expression<'_>) -> Option<&'e str> {
    match expression.get_inner_expression() {
        Expression::StringLiteral(text) => Some(text.value.as_str()),
        Expression::TemplateLiteral(text) if text.expressions.is_empty() => {
            text.quasis.first()?.value.cooked.as_ref().map(Str::as_str)
        }
        _ => None,
    }
}

/// Whether a call returns a promise; a generator returns something else.
fn is_async(function: &Function<'_>) -> bool {
    function.r#async && !function.generator
}

/// Collects the declarations that bind names.
struct Declarations<'s>(Resolver<'s>);

impl<'a> Visit<'a> for Declarations<'_> {
    fn visit_variable_declarator(&mut self, declarator: &VariableDeclarator<'a>) {
        if let Some(referent) = declarator.init.as_ref().and_then(|init| self.0.of(init)) {
            self.0.bind(&declarator.id, referent);
        }
        walk::walk_variable_declarator(self, declarator);
    }

    fn visit_function(&mut self, function: &Function<'a>, flags: ScopeFlags) {
        if let Some(name) = function.id.as_ref().filter(|_| is_async(function)) {
            let symbol = name.symbol_id();
            if !self.0.scoping.symbol_is_mutated(symbol)
                && self.0.scoping.symbol_redeclarations(symbol).is_empty()
            {
                self.0.symbols.insert(symbol, Referent::AsyncFunction);
            }
        }
        walk::walk_function(self, function, flags);
    }

    fn visit_import_declaration(&mut self, import: &ImportDeclaration<'a>) {
        for specifier in import.specifiers.iter().flatten() {
            if let Some(referent) = imported(import, specifier) {
                self.0.symbols.insert(specifier.local().symbol_id(), referent);
            }
        }
    }

    fn visit_assignment_target(&mut self, target: &AssignmentTarget<'a>) {
        if let Some(target) = target.as_simple_assignment_target() {
            let name = match target {
                SimpleAssignmentTarget::AssignmentTargetIdentifier(name) => {
                    let own = self.0.scoping.has_binding(name.reference_id());
                    (!own).then_some(name.name.as_str())
                }
                // `globalThis.servers`, or anything else of that name.
                other => {
                    other.as_member_expression().and_then(MemberExpression::static_property_name)
                }
            };
            self.0.overwritten |= matches!(name, Some("servers" | "callMCPTool"));
        }
        walk::walk_assignment_target(self, target);
    }
}
