//! Interprets the messages of Python type checkers.
//!
//! In: a rule and a message of ty or pyright. Out: a [`Complaint`] in terms that both share,
//! and one line for a model; `None` if the program may well be correct. Pure.
//! The patterns match the versions that the tests run; a message with another wording is
//! still reported, as [`Complaint::Other`].

const MAX_CHARACTERS: usize = 300;

/// What a checker complains about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Complaint {
    /// No argument, or key of an argument, has this name.
    UnknownArgument(String),
    /// An argument, or a key of one, is missing, or there are too many.
    Arguments,
    /// A value has the wrong type.
    Mismatch {
        /// Its type.
        found: String,
    },
    /// A value has no key or attribute with this name.
    UnknownKey(String),
    /// Anything else, with the name of the rule.
    Other(String),
}

impl Complaint {
    fn mismatch(found: &str) -> Self {
        Self::Mismatch { found: found.to_owned() }
    }
}

/// Rules of ty that do not apply here: the gateway looks up modules, and a value that may be
/// `None` usually is not.
const TY_NOISE: [&str; 12] = [
    "invalid-syntax",
    "import-not-found",
    "unresolved-import",
    "unresolved-module",
    "missing-union-attribute",
    "possibly-missing-attribute",
    "possibly-missing-import",
    "possibly-missing-submodule",
    "possibly-unbound-attribute",
    "possibly-unresolved-reference",
    "invalid-await",
    "deprecated",
];

/// Interprets a message of ty.
pub(crate) fn of_ty(rule: &str, message: &str) -> Option<(Complaint, String)> {
    let line = message.lines().next().unwrap_or_default();
    let quoted: Vec<&str> = line.split('`').skip(1).step_by(2).collect();
    let is_noise = TY_NOISE.contains(&rule) || line.contains(" in union ");
    // The module `servers` can also be indexed like a dict.
    if is_noise || line.contains("<module 'servers'>") || is_about_none(&quoted) {
        return None;
    }
    let first = || quoted.first().copied().unwrap_or_default().to_owned();
    let last = || quoted.last().copied().unwrap_or_default();
    let (complaint, words) = match rule {
        "unknown-argument" => (Complaint::UnknownArgument(first()), line.to_owned()),
        "missing-argument" | "too-many-positional-arguments" | "parameter-already-assigned" => {
            (Complaint::Arguments, line.to_owned())
        }
        "missing-typed-dict-key" => {
            let words = line.split(" in TypedDict").next().unwrap_or(line);
            (Complaint::Arguments, words.replace('\'', "`"))
        }
        "unknown-typed-dict-constructor-key" | "invalid-key" => {
            let name = line.split('"').nth(1).unwrap_or_default();
            (Complaint::UnknownArgument(name.to_owned()), format!("Unknown key `{name}`"))
        }
        "missing-attribute" | "unresolved-attribute" => {
            // Setting an attribute is allowed, or Python itself reports it.
            let is_set = line.starts_with("Unresolved attribute");
            if is_set || quoted.first().is_some_and(|owner| is_plain_dict(owner)) {
                return None;
            }
            (Complaint::UnknownKey(last().to_owned()), line.to_owned())
        }
        "invalid-argument-type" => match unknown_key_of_ty(line, &quoted) {
            Some(found) => found,
            None => (Complaint::mismatch(last()), without_stub_types(line)),
        },
        "invalid-assignment" | "invalid-return-type" | "invalid-parameter-default" => {
            (Complaint::mismatch(last()), line.to_owned())
        }
        _ => (Complaint::Other(rule.to_owned()), line.to_owned()),
    };
    Some((complaint, short(words)))
}

/// `answer["nam"]`: ty reports that a method cannot be called with such a key.
fn unknown_key_of_ty(line: &str, quoted: &[&str]) -> Option<(Complaint, String)> {
    if !line.starts_with("Method `__getitem__`") || !line.contains("cannot be called with key") {
        return None;
    }
    let [.., key, owner] = quoted else { return None };
    let name = key.strip_prefix("Literal[\"")?.strip_suffix("\"]")?;
    let words = format!("Object of type `{owner}` has no key `{name}`");
    Some((Complaint::UnknownKey(name.to_owned()), words))
}

/// Rules of pyright that do not apply here, for the same reasons.
const PYRIGHT_NOISE: [&str; 8] = [
    "reportMissingImports",
    "reportMissingModuleSource",
    "reportNoOverloadImplementation",
    "reportUnusedCoroutine",
    "reportUnusedExpression",
    "reportUnusedExcept",
    "reportUnsupportedDunderAll",
    "reportInvalidStringEscapeSequence",
];

