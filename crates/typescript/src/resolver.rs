//! What the names in a program stand for: all servers, one server, a tool.
//!
//! In: the parsed program and its scopes. Out: the meaning of an expression, as
//! far as it can be told without running anything. What is computed
//! (`servers[name]`), passed around or assigned again has no meaning here, and
//! is left to the run. The rules for imports are those of `api.js`.

use std::collections::HashMap;

use oxc::ast::ast::{
    Argument, AssignmentTarget, BindingPattern, ChainElement, Expression, Function,
    IdentifierReference, ImportDeclaration, ImportDeclarationSpecifier, MemberExpression, Program,
    PropertyKey, SimpleAssignmentTarget, Str, VariableDeclarator,
};
use oxc::ast_visit::{Visit, walk};
use oxc::semantic::{Reference, ScopeFlags, Scoping, SymbolFlags, SymbolId};
use oxc::span::{GetSpan, Span};

/// How far into an expression to look. The longest that means anything,
/// `(await import('./servers')).crm.getLead(…)`, has half of this; without an
/// end, a chain of a hundred thousand links would be walked once per link.
const DEPTH: u32 = 12;

/// Names that the language itself looks for on any object (see `api.js`).
const LANGUAGE_NAMES: [&str; 6] =
    ["then", "toJSON", "valueOf", "toString", "constructor", "inspect"];

/// A name as it is written somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// What an expression stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// The object with all servers.
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
    /// What a call gives before it is awaited; the span of what is called.
    Promise(Span),
}

/// The meanings of a program's constants and imports.
pub(crate) struct Meanings<'s> {
    scoping: &'s Scoping,
    symbols: HashMap<SymbolId, Meaning>,
    /// Whether the program puts something else in the place of our globals.
    overwritten: bool,
}

impl<'s> Meanings<'s> {
    pub(crate) fn of_program(program: &Program<'_>, scoping: &'s Scoping) -> Self {
        let meanings = Self { scoping, symbols: HashMap::new(), overwritten: false };
        let mut declarations = Declarations(meanings);
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

    /// What an expression stands for, if that is certain.
    pub(crate) fn of(&self, expression: &Expression<'_>) -> Option<Meaning> {
        self.within(expression, DEPTH)
    }

    fn within(&self, expression: &Expression<'_>, depth: u32) -> Option<Meaning> {
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
                ChainElement::TSNonNullExpression(inner) => self.within(&inner.expression, depth),
                member => self.member(member.as_member_expression()?, depth),
            },
            Expression::CallExpression(call) => self.call(&call.callee, &call.arguments, depth),
            Expression::AwaitExpression(awaited) => match awaited.argument.get_inner_expression() {
                Expression::ImportExpression(import) => module(literal(&import.source)?),
                argument => self
                    .within(argument, depth)
                    .filter(|meaning| !matches!(meaning, Meaning::Promise(_))),
            },
            Expression::ArrowFunctionExpression(function) if function.r#async => {
                Some(Meaning::AsyncFunction)
            }
            Expression::FunctionExpression(function) if is_async(function) => {
                Some(Meaning::AsyncFunction)
            }
            _ => None,
        }
    }

    /// What an identifier stands for.
    pub(crate) fn identifier(&self, name: &IdentifierReference<'_>) -> Option<Meaning> {
        let reference = self.scoping.get_reference(name.reference_id());
        if let Some(symbol) = reference.symbol_id() {
            return self.symbols.get(&symbol).cloned();
        }
        match name.name.as_str() {
            "servers" if !self.overwritten => Some(Meaning::Servers),
            "callMCPTool" if !self.overwritten => Some(Meaning::CallByName),
            _ => None,
        }
    }

    fn member(&self, member: &MemberExpression<'_>, depth: u32) -> Option<Meaning> {
        let name = member.static_property_name()?;
        let span = match member {
            MemberExpression::StaticMemberExpression(member) => member.property.span,
            MemberExpression::ComputedMemberExpression(member) => member.expression.span(),
            MemberExpression::PrivateFieldExpression(_) => return None,
        };
        self.within(member.object(), depth)?.member(name, span)
    }

    fn call(
        &self,
        callee: &Expression<'_>,
        arguments: &[Argument<'_>],
        depth: u32,
    ) -> Option<Meaning> {
        if self.is_global(callee, "require") {
            return module(literal(arguments.first()?.as_expression()?)?);
        }
        match self.within(callee, depth)? {
            Meaning::Tool(..) | Meaning::CallByName | Meaning::AsyncFunction => {
                Some(Meaning::Promise(callee.span()))
            }
            Meaning::Servers | Meaning::Server(_) | Meaning::ToolFile(..) | Meaning::Promise(_) => {
                None
            }
        }
    }

    /// Whether this is a global of that name, and not one of the program's own.
    pub(crate) fn is_global(&self, expression: &Expression<'_>, name: &str) -> bool {
        match expression.get_inner_expression() {
            Expression::Identifier(found) => {
                found.name == name && !self.scoping.has_binding(found.reference_id())
            }
            _ => false,
        }
    }

    /// Whether an import is used as a value; one that is not is a type, and is
    /// gone before the program runs.
    pub(crate) fn is_value(&self, symbol: SymbolId) -> bool {
        self.scoping.get_resolved_references(symbol).any(Reference::is_value)
    }

    /// Remembers what the names of a pattern stand for.
    fn bind(&mut self, pattern: &BindingPattern<'_>, meaning: Meaning) {
        match pattern {
            BindingPattern::BindingIdentifier(name) => {
                let symbol = name.symbol_id();
                let flags = self.scoping.symbol_flags(symbol);
                let block =
                    flags.intersects(SymbolFlags::BlockScopedVariable | SymbolFlags::Import);
                if block && !self.scoping.symbol_is_mutated(symbol) {
                    self.symbols.insert(symbol, meaning);
                }
            }
            BindingPattern::ObjectPattern(object) => {
                for property in &object.properties {
                    if let Some(meaning) = destructured(&meaning, &property.key) {
                        self.bind(&property.value, meaning);
                    }
                }
            }
            // With a default, a name may stand for that instead.
            BindingPattern::ArrayPattern(_) | BindingPattern::AssignmentPattern(_) => {}
        }
    }
}

