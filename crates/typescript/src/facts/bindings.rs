//! Binds names: declarations, patterns and imports.
//!
//! In: a declaration and its value. Out: the values of names.

use oxc::ast::ast::{
    BindingPattern, BindingProperty, IdentifierReference, ImportDeclaration,
    ImportDeclarationSpecifier, PropertyKey, VariableDeclarator,
};
use oxc::ast_visit::Visit;
use oxc::semantic::SymbolId;
use oxc::span::GetSpan;
use tidegate_model::reading::{AbstractValue, FactKind};

use super::value::{Value, ValueKind};
use super::{Evaluator, paths};

impl<'a> Evaluator<'_> {
    /// The value of a name.
    pub(super) fn name(&self, name: &IdentifierReference<'a>) -> Value {
        match self.symbol(name) {
            Some(symbol) => {
                let value = self.symbols.get(&symbol).cloned().unwrap_or_default();
                // The value of a reassigned name is uncertain.
                match value.shape {
                    ValueKind::Number(_)
                    | ValueKind::Flag(_)
                    | ValueKind::Null
                    | ValueKind::Nothing
                        if self.scoping.symbol_is_mutated(symbol) =>
                    {
                        Value::made_from(value.from)
                    }
                    _ => value,
                }
            }
            None => paths::global(name.name.as_str()),
        }
    }

    /// The variable that a name refers to.
    pub(super) fn symbol(&self, name: &IdentifierReference<'a>) -> Option<SymbolId> {
        self.scoping.get_reference(name.reference_id()).symbol_id()
    }

    pub(super) fn declare(&mut self, declarator: &VariableDeclarator<'a>) {
        let value = match &declarator.init {
            // Destructured: only the extracted members are read.
            Some(init) if !matches!(declarator.id, BindingPattern::BindingIdentifier(_)) => {
                self.evaluate(init)
            }
            Some(init) => self.read(init),
            None => Value::default(),
        };
        self.bind(&declarator.id, value);
    }

    /// Binds the names of a pattern.
    pub(super) fn bind(&mut self, pattern: &BindingPattern<'a>, value: Value) {
        match pattern {
            BindingPattern::BindingIdentifier(name) => {
                self.symbols.insert(name.symbol_id(), value);
            }
            BindingPattern::ObjectPattern(object) => {
                for property in &object.properties {
                    let member = self.destructured_property(property, &value);
                    self.bind(&property.value, member);
                }
                if let Some(rest) = &object.rest {
                    self.bind(&rest.argument, value);
                }
            }
            BindingPattern::ArrayPattern(array) => {
                for (at, element) in array.elements.iter().enumerate() {
                    if let Some(element) = element {
                        let member = paths::member(&value, &at.to_string(), false);
                        // Elements of something unknown get no path.
                        let member = match value.shape {
                            ValueKind::List(_) => member,
                            _ => Value::made_from(value.sources()),
                        };
                        self.bind(element, member);
                    }
                }
                if let Some(rest) = &array.rest {
                    self.bind(&rest.argument, Value::made_from(value.sources()));
                }
            }
            BindingPattern::AssignmentPattern(pattern) => {
                let default = self.read(&pattern.right);
                self.bind(&pattern.left, value.or(default));
            }
        }
    }

    /// The member that a property of a pattern extracts.
    fn destructured_property(&mut self, property: &BindingProperty<'a>, value: &Value) -> Value {
        let member = self.key_of(&property.key, value);
        let plain = matches!(
            property.value,
            BindingPattern::BindingIdentifier(_) | BindingPattern::AssignmentPattern(_)
        );
        if plain {
            self.record_read(&member, property.key.span().start);
        }
        member
    }

    /// The member of a value that a key names.
    pub(super) fn key_of(&mut self, key: &PropertyKey<'a>, value: &Value) -> Value {
        if let Some(name) = key.static_name() {
            return paths::member(value, &name, false);
        }
        match key.as_expression() {
            Some(expression) => {
                let key = self.read(expression);
                self.computed_member(value, &key)
            }
            None => Value::default(),
        }
    }

    pub(super) fn import(&mut self, import: &ImportDeclaration<'a>) {
        if import.import_kind.is_type() {
            return;
        }
        let text = import.source.value.as_str();
        let at = import.source.span.start;
        let module = module_path(text);
        let known = || vec![AbstractValue::text(text)];
        let Some(specifiers) = &import.specifiers else {
            self.record(FactKind::Import, &module, at, known(), false);
            return;
        };
        for specifier in specifiers {
            let value = match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(one) if one.import_kind.is_type() => {
                    continue;
                }
                ImportDeclarationSpecifier::ImportSpecifier(one) => {
                    paths::member(&Value::path(&*module), one.imported.name().as_str(), false)
                }
                ImportDeclarationSpecifier::ImportDefaultSpecifier(_)
                | ImportDeclarationSpecifier::ImportNamespaceSpecifier(_) => Value::path(&*module),
            };
            let path = value.as_path().unwrap_or(&module).to_owned();
            self.record(FactKind::Import, &path, specifier.span().start, known(), false);
            self.symbols.insert(specifier.local().symbol_id(), value);
        }
        if specifiers.is_empty() {
            self.record(FactKind::Import, &module, at, known(), false);
        }
    }

    /// Visits the defaults of parameters, and binds destructured ones.
    pub(super) fn parameters(&mut self, parameters: &oxc::ast::ast::FormalParameters<'a>) {
        let function = self.nesting.inside.last().copied();
        for (at, parameter) in parameters.items.iter().enumerate() {
            let default = parameter.initializer.as_ref().map(|default| self.read(default));
            let parameters_given =
                function.and_then(|one| self.functions.all[one].parameters_given.get(at)?.clone());
            let parameters_given = parameters_given.unwrap_or_default();
            let value = match default {
                Some(default) => parameters_given.or(default),
                None => parameters_given,
            };
            self.bind(&parameter.pattern, value);
        }
        if let Some(rest) = &parameters.rest {
            self.visit_binding_pattern(&rest.rest.argument);
        }
    }
}

/// The path of a module: `node:fs/promises` is `fs.promises`, `./servers/crm` is
/// `servers.crm`. Dots inside a name do not separate names.
pub(super) fn module_path(specifier: &str) -> String {
    let name = specifier.strip_prefix("node:").unwrap_or(specifier);
    // Deno and Bun name npm packages like this, and Bun its own modules.
    let package = name.strip_prefix("npm:").map(without_version);
    let own = name.strip_prefix("bun:").map(|name| format!("bun/{name}"));
    let name = package.or(own.as_deref()).unwrap_or(name);
    if let Some(inside) = crate::resolver::in_tree(specifier) {
        let name = format!("servers/{inside}");
        return name.trim_end_matches('/').replace('.', "_").replace('/', ".");
    }
    if name.is_empty() || name.contains(':') || name.starts_with(['.', '/']) {
        let end = name.floor_char_boundary(120);
        return format!("module:{}", name[..end].replace('.', "_"));
    }
    let parts: Vec<String> = name
        .split('/')
        .filter(|part| !part.is_empty())
        .map(|part| part.replace('.', "_"))
        .collect();
    parts.join(".")
}

/// Strips the version of `execa@9` and `@scope/name@1/part`, and anything after it.
fn without_version(name: &str) -> &str {
    let scope = usize::from(name.starts_with('@'));
    name[scope..].find('@').map_or(name, |at| &name[..at + scope])
}