/// Interprets a message of pyright.
pub(crate) fn of_pyright(rule: &str, message: &str) -> Option<(Complaint, String)> {
    let mut lines = message.lines().map(|line| line.trim_matches([' ', '\t', '\u{a0}']));
    let line = lines.next().unwrap_or_default();
    let reasons: Vec<&str> = lines.collect();
    let quoted: Vec<&str> = line.split('"').skip(1).step_by(2).collect();
    let is_noise = PYRIGHT_NOISE.contains(&rule) || rule.starts_with("reportOptional");
    // As above.
    if is_noise || line.contains("Module(\"servers\")") || is_about_none(&quoted) {
        return None;
    }
    let at = |place: usize| quoted.get(place).copied().unwrap_or_default();
    let (complaint, words) = match rule {
        "reportCallIssue" if line.starts_with("No parameter named") => {
            (Complaint::UnknownArgument(at(0).to_owned()), line.to_owned())
        }
        // A second error at the same position names the key.
        "reportCallIssue" if line.starts_with("No overloads for \"__getitem__\"") => return None,
        "reportCallIssue" if line.starts_with("Argument") || line.starts_with("Expected ") => {
            (Complaint::Arguments, line.to_owned())
        }
        "reportArgumentType" => argument_of_pyright(line, &quoted, &reasons),
        "reportAttributeAccessIssue" if line.starts_with("Cannot access attribute") => {
            if is_plain_dict(at(1)) {
                return None;
            }
            (Complaint::UnknownKey(at(0).to_owned()), line.to_owned())
        }
        "reportAssignmentType" | "reportReturnType" => {
            (Complaint::mismatch(at(0)), line.to_owned())
        }
        _ => (Complaint::Other(rule.to_owned()), line.to_owned()),
    };
    Some((complaint, short(words)))
}

/// `Argument of type "A" cannot be assigned to parameter "p" of type "T" in function
/// "f"`, followed by the reasons: for a dict, which of its keys is wrong.
fn argument_of_pyright(line: &str, quoted: &[&str], reasons: &[&str]) -> (Complaint, String) {
    let found = quoted.first().copied().unwrap_or_default();
    let name = |line: &str| line.split('"').nth(1).unwrap_or_default().to_owned();
    if quoted.get(3) == Some(&"__getitem__")
        && let Some(key) = found.strip_prefix("Literal['").and_then(|key| key.strip_suffix("']"))
    {
        return (Complaint::UnknownKey(key.to_owned()), format!("There is no key `{key}`"));
    }
    if let Some(missing) = reasons.iter().find(|reason| reason.contains("\" is required in \"")) {
        return (Complaint::Arguments, format!("Missing required key `{}`", name(missing)));
    }
    if let Some(odd) = reasons.iter().find(|reason| reason.contains("\" is an undefined item in")) {
        return (Complaint::UnknownArgument(name(odd)), format!("Unknown key `{}`", name(odd)));
    }
    let part = reasons.first().filter(|_| found.contains("dict[") || found.contains("list["));
    match part {
        Some(reason) => {
            let value = reason.split('"').nth(1).unwrap_or(found);
            (Complaint::mismatch(value), without_stub_types(reason))
        }
        None => (Complaint::mismatch(found), without_stub_types(line)),
    }
}

fn is_about_none(quoted: &[&str]) -> bool {
    quoted.contains(&"None")
}

/// A dict that the program has narrowed a type to. If it is an answer, its keys are also
/// attributes.
fn is_plain_dict(owner: &str) -> bool {
    owner.starts_with("dict[") || owner.starts_with("Top[dict[")
}

/// Without the types that our stubs add to optional arguments.
fn without_stub_types(line: &str) -> String {
    let mut words = line.to_owned();
    for own in [" | EllipsisType", "EllipsisType | ", " | None"] {
        words = words.replace(own, "");
    }
    words
}

fn short(mut words: String) -> String {
    if let Some((end, _)) = words.char_indices().nth(MAX_CHARACTERS) {
        words.truncate(end);
        words.push('…');
    }
    words
}

#[cfg(test)]
mod tests {
    use super::{Complaint, of_pyright, of_ty};

    fn unknown(name: &str) -> Complaint {
        Complaint::UnknownArgument(name.to_owned())
    }

    fn key(name: &str) -> Complaint {
        Complaint::UnknownKey(name.to_owned())
    }

    fn mismatch(found: &str) -> Complaint {
        Complaint::Mismatch { found: found.to_owned() }
    }

    fn reported(complaint: Complaint, words: &str) -> Option<(Complaint, String)> {
        Some((complaint, words.to_owned()))
    }

