//! The effects of a loop body that determine whether the loop ends.
//!
//! In: the statements of a loop. Out: whether anything in them can leave the loop, waits,
//! calls tools or reads the clock.

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, Stmt};

/// The effects of a loop body.
#[derive(Default)]
pub(super) struct LoopBody {
    /// It can leave the loop.
    pub(super) leaves: bool,
    /// It yields to others.
    pub(super) waits: bool,
    pub(super) calls: bool,
    /// It reads the clock.
    pub(super) clock: bool,
    /// It calls something other than the clock.
    pub(super) works: bool,
    /// It calls something that eventually raises, as `next` does.
    pub(super) may_raise: bool,
    pub(super) uses_servers: bool,
    /// The number of enclosing inner loops.
    inner: u32,
}

impl LoopBody {
    /// The kind of an endless loop.
    pub(super) fn kind(&self) -> &'static str {
        match (self.waits, self.uses_servers) {
            (_, true) => "calling",
            (true, false) => "waiting",
            (false, false) => "endless",
        }
    }

    pub(super) fn of(body: &[Stmt]) -> Self {
        let mut loop_body = Self::default();
        loop_body.visit_body(body);
        loop_body
    }
}

impl<'a> Visitor<'a> for LoopBody {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => {}
            Stmt::Break(_) => self.leaves |= self.inner == 0,
            Stmt::Return(_) | Stmt::Raise(_) => {
                self.leaves = true;
                walk_stmt(self, statement);
            }
            Stmt::While(_) | Stmt::For(_) => {
                self.inner += 1;
                walk_stmt(self, statement);
                self.inner -= 1;
            }
            _ => walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Yield(_) | Expr::YieldFrom(_) => self.leaves = true,
            Expr::Await(_) => self.waits = true,
            Expr::Lambda(_) => return,
            Expr::Name(name) => {
                self.uses_servers |= matches!(name.id.as_str(), "servers" | "call_tool" | "fetch");
            }
            Expr::Call(call) => {
                self.calls = true;
                let name = match &*call.func {
                    Expr::Name(name) => name.id.as_str(),
                    Expr::Attribute(attribute) => attribute.attr.id.as_str(),
                    _ => "",
                };
                let clock = is_clock(&format!("time.{name}"));
                self.clock |= clock;
                self.works |= !clock;
                self.leaves |= matches!(name, "exit" | "quit" | "_exit" | "abort");
                self.may_raise |= matches!(
                    name,
                    "next"
                        | "__next__"
                        | "anext"
                        | "pop"
                        | "popleft"
                        | "popitem"
                        | "get_nowait"
                        | "send"
                        | "throw"
                        | "input"
                        | "index"
                        | "remove"
                );
            }
            _ => {}
        }
        walk_expr(self, expression);
    }
}

/// Whether a path reads the clock.
pub(super) fn is_clock(path: &str) -> bool {
    let name = path.strip_prefix("time.").or_else(|| path.strip_prefix("datetime.datetime."));
    let clocks =
        ["time", "monotonic", "perf_counter", "time_ns", "monotonic_ns", "process_time", "now"];
    name.is_some_and(|name| clocks.contains(&name))
}
