//! The argument of a call, as far as it is certainly literal.
//!
//! In: the syntax tree of the first argument. Out: the offsets at which a type error is
//! certain, because no variable is involved: the object has these keys and no others, the
//! value is this literal.
//! Invariant: nothing is listed that a spread or a computed key can replace later.

use oxc::ast::ast::{
    ArrayExpression, ArrayExpressionElement, Expression, ObjectExpression, ObjectProperty,
    ObjectPropertyKind, PropertyKey, PropertyKind,
};
use oxc::span::GetSpan;
use oxc::syntax::operator::UnaryOperator;
use tidegate_model::{LiteralArguments, Position};

use crate::lines::Lines;

/// Maximum positions reported for one argument.
const MAX_POSITIONS: usize = 300;

/// Maximum nesting examined in an argument.
const MAX_DEPTH: u32 = 20;

/// Offsets at which a type checker reports errors.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct LiteralOffsets {
    /// Objects whose keys are all literal, and the keys with such values.
    pub(crate) objects: Vec<u32>,
    /// Literals: the argument itself, elements, and the keys with such values.
    pub(crate) values: Vec<u32>,
    /// All literal keys.
    pub(crate) keys: Vec<u32>,
}

impl LiteralOffsets {
    /// Lists the literals of the first argument, at most `max` positions.
    pub(crate) fn of(argument: &Expression<'_>, max: usize) -> Self {
        let Expression::ObjectExpression(object) = argument else { return Self::default() };
        let mut collector =
            LiteralCollector { found: Self::default(), left: max.min(MAX_POSITIONS) };
        if collector.object(object, 0) {
            collector.value(object.span.start);
        }
        collector.found
    }

    pub(crate) fn len(&self) -> usize {
        self.objects.len() + self.values.len() + self.keys.len()
    }

    /// Converts offsets to lines and columns.
    pub(crate) fn in_lines(self, lines: &Lines<'_>) -> LiteralArguments {
        let positions = |offsets: &[u32]| -> Vec<Position> {
            offsets.iter().map(|offset| lines.place(*offset as usize)).collect()
        };
        LiteralArguments {
            objects: positions(&self.objects),
            values: positions(&self.values),
            keys: positions(&self.keys),
            ..LiteralArguments::default()
        }
    }
}

struct LiteralCollector {
    found: LiteralOffsets,
    /// How many positions may still be reported.
    left: usize,
}

/// Each method returns whether what it visited is entirely literal.
impl LiteralCollector {
    fn object(&mut self, object: &ObjectExpression<'_>, depth: u32) -> bool {
        // A spread or a computed key may overwrite whatever precedes it.
        let open =
            object.properties.iter().rposition(|property| static_property(property).is_none());
        let behind = open.map_or(0, |at| at + 1);
        let mut literal = open.is_none();
        for property in object.properties.iter().skip(behind).filter_map(static_property) {
            literal &= self.property(property, depth + 1);
        }
        if open.is_none() {
            self.object_at(object.span.start);
        }
        literal
    }

    fn property(&mut self, property: &ObjectProperty<'_>, depth: u32) -> bool {
        let at = property.key.span().start;
        let literal = property.kind == PropertyKind::Init && self.read(&property.value, depth);
        if literal {
            self.value(at);
        }
        if has_static_keys(&property.value) {
            self.object_at(at);
        }
        // An undefined value is not sent, so its key is never checked.
        if !property.value.is_undefined() && self.take() {
            self.found.keys.push(at);
        }
        literal
    }

    fn array(&mut self, array: &ArrayExpression<'_>, depth: u32) -> bool {
        let mut literal = true;
        for element in &array.elements {
            let is_literal = match element {
                ArrayExpressionElement::SpreadElement(_) | ArrayExpressionElement::Elision(_) => {
                    false
                }
                element => element.as_expression().is_some_and(|one| self.read(one, depth + 1)),
            };
            if is_literal {
                self.value(element.span().start);
            }
            literal &= is_literal;
        }
        literal
    }

    fn read(&mut self, expression: &Expression<'_>, depth: u32) -> bool {
        if depth > MAX_DEPTH || self.left == 0 {
            return false;
        }
        match expression {
            Expression::ObjectExpression(object) => self.object(object, depth),
            Expression::ArrayExpression(array) => self.array(array, depth),
            Expression::StringLiteral(_)
            | Expression::NumericLiteral(_)
            | Expression::BooleanLiteral(_)
            | Expression::NullLiteral(_) => true,
            Expression::TemplateLiteral(template) => template.expressions.is_empty(),
            Expression::UnaryExpression(unary) => {
                unary.operator == UnaryOperator::UnaryNegation
                    && matches!(unary.argument, Expression::NumericLiteral(_))
            }
            _ => false,
        }
    }

    fn value(&mut self, at: u32) {
        if self.take() {
            self.found.values.push(at);
        }
    }

    fn object_at(&mut self, at: u32) {
        if self.take() {
            self.found.objects.push(at);
        }
    }

