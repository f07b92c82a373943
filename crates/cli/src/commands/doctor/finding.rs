//! One finding of `tidegate doctor`: what was tried, the outcome and the remedy.

use serde::Serialize;
use tidegate_model::visible;

use crate::print::{self, Colour};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    /// Works.
    Ok,
    /// Something optional is missing.
    Warning,
    /// Something required does not work.
    Problem,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Finding {
    pub(crate) name: String,
    pub(crate) status: Status,
    /// One line.
    pub(crate) message: String,
    /// One line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) remedy: Option<String>,
}

impl Finding {
    pub(crate) fn ok(name: &str, message: impl Into<String>) -> Self {
        let message = visible(&message.into()).into_owned();
        Self { name: name.to_owned(), status: Status::Ok, message, remedy: None }
    }

    pub(crate) fn warning(name: &str, message: impl Into<String>, remedy: &str) -> Self {
        Self::bad(name, Status::Warning, &message.into(), remedy)
    }

    pub(crate) fn problem(name: &str, message: impl Into<String>, remedy: &str) -> Self {
        Self::bad(name, Status::Problem, &message.into(), remedy)
    }

    fn bad(name: &str, status: Status, message: &str, remedy: &str) -> Self {
        // It may quote servers and the operating system.
        let one_line = |text: &str| {
            visible(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
        };
        let (message, remedy) = (one_line(message), Some(one_line(remedy)));
        Self { name: name.to_owned(), status, message, remedy }
    }

    pub(crate) fn print(&self) {
        let (word, colour) = match self.status {
            Status::Ok => ("ok     ", Colour::Green),
            Status::Warning => ("warning", Colour::Yellow),
            Status::Problem => ("problem", Colour::Red),
        };
        let Self { name, message, .. } = self;
        print::line(format!("{}  {name}: {message}", print::painted(word, colour)));
        if let Some(remedy) = &self.remedy {
            print::line(format!("         hint: {remedy}"));
        }
    }
}
