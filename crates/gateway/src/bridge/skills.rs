//! Lists, loads and saves skills, for programs and for clients alike.
//!
//! In: names and texts as a program or a model wrote them. Out: text. The policy decides
//! who may read and save, and every save is recorded. Skills are never run here: running
//! one means submitting it as a program. Hidden characters are made visible to clients.

use std::fmt::Write as _;
use std::sync::OnceLock;

use serde::Deserialize;
use serde_json::{Value, json};
use tidegate_model::{
    ErrorCode, Event, Language, Outcome, Principal, RunError, RunId, RunRecord, Scope, SkillRecord,
    ToolRef, visible, visible_line,
};
use tidegate_policy::Permissions;
use tidegate_store::{
    NewSkill, SKILL_BYTES, Saved, Skill, SkillList, SkillName, Skills, TEXT_FILE, code_file,
};

use super::Bridge;
use crate::answer::shown::{ShowResult, ToolText};
use crate::answer::stopwatch::{Stopwatch, outcome_of};
use crate::bridge::call::Caller;
use crate::context::RunContext;
use crate::digest::sha256_hex;
use crate::ids::new_run_id;
use crate::privacy::Origin;
use crate::recorder::Recorder;
use crate::skill_library::{has_no_tokens, skill_error};
use crate::{explain, tokens};

/// The most tokens of a list, as for a search. The rest is in `./skills`.
const LIST_TOKENS: usize = 800;
/// The most bytes of a description in a list; the skill has all of it.
const LINE_BYTES: usize = 160;

/// A skill to be saved.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SaveSkill {
    /// Its name.
    pub name: String,
    /// Its code.
    pub code: String,
    /// What it does.
    #[serde(default)]
    pub description: Option<String>,
    /// The language of the code; guessed if absent.
    #[serde(default)]
    pub language: Option<String>,
}

impl Bridge {
    /// All skills as a client reads them.
    pub(crate) async fn list_skills(&self, context: &RunContext) -> ShowResult<ToolText> {
        let list = async {
            may_read(&self.policy.permissions(context.profile.as_deref())?)?;
            Ok(ToolText::new(listed(&self.tools.skills.list().await?)))
        };
        self.answers.show_result(list.await, &context.principal)
    }

    /// The code of a skill, or its text if it has none, as a client reads it.
    pub(crate) async fn load_skill(
        &self,
        name: &str,
        context: &RunContext,
    ) -> ShowResult<ToolText> {
        let skill = async {
            let permissions = self.policy.permissions(context.profile.as_deref())?;
            Ok(ToolText::new(visible(self.skill(&permissions, name).await?.content())))
        };
        self.answers.show_result(skill.await, &context.principal)
    }

    /// Saves a skill for a client and confirms it in one line.
    pub(crate) async fn save_skill(
        &self,
        request: SaveSkill,
        context: &RunContext,
    ) -> ShowResult<ToolText> {
        let clock = Stopwatch::start(self.recorder.now());
        let id = new_run_id(clock.started_at);
        let person = &self.approvals.person(context);
        let saved = async {
            let language = match request.language.as_deref() {
                None => Language::of(&request.code),
                Some(word) => Language::parse(word).ok_or_else(|| {
                    RunError::new(ErrorCode::BadArgument, "`language` is `typescript` or `python`")
                })?,
            };
            let permissions = self.policy.permissions(context.profile.as_deref())?;
            let permissions = &permissions;
            let called = &OnceLock::new();
            let caller = Caller { run: &id, permissions, language, person, entry: None, called };
            self.save_checked(&caller, request).await
        };
        let saved = saved.await;
        let record = RunRecord {
            id: id.clone(),
            started_at: clock.started_at,
            kind: "save_skill",
            program: None,
            outcome: outcome_of(saved.as_ref().err()),
            duration: clock.elapsed(),
            tool_calls: 0,
            result_bytes: 0,
            answer_tokens: 0,
            handle: None,
        };
        let saved = self.record(person, record).await.and(saved);
        let saved = saved.map(|saved| ToolText::new(saved.to_string()));
        self.answers.show_result(saved, &context.principal)
    }

