//! Compiles the program that a model wrote to one function that the engine can call.
//!
//! In: TypeScript in any accepted form (a module with imports, a script with top-level `await`
//! and `return`, a default export, a single function, any of these in a Markdown fence). Out:
//! JavaScript whose value is one `async` function of one argument, and a map back to the
//! original lines.
//!
//! Invariant: the program is changed as a syntax tree, never by pasting text around the
//! source. A program that does not parse on its own is refused before it could close our
//! brackets and open its own.

use std::path::PathBuf;

use oxc::allocator::{Allocator, ArenaVec};
use oxc::ast::ast::{
    Argument, ArrowFunctionBody, BindingPattern, Declaration, Decorator, Directive,
    ExportDefaultDeclarationKind, Expression, FormalParameter, FormalParameterKind,
    FormalParameters, FunctionBody, FunctionType, IdentifierName, ImportDeclaration,
    ImportDeclarationSpecifier, Program, Statement, VariableDeclarationKind, VariableDeclarator,
};
use oxc::ast::builder::AstBuilder;
use oxc::ast_visit::{Visit, VisitMut, walk_mut};
use oxc::codegen::{Codegen, CodegenOptions};
use oxc::diagnostics::OxcDiagnostic;
use oxc::parser::{ParseOptions, Parser};
use oxc::semantic::{Scoping, SemanticBuilder};
use oxc::span::{GetSpan, SPAN, SourceType, Span};
use oxc::transformer::{TransformOptions, Transformer};
use tidegate_model::{ErrorCode, Executable, Prepared, RunError};

use crate::check_text::check_text;
use crate::facts::facts;
use crate::fence::{Fences, around_fences, several_fences, without_fence};
use crate::lines::Lines;
use crate::nesting::is_shallow;
use crate::references::references;
use crate::resolver::Resolver;
use crate::source_map::line_map;
use crate::syntax_hints::syntax_hint;
use crate::unawaited::unawaited;

/// The file name that the transformer gets: TypeScript.
const FILE_NAME: &str = "program.ts";

/// The argument of the generated function: the worker's side of `import` and
/// `export default`. A program that declares this name gets a clear error from the engine.
const PORT: &str = "__tidegate";

/// Parses a program, strips its types and turns it into one function.
pub fn prepare(source: &str) -> Result<Prepared, RunError> {
    let plain = without_fence(source)?;
    let tried = prepare_plain(&plain);
    match &tried {
        Err(error) if error.code == ErrorCode::Syntax => {}
        _ => return tried,
    }
    // It does not parse as it is, so fences are not part of the program.
    match around_fences(source) {
        Fences::One(inner) if inner != plain => prepare_plain(&inner),
        Fences::Several(count) => Err(several_fences(count)),
        Fences::None | Fences::One(_) => tried,
    }
}

fn prepare_plain(source: &str) -> Result<Prepared, RunError> {
    if !is_shallow(source) {
        return Err(RunError::new(ErrorCode::Syntax, "the program is nested too deeply")
            .with_hint("take parts of it out into functions and variables"));
    }
    let allocator = Allocator::default();
    let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
    // A module even without an import or export, because of `for await`.
    let kind = SourceType::ts().with_module(true);
    let parsed = Parser::new(&allocator, source, kind).with_options(options).parse();
    if let Some(error) = parsed.diagnostics.first() {
        return Err(syntax_error(error, source));
    }
    let mut program = parsed.program;
    let mut decorators = FirstDecorator(None);
    decorators.visit_program(&program);
    if let Some(span) = decorators.0 {
        let (line, column) = Lines::new(source).place(span.start as usize);
        let error = RunError::new(ErrorCode::Syntax, "decorators are not supported")
            .with_hint("call the decorator as a function instead");
        return Err(RunError { line: Some(line), column: Some(column), ..error });
    }
    let semantic = SemanticBuilder::new()
        .with_check_syntax_error(true)
        .with_enum_eval(true)
        .with_excess_capacity(2.0)
        .build(&program);
    if let Some(error) = semantic.diagnostics.first() {
        return Err(syntax_error(error, source));
    }
    let scoping = semantic.semantic.into_scoping();
    let mut prepared = read(source, &program, &scoping)?;
    let transformed =
        Transformer::new(&allocator, FILE_NAME.as_ref(), &TransformOptions::default())
            .build_with_scoping(scoping, &mut program);
    if let Some(error) = transformed.diagnostics.first() {
        return Err(syntax_error(error, source));
    }
    Wrapper { ast: AstBuilder::new(&allocator) }.wrap(&mut program);
    let options = CodegenOptions {
        source_map_path: Some(PathBuf::from(FILE_NAME)),
        ..CodegenOptions::default()
    };
    let generated = Codegen::new().with_options(options).build(&program);
    let line_map = line_map(&generated).to_bytes();
    prepared.executable = Some(Executable { code: generated.code, line_map });
    Ok(prepared)
}

