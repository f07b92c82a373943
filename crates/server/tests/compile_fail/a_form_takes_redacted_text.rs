//! A form that a client shows to its user takes redacted text only.

use tidegate_gateway::{Form, Redacted};
use tidegate_model::RunId;

fn form(title: String, details: Redacted) -> Form {
    Form { id: String::new(), run_id: RunId(String::new()), title, details }
}

fn main() {}
