//! The bindings of the names in a program, scope by scope.
//!
//! In: the statements of a program. Out: the names of each scope, and the one thing that each
//! name is bound to. A name that is bound twice, by a loop or as a parameter can be anything.
//! Scopes are the module, functions and classes. Names of lambdas and comprehensions count
//! for the enclosing scope, which only makes the result less certain.

use std::collections::{HashMap, HashSet};

use ruff_python_ast::visitor::{Visitor, walk_except_handler, walk_expr, walk_pattern, walk_stmt};
use ruff_python_ast::{
    ExceptHandler, Expr, ExprContext, Parameter, Pattern, Stmt, StmtImport, StmtImportFrom,
};
use ruff_text_size::{Ranged, TextRange, TextSize};

/// The scopes of a program.
pub(crate) struct Bindings<'a> {
    pub(crate) scopes: Vec<Scope<'a>>,
    /// The scope that a function or class opens, by its range.
    opened: HashMap<TextRange, ScopeId>,
    /// Attributes that are assigned anywhere: `servers.github = …`.
    pub(crate) assigned: HashSet<&'a str>,
    /// Whether everything is imported from some server.
    pub(crate) has_star: bool,
}

pub(crate) type ScopeId = usize;

/// The scope of the module itself.
pub(crate) const MODULE: ScopeId = 0;

/// A scope and the names that are bound in it.
pub(crate) struct Scope<'a> {
    pub(crate) parent: Option<ScopeId>,
    /// Names of a class are not visible in its functions.
    pub(crate) is_class: bool,
    pub(crate) names: HashMap<&'a str, Binding<'a>>,
    /// Names declared `global`.
    global: HashSet<&'a str>,
    /// Names declared `nonlocal`.
    nonlocal: HashSet<&'a str>,
}

/// The thing that a name is bound to.
#[derive(Clone, Copy)]
pub(crate) enum Binding<'a> {
    /// A module, or something in one.
    Import(Imported<'a>),
    /// The value of an expression.
    Value(&'a Expr),
    /// Anything.
    Anything,
}

/// The thing that an import binds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Imported<'a> {
    /// The dotted module name, and its offset.
    pub(crate) module: &'a str,
    pub(crate) module_at: TextSize,
    /// The name in it, for `from … import …`.
    pub(crate) member: Option<(&'a str, TextSize)>,
}

impl<'a> Bindings<'a> {
    pub(crate) fn of(body: &'a [Stmt]) -> Self {
        let bindings = Self {
            scopes: vec![Scope::new(None, false)],
            opened: HashMap::new(),
            assigned: HashSet::new(),
            has_star: false,
        };
        let mut collector = BindingCollector { bindings, scope: MODULE };
        collector.visit_body(body);
        collector.bindings
    }

    /// The scope that a function or class opens.
    pub(crate) fn opened(&self, statement: &Stmt) -> Option<ScopeId> {
        self.opened.get(&statement.range()).copied()
    }
}

impl Scope<'_> {
    fn new(parent: Option<ScopeId>, is_class: bool) -> Self {
        let (global, nonlocal) = (HashSet::new(), HashSet::new());
        Self { parent, is_class, names: HashMap::new(), global, nonlocal }
    }
}

struct BindingCollector<'a> {
    bindings: Bindings<'a>,
    scope: ScopeId,
}

impl<'a> BindingCollector<'a> {
    fn bind(&mut self, name: &'a str, binding: Binding<'a>) {
        let scope = &self.bindings.scopes[self.scope];
        if scope.nonlocal.contains(name) {
            let mut enclosing = scope.parent;
            while let Some(at) = enclosing {
                self.bind_in(at, name, Binding::Anything);
                enclosing = self.bindings.scopes[at].parent;
            }
            return;
        }
        let scope = if scope.global.contains(name) { MODULE } else { self.scope };
        self.bind_in(scope, name, binding);
    }