/// Analyses a program that parses, before it is transformed.
fn read(source: &str, program: &Program<'_>, scoping: &Scoping) -> Result<Prepared, RunError> {
    let lines = Lines::new(source);
    let resolver = Resolver::of_program(program, scoping);
    if let Some(error) = unawaited(program, &resolver, &lines) {
        return Err(error);
    }
    let facts = facts(source, program, scoping, &lines);
    let references = references(program, &resolver, &lines, &facts);
    let check_text = match references.is_empty() {
        true => None,
        false => check_text(source, program),
    };
    let reading = facts.reading;
    Ok(Prepared { references, reading, check_text, ..Prepared::default() })
}

fn syntax_error(diagnostic: &OxcDiagnostic, source: &str) -> RunError {
    let offset = diagnostic.labels.iter().map(|label| label.offset() as usize).min();
    let place = offset.map(|offset| Lines::new(source).place(offset));
    let line = place.and_then(|(line, _)| source.lines().nth(line as usize - 1));
    let hint = line.and_then(|line| syntax_hint(&diagnostic.message, line));
    // The parser suggests a semicolon, which is hardly ever the actual mistake.
    let help = diagnostic.help.as_ref().filter(|help| !help.contains("semicolon"));
    let hint = hint.map(str::to_owned).or_else(|| help.map(ToString::to_string)).or_else(|| {
        // A model needs the line itself to see its mistake.
        let text = line?.trim();
        Some(format!("the line reads `{}`", &text[..text.floor_char_boundary(120)]))
    });
    RunError {
        code: ErrorCode::Syntax,
        message: diagnostic.message.to_string(),
        line: place.map(|(line, _)| line),
        column: place.map(|(_, column)| column),
        hint,
    }
}

/// Converts a module into a script with one function.
struct Wrapper<'a> {
    ast: AstBuilder<'a>,
}

impl<'a> Wrapper<'a> {
    fn wrap(&self, program: &mut Program<'a>) {
        DynamicImports(self).visit_program(program);
        let old_body = std::mem::replace(&mut program.body, ArenaVec::new_in(&self.ast));
        let mut imports = Vec::new();
        let mut statements = Vec::new();
        let mut has_default = false;
        let mut named_default = None;
        for statement in old_body {
            match statement {
                Statement::ImportDeclaration(import) => imports.extend(self.import(&import)),
                Statement::ExportDefaultDeclaration(export) => {
                    has_default = true;
                    self.export_default(export.unbox().declaration, &mut statements);
                }
                Statement::ExportDeclaration(export) => {
                    statements.push(declaration_statement(export.unbox().declaration));
                }
                Statement::ExportNamedDeclaration(export) => {
                    let mut names = export.unbox().specifiers.into_iter();
                    named_default = names.find(|one| one.exported.name() == "default");
                }
                // Nothing imports a program, so other exports are dropped.
                Statement::ExportFromDeclaration(_) | Statement::ExportAllDeclaration(_) => {}
                other => statements.push(other),
            }
        }
        if let Some(one) = named_default {
            // Last, since the exported name may be initialised below.
            let value = Expression::new_identifier(one.span, one.local.name(), &self.ast);
            let call = self.port_call(one.span, "exportDefault", [value]);
            statements.push(Statement::new_expression_statement(one.span, call, &self.ast));
        } else if !has_default {
            self.return_last_expression(&mut statements);
        }
        imports.append(&mut statements);
        let function = self.async_function(imports);
        let statement = Statement::new_expression_statement(SPAN, function, &self.ast);
        program.body = ArenaVec::from_array_in([statement], &self.ast);
        program.directives.clear();
        program.comments.clear();
    }

