//! The arguments of a call that are certainly literals.
//!
//! In: the arguments of a call. Out: the positions at which a type error is certain, because
//! no variable is involved: the argument has this name, the value is this literal. A checker
//! reports a value at its own position or at that of its name, so both are listed.
//! Invariant: nothing is listed that `**` or a computed key can replace later, nor a value
//! that is converted on its way to the tool.

use ruff_python_ast::{Arguments, Expr, ExprDict, Number, UnaryOp};
use ruff_text_size::Ranged;
use tidegate_model::{ArgumentPassing, LiteralArguments};

use crate::lines::Lines;

/// Maximum positions reported for one call.
const MAX_POSITIONS: usize = 300;

/// Maximum nesting examined in an argument.
const MAX_DEPTH: u32 = 20;

/// Lists the literals in the arguments of a call, at most `max` positions.
pub(crate) fn written(arguments: &Arguments, lines: &Lines<'_>, max: usize) -> LiteralArguments {
    let passing = passing(arguments);
    let is_starred = arguments.args.iter().any(Expr::is_starred_expr);
    let is_spread = arguments.keywords.iter().any(|keyword| keyword.arg.is_none());
    let found = LiteralArguments {
        passing,
        is_whole: !is_starred && !is_spread,
        ..LiteralArguments::default()
    };
    let mut collector = LiteralCollector { lines, left: max.min(MAX_POSITIONS), found };
    match passing {
        ArgumentPassing::Named => collector.named(arguments),
        ArgumentPassing::Object => collector.only(arguments),
        ArgumentPassing::Unknown => {}
    }
    collector.found
}

/// As in `arguments_of` of `api.py`: a single positional dict holds all arguments.
fn passing(arguments: &Arguments) -> ArgumentPassing {
    match &*arguments.args {
        [] => ArgumentPassing::Named,
        [Expr::Dict(_)] if arguments.keywords.is_empty() => ArgumentPassing::Object,
        [only] if is_never_dict(only) => ArgumentPassing::Named,
        [_] => ArgumentPassing::Unknown,
        several if several.iter().any(Expr::is_starred_expr) => ArgumentPassing::Unknown,
        _ => ArgumentPassing::Named,
    }
}

fn is_never_dict(expression: &Expr) -> bool {
    matches!(
        expression,
        Expr::StringLiteral(_)
            | Expr::FString(_)
            | Expr::BytesLiteral(_)
            | Expr::NumberLiteral(_)
            | Expr::BooleanLiteral(_)
            | Expr::NoneLiteral(_)
            | Expr::EllipsisLiteral(_)
            | Expr::List(_)
            | Expr::ListComp(_)
            | Expr::Tuple(_)
            | Expr::Set(_)
            | Expr::SetComp(_)
            | Expr::Compare(_)
    )
}

struct LiteralCollector<'l> {
    lines: &'l Lines<'l>,
    /// How many positions may still be reported.
    left: usize,
    found: LiteralArguments,
}

/// Each method that visits a value returns whether it is entirely literal.
impl LiteralCollector<'_> {
    fn named(&mut self, arguments: &Arguments) {
        for argument in &arguments.args {
            self.value(argument, 0);
        }
        for keyword in &arguments.keywords {
            let is_literal = self.value(&keyword.value, 0);
            let Some(name) = &keyword.arg else { continue };
            let place = self.lines.place(name.start());
            if is_literal && self.take() {
                self.found.values.push(place);
            }
            // An omitted argument is not sent, so its name is never checked.
            if !keyword.value.is_ellipsis_literal_expr() && self.take() {
                self.found.keys.push(place);
            }
            self.found.names.push(name.id.to_string());
        }
    }

    fn only(&mut self, arguments: &Arguments) {
        let Some(Expr::Dict(dict)) = arguments.args.first() else { return };
        let names = dict.items.iter().filter_map(|item| text(item.key.as_ref()?));
        self.found.names.extend(names.map(str::to_owned));
        self.value(&arguments.args[0], 0);
    }

    fn value(&mut self, expression: &Expr, depth: u32) -> bool {
        if depth > MAX_DEPTH || self.left == 0 {
            return false;
        }
        let is_literal = match expression {
            Expr::Dict(dict) => self.dict(dict, depth),
            Expr::List(list) => {
                let mut all = true;
                for element in &list.elts {
                    all &= self.value(element, depth + 1);
                }
                all
            }
            Expr::UnaryOp(unary) => unary.op == UnaryOp::USub && is_number(&unary.operand),
            Expr::StringLiteral(_) | Expr::BooleanLiteral(_) | Expr::NoneLiteral(_) => true,
            other => is_number(other),
        };
        if is_literal && self.take() {
            self.found.values.push(self.lines.place(expression.start()));
        }
        is_literal
    }

    fn dict(&mut self, dict: &ExprDict, depth: u32) -> bool {
        // A spread or a computed key may overwrite whatever precedes it.
        let is_open = |key: Option<&Expr>| key.and_then(text).is_none();
        let open = dict.items.iter().rposition(|item| is_open(item.key.as_ref()));
        let mut is_literal = open.is_none();
        for item in dict.items.iter().skip(open.map_or(0, |at| at + 1)) {
            let Some(key) = &item.key else { continue };
            let place = self.lines.place(key.start());
            let is_literal_value = self.value(&item.value, depth + 1);
            if is_literal_value && self.take() {
                self.found.values.push(place);
            }
            if !item.value.is_ellipsis_literal_expr() && self.take() {
                self.found.keys.push(place);
            }
            is_literal &= is_literal_value;
        }
        if open.is_none() && self.take() {
            self.found.objects.push(self.lines.place(dict.start()));
        }
        is_literal
    }

    fn take(&mut self) -> bool {
        let left = self.left.checked_sub(1);
        self.left = left.unwrap_or(0);
        left.is_some()
    }
}

