//! How a tool's definition differs from the one that a person accepted, and what
//! follows from that.

use std::fmt;

/// The difference of a definition to the accepted one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The server did not have the tool when it was accepted.
    New,
    /// These parts are not as they were.
    Parts(Vec<Part>),
}

/// What a definition consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The title.
    Title,
    /// The description.
    Description,
    /// The schema of the arguments.
    InputSchema,
    /// The schema of the result.
    OutputSchema,
    /// What the server claims about its behaviour.
    Annotations,
}

impl Change {
    /// Whether a part is not as it was accepted.
    pub fn includes(&self, part: Part) -> bool {
        match self {
            Self::New => true,
            Self::Parts(parts) => parts.contains(&part),
        }
    }
}

impl Part {
    /// As people and models read it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Description => "description",
            Self::InputSchema => "input schema",
            Self::OutputSchema => "output schema",
            Self::Annotations => "annotations",
        }
    }
}

/// Ends a sentence that begins with the tool: "`x__y` …".
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::New => f.write_str("new since its server was accepted"),
            Self::Parts(parts) => {
                let parts: Vec<&str> = parts.iter().map(|part| part.as_str()).collect();
                write!(f, "changed since it was accepted: {}", parts.join(", "))
            }
        }
    }
}

/// What happens to a tool whose definition is not the accepted one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnChange {
    /// It says so wherever it is shown.
    #[default]
    Mark,
    /// It cannot be called and nothing of its text is shown, until a person accepts it.
    Quarantine,
}

impl OnChange {
    /// All of them, the default first.
    pub const ALL: [Self; 2] = [Self::Mark, Self::Quarantine];

    /// The word in the configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Mark => "mark",
            Self::Quarantine => "quarantine",
        }
    }
}
