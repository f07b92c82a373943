//! Finds promises of tool calls that are used as if they were the result.
//!
//! In: the parsed program and a resolver for its names. Out: the first such use as an error,
//! with what to write. A promise only has `then`, `catch` and `finally`: accessing a member,
//! iterating over it or converting it to text is never intended, so this is reported before
//! anything runs.

use oxc::ast::ast::{
    Argument, BinaryExpression, BindingPattern, CallExpression, ComputedMemberExpression,
    Expression, ForOfStatement, Program, SpreadElement, StaticMemberExpression,
    TaggedTemplateExpression, TemplateLiteral, VariableDeclarator,
};
use oxc::ast_visit::{Visit, walk};
use oxc::span::{GetSpan, Span};
use tidegate_model::{ErrorCode, RunError};

use crate::lines::Lines;
use crate::resolver::{Referent, Resolver};

/// The members of a promise and of any object.
const PROMISE_MEMBERS: [&str; 5] = ["then", "catch", "finally", "constructor", "toString"];

/// Functions that inspect their argument and find nothing in a promise.
const READING_FUNCTIONS: [(&str, &str); 7] = [
    ("JSON", "stringify"),
    ("JSON", "parse"),
    ("Object", "keys"),
    ("Object", "values"),
    ("Object", "entries"),
    ("Array", "from"),
    ("Array", "isArray"),
];

/// The first misuse of a promise, if there is one.
pub(crate) fn unawaited(
    program: &Program<'_>,
    resolver: &Resolver<'_>,
    lines: &Lines<'_>,
) -> Option<RunError> {
    let mut misuses = MisuseFinder { resolver, lines, first: None };
    misuses.visit_program(program);
    misuses.first.map(|(_, error)| error)
}

struct MisuseFinder<'m, 's> {
    resolver: &'m Resolver<'s>,
    lines: &'m Lines<'m>,
    first: Option<(u32, RunError)>,
}

impl MisuseFinder<'_, '_> {
    /// Records a misuse: `problem` says what a promise is not, `rest` is what follows the value
    /// in the program, such as `.length`.
    fn check(&mut self, value: &Expression<'_>, problem: &str, rest: &str) {
        let Some(Referent::Promise(callee)) = self.resolver.of(value) else { return };
        let at = value.span().start;
        if self.first.as_ref().is_some_and(|(first, _)| *first <= at) {
            return;
        }
        let call = self.call_text(callee);
        let (value, hint) = match value.get_inner_expression() {
            Expression::Identifier(name) => {
                let (line, _) = self.lines.place(callee.start as usize);
                (format!("`{}`", name.name), format!("write `await {call}` in line {line}"))
            }
            _ => {
                let awaited = format!("await {call}");
                let written = if rest.is_empty() { awaited } else { format!("({awaited}){rest}") };
                (format!("`{call}` without `await`"), format!("write `{written}`"))
            }
        };
        let (line, column) = self.lines.place(at as usize);
        let message = format!("{value} is a promise, which {problem}");
        let error = RunError::new(ErrorCode::Type, message).with_hint(hint);
        self.first = Some((at, RunError { line: Some(line), column: Some(column), ..error }));
    }

    /// A call as a short text.
    fn call_text(&self, callee: Span) -> String {
        let text = self.lines.text(callee.start, callee.end);
        match text.len() <= 60 && !text.contains('\n') {
            true => format!("{text}(…)"),
            false => "…(…)".to_owned(),
        }
    }
}

impl<'a> Visit<'a> for MisuseFinder<'_, '_> {
    fn visit_static_member_expression(&mut self, member: &StaticMemberExpression<'a>) {
        let name = member.property.name.as_str();
        if !PROMISE_MEMBERS.contains(&name) {
            self.check(&member.object, &format!("has no `{name}`"), &format!(".{name}"));
        }
        walk::walk_static_member_expression(self, member);
    }

    fn visit_computed_member_expression(&mut self, member: &ComputedMemberExpression<'a>) {
        self.check(&member.object, "has no items", "[…]");
        walk::walk_computed_member_expression(self, member);
    }

    fn visit_for_of_statement(&mut self, statement: &ForOfStatement<'a>) {
        self.check(&statement.right, "cannot be looped over", "");
        walk::walk_for_of_statement(self, statement);
    }

    fn visit_spread_element(&mut self, spread: &SpreadElement<'a>) {
        self.check(&spread.argument, "has nothing to spread", "");
        walk::walk_spread_element(self, spread);
    }

    fn visit_template_literal(&mut self, template: &TemplateLiteral<'a>) {
        for expression in &template.expressions {
            self.check(expression, "has no text", "");
        }
        walk::walk_template_literal(self, template);
    }