fn text(key: &Expr) -> Option<&str> {
    match key {
        Expr::StringLiteral(literal) => Some(literal.value.to_str()),
        _ => None,
    }
}

/// A number with an unambiguous type: `5.0` is an integer for JSON Schema but not for a type
/// checker.
fn is_number(expression: &Expr) -> bool {
    match expression {
        Expr::NumberLiteral(literal) => match &literal.value {
            Number::Int(_) => true,
            Number::Float(value) => value.fract() != 0.0,
            Number::Complex { .. } => false,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::prepare;
    use tidegate_model::{ArgumentPassing, LiteralArguments};

    const BEFORE: &str = "servers.crm.get_lead(";

    fn read(arguments: &str) -> LiteralArguments {
        let analysis = prepare(&format!("{BEFORE}{arguments})")).unwrap();
        analysis.references[0].written.clone()
    }

    /// The text at each position of objects, values and keys.
    fn written(arguments: &str) -> [Vec<String>; 3] {
        let found = read(arguments);
        let shown = |&(_, column): &(u32, u32)| {
            let text = &arguments[column as usize - 1 - BEFORE.len()..];
            let end = text.find(['=', ':', ',', '}', ']', ' ']).unwrap_or(text.len());
            text[..end].to_owned()
        };
        [found.objects, found.values, found.keys].map(|places| places.iter().map(shown).collect())
    }

    fn expected(objects: &[&str], values: &[&str], keys: &[&str]) -> [Vec<String>; 3] {
        [objects, values, keys].map(|words| words.iter().map(|word| (*word).to_owned()).collect())
    }

    #[test]
    fn literals_are_certain_and_variables_are_not() {
        assert_eq!(
            written("1, v, a='x', b=-1, c=[None, v], d=f'{v}', e=v, f=(1), g=...,"),
            expected(
                &[],
                &["1", "'x'", "a", "-1", "b", "None", "1)", "f"],
                &["a", "b", "c", "d", "e", "f"]
            )
        );
    }

    #[test]
    fn converted_values_are_not_certain() {
        assert_eq!(written("a=(1, 2), b={1}, c=b'x', d=5.0, e=1e3, f=5.5"), {
            expected(&[], &["5.5", "f"], &["a", "b", "c", "d", "e", "f"])
        });
    }

    #[test]
    fn dicts_with_literal_keys_are_certain() {
        assert_eq!(written("{'a': {'b': v}}"), {
            expected(&["{'b'", "{'a'"], &[], &["'b'", "'a'"])
        });
        assert_eq!(written("{'a': 1, **v, 'b': 2}"), expected(&[], &["2", "'b'"], &["'b'"]));
        assert_eq!(written("{'a': 1, v: 2, 'b': 3}"), expected(&[], &["3", "'b'"], &["'b'"]));
    }

    #[test]
    fn the_way_of_passing_arguments_is_recognised() {
        for (arguments, passing, is_whole) in [
            ("", ArgumentPassing::Named, true),
            ("a=1", ArgumentPassing::Named, true),
            ("a=1, **v", ArgumentPassing::Named, false),
            ("'x'", ArgumentPassing::Named, true),
            ("v, 1", ArgumentPassing::Named, true),
            ("{'a': 1}", ArgumentPassing::Object, true),
            ("{'a': 1}, b=2", ArgumentPassing::Unknown, true),
            ("{'a': 1}, **v", ArgumentPassing::Unknown, false),
            ("v", ArgumentPassing::Unknown, true),
            ("f(1)", ArgumentPassing::Unknown, true),
            ("*v", ArgumentPassing::Unknown, false),
            ("1, *v", ArgumentPassing::Unknown, false),
        ] {
            let read = read(arguments);
            assert_eq!((read.passing, read.is_whole), (passing, is_whole), "{arguments}");
        }
        assert_eq!(read("a=1, b=v").names, ["a", "b"]);
        assert_eq!(read("{'a': 1, 'b': v}").names, ["a", "b"]);
    }

    #[test]
    fn large_and_deep_arguments_are_listed_in_part() {
        let many = written(&format!("a=[{}]", "1, ".repeat(10_000)));
        assert_eq!(many.map(|places| places.len()), [0, 300, 0]);
        let deep = written(&format!("{}1{}", "[".repeat(30), "]".repeat(30)));
        assert_eq!(deep.map(|places| places.len()), [0, 0, 0]);
    }
}