    /// `import { a as b } from 's'` becomes `const b = port.import('s', 'a')`.
    fn import(&self, import: &ImportDeclaration<'a>) -> Vec<Statement<'a>> {
        let Some(specifiers) = &import.specifiers else {
            let call =
                self.port_call(import.span, "import", [self.text(import.source.value.as_str())]);
            return vec![Statement::new_expression_statement(import.span, call, &self.ast)];
        };
        specifiers
            .iter()
            .map(|specifier| {
                let (name, local, span) = match specifier {
                    ImportDeclarationSpecifier::ImportSpecifier(one) => {
                        (Some(one.imported.name()), &one.local, one.span)
                    }
                    ImportDeclarationSpecifier::ImportDefaultSpecifier(one) => {
                        (Some("default".into()), &one.local, one.span)
                    }
                    ImportDeclarationSpecifier::ImportNamespaceSpecifier(one) => {
                        (None, &one.local, one.span)
                    }
                };
                let mut arguments = vec![self.text(import.source.value.as_str())];
                arguments.extend(name.map(|name| self.text(name.as_str())));
                let call = self.port_call(span, "import", arguments);
                let binding =
                    BindingPattern::new_binding_identifier(local.span, local.name, &self.ast);
                let declarator =
                    VariableDeclarator::new(span, binding, None, Some(call), false, &self.ast);
                Statement::new_variable_declaration(
                    span,
                    VariableDeclarationKind::Const,
                    ArenaVec::from_array_in([declarator], &self.ast),
                    false,
                    &self.ast,
                )
            })
            .collect()
    }

    /// `export default x` becomes `port.exportDefault(x)`; a named function or class
    /// keeps its declaration, so that the rest of the program can use it.
    fn export_default(
        &self,
        declaration: ExportDefaultDeclarationKind<'a>,
        statements: &mut Vec<Statement<'a>>,
    ) {
        let span = declaration.span();
        let value = match declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(mut function) => {
                if let Some(id) = &function.id {
                    let name = Expression::new_identifier(span, id.name, &self.ast);
                    statements.push(Statement::FunctionDeclaration(function));
                    name
                } else {
                    function.r#type = FunctionType::FunctionExpression;
                    Expression::FunctionExpression(function)
                }
            }
            ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                let Some(id) = &class.id else { return };
                let name = Expression::new_identifier(span, id.name, &self.ast);
                statements.push(Statement::ClassDeclaration(class));
                name
            }
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => return,
            expression => match Expression::try_from(expression) {
                Ok(expression) => expression,
                Err(()) => return,
            },
        };
        let call = self.port_call(span, "exportDefault", [value]);
        statements.push(Statement::new_expression_statement(span, call, &self.ast));
    }

    /// The value of the final expression is the program's output; functions may be declared
    /// below it. If a program only declares `main`, it is called.
    fn return_last_expression(&self, statements: &mut Vec<Statement<'a>>) {
        let is_function = |one: &Statement<'a>| matches!(one, Statement::FunctionDeclaration(_));
        let last = statements.iter().rposition(|statement| !is_function(statement));
        if let Some(at) = last
            && matches!(statements[at], Statement::ExpressionStatement(_))
        {
            // Functions are hoisted, so they can be moved above.
            statements[at..].rotate_left(1);
        }
        match statements.pop() {
            Some(Statement::ExpressionStatement(last)) => {
                let last = last.unbox();
                let value = Some(last.expression);
                statements.push(Statement::new_return_statement(last.span, value, &self.ast));
            }
            Some(other) => {
                statements.push(other);
                if let Some(span) = main_of_declarations(statements) {
                    let main = Expression::new_identifier(span, "main", &self.ast);
                    statements.push(Statement::new_return_statement(span, Some(main), &self.ast));
                }
            }
            None => {}
        }
    }

    fn async_function(&self, statements: Vec<Statement<'a>>) -> Expression<'a> {
        let pattern = BindingPattern::new_binding_identifier(SPAN, PORT, &self.ast);
        let parameter = FormalParameter::new_plain(SPAN, pattern, &self.ast);
        let parameters = FormalParameters::boxed(
            SPAN,
            FormalParameterKind::ArrowFormalParameters,
            ArenaVec::from_array_in([parameter], &self.ast),
            None,
            &self.ast,
        );
        let body = FunctionBody::boxed(
            SPAN,
            ArenaVec::from_array_in([Directive::new_use_strict(&self.ast)], &self.ast),
            ArenaVec::from_iter_in(statements, &self.ast),
            &self.ast,
        );
        let body = ArrowFunctionBody::FunctionBody(body);
        Expression::new_arrow_function_expression(
            SPAN, true, None, parameters, None, body, &self.ast,
        )
    }

    fn port_member(&self, span: Span, member: &'static str) -> Expression<'a> {
        let port = Expression::new_identifier(span, PORT, &self.ast);
        let name = IdentifierName::new(span, member, &self.ast);
        Expression::new_static_member_expression(span, port, name, false, &self.ast)
    }

    fn port_call(
        &self,
        span: Span,
        member: &'static str,
        arguments: impl IntoIterator<Item = Expression<'a>>,
    ) -> Expression<'a> {
        let arguments = arguments.into_iter().map(Argument::from);
        let arguments = ArenaVec::from_iter_in(arguments, &self.ast);
        let callee = self.port_member(span, member);
        Expression::new_call_expression(span, callee, None, arguments, false, &self.ast)
    }

    fn text(&self, value: &str) -> Expression<'a> {
        let value = oxc::ast::ast::Str::from_str_in(value, &self.ast);
        Expression::new_string_literal(SPAN, value, None, &self.ast)
    }
}

