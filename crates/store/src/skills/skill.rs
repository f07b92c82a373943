//! What a skill is, and the one that is built into the executable.

use tidegate_model::Language;

use crate::skills::error::SkillError;
use crate::skills::front_matter::FrontMatter;
use crate::skills::name::SkillName;

/// The file that every skill has.
pub const TEXT_FILE: &str = "SKILL.md";

/// The skill that is built into the executable.
pub(super) const SHIPPED_NAME: &str = "mcp-progressive-discovery";
const SHIPPED_TEXT: &str = include_str!("mcp-progressive-discovery.md");

/// The languages that the code of a skill can be in.
pub(super) const LANGUAGES: [Language; 2] = [Language::TypeScript, Language::Python];

/// The name of the file with the code of a skill.
pub fn code_file(language: Language) -> &'static str {
    match language {
        Language::TypeScript => "skill.ts",
        Language::Python => "skill.py",
    }
}

/// A skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    /// Its name.
    pub name: SkillName,
    /// What it does, in one line.
    pub description: String,
    /// When to use it.
    pub triggers: Vec<String>,
    /// Its complete SKILL.md.
    pub text: String,
    /// Its code, if it is code.
    pub code: Option<(Language, String)>,
    /// Where it comes from.
    pub origin: Origin,
}

/// The origin of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Built into the executable.
    Shipped,
    /// Saved by a program, an agent or the user: unchecked text.
    Saved,
}

impl Skill {
    /// The code if there is code, otherwise the text.
    pub fn content(&self) -> &str {
        self.code.as_ref().map_or(&self.text, |(_, code)| code)
    }
}

/// All usable skills, and the entries that were skipped.
#[derive(Debug, Default)]
pub struct SkillList {
    /// In the order of their names.
    pub skills: Vec<Skill>,
    /// Skipped entries of the folder: the name, safe to show, and the reason.
    pub skipped: Vec<(String, String)>,
}

/// A skill to be saved.
#[derive(Debug, Clone)]
pub struct NewSkill {
    /// Its name.
    pub name: SkillName,
    /// Its code.
    pub code: String,
    /// The language of the code.
    pub language: Language,
    /// What it does. May be empty.
    pub description: String,
}

/// Whether a skill of that name existed before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Saved {
    /// It did not.
    New,
    /// It did, and was replaced.
    Replaced,
}

/// The built-in skill. A test proves that it can be read.
pub(super) fn shipped() -> Result<Skill, SkillError> {
    let matter = FrontMatter::read(SHIPPED_TEXT).map_err(|problem| SkillError::Damaged {
        name: SHIPPED_NAME.to_owned(),
        problem: problem.to_owned(),
    })?;
    Ok(Skill {
        name: SkillName::parse(SHIPPED_NAME)?,
        description: matter.description,
        triggers: matter.triggers,
        text: SHIPPED_TEXT.to_owned(),
        code: None,
        origin: Origin::Shipped,
    })
}