impl Meaning {
    /// What a member stands for.
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

/// What a property of a destructured value stands for.
pub(crate) fn destructured(meaning: &Meaning, key: &PropertyKey<'_>) -> Option<Meaning> {
    meaning.clone().member(&key.static_name()?, key.span())
}

/// What is imported from a module: the meaning of one specifier.
pub(crate) fn imported(
    import: &ImportDeclaration<'_>,
    specifier: &ImportDeclarationSpecifier<'_>,
) -> Option<Meaning> {
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
            Meaning::ToolFile(server, tool) => {
                Meaning::Tool(server, Name { span: default.span(), ..tool })
            }
            other => other,
        }),
    }
}

/// What an import of our tree stands for. The names get no place of their own:
/// the specifier as a whole is where they are written.
pub(crate) fn module(specifier: &str) -> Option<Meaning> {
    let rest = in_tree(specifier)?;
    let named = |text: &str| Name { text: text.to_owned(), span: Span::default() };
    let (server, file) = match rest.split_once('/') {
        Some((_, file)) if file.contains('/') => return None,
        Some((server, file)) => (server, file),
        None => (rest, ""),
    };
    match (server, file) {
        ("." | "..", _) | (_, "." | "..") => None,
        ("" | "index", _) => Some(Meaning::Servers),
        (server, "" | "index") => Some(Meaning::Server(named(server))),
        (server, tool) => Some(Meaning::ToolFile(named(server), named(tool))),
    }
}

/// The part of an import behind `./servers`, without the ending of a file.
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

/// Whether a call gives a promise; a generator gives something else.
fn is_async(function: &Function<'_>) -> bool {
    function.r#async && !function.generator
}

/// Finds the declarations that give a name its meaning.
struct Declarations<'s>(Meanings<'s>);

impl<'a> Visit<'a> for Declarations<'_> {
    fn visit_variable_declarator(&mut self, declarator: &VariableDeclarator<'a>) {
        if let Some(meaning) = declarator.init.as_ref().and_then(|init| self.0.of(init)) {
            self.0.bind(&declarator.id, meaning);
        }
        walk::walk_variable_declarator(self, declarator);
    }

    fn visit_function(&mut self, function: &Function<'a>, flags: ScopeFlags) {
        if let Some(name) = function.id.as_ref().filter(|_| is_async(function)) {
            let symbol = name.symbol_id();
            if !self.0.scoping.symbol_is_mutated(symbol)
                && self.0.scoping.symbol_redeclarations(symbol).is_empty()
            {
                self.0.symbols.insert(symbol, Meaning::AsyncFunction);
            }
        }
        walk::walk_function(self, function, flags);
    }

    fn visit_import_declaration(&mut self, import: &ImportDeclaration<'a>) {
        for specifier in import.specifiers.iter().flatten() {
            if let Some(meaning) = imported(import, specifier) {
                self.0.symbols.insert(specifier.local().symbol_id(), meaning);
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
                // `globalThis.servers`, or some other thing of that name.
                other => {
                    other.as_member_expression().and_then(MemberExpression::static_property_name)
                }
            };
            self.0.overwritten |= matches!(name, Some("servers" | "callMCPTool"));
        }
        walk::walk_assignment_target(self, target);
    }
}