    fn take(&mut self) -> bool {
        let left = self.left.checked_sub(1);
        self.left = left.unwrap_or(0);
        left.is_some()
    }
}

/// Whether this is an object with only literal keys.
fn has_static_keys(expression: &Expression<'_>) -> bool {
    let Expression::ObjectExpression(object) = expression else { return false };
    object.properties.iter().all(|property| static_property(property).is_some())
}

/// A property with a literal key.
fn static_property<'p, 'a>(property: &'p ObjectPropertyKind<'a>) -> Option<&'p ObjectProperty<'a>> {
    let ObjectPropertyKind::ObjectProperty(property) = property else { return None };
    let plain = matches!(
        property.key,
        PropertyKey::StaticIdentifier(_)
            | PropertyKey::StringLiteral(_)
            | PropertyKey::NumericLiteral(_)
    );
    (plain && !property.computed).then_some(property)
}

#[cfg(test)]
mod tests {
    use tidegate_model::Position;

    use crate::program::prepare;

    /// The text at each position of objects, values and keys.
    fn written(argument: &str) -> [Vec<String>; 3] {
        let before = "servers.crm.getLead(";
        let prepared = prepare(&format!("{before}{argument})")).unwrap();
        let written = prepared.references[0].written.clone();
        // One line of ASCII: columns are offsets, from 1.
        let shown = |at: &Position| {
            let text = &argument[at.1 as usize - 1 - before.len()..];
            let end = text.find([':', ',', '}', ']', ' ']).unwrap_or(text.len());
            text[..end].to_owned()
        };
        [written.objects, written.values, written.keys]
            .map(|places| places.iter().map(shown).collect())
    }

    fn expected(objects: &[&str], values: &[&str], keys: &[&str]) -> [Vec<String>; 3] {
        [objects, values, keys].map(|words| words.iter().map(|word| (*word).to_owned()).collect())
    }

    #[test]
    fn literals_are_certain_and_variables_are_not() {
        assert_eq!(
            written("{a: 'x', b: -1, c: [null, v], d: `t`, e: `${v}`, f, g: 1n, h: !0, i: (1)}"),
            expected(
                &["{a"],
                &["a", "b", "null", "d"],
                &["a", "b", "c", "d", "e", "f", "g", "h", "i"]
            )
        );
        assert_eq!(written("{a: [1, [2]]}"), {
            expected(&["{a"], &["1", "2", "[2", "a", "{a"], &["a"])
        });
        assert_eq!(written("{a: [1, , 2], b: [...v, 3]}"), {
            expected(&["{a"], &["1", "2", "3"], &["a", "b"])
        });
    }

    #[test]
    fn objects_with_literal_keys_are_certain() {
        assert_eq!(written("{}"), expected(&["{"], &["{"], &[]));
        assert_eq!(written("{'a': {b: v}, c: [{d: v}]}"), {
            expected(&["{b", "'a'", "{d", "{'a'"], &[], &["b", "'a'", "d", "c"])
        });
        assert_eq!(written("{a: v ? {b: 1} : {}, c: [{d: 1}].map(f), e: {g: 1} as any}"), {
            expected(&["{a"], &[], &["a", "c", "e"])
        });
    }

    #[test]
    fn values_that_may_be_overwritten_are_not_certain() {
        assert_eq!(written("{a: 1, ...v, b: 2}"), expected(&[], &["b"], &["b"]));
        assert_eq!(written("{a: 1, [v]: 2, b: {c: 3}}"), {
            expected(&["{c", "b"], &["c", "b"], &["c", "b"])
        });
    }

    #[test]
    fn methods_are_keys_and_undefined_properties_are_not() {
        assert_eq!(written("{a() {}, get b() { return 1 }, c: undefined}"), {
            expected(&["{a()"], &[], &["a()", "b()"])
        });
    }

    #[test]
    fn other_arguments_are_not_certain() {
        for argument in ["", "v", "[{a: 1}]", "'x'", "...v", "v, {a: 1}"] {
            assert_eq!(written(argument), expected(&[], &[], &[]), "{argument}");
        }
    }

    #[test]
    fn large_and_deep_arguments_are_listed_in_part() {
        let many = written(&format!("{{a: [{}]}}", "1, ".repeat(10_000)));
        assert_eq!(many.map(|places| places.len()), [0, 300, 0]);
        let deep = written(&format!("{}1{}", "{a: ".repeat(30), "}".repeat(30)));
        // Each level's brace, and its key except for the outermost.
        assert_eq!(deep.map(|places| places.len()), [42, 0, 21]);
    }

    #[test]
    fn positions_in_many_calls_are_bounded() {
        let source = format!("servers.crm.getLead({{a: [{}]}});\n", "1, ".repeat(200)).repeat(100);
        let references = prepare(&source).unwrap().references;
        let listed: usize = references.iter().map(|one| one.written.len()).sum();
        assert_eq!((references.len(), listed), (100, 5000));
    }
}
