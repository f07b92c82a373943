//! What in a program may be dangerous, by name.
//!
//! In: the statements of a program and what its names stand for. Out: findings, in
//! the order of the source, one per rule and line. They inform: a program that
//! wants to hide what it does can (`getattr`, text that is put together), and what
//! it can do is decided by the jail alone.

use std::collections::HashSet;

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::{Ranged, TextSize};
use tidegate_model::{Finding, Severity};

use crate::analysis::Lines;
use crate::bindings::{MODULE, ScopeId};
use crate::meanings::{Meaning, Meanings};

/// How many findings are told.
const MOST: usize = 200;

struct Rule {
    name: &'static str,
    severity: Severity,
    /// Modules and what is in them; what ends with a dot stands for all that
    /// begins with what is before it.
    paths: &'static [&'static str],
    message: &'static str,
    suggestion: &'static str,
}

const RULES: [Rule; 9] = [
    Rule {
        name: "python.native",
        severity: Severity::High,
        paths: &["ctypes", "_ctypes", "cffi", "mmap"],
        message: "calls or changes memory outside of Python",
        suggestion: "write it in Python",
    },
    Rule {
        name: "python.process",
        severity: Severity::High,
        paths: &[
            "subprocess",
            "_posixsubprocess",
            "multiprocessing",
            "pty",
            "concurrent.futures.ProcessPoolExecutor",
            "asyncio.create_subprocess_exec",
            "asyncio.create_subprocess_shell",
            "os.system",
            "os.popen",
            "os.exec.",
            "os.spawn.",
            "os.posix_spawn.",
            "os.fork.",
            "os.startfile",
        ],
        message: "starts another process, and there is none to start",
        suggestion: "use `commands.run(name, args)` with a command that is configured",
    },
    Rule {
        name: "python.introspection",
        severity: Severity::High,
        paths: &[
            "sys._getframe",
            "sys.settrace",
            "sys.setprofile",
            "gc.get_objects",
            "gc.get_referrers",
            "inspect.currentframe",
            "inspect.stack",
            "builtins.__builtins__",
        ],
        message: "reaches for what belongs to the interpreter",
        suggestion: "leave it out",
    },
    Rule {
        name: "python.dynamic_code",
        severity: Severity::Medium,
        paths: &["builtins.eval", "builtins.exec", "builtins.compile", "code", "codeop"],
        message: "runs text as code",
        suggestion: "use `ast.literal_eval` or `json.loads` to read values",
    },
    Rule {
        name: "python.network",
        severity: Severity::Medium,
        paths: &[
            "socket",
            "_socket",
            "ssl",
            "socketserver",
            "http.client",
            "http.server",
            "urllib.request",
            "ftplib",
            "smtplib",
            "poplib",
            "imaplib",
            "telnetlib",
            "xmlrpc",
            "asyncio.open_connection",
            "asyncio.start_server",
            "requests",
            "httpx",
            "aiohttp",
            "urllib3",
        ],
        message: "wants the network, and there is none",
        suggestion: "use a tool of a server",
    },
    Rule {
        name: "python.deserialisation",
        severity: Severity::Medium,
        paths: &[
            "pickle",
            "_pickle",
            "cPickle",
            "marshal",
            "shelve",
            "dill",
            "yaml.load",
            "yaml.unsafe_load",
        ],
        message: "can run code while it reads data",
        suggestion: "use `json`",
    },
    Rule {
        name: "python.signals",
        severity: Severity::Medium,
        paths: &[
            "signal",
            "resource.setrlimit",
            "resource.prlimit",
            "os.kill.",
            "os.set.",
            "os.chroot",
            "os.mount",
            "faulthandler",
        ],
        message: "changes how the process is run",
        suggestion: "leave it out: limits are set outside",
    },
    Rule {
        name: "python.dynamic_import",
        severity: Severity::Low,
        paths: &[
            "importlib",
            "imp",
            "runpy",
            "builtins.__import__",
            "sys.modules",
            "sys.meta_path",
        ],
        message: "imports what is not written out",
        suggestion: "write `import name`",
    },
    Rule {
        name: "python.environment",
        severity: Severity::Low,
        paths: &["os.environ", "os.environb", "os.getenv", "os.putenv", "os.unsetenv"],
        message: "reads the environment, which is empty",
        suggestion: "put the value into the program",
    },
];

