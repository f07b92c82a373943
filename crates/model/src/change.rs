//! How a tool's definition differs from the accepted one, and what the configuration does
//! about it. Plain data: `catalog` compares, `policy` decides.

use std::fmt;

/// The difference between a definition and the accepted one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The server did not have the tool when its tools were accepted.
    New,
    /// These parts differ.
    Parts(Vec<DefinitionPart>),
}

/// A part of a tool's definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefinitionPart {
    /// The title.
    Title,
    /// The description.
    Description,
    /// The schema of the arguments.
    InputSchema,
    /// The schema of the result.
    OutputSchema,
    /// The server's claims about its behaviour.
    Annotations,
}

impl Change {
    /// Whether this part differs from the accepted one.
    pub fn includes(&self, part: DefinitionPart) -> bool {
        match self {
            Self::New => true,
            Self::Parts(parts) => parts.contains(&part),
        }
    }
}

impl DefinitionPart {
    /// The name that people and models read.
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

/// The end of a sentence that begins with the tool: "`x__y` is …".
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
    /// The tool is marked as changed wherever it is shown.
    #[default]
    Mark,
    /// The tool cannot be called and none of its text is shown until a person accepts it.
    Quarantine,
}

impl OnChange {
    /// Every value, the default first.
    pub const ALL: [Self; 2] = [Self::Mark, Self::Quarantine];

    /// The word in the configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Mark => "mark",
            Self::Quarantine => "quarantine",
        }
    }
}
