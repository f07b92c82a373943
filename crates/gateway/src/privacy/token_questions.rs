//! Answers questions of programs about tokens of personal data: `pii.domain`,
//! `pii.equals` and `pii.mask`.
//!
//! In: the values of the session and the JSON text of a question. Out: one answer for
//! each token, or one for both of `equals`. Invariant: an answer or an error reveals no
//! more of a value than `tidegate_privacy` does.

use serde::Deserialize;
use serde_json::Value;
use tidegate_model::{ErrorCode, Principal, RunError, visible_line};
use tidegate_privacy::{RestoreError, SessionValues, Token};

use super::{ForProgram, Privacy, unknown_tokens};

/// The most bytes of a text that is shown if it is no token. A longer one is not shown at
/// all: half of a value would not be recognised as one.
const LONGEST_SHOWN: usize = 120;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TokenQuestion {
    ask: Ask,
    tokens: Vec<Value>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Ask {
    Domain,
    Equals,
    Mask,
}

impl Privacy {
    /// The answer to a question of a program about tokens.
    pub(crate) fn token_answer(&self, principal: &Principal, body: &str) -> ForProgram {
        let seen = if self.is_strict() { Seen::Tokens } else { Seen::Values };
        let answer = answer(&self.session(principal).values(), seen, body);
        ForProgram::searched(answer.map(|answer| answer.to_string()))
    }
}

/// What programs see of personal data.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    Values,
    Tokens,
}

/// The answer from these values. A program that sees values may compare one with a token: it
/// could also print it, and would get its token.
fn answer(values: &SessionValues, seen: Seen, body: &str) -> Result<Value, RunError> {
    let asked: TokenQuestion = serde_json::from_str(body).map_err(|_| {
        let message = "`pii` has no such function, or cannot take these arguments";
        RunError::new(ErrorCode::BadArgument, message).with_hint(
            "call `pii.domain(token)`, `pii.equals(a, b)` or `pii.mask(token)`, with tokens \
                 such as `[EMAIL_1]` as text, or with lists of them",
        )
    })?;
    let ask = asked.ask;
    if let (Ask::Equals, Seen::Values, [a, b]) = (ask, seen, asked.tokens.as_slice())
        && let Some(answer) = equals_value(values, a, b).or_else(|| equals_value(values, b, a))
    {
        return answer.map(Value::from).map_err(|error| unknown(&error));
    }
    let tokens: Vec<Token> =
        asked.tokens.iter().map(|given| token(ask, given)).collect::<Result<_, _>>()?;
    match ask {
        Ask::Domain => each(&tokens, |token| values.domain(token).map(Value::from)),
        Ask::Mask => each(&tokens, |token| values.mask(token).map(Value::from)),
        Ask::Equals => {
            let &[a, b] = tokens.as_slice() else {
                let count = tokens.len();
                let message = format!("`pii.equals` takes two tokens, got {count}");
                return Err(refused(ask, message));
            };
            values.equals(a, b).map(Value::from).map_err(|error| unknown(&error))
        }
    }
}

/// Whether a token stands for a value, if they are one token and one value.
fn equals_value(
    values: &SessionValues,
    token: &Value,
    value: &Value,
) -> Option<Result<bool, RestoreError>> {
    let token = Token::parse(token.as_str()?)?;
    match value {
        Value::String(value) if Token::parse(value).is_none() => {
            Some(values.is_value(token, value))
        }
        // Telephone and other numbers of JSON.
        Value::Number(value) => Some(values.is_value(token, &value.to_string())),
        _ => None,
    }
}

fn each(
    tokens: &[Token],
    answer: impl Fn(Token) -> Result<Value, RestoreError>,
) -> Result<Value, RunError> {
    let answers = tokens.iter().map(|token| answer(*token)).collect::<Result<Value, _>>();
    answers.map_err(|error| unknown(&error))
}

