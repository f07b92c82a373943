//! The program in a form that a type checker accepts.
//!
//! In: the source and its syntax tree. Out: the same text with the same lines and, up to the
//! end of each changed statement, the same columns; or nothing, if the checker might access
//! files because of it.
//!
//! TypeScript rejects a `return` outside a function. `throw` ends the program in the same
//! places and takes an expression as well.

use oxc::ast::ast::{
    ArrowFunctionExpression, ExportAllDeclaration, ExportFromDeclaration, Function,
    ImportDeclaration, ImportExpression, Program, ReturnStatement, StaticBlock,
    TSExternalModuleDeclaration, TSExternalModuleReference, TSGlobalDeclaration, TSImportType,
};
use oxc::ast_visit::{Visit, walk};
use oxc::semantic::ScopeFlags;
use oxc::span::{GetSpan, Span};

use crate::resolver::{literal, module};

/// Modules that a program may import besides `./servers`.
const MODULES: [&str; 7] = ["fs", "fs/promises", "path", "util", "url", "assert", "buffer"];

/// The text for the type checker.
pub(crate) fn check_text(source: &str, program: &Program<'_>) -> Option<String> {
    let mut collector =
        CheckTextCollector { is_self_contained: true, functions: 0, returns: Vec::new() };
    collector.visit_program(program);
    let directive = program.comments.iter().any(|comment| {
        let span = comment.content_span();
        let text = source.get(span.start as usize..span.end as usize).unwrap_or_default();
        // `/// <reference …>` and `/// <amd-module …>`
        text.strip_prefix('/').is_some_and(|rest| rest.trim_start().starts_with('<'))
    });
    if !collector.is_self_contained || directive {
        return None;
    }
    let mut text = String::with_capacity(source.len() + 2 * collector.returns.len());
    let mut copied = 0;
    let mut copy_to = |text: &mut String, end: u32, skip: usize| {
        text.push_str(source.get(copied..end as usize)?);
        copied = end as usize + skip;
        Some(())
    };
    // The visit is in source order.
    for (start, value) in collector.returns {
        copy_to(&mut text, start, "return".len())?;
        match value {
            Some(value) => {
                text.push_str("throw(");
                copy_to(&mut text, value.end, 0)?;
                text.push(')');
            }
            None => text.push_str("throw 0"),
        }
    }
    copy_to(&mut text, u32::try_from(source.len()).ok()?, 0)?;
    Some(text)
}

struct CheckTextCollector {
    /// Whether the program only imports known modules.
    is_self_contained: bool,
    /// The number of enclosing functions.
    functions: u32,
    /// Start of each top-level `return`, and its value.
    returns: Vec<(u32, Option<Span>)>,
}

impl CheckTextCollector {
    fn module(&mut self, specifier: &str) {
        let bare = specifier.strip_prefix("node:").unwrap_or(specifier);
        self.is_self_contained &= module(specifier).is_some() || MODULES.contains(&bare);
    }
}

impl<'a> Visit<'a> for CheckTextCollector {
    fn visit_return_statement(&mut self, statement: &ReturnStatement<'a>) {
        if self.functions == 0 {
            let value = statement.argument.as_ref().map(GetSpan::span);
            self.returns.push((statement.span.start, value));
        }
        walk::walk_return_statement(self, statement);
    }

    fn visit_function(&mut self, function: &Function<'a>, flags: ScopeFlags) {
        self.functions += 1;
        walk::walk_function(self, function, flags);
        self.functions -= 1;
    }

    fn visit_arrow_function_expression(&mut self, function: &ArrowFunctionExpression<'a>) {
        self.functions += 1;
        walk::walk_arrow_function_expression(self, function);
        self.functions -= 1;
    }

    fn visit_static_block(&mut self, block: &StaticBlock<'a>) {
        self.functions += 1;
        walk::walk_static_block(self, block);
        self.functions -= 1;
    }

    fn visit_import_declaration(&mut self, import: &ImportDeclaration<'a>) {
        self.module(import.source.value.as_str());
    }

    fn visit_export_from_declaration(&mut self, export: &ExportFromDeclaration<'a>) {
        self.module(export.source.value.as_str());
    }

    fn visit_export_all_declaration(&mut self, export: &ExportAllDeclaration<'a>) {
        self.module(export.source.value.as_str());
    }

    fn visit_import_expression(&mut self, import: &ImportExpression<'a>) {
        match literal(&import.source) {
            Some(specifier) => self.module(specifier),
            None => self.is_self_contained = false,
        }
        walk::walk_import_expression(self, import);
    }

    fn visit_ts_import_type(&mut self, import: &TSImportType<'a>) {
        self.module(import.source.value.as_str());
        walk::walk_ts_import_type(self, import);
    }

    fn visit_ts_external_module_reference(&mut self, module: &TSExternalModuleReference<'a>) {
        self.module(module.expression.value.as_str());
    }

    fn visit_ts_external_module_declaration(&mut self, _: &TSExternalModuleDeclaration<'a>) {
        self.is_self_contained = false;
    }

    fn visit_ts_global_declaration(&mut self, _: &TSGlobalDeclaration<'a>) {
        self.is_self_contained = false;
    }
}

#[cfg(test)]
mod tests;
