//! Lists skills, shows them, and removes them.

use std::path::Path;

use tidegate_store::Skills;

pub use tidegate_store::{Origin as SkillOrigin, Skill, SkillError, SkillList, code_file};

/// The skills of a state folder.
pub struct SkillsAdmin(Skills);

impl SkillsAdmin {
    pub(super) fn new(state_dir: &Path) -> Self {
        Self(Skills::new(state_dir))
    }

    /// All skills, and the folders that could not be read.
    pub fn list(&self) -> Result<SkillList, SkillError> {
        self.0.list()
    }

    /// One skill.
    pub fn load(&self, name: &str) -> Result<Skill, SkillError> {
        self.0.load(name)
    }

    /// Removes a saved skill.
    pub fn remove(&self, name: &str) -> Result<(), SkillError> {
        self.0.remove(name)
    }
}