/// The token that a program means.
fn token(ask: Ask, given: &Value) -> Result<Token, RunError> {
    let got = match given {
        Value::String(text) => match Token::parse(text) {
            Some(token) => return Ok(token),
            None if text.len() > LONGEST_SHOWN => "a longer text".to_owned(),
            None => format!("`{}`", visible_line(text)),
        },
        Value::Null => "nothing".to_owned(),
        Value::Bool(_) | Value::Number(_) => format!("`{given}`"),
        Value::Array(_) => "a list where a token belongs".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    };
    Err(refused(ask, format!("`pii.{}` takes tokens such as `[EMAIL_1]`, got {got}", ask.name())))
}

fn refused(ask: Ask, message: String) -> RunError {
    RunError::new(ErrorCode::BadArgument, message).with_hint(match ask {
        Ask::Equals => {
            "call `pii.equals(a, b)`; each of both is the text of one token, as a tool gave it"
        }
        Ask::Domain | Ask::Mask => {
            "pass the text of one token as a tool gave it, or a list of such texts; leave out what \
             is missing"
        }
    })
}

fn unknown(error: &RestoreError) -> RunError {
    match error {
        RestoreError::Unknown(tokens) | RestoreError::NotAllowed(tokens) => unknown_tokens(tokens),
        RestoreError::TooLong => RunError::new(ErrorCode::BadArgument, error.to_string()),
    }
}