/// Attributes by which programs climb from a value to the interpreter.
const CLIMBING: [&str; 15] = [
    "__subclasses__",
    "__globals__",
    "__builtins__",
    "__code__",
    "__closure__",
    "__bases__",
    "__mro__",
    "__loader__",
    "__reduce_ex__",
    "gi_frame",
    "cr_frame",
    "tb_frame",
    "f_globals",
    "f_builtins",
    "f_back",
];

/// What may be dangerous in a program.
pub(crate) fn findings<'a>(
    body: &'a [Stmt],
    meanings: &Meanings<'_, 'a>,
    lines: &Lines<'_>,
) -> Vec<Finding> {
    let (found, told) = (Vec::new(), HashSet::new());
    let mut dangers = Dangers { meanings, lines, scope: MODULE, found, told };
    dangers.visit_body(body);
    dangers.found.sort_by_key(|finding| (finding.line, finding.column));
    dangers.found
}

struct Dangers<'m, 'b, 'a> {
    meanings: &'m Meanings<'b, 'a>,
    lines: &'m Lines<'m>,
    scope: ScopeId,
    found: Vec<Finding>,
    /// Rules and lines that were told.
    told: HashSet<(&'static str, u32)>,
}

impl Dangers<'_, '_, '_> {
    /// Tells if a rule is about this; says whether one is.
    fn check(&mut self, path: &str, at: TextSize) -> bool {
        let Some(rule) = RULES.iter().find(|rule| rule.is_about(path)) else { return false };
        let shown = path.strip_prefix("builtins.").unwrap_or(path);
        self.tell(
            rule.name,
            rule.severity,
            at,
            format!("`{shown}` {}", rule.message),
            rule.suggestion,
        );
        true
    }

    fn tell(
        &mut self,
        rule: &'static str,
        severity: Severity,
        at: TextSize,
        message: String,
        suggestion: &'static str,
    ) {
        if self.found.len() >= MOST {
            return;
        }
        // The column only of what is told: to count it takes the length of the line.
        if self.told.insert((rule, self.lines.line(at))) {
            let (line, column) = self.lines.place(at);
            self.found.push(Finding { rule, severity, line, column, message, suggestion });
        }
    }
}

impl Dangers<'_, '_, '_> {
    /// Enters the scope that a statement opens, and gives the one around it.
    fn enter(&mut self, opened: Option<ScopeId>) -> ScopeId {
        let outer = self.scope;
        self.scope = opened.unwrap_or(outer);
        outer
    }
}

impl Rule {
    fn is_about(&self, path: &str) -> bool {
        self.paths.iter().any(|listed| match listed.strip_suffix('.') {
            Some(start) => path.starts_with(start),
            None => {
                let rest = path.strip_prefix(listed);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            }
        })
    }
}

impl<'a> Visitor<'a> for Dangers<'_, '_, 'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Import(import) => {
                for alias in &import.names {
                    self.check(alias.name.id.as_str(), alias.start());
                }
            }
            Stmt::ImportFrom(import) => {
                let module = import.module.as_ref().filter(|_| import.level == 0);
                for (module, alias) in module.iter().flat_map(|module| {
                    import.names.iter().map(move |alias| (module.id.as_str(), alias))
                }) {
                    self.check(&format!("{module}.{}", alias.name.id), alias.start());
                }
            }
            _ => {
                let inside = self.meanings.bindings().opened(statement);
                let outer = self.enter(inside);
                walk_stmt(self, statement);
                self.scope = outer;
            }
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Name(_) | Expr::Attribute(_) = expression
            && let Some(Meaning::Python(path)) = self.meanings.of(expression, self.scope)
            && self.check(&path, expression.start())
        {
            return;
        }
        if let Expr::Attribute(attribute) = expression
            && CLIMBING.contains(&attribute.attr.id.as_str())
        {
            let message = format!("`{}` leads from a value to the interpreter", attribute.attr.id);
            let at = attribute.attr.start();
            self.tell("python.introspection", Severity::High, at, message, "leave it out");
        }
        walk_expr(self, expression);
    }
}

#[cfg(test)]
mod tests;