    #[test]
    fn ty_is_understood() {
        let line = "Argument `limits` does not match any known parameter of function `list_leads`";
        assert_eq!(of_ty("unknown-argument", line), reported(unknown("limits"), line));
        let line = "No argument provided for required parameter `id` of function `get_lead`";
        assert_eq!(of_ty("missing-argument", line), reported(Complaint::Arguments, line));
        assert_eq!(
            of_ty(
                "invalid-argument-type",
                "Argument to function `f` is incorrect: Expected `Literal[\"a\"] | EllipsisType | None`, \
                 found `Literal[\"b\"]`\n\ninfo: more"
            ),
            reported(
                mismatch("Literal[\"b\"]"),
                "Argument to function `f` is incorrect: Expected `Literal[\"a\"]`, found `Literal[\"b\"]`"
            )
        );
        let method = "Method `__getitem__` of type `Overload[(key: Literal[\"id\"]) -> str]` cannot \
                      be called with key of type `Literal[\"nam\"]` on object of type `Lead`";
        assert_eq!(
            of_ty("invalid-argument-type", method),
            reported(key("nam"), "Object of type `Lead` has no key `nam`")
        );
        let line = "Object of type `Lead` has no attribute `nam`";
        assert_eq!(of_ty("missing-attribute", line), reported(key("nam"), line));
        assert_eq!(
            of_ty(
                "unknown-typed-dict-constructor-key",
                "Unknown key \"idd\" for TypedDict `X` - did you mean \"id\"?\n\nhelp: more"
            ),
            reported(unknown("idd"), "Unknown key `idd`")
        );
        assert_eq!(
            of_ty(
                "missing-typed-dict-key",
                "Missing required key 'id' in TypedDict `X` constructor"
            ),
            reported(Complaint::Arguments, "Missing required key `id`")
        );
    }

    #[test]
    fn pyright_is_understood() {
        let line = "No parameter named \"limits\"";
        assert_eq!(of_pyright("reportCallIssue", line), reported(unknown("limits"), line));
        let line = "Argument missing for parameter \"id\"";
        assert_eq!(of_pyright("reportCallIssue", line), reported(Complaint::Arguments, line));
        assert_eq!(
            of_pyright(
                "reportArgumentType",
                "Argument of type \"Literal['b']\" cannot be assigned to parameter \"s\" of type \
                 \"EllipsisType | Literal['a'] | None\" in function \"f\"\n\u{a0}\u{a0}Type …"
            ),
            reported(
                mismatch("Literal['b']"),
                "Argument of type \"Literal['b']\" cannot be assigned to parameter \"s\" of type \
                 \"Literal['a']\" in function \"f\""
            )
        );
        let dict = "Argument of type \"dict[str, str]\" cannot be assigned to parameter \"input\" of \
                    type \"X\" in function \"f\"\n\u{a0}\u{a0}";
        for (reason, complaint, words) in [
            ("\"idd\" is an undefined item in type \"X\"", unknown("idd"), "Unknown key `idd`"),
            ("\"id\" is required in \"X\"", Complaint::Arguments, "Missing required key `id`"),
            (
                "\"Literal[5]\" is not assignable to \"str\"",
                mismatch("Literal[5]"),
                "\"Literal[5]\" is not assignable to \"str\"",
            ),
        ] {
            let message = format!("{dict}{reason}");
            assert_eq!(of_pyright("reportArgumentType", &message), reported(complaint, words));
        }
        assert_eq!(
            of_pyright(
                "reportArgumentType",
                "Argument of type \"Literal['nam']\" cannot be assigned to parameter \"key\" of type \
                 \"Literal['id']\" in function \"__getitem__\""
            ),
            reported(key("nam"), "There is no key `nam`")
        );
        assert_eq!(
            of_pyright(
                "reportAttributeAccessIssue",
                "Cannot access attribute \"nam\" for class \"Lead\"\n\u{a0}\u{a0}Attribute \"nam\" is unknown"
            ),
            reported(key("nam"), "Cannot access attribute \"nam\" for class \"Lead\"")
        );
    }

    #[test]
    fn what_works_here_is_not_reported() {
        for (rule, message) in [
            ("invalid-syntax", "`await` outside of an asynchronous function"),
            ("import-not-found", "Cannot resolve imported module `helper`"),
            (
                "missing-union-attribute",
                "Attribute `x` is not defined on `None` in union `A | None`",
            ),
            ("missing-attribute", "Object of type `dict[str, Any]` has no attribute `city`"),
            ("missing-attribute", "Object of type `None` has no attribute `group`"),
            ("unresolved-attribute", "Unresolved attribute `score` on type `Lead`"),
            ("not-subscriptable", "Cannot subscript object of type `<module 'servers'>`"),
        ] {
            assert_eq!(of_ty(rule, message), None, "{message}");
        }
        for (rule, message) in [
            ("reportMissingImports", "Import \"helper\" could not be resolved"),
            ("reportIndexIssue", "Object of type \"Module(\"servers\")\" is not subscriptable"),
            ("reportCallIssue", "No overloads for \"__getitem__\" match the provided arguments"),
            (
                "reportAttributeAccessIssue",
                "Cannot access attribute \"city\" for class \"dict[Unknown, Unknown]\"",
            ),
            ("reportOptionalSubscript", "Object of type \"None\" is not subscriptable"),
        ] {
            assert_eq!(of_pyright(rule, message), None, "{message}");
        }
    }
}
