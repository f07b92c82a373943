//! Errors of skills, and what to do about them.

use std::io;

use thiserror::Error;

/// Why a skill could not be loaded, saved or removed.
#[derive(Debug, Error)]
pub enum SkillError {
    /// Not a valid name for a skill.
    #[error("`{given}` cannot be the name of a skill")]
    BadName {
        /// The given name, shortened and escaped.
        given: String,
        /// The nearest valid name.
        nearest: Option<String>,
    },
    /// There is no such skill.
    #[error("there is no skill `{name}`")]
    Unknown {
        /// The requested name.
        name: String,
        /// Similar names, as a question.
        hint: Option<String>,
    },
    /// The skill is built into the executable.
    #[error("skill `{name}` comes with tidegate and cannot be changed")]
    Shipped {
        /// Its name.
        name: String,
    },
    /// A text is too long.
    #[error("the {what} of a skill can have {limit} {unit}, this one has {size}")]
    TooLong {
        /// Which text.
        what: &'static str,
        /// Its length.
        size: usize,
        /// The limit.
        limit: usize,
        /// The unit of both.
        unit: &'static str,
    },
    /// There is nothing to save.
    #[error("the code of skill `{name}` is empty")]
    Empty {
        /// Its name.
        name: String,
    },
    /// The maximum number of skills is reached.
    #[error("there are {limit} skills already, and no more can be saved")]
    TooMany {
        /// The limit.
        limit: usize,
    },
    /// The skill exists but cannot be used.
    #[error("skill `{name}` cannot be used: {problem}")]
    Damaged {
        /// Its name.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The folder of a skill has files that are not ours to remove.
    #[error("the folder of skill `{name}` also has `{other}`")]
    NotOurs {
        /// Its name.
        name: String,
        /// One of the files.
        other: String,
    },
    /// The operating system returned an error.
    #[error("the folder of skills cannot be used")]
    Folder(#[source] io::Error),
}

impl SkillError {
    /// What to do next.
    pub fn hint(&self) -> String {
        match self {
            Self::BadName { nearest, .. } => {
                let rule = "names have up to 64 lower-case letters, digits and hyphens";
                match nearest {
                    Some(nearest) => format!("use `{nearest}`: {rule}"),
                    None => rule.to_owned(),
                }
            }
            Self::Unknown { hint: Some(hint), .. } => hint.clone(),
            Self::Unknown { hint: None, .. } => "`./skills` in a program lists them".to_owned(),
            Self::Shipped { .. } => "save it under another name".to_owned(),
            Self::TooLong { .. } => "leave out what is not needed, or save two skills".to_owned(),
            Self::Empty { .. } => "pass the source as text".to_owned(),
            Self::TooMany { .. } => {
                "overwrite one, or let the user remove some with `tidegate skills remove`"
                    .to_owned()
            }
            Self::Damaged { .. } => {
                "save it again, or let the user look at it with `tidegate skills list`".to_owned()
            }
            Self::NotOurs { .. } => "nothing was removed; remove the folder by hand".to_owned(),
            Self::Folder(_) => "let the user look at the folder `skills` of the state".to_owned(),
        }
    }
}