    /// A tag function may await its arguments.
    fn visit_tagged_template_expression(&mut self, tagged: &TaggedTemplateExpression<'a>) {
        self.visit_expression(&tagged.tag);
        self.visit_expressions(&tagged.quasi.expressions);
    }

    fn visit_binary_expression(&mut self, binary: &BinaryExpression<'a>) {
        let operator = binary.operator;
        if operator.is_arithmetic() || operator.is_compare() {
            self.check(&binary.left, "is neither a number nor text", "");
            self.check(&binary.right, "is neither a number nor text", "");
        }
        walk::walk_binary_expression(self, binary);
    }

    fn visit_variable_declarator(&mut self, declarator: &VariableDeclarator<'a>) {
        if let (BindingPattern::ObjectPattern(_) | BindingPattern::ArrayPattern(_), Some(init)) =
            (&declarator.id, &declarator.init)
        {
            self.check(init, "has nothing to take apart", "");
        }
        walk::walk_variable_declarator(self, declarator);
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        let reader = call.callee.get_member_expr().is_some_and(|member| {
            READING_FUNCTIONS.iter().any(|(object, function)| {
                member.static_property_name() == Some(function)
                    && self.resolver.is_global(member.object(), object)
            })
        });
        if let Some(value) = call.arguments.first().and_then(Argument::as_expression)
            && reader
        {
            self.check(value, "holds no data", "");
        }
        walk::walk_call_expression(self, call);
    }
}

#[cfg(test)]
mod tests {
    use crate::program::prepare;

    /// Message, location and hint of the error.
    fn refused(source: &str) -> Option<String> {
        let error = prepare(source).err()?;
        let place = (error.line.unwrap_or(0), error.column.unwrap_or(0));
        let hint = error.hint.unwrap_or_default();
        Some(format!("{} {}:{} {} | {hint}", error.code.as_str(), place.0, place.1, error.message))
    }

    #[test]
    fn a_member_of_a_call_needs_await_and_brackets() {
        assert_eq!(
            refused("const n = await servers.crm.listLeads({}).leads;").as_deref(),
            Some(
                "program.type 1:17 `servers.crm.listLeads(…)` without `await` is a promise, which has \
                 no `leads` | write `(await servers.crm.listLeads(…)).leads`"
            )
        );
    }

    #[test]
    fn a_constant_is_followed_to_its_call() {
        assert_eq!(
            refused("const page = servers.crm.listLeads({});\nreturn page.leads;").as_deref(),
            Some(
                "program.type 2:8 `page` is a promise, which has no `leads` | \
                 write `await servers.crm.listLeads(…)` in line 1"
            )
        );
    }

    #[test]
    fn a_promise_is_neither_list_nor_text_nor_number() {
        for (source, problem) in [
            ("for (const a of servers.a.b({})) a", "cannot be looped over"),
            ("const all = [...servers.a.b({})]", "has nothing to spread"),
            ("const all = { ...servers.a.b({}) }", "has nothing to spread"),
            ("const text = `${servers.a.b({})}`", "has no text"),
            ("const text = 'a' + servers.a.b({})", "is neither a number nor text"),
            ("const { a } = servers.a.b({})", "has nothing to take apart"),
            ("const first = servers.a.b({})[0]", "has no items"),
            ("JSON.stringify(servers.a.b({}))", "holds no data"),
            ("callMCPTool('a__b', {}).c", "has no `c`"),
            ("servers.a.b({})?.c", "has no `c`"),
            ("async function f() { return { c: 1 } } f().c", "has no `c`"),
            ("const f = async () => ({ c: 1 }); f().c", "has no `c`"),
        ] {
            let error = refused(source).unwrap_or_default();
            let expected = format!("is a promise, which {problem} | write");
            assert!(error.contains(&expected), "{source}: {error}");
        }
    }

    #[test]
    fn promises_that_are_used_as_such_are_fine() {
        for source in [
            "return servers.a.b({})",
            "servers.a.b({}).then((a) => a).catch(() => 0).finally(() => 0)",
            "const p = servers.a.b({}); const a = await p; a.c",
            "const all = [servers.a.b({}), servers.a.c({})]; await Promise.all(all)",
            "let p = servers.a.b({}); p = await p; p.c",
            "for (const p of [servers.a.b({})]) await p",
            "(await servers.a.b({})).c",
            "const p = servers.a.b({}); if (p !== null) await p",
            "async function f() { return { c: 1 } } const a = await f(); a.c",
            "function f() { return { c: 1 } } f().c",
            "async function* f() { yield 1 } for await (const a of f()) a",
            "const servers = { a: { b: () => ({ c: 1 }) } }; servers.a.b().c",
            "tag`${servers.a.b({})}`; function tag(...a: any[]) { return a }",
        ] {
            assert_eq!(refused(source), None, "{source}");
        }
    }
}