/// Replaces `import(x)` by `port.dynamicImport(x)`.
struct DynamicImports<'w, 'a>(&'w Wrapper<'a>);

impl<'a> VisitMut<'a> for DynamicImports<'_, 'a> {
    fn visit_expression(&mut self, expression: &mut Expression<'a>) {
        walk_mut::walk_expression(self, expression);
        if let Expression::ImportExpression(import) = expression {
            let span = import.span;
            let null = Expression::new_null_literal(span, &self.0.ast);
            let source = std::mem::replace(&mut import.source, null);
            *expression = self.0.port_call(span, "dynamicImport", [source]);
        }
    }
}

/// Finds the first decorator: neither the transformer nor the engine supports them, and the
/// engine's own message only mentions an unexpected `@`.
struct FirstDecorator(Option<Span>);

impl<'a> Visit<'a> for FirstDecorator {
    fn visit_decorator(&mut self, decorator: &Decorator<'a>) {
        self.0.get_or_insert(decorator.span);
    }
}

fn declaration_statement(declaration: Declaration<'_>) -> Statement<'_> {
    Statement::from(declaration)
}

/// The span of `main`, if the program consists of declarations only.
fn main_of_declarations(statements: &[Statement<'_>]) -> Option<Span> {
    let mut main = None;
    for statement in statements {
        match statement {
            Statement::FunctionDeclaration(function) => {
                if function.id.as_ref().is_some_and(|id| id.name == "main") {
                    main = Some(function.span);
                }
            }
            Statement::VariableDeclaration(variables) => {
                let found = variables.declarations.iter().find(|variable| is_main(variable));
                main = found.map(|variable| variable.span).or(main);
            }
            Statement::ClassDeclaration(_) => {}
            _ => return None,
        }
    }
    main
}

/// Whether this is `main = async () => {…}`.
fn is_main(variable: &VariableDeclarator<'_>) -> bool {
    let is_function = matches!(
        variable.init,
        Some(Expression::ArrowFunctionExpression(_) | Expression::FunctionExpression(_))
    );
    let name = variable.id.get_binding_identifier().map(|id| id.name.as_str());
    is_function && name == Some("main")
}
