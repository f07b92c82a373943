//! Tools and servers that are used as values: `map(servers.crm.wipe, ids)`.
//!
//! In: the expressions that are no calls. Out: a reference for each tool that something else
//! may call, and for each server that is handed over as a whole. A use that only asks whether
//! something exists, lists names or gives it another name is none.

use ruff_python_ast::visitor::{Visitor, walk_stmt};
use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::TextSize;
use tidegate_model::KnownArguments;

use super::{MAX_REFERENCES, ReferenceCollector, Use};
use crate::resolver::{Name, Referent};

/// Builtins that look at names only: a server is a list of them.
pub(super) const LOOKING: [&str; 17] = [
    "bool",
    "callable",
    "dir",
    "getattr",
    "hasattr",
    "help",
    "id",
    "isinstance",
    "len",
    "list",
    "print",
    "repr",
    "set",
    "sorted",
    "str",
    "tuple",
    "type",
];

/// Attributes of a tool that only describe it.
pub(super) const DESCRIBING: [&str; 6] =
    ["__annotations__", "__doc__", "__module__", "__name__", "__qualname__", "__signature__"];

impl<'a> ReferenceCollector<'_, '_, 'a> {
    pub(super) fn is_server(&self, expression: &'a Expr) -> bool {
        matches!(self.named(expression), Some(Referent::Servers | Referent::Server(_)))
    }

    /// Visits the target of an assignment: a name is no use of what it refers to.
    pub(super) fn visit_target(&mut self, target: &'a Expr) {
        match target {
            Expr::Name(_) => {}
            Expr::Tuple(targets) => targets.elts.iter().for_each(|one| self.visit_target(one)),
            _ => self.visit_used(target),
        }
    }

    /// The tool or server that an expression refers to.
    pub(super) fn named(&self, expression: &'a Expr) -> Option<Referent<'a>> {
        self.resolver
            .of(expression, self.scope)
            .filter(|referent| !matches!(referent, Referent::Python(_)))
    }

    /// Records a tool that is named but not called here, so its arguments are unknown.
    pub(super) fn record_uncalled(&mut self, referent: &Referent<'a>) {
        if let Referent::Tool(server, tool) = referent
            && self.uncalled_tools.len() < MAX_REFERENCES
        {
            self.uncalled_tools.push((server.text.to_owned(), tool.text.to_owned()));
        }
    }

    /// Adds a tool that something else may call, or a server that is handed over as a whole.
    pub(super) fn add_passed(&mut self, referent: &Referent<'a>, at: TextSize) {
        let (known, repeated) = (KnownArguments::unknown(), true);
        let of = Use { known, repeated, probable: true, passed: true, ..Use::default() };
        let here = |text| Name { text, at };
        match referent {
            Referent::Tool(server, tool) => {
                self.add(here(server.text), Some(here(tool.text)), of);
            }
            // Which of its tools are called is not known.
            Referent::Servers | Referent::Server(_) | Referent::CallByName => {
                self.add(here(""), None, of);
            }
            Referent::Python(_) => {}
        }
    }

    /// Visits what is used in place: looked at, or given a name that is followed.
    pub(super) fn visit_used(&mut self, expression: &'a Expr) {
        match (self.named(expression), expression) {
            (Some(referent), _) => self.record_uncalled(&referent),
            (None, Expr::BoolOp(one)) => {
                let mut guard = false;
                for value in &one.values {
                    self.guarded(guard, |collector| collector.visit_used(value));
                    guard |= self.probes(value);
                }
            }
            (None, Expr::UnaryOp(one)) => self.visit_used(&one.operand),
            (None, _) => self.visit_expr(expression),
        }
    }

    /// Visits a value and the target that it is given to.
    pub(super) fn visit_assigned(&mut self, target: &'a Expr, value: &'a Expr) {
        match (target, value) {
            (Expr::Tuple(targets), Expr::Tuple(values))
                if targets.elts.len() == values.elts.len() =>
            {
                for (target, value) in targets.elts.iter().zip(&values.elts) {
                    self.visit_assigned(target, value);
                }
            }
            (Expr::Name(_), _) if self.named(target).is_some() => self.visit_used(value),
            _ => self.visit_expr(value),
        }
    }

    /// Visits a statement that opens no scope and guards nothing.
    pub(super) fn visit_plain(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Assign(one) => match one.targets.as_slice() {
                [target] => {
                    self.visit_assigned(target, &one.value);
                    self.visit_target(target);
                }
                _ => walk_stmt(self, statement),
            },
            Stmt::AnnAssign(one) => {
                if let Some(value) = &one.value {
                    self.visit_assigned(&one.target, value);
                }
                self.visit_target(&one.target);
            }
            Stmt::Expr(one) => self.visit_used(&one.value),
            Stmt::Delete(one) => one.targets.iter().for_each(|one| self.visit_target(one)),
            // It yields names.
            Stmt::For(one) => {
                self.visit_target(&one.target);
                self.visit_used(&one.iter);
                self.visit_body(&one.body);
                self.visit_body(&one.orelse);
            }
            Stmt::While(one) => {
                self.visit_used(&one.test);
                self.visit_body(&one.body);
                self.visit_body(&one.orelse);
            }
            _ => walk_stmt(self, statement),
        }
    }
}
