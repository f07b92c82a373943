//! The skills of the state folder, read and written without blocking the runtime.
//!
//! In: names as a program or a model wrote them. Out: skills, or errors for a model.
//! The callers decide whether a skill may be read or saved.

use std::path::Path;

use tidegate_model::{ErrorCode, RunError};
use tidegate_privacy::find_tokens;
use tidegate_store::{Origin, Skill, SkillError, SkillList, Skills};

use crate::explain;

/// The skills.
#[derive(Clone)]
pub(crate) struct SkillLibrary(Skills);

impl SkillLibrary {
    pub(crate) fn new(state_dir: &Path) -> Self {
        Self(Skills::new(state_dir))
    }

    /// One skill.
    pub(crate) async fn find(&self, name: &str) -> Result<Skill, RunError> {
        let name = name.to_owned();
        let load = move |skills: &Skills| skills.load(&name).map_err(|error| skill_error(&error));
        let skill = self.blocking(load).await?;
        if skill.origin == Origin::Saved {
            let code = skill.code.as_ref().map_or("", |(_, code)| code);
            has_no_tokens(&format!("skill `{}`", skill.name), &[&skill.text, code])?;
        }
        Ok(skill)
    }

    /// All skills.
    pub(crate) async fn list(&self) -> Result<SkillList, RunError> {
        let list = self.blocking(|skills| skills.list().map_err(|error| skill_error(&error)));
        let list = list.await?;
        for (name, problem) in &list.skipped {
            tracing::warn!(%name, %problem, "skill skipped");
        }
        Ok(list)
    }

    /// Waits for the disk on a thread of its own.
    pub(crate) async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Skills) -> Result<T, RunError> + Send + 'static,
    ) -> Result<T, RunError> {
        let skills = self.0.clone();
        let done = tokio::task::spawn_blocking(move || work(&skills)).await;
        done.unwrap_or_else(|_| Err(explain::internal()))
    }
}

/// Refuses texts of a skill that contain tokens of personal data: it outlives the session
/// that the tokens belong to, and is used in others.
pub(crate) fn has_no_tokens(what: &str, texts: &[&str]) -> Result<(), RunError> {
    let Some(found) = texts.iter().find_map(|text| find_tokens(text).into_iter().next()) else {
        return Ok(());
    };
    let message = format!(
        "{what} contains `{}`, which belongs to one session, and all sessions share skills",
        found.token
    );
    Err(RunError::new(ErrorCode::RecipientDenied, message).with_hint(
        "let the skill take the value as a parameter, and pass the token where the skill is used",
    ))
}

/// An error of a skill, for a model.
pub(crate) fn skill_error(error: &SkillError) -> RunError {
    let code = match error {
        SkillError::BadName { .. } | SkillError::TooLong { .. } | SkillError::Empty { .. } => {
            ErrorCode::BadArgument
        }
        SkillError::Unknown { .. }
        | SkillError::Shipped { .. }
        | SkillError::TooMany { .. }
        | SkillError::Damaged { .. }
        | SkillError::NotOurs { .. } => ErrorCode::File,
        SkillError::Folder(source) => {
            tracing::warn!(%source, "the folder of skills cannot be used");
            ErrorCode::File
        }
    };
    RunError::new(code, error.to_string()).with_hint(error.hint())
}