impl Ask {
    fn name(self) -> &'static str {
        match self {
            Self::Domain => "domain",
            Self::Equals => "equals",
            Self::Mask => "mask",
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tidegate_model::{DataType, Secret};
    use tidegate_privacy::{SessionValues, Token};

    use super::{Seen, answer};

    fn values() -> SessionValues {
        let mut values = SessionValues::default();
        let known = [
            (DataType::Email, 1, "Anna.Schmidt@Example.com"),
            (DataType::Email, 2, "anna.schmidt@example.com"),
            (DataType::Email, 3, "otto@other.org"),
            (DataType::Person, 1, "Jane Doe"),
        ];
        let token = |(data_type, number, value): (DataType, u32, &str)| {
            (Token { data_type, number }, Secret::new(value.to_owned()))
        };
        values.load(known.map(token), []);
        values
    }

    fn described(body: &Value) -> String {
        described_to(Seen::Tokens, body)
    }

    fn described_to(seen: Seen, body: &Value) -> String {
        match answer(&values(), seen, &body.to_string()) {
            Ok(value) => value.to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn each_token_gets_its_answer() {
        let tokens = ["[EMAIL_1]", "[NAME_1]", "[email_3]", "%5BEMAIL_3%5D"];
        let domains = described(&json!({"ask": "domain", "tokens": tokens}));
        assert_eq!(domains, r#"["example.com",null,"other.org","other.org"]"#);
        let masks = described(&json!({"ask": "mask", "tokens": tokens}));
        assert_eq!(masks, r#"["a***@e***.com","J*** D***","o***@o***.org","o***@o***.org"]"#);
        assert_eq!(described(&json!({"ask": "mask", "tokens": []})), "[]");
    }

    #[test]
    fn two_tokens_are_the_same_if_their_values_are() {
        let equals = |a: &str, b: &str| described(&json!({"ask": "equals", "tokens": [a, b]}));
        assert_eq!(equals("[EMAIL_1]", "[EMAIL_2]"), "true");
        assert_eq!(equals("[EMAIL_1]", "[EMAIL_3]"), "false");
        assert_eq!(equals("[EMAIL_1]", "[NAME_1]"), "false");
    }

    #[test]
    fn a_value_is_compared_with_a_token_where_programs_see_values() {
        let ask = |a: &str, b: &str| json!({"ask": "equals", "tokens": [a, b]});
        for (a, b, same) in [
            ("anna.schmidt@example.com", "[EMAIL_1]", true),
            ("[EMAIL_1]", "Anna.Schmidt@example.com", true),
            ("otto@other.org", "[EMAIL_1]", false),
            ("", "[EMAIL_1]", false),
            ("jane doe", "[NAME_1]", true),
        ] {
            assert_eq!(described_to(Seen::Values, &ask(a, b)), same.to_string(), "{a} {b}");
            let refused = described_to(Seen::Tokens, &ask(a, b));
            assert!(refused.starts_with("error[call.bad_argument]"), "{refused}");
        }
        let two_values = described_to(Seen::Values, &ask("a@b.org", "a@b.org"));
        assert!(two_values.starts_with("error[call.bad_argument]"), "{two_values}");
        let unknown = described_to(Seen::Values, &ask("a@b.org", "[EMAIL_9]"));
        assert!(unknown.starts_with("error[privacy.unknown_token]"), "{unknown}");
    }

    #[test]
    fn an_unknown_token_is_named() {
        let error = "error[privacy.unknown_token]: `[EMAIL_9]` is unknown in this \
                     session\nhint: use only tokens from answers of this session; if they are from \
                     an earlier one, get the data again";
        for ask in ["domain", "mask", "equals"] {
            assert_eq!(
                described(&json!({"ask": ask, "tokens": ["[EMAIL_1]", "[EMAIL_9]"]})),
                error
            );
        }
    }

    #[test]
    fn what_is_no_token_is_named_unless_it_is_long() {
        let got = |given: Value| {
            let told = described(&json!({"ask": "domain", "tokens": ["[EMAIL_1]", given]}));
            let (message, hint) = told.split_once("\nhint: ").unwrap();
            assert_eq!(
                hint,
                "pass the text of one token as a tool gave it, or a list of such texts; leave out \
                 what is missing"
            );
            let start =
                "error[call.bad_argument]: `pii.domain` takes tokens such as `[EMAIL_1]`, got ";
            message.strip_prefix(start).unwrap().to_owned()
        };
        assert_eq!(got(json!("anna")), "`anna`");
        assert_eq!(got(json!("")), "``");
        assert_eq!(got(json!("a\nb")), r"`a\nb`");
        assert_eq!(got(json!("to [EMAIL_1]")), "`to [EMAIL_1]`");
        assert_eq!(got(json!("[EMAIL_1][EMAIL_3]")), "`[EMAIL_1][EMAIL_3]`");
        assert_eq!(got(json!("x".repeat(121))), "a longer text");
        assert_eq!(got(json!(null)), "nothing");
        assert_eq!(got(json!(7)), "`7`");
        assert_eq!(got(json!(["[EMAIL_1]"])), "a list where a token belongs");
        assert_eq!(got(json!({"email": "[EMAIL_1]"})), "an object");
    }

    #[test]
    fn a_question_that_is_none_says_how_to_ask() {
        let error = "error[call.bad_argument]: `pii` has no such function, or cannot take these \
                     arguments\nhint: call `pii.domain(token)`, `pii.equals(a, b)` or \
                     `pii.mask(token)`, with tokens such as `[EMAIL_1]` as text, or with lists of \
                     them";
        let shown = |body: &str| answer(&values(), Seen::Tokens, body).unwrap_err().to_string();
        for body in [
            "",
            "[]",
            r#"{"ask":"domain","tokens":["[EMAI"#,
            r#"{"ask":"value","tokens":["[EMAIL_1]"]}"#,
            r#"{"ask":"domain"}"#,
            r#"{"ask":"domain","tokens":"[EMAIL_1]"}"#,
            r#"{"ask":"domain","tokens":[],"more":1}"#,
        ] {
            assert_eq!(shown(body), error, "{body}");
        }
        for (tokens, count) in
            [(json!(["[EMAIL_1]"]), 1), (json!(["[EMAIL_1]", "[EMAIL_2]", "[EMAIL_3]"]), 3)]
        {
            let told = described(&json!({"ask": "equals", "tokens": tokens}));
            let expected = format!(
                "error[call.bad_argument]: `pii.equals` takes two tokens, got {count}\n\
                 hint: call `pii.equals(a, b)`; each of both is the text of one token, as a tool \
                 gave it"
            );
            assert_eq!(told, expected);
        }
    }
}
