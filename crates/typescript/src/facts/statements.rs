//! Walks statements and declarations; `expressions.rs` evaluates what they contain.
//!
//! In: the syntax tree, in order. Out: the effects of each statement.

use oxc::ast::ast::{
    ArrowFunctionExpression, Class, DebuggerStatement, DoWhileStatement, Expression,
    ForInStatement, ForOfStatement, ForStatement, ForStatementLeft, FormalParameters, Function,
    ImportDeclaration, MethodDefinition, ReturnStatement, Statement, SwitchCase,
    VariableDeclarator, WhileStatement, YieldExpression,
};
use oxc::ast_visit::{Visit, walk};
use oxc::syntax::scope::ScopeFlags;
use tidegate_model::reading::FactKind;

use super::value::{Value, ValueKind};
use super::{Evaluator, MAX_DEPTH, paths};

impl<'a> Visit<'a> for Evaluator<'_> {
    fn visit_switch_case(&mut self, case: &SwitchCase<'a>) {
        if let Some(test) = &case.test {
            let compared = self.read(test);
            self.record_token_comparison([&compared], case.span.start);
        }
        self.visit_statements(&case.consequent);
    }

    fn visit_expression(&mut self, expression: &Expression<'a>) {
        self.last = self.read(expression);
    }

    fn visit_statement(&mut self, statement: &Statement<'a>) {
        if self.nesting.depth >= MAX_DEPTH {
            self.nesting.too_deep = true;
            return;
        }
        self.nesting.depth += 1;
        walk::walk_statement(self, statement);
        self.nesting.depth -= 1;
    }

    fn visit_function(&mut self, function: &Function<'a>, _: ScopeFlags) {
        self.self_call(function);
        self.function(function, None);
    }

    fn visit_arrow_function_expression(&mut self, function: &ArrowFunctionExpression<'a>) {
        self.arrow(function, None);
    }

    fn visit_formal_parameters(&mut self, parameters: &FormalParameters<'a>) {
        self.parameters(parameters);
    }

    fn visit_variable_declarator(&mut self, declarator: &VariableDeclarator<'a>) {
        self.self_call_of(declarator);
        self.declare(declarator);
    }

    fn visit_import_declaration(&mut self, import: &ImportDeclaration<'a>) {
        self.import(import);
    }

    fn visit_class(&mut self, class: &Class<'a>) {
        if let Some(name) = &class.id {
            self.symbols.insert(name.symbol_id(), Value::of(ValueKind::Own));
        }
        walk::walk_class(self, class);
    }

    fn visit_method_definition(&mut self, method: &MethodDefinition<'a>) {
        self.self_call_of_method(method);
        walk::walk_method_definition(self, method);
    }

    fn visit_return_statement(&mut self, statement: &ReturnStatement<'a>) {
        if let Some(argument) = &statement.argument {
            let value = self.read(argument);
            self.record_return(value);
        }
    }

    fn visit_yield_expression(&mut self, expression: &YieldExpression<'a>) {
        if let Some(argument) = &expression.argument {
            self.read(argument);
        }
    }

    fn visit_debugger_statement(&mut self, statement: &DebuggerStatement) {
        self.record(FactKind::Syntax, "debugger", statement.span.start, Vec::new(), false);
    }

    fn visit_while_statement(&mut self, statement: &WhileStatement<'a>) {
        let test = self.read(&statement.test);
        self.in_loop(|evaluator| evaluator.visit_statement(&statement.body));
        self.check_loop(
            statement.span.start,
            Some((&statement.test, &test)),
            &statement.body,
            None,
        );
    }

    fn visit_do_while_statement(&mut self, statement: &DoWhileStatement<'a>) {
        self.in_loop(|evaluator| evaluator.visit_statement(&statement.body));
        let test = self.read(&statement.test);
        self.check_loop(
            statement.span.start,
            Some((&statement.test, &test)),
            &statement.body,
            None,
        );
    }

    fn visit_for_statement(&mut self, statement: &ForStatement<'a>) {
        if let Some(init) = &statement.init {
            self.visit_for_statement_init(init);
        }
        let mut test = None;
        self.in_loop(|evaluator| {
            test = statement.test.as_ref().map(|test| (test, evaluator.read(test)));
            if let Some(update) = &statement.update {
                evaluator.read(update);
            }
            evaluator.visit_statement(&statement.body);
        });
        let test = test.as_ref().map(|(test, value)| (*test, value));
        self.check_loop(statement.span.start, test, &statement.body, Some(&statement.update));
    }

    fn visit_for_of_statement(&mut self, statement: &ForOfStatement<'a>) {
        let list = self.read(&statement.right);
        let each = paths::computed(&list, &Value::default());
        let each = match list.shape {
            ValueKind::List(_) => each,
            _ => Value::made_from(list.sources()),
        };
        self.bind_each(&statement.left, &each);
        self.record_drained(&statement.right, Some(&statement.body));
        self.check_for_each(&statement.right, &statement.body, statement.span.start);
        self.in_loop(|evaluator| evaluator.visit_statement(&statement.body));
    }

    fn visit_for_in_statement(&mut self, statement: &ForInStatement<'a>) {
        let object = self.read(&statement.right);
        self.bind_each(&statement.left, &Value::made_from(object.sources()));
        self.in_loop(|evaluator| evaluator.visit_statement(&statement.body));
    }
}

impl<'a> Evaluator<'_> {
    fn in_loop(&mut self, visit: impl FnOnce(&mut Self)) {
        self.nesting.loops += 1;
        visit(self);
        self.nesting.loops -= 1;
    }

    fn bind_each(&mut self, left: &ForStatementLeft<'a>, value: &Value) {
        match left {
            ForStatementLeft::VariableDeclaration(variables) => {
                for declarator in &variables.declarations {
                    self.bind(&declarator.id, value.clone());
                }
            }
            left => {
                if let Some(target) = left.as_assignment_target() {
                    self.visit_assignment_target(target);
                }
            }
        }
    }
}
