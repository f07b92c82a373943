//! `pathlib.Path` objects and joined paths.
//!
//! In: methods of a path, or the parts of one. Out: the path as far as it is known.

use std::rc::Rc;

use ruff_text_size::TextSize;
use tidegate_model::reading::FactKind;

use super::arguments::Arguments;
use super::evaluator::{Evaluator, FactDetails};
use super::folding::path_under;
use super::members::member_of;
use super::value::{Value, ValueKind};

impl<'a> Evaluator<'_, 'a> {
    pub(super) fn method_of_file(
        &mut self,
        text: &Rc<str>,
        whole: bool,
        owner: &Value<'a>,
        (name, mut arguments): (&str, Arguments<'a>),
        at: TextSize,
    ) -> Value<'a> {
        let same = |text: Rc<str>, whole| {
            Value::of(ValueKind::File { text, whole }).with_from(owner.from.clone())
        };
        match name {
            "joinpath" => {
                let mut found = (text.clone(), whole);
                for part in &arguments.positional {
                    found = path_under(&found.0, found.1, &part.kind);
                }
                return same(found.0, found.1);
            }
            "resolve" | "absolute" | "expanduser" => return owner.clone(),
            "iterdir" | "glob" | "rglob" => {
                let path = format!("pathlib.Path().{name}");
                arguments.positional.insert(0, owner.clone());
                let occurrences = FactDetails { arguments: arguments.known(), hidden: false };
                self.record(FactKind::Call, &path, at, occurrences);
                let (start, _) = path_under(text, whole, &ValueKind::Unknown);
                return Value::of(ValueKind::List([same(start, false)].into()));
            }
            _ => {}
        }
        // The path itself counts as the first argument.
        arguments.positional.insert(0, owner.clone());
        let callee = member_of(owner, name).with_from(owner.from.clone());
        self.apply(&callee, arguments, at)
    }
}

/// `os.path.join(…)` and `Path(…)`.
pub(super) fn joined_path<'a>(arguments: &Arguments<'a>, is_file: bool) -> Option<Value<'a>> {
    let mut found: (Rc<str>, bool) = ("".into(), true);
    for part in &arguments.positional {
        found = path_under(&found.0, found.1, &part.kind);
    }
    let (text, whole) = found;
    let from = arguments.from();
    let kind = match (is_file, whole) {
        (true, _) => ValueKind::File { text, whole },
        (false, true) => ValueKind::Text(text),
        (false, false) => ValueKind::Prefix(text),
    };
    Some(Value { kind, from, hidden: false })
}