    /// Saves a skill for a program, in the program's language.
    pub(crate) async fn save_for_program(
        &self,
        caller: &Caller<'_>,
        body: &str,
    ) -> Result<Value, RunError> {
        let request: SaveSkill = serde_json::from_str(body).map_err(|_| {
            let (function, example) = match caller.language {
                Language::TypeScript => {
                    ("saveSkill", "await saveSkill(\"name\", code, \"what it does\")")
                }
                Language::Python => ("save_skill", "save_skill(\"name\", code, \"what it does\")"),
            };
            let message = format!(
                "`{function}` takes a name, the code as text of at most {SKILL_BYTES} bytes, and a \
                 description"
            );
            RunError::new(ErrorCode::BadArgument, message).with_hint(format!("write `{example}`"))
        })?;
        // An agent will read it later.
        let mut leaving = self.privacy.leaving(&caller.person.context().principal);
        let mut redacted = |text: &str| leaving.redact(Origin::AboutTools, text).into_string();
        let request = SaveSkill {
            code: redacted(&request.code),
            description: request.description.as_deref().map(&mut redacted),
            ..request
        };
        self.save_checked(caller, request).await
    }

    fn recorded_name(&self, caller: &Caller<'_>, name: &str) -> String {
        let mut leaving = self.privacy.leaving(&caller.person.context().principal);
        let shown = leaving.redact(Origin::OwnWords, name);
        shown[..shown.floor_char_boundary(100)].escape_debug().to_string()
    }

    async fn save_checked(
        &self,
        caller: &Caller<'_>,
        request: SaveSkill,
    ) -> Result<Value, RunError> {
        let SaveSkill { name, code, description, .. } = request;
        self.recorder.ready(&caller.person.context().principal).await;
        let mut record = Recording {
            recorder: self.recorder.clone(),
            principal: caller.person.context().principal.clone(),
            record: SkillRecord {
                run_id: RunId::clone(caller.run),
                saved_at: self.recorder.now(),
                name: self.recorded_name(caller, &name),
                outcome: Outcome::Failed(ErrorCode::Cancelled),
                replaced: false,
                language: caller.language.as_str(),
                code_bytes: code.len() as u64,
                code_sha256: sha256_hex(&code),
            },
        };
        let described = description.as_deref().unwrap_or_default();
        let decided = may_save(caller.permissions)
            .and_then(|()| has_no_tokens("the skill", &[&code, described]))
            .and_then(|()| SkillName::parse(&name).map_err(|error| skill_error(&error)));
        let name = match decided {
            Ok(name) => name,
            Err(error) => {
                record.record.outcome = Outcome::Failed(error.code);
                return Err(error);
            }
        };
        self.record_effect(caller, &ToolRef::new("", "save_skill")).await?;
        let language = caller.language;
        let path = format!("./skills/{name}/{}", code_file(language));
        let description = description.unwrap_or_default();
        let new = NewSkill { name, code, language, description };
        // The record moves along: a write that has begun is finished and recorded, even
        // if the run ends meanwhile.
        let saved = self.tools.skills.blocking(move |skills| record.save(skills, &new)).await?;
        Ok(json!({"path": path, "replaced": saved == Saved::Replaced}))
    }

    /// One skill, if the permissions allow reading it.
    pub(crate) async fn skill(
        &self,
        permissions: &Permissions,
        name: &str,
    ) -> Result<Skill, RunError> {
        may_read(permissions)?;
        self.tools.skills.find(name).await
    }
}

/// The files of a skill, as a program sees them.
pub(crate) fn skill_files(skill: &Skill) -> Vec<(&'static str, &str)> {
    let code = skill.code.as_ref().map(|(language, code)| (code_file(*language), code.as_str()));
    [(TEXT_FILE, skill.text.as_str())].into_iter().chain(code).collect()
}

/// Records an attempt when it ends, however it ends.
struct Recording {
    recorder: Recorder,
    principal: Principal,
    record: SkillRecord,
}