    fn bind_in(&mut self, scope: ScopeId, name: &'a str, binding: Binding<'a>) {
        let names = &mut self.bindings.scopes[scope].names;
        let same = |known: &Binding<'a>| match (known, &binding) {
            (Binding::Import(one), Binding::Import(other)) => {
                (one.module, one.member.map(|(name, _)| name))
                    == (other.module, other.member.map(|(name, _)| name))
            }
            _ => false,
        };
        names
            .entry(name)
            .and_modify(|known| {
                if !same(known) {
                    *known = Binding::Anything;
                }
            })
            .or_insert(binding);
    }

    /// Binds the targets of an assignment.
    fn assign(&mut self, target: &'a Expr, value: &'a Expr) {
        match (target, elements(target), elements(value)) {
            (Expr::Name(name), ..) => self.bind(name.id.as_str(), Binding::Value(value)),
            (_, Some(targets), Some(values)) if targets.len() == values.len() => {
                for (target, value) in targets.iter().zip(values) {
                    self.assign(target, value);
                }
            }
            _ => self.visit_expr(target),
        }
    }

    fn import(&mut self, import: &'a StmtImport) {
        for alias in &import.names {
            let (module, module_at) = (alias.name.id.as_str(), alias.name.start());
            // `import a.b` binds `a`.
            let (name, module) = match &alias.asname {
                Some(name) => (name.id.as_str(), module),
                None => {
                    let root = module.split('.').next().unwrap_or(module);
                    (root, root)
                }
            };
            let imported = Imported { module, module_at, member: None };
            self.bind(name, Binding::Import(imported));
        }
    }

    fn import_from(&mut self, import: &'a StmtImportFrom) {
        let module = import.module.as_ref().filter(|_| import.level == 0);
        for alias in &import.names {
            let member = alias.name.id.as_str();
            if member == "*" {
                let from = module.map(|module| module.id.as_str()).unwrap_or_default();
                self.bindings.has_star |= from == "servers" || from.starts_with("servers.");
                continue;
            }
            let name = alias.asname.as_ref().unwrap_or(&alias.name).id.as_str();
            let binding = match module {
                Some(module) => Binding::Import(Imported {
                    module: module.id.as_str(),
                    module_at: module.start(),
                    member: Some((member, alias.name.start())),
                }),
                None => Binding::Anything,
            };
            self.bind(name, binding);
        }
    }

    /// Visits the body of a function or class in its own scope. `bind` binds the parameters.
    fn within(
        &mut self,
        statement: &'a Stmt,
        is_class: bool,
        bind: impl FnOnce(&mut Self),
        body: &'a [Stmt],
    ) {
        let (outer, opened) = (self.scope, self.bindings.scopes.len());
        self.bindings.scopes.push(Scope::new(Some(outer), is_class));
        self.bindings.opened.insert(statement.range(), opened);
        self.scope = opened;
        bind(self);
        self.visit_body(body);
        self.scope = outer;
    }
}

/// The elements of a tuple or list, if none of them is starred.
fn elements(expression: &Expr) -> Option<&[Expr]> {
    let elements = match expression {
        Expr::Tuple(tuple) => &tuple.elts,
        Expr::List(list) => &list.elts,
        _ => return None,
    };
    (!elements.iter().any(Expr::is_starred_expr)).then_some(elements)
}

impl<'a> Visitor<'a> for BindingCollector<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(function) => {
                self.bind(function.name.id.as_str(), Binding::Anything);
                for decorator in &function.decorator_list {
                    self.visit_decorator(decorator);
                }
                // Defaults belong to the enclosing scope.
                for default in function.parameters.iter_non_variadic_params() {
                    default.default.iter().for_each(|value| self.visit_expr(value));
                }
                let parameters = |collector: &mut Self| {
                    for parameter in function.parameters.iter() {
                        collector.bind(parameter.name().id.as_str(), Binding::Anything);
                    }
                };
                self.within(statement, false, parameters, &function.body);
            }
            Stmt::ClassDef(class) => {
                self.bind(class.name.id.as_str(), Binding::Anything);
                for decorator in &class.decorator_list {
                    self.visit_decorator(decorator);
                }
                class.arguments.iter().for_each(|bases| self.visit_arguments(bases));
                self.within(statement, true, |_| {}, &class.body);
            }
            Stmt::Assign(assign) => {
                self.visit_expr(&assign.value);
                for target in &assign.targets {
                    self.assign(target, &assign.value);
                }
            }
            Stmt::AnnAssign(assign) => {
                if let Some(value) = &assign.value {
                    self.visit_expr(value);
                    self.assign(&assign.target, value);
                }
            }
            Stmt::Import(import) => self.import(import),
            Stmt::ImportFrom(import) => self.import_from(import),
            Stmt::Global(global) => {
                let names = global.names.iter().map(|name| name.id.as_str());
                self.bindings.scopes[self.scope].global.extend(names);
            }
            Stmt::Nonlocal(nonlocal) => {
                let names = nonlocal.names.iter().map(|name| name.id.as_str());
                self.bindings.scopes[self.scope].nonlocal.extend(names);
            }
            _ => walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Named(named) => {
                self.visit_expr(&named.value);
                self.assign(&named.target, &named.value);
                return;
            }
            Expr::Name(name) if name.ctx != ExprContext::Load => {
                self.bind(name.id.as_str(), Binding::Anything);
            }
            Expr::Attribute(attribute) if attribute.ctx != ExprContext::Load => {
                self.bindings.assigned.insert(attribute.attr.id.as_str());
            }
            _ => {}
        }
        walk_expr(self, expression);
    }

    /// Parameters of lambdas; those of functions are bound in their own scope.
    fn visit_parameter(&mut self, parameter: &'a Parameter) {
        self.bind(parameter.name.id.as_str(), Binding::Anything);
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(caught) = handler;
        if let Some(name) = &caught.name {
            self.bind(name.id.as_str(), Binding::Anything);
        }
        walk_except_handler(self, handler);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        let name = match pattern {
            Pattern::MatchAs(one) => one.name.as_ref(),
            Pattern::MatchStar(one) => one.name.as_ref(),
            Pattern::MatchMapping(one) => one.rest.as_ref(),
            _ => None,
        };
        if let Some(name) = name {
            self.bind(name.id.as_str(), Binding::Anything);
        }
        walk_pattern(self, pattern);
    }
}