impl Recording {
    fn save(mut self, skills: &Skills, new: &NewSkill) -> Result<Saved, RunError> {
        let saved = skills.save(new).map_err(|error| skill_error(&error));
        self.record.outcome = outcome_of(saved.as_ref().err());
        self.record.replaced = matches!(saved, Ok(Saved::Replaced));
        saved
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.recorder.tell(&self.principal, Event::Skill(self.record.clone()));
    }
}

fn may_save(permissions: &Permissions) -> Result<(), RunError> {
    permissions.may_write(Scope::Skills).map_err(|refusal| {
        let (reason, hint) = explain::refusal(&refusal);
        let message = format!("`./skills` may not be written to: {reason}");
        RunError::new(ErrorCode::Denied, message).with_hint(hint)
    })
}

fn may_read(permissions: &Permissions) -> Result<(), RunError> {
    permissions.may_read(Scope::Skills).map_err(|refusal| {
        let (reason, hint) = explain::refusal(&refusal);
        RunError::new(ErrorCode::File, format!("`./skills` may not be read: {reason}"))
            .with_hint(hint)
    })
}

/// One line per skill, within the budget.
fn listed(list: &SkillList) -> String {
    let mut text = String::new();
    let mut left = LIST_TOKENS;
    let mut shown = 0;
    for Skill { name, description, code, .. } in &list.skills {
        let kind = code.as_ref().map_or("text", |(language, _)| language.as_str());
        // On one line, or it could look like a line of ours.
        let description = visible_line(description);
        let end = description.floor_char_boundary(LINE_BYTES);
        let cut = if end < description.len() { "…" } else { "" };
        let line = format!("{name} ({kind})  {}{cut}\n", &description[..end]);
        let Some(rest) = left.checked_sub(tokens::count(&line)) else { break };
        left = rest;
        shown += 1;
        text.push_str(&line);
    }
    // Writing to a string cannot fail.
    if shown < list.skills.len() {
        let more = list.skills.len() - shown;
        let _ = writeln!(text, "+{more} more: a program can list ./skills");
    }
    if !list.skipped.is_empty() {
        let _ = writeln!(
            text,
            "{} damaged and left out; the user can see them with `tidegate skills list`",
            list.skipped.len()
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use tidegate_model::Language;
    use tidegate_store::{NewSkill, SkillName, Skills};

    use super::{LIST_TOKENS, listed};
    use crate::tokens;

    #[test]
    fn the_shipped_skill_costs_less_than_500_tokens() {
        let state = tempfile::tempdir().unwrap();
        let skill = Skills::new(state.path()).load("mcp-progressive-discovery").unwrap();
        let cost = tokens::count(&skill.text);
        assert!((100..500).contains(&cost), "{cost}");
    }

    #[test]
    fn a_long_list_stays_within_its_budget_and_says_what_is_missing() {
        let state = tempfile::tempdir().unwrap();
        let skills = Skills::new(state.path());
        for number in 0..60 {
            let new = NewSkill {
                name: SkillName::parse(&format!("a{number}")).unwrap(),
                code: "1".into(),
                language: Language::Python,
                description: "Sums up what was sold, by customer and month. ".repeat(20),
            };
            skills.save(&new).unwrap();
        }
        std::fs::create_dir(state.path().join("skills/damaged")).unwrap();
        let list = skills.list().unwrap();
        let text = listed(&list);
        let lines: Vec<&str> = text.lines().collect();
        let [shown @ .., more, damaged] = lines.as_slice() else { panic!("{text}") };
        assert!((10..40).contains(&shown.len()), "{text}");
        assert!(
            shown.iter().all(|line| line.contains(" (python)  Sums up") && line.ends_with('…'))
        );
        assert_eq!(*more, format!("+{} more: a program can list ./skills", 61 - shown.len()));
        assert_eq!(
            *damaged,
            "1 damaged and left out; the user can see them with `tidegate skills list`"
        );
        // The last two lines are not part of the budget.
        assert!(tokens::count(&text) < LIST_TOKENS + 50);
    }
}
