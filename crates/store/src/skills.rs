//! Skills: saved programs and texts that can be used again.
//!
//! `<state>/skills/<name>/SKILL.md` (front matter with name, description and triggers,
//! then text) and, if the skill is code, `skill.ts` or `skill.py` beside it. One skill
//! is built into the executable. In: names and texts chosen by programs and models.
//! Out: text; nothing is run here.
//!
//! Invariant: nothing outside of the folder is read or written, whatever a name says
//! and whatever the folder contains. Damaged skills are reported and skipped; the rest
//! is served.

mod error;
mod folder;
mod front_matter;
mod name;
mod skill;

use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;
use rustix::io::Errno;
use tidegate_model::{Language, cleaned_line, did_you_mean};

use crate::private_files::create_private_dir;
use crate::skills::folder::{Folder, PART, Unreadable};
use crate::skills::front_matter::{DESCRIPTION_CHARACTERS, FrontMatter};
use crate::skills::name::clipped;
use crate::skills::skill::{LANGUAGES, SHIPPED_NAME, shipped};

pub use error::SkillError;
pub use name::SkillName;
pub use skill::{NewSkill, Origin, Saved, Skill, SkillList, TEXT_FILE, code_file};

/// Longest text and longest code of a skill. Chosen: about 16,000 tokens, which is
/// more than anybody wants to read at once.
pub const SKILL_BYTES: usize = 64 * 1024;
/// How many skills can be saved. Chosen: with [`SKILL_BYTES`] at most 64 MB.
pub const MAX_SKILLS: usize = 500;
/// How many names of the folder are looked at. Chosen: leaves room for entries that are
/// not skills.
const MAX_NAMES: usize = 4 * MAX_SKILLS;

const FOLDER: &str = "skills";
/// The skills of a state folder. All functions block on disk access.
#[derive(Debug, Clone)]
pub struct Skills {
    state_dir: PathBuf,
}

impl Skills {
    /// Uses the folder `skills` of a state folder; creates it when needed.
    pub fn new(state_dir: &Path) -> Self {
        Self { state_dir: state_dir.to_owned() }
    }

    /// All skills.
    pub fn list(&self) -> Result<SkillList, SkillError> {
        let mut list = SkillList { skills: vec![shipped()?], ..SkillList::default() };
        let Some(folder) = self.open(FlockOperation::LockShared)? else { return Ok(list) };
        let (names, more) = folder.names(MAX_NAMES).map_err(SkillError::Folder)?;
        for name in names {
            // File managers and editors create these; no skill name starts with a dot.
            if name.starts_with(b".") {
                continue;
            }
            let shown = String::from_utf8_lossy(&name).into_owned();
            match read(&folder, &shown) {
                Ok(_) if list.skills.len() > MAX_SKILLS => {
                    list.skipped.push((
                        clipped(&shown),
                        format!("exceeds the limit of {MAX_SKILLS} skills"),
                    ));
                }
                Ok(skill) => list.skills.push(skill),
                Err(problem) => list.skipped.push((clipped(&shown), problem)),
            }
        }
        if more {
            list.skipped.push(("…".into(), format!("more than {MAX_NAMES} entries")));
        }
        list.skills.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(list)
    }

    /// The names of all skills, without looking into them.
    fn names(&self) -> Result<Vec<String>, SkillError> {
        let mut names = vec![SHIPPED_NAME.to_owned()];
        if let Some(folder) = self.open(FlockOperation::LockShared)? {
            let (found, _) = folder.names(MAX_NAMES).map_err(SkillError::Folder)?;
            let found = found.into_iter().filter_map(|name| String::from_utf8(name).ok());
            names.extend(found.filter(|name| {
                name != SHIPPED_NAME && SkillName::parse(name).is_ok() && folder.has_folder(name)
            }));
        }
        names.sort();
        Ok(names)
    }

    /// One skill. If there is none of this name, the error suggests similar names.
    pub fn load(&self, given: &str) -> Result<Skill, SkillError> {
        let name = SkillName::parse(given).or_else(|error| match &error {
            SkillError::BadName { nearest: Some(nearest), .. } => self.unknown(given, nearest),
            _ => Err(error),
        })?;
        if name.as_str() == SHIPPED_NAME {
            return shipped();
        }
        let folder = self.open(FlockOperation::LockShared)?;
        let Some(folder) = folder.filter(|folder| folder.has(name.as_str())) else {
            return self.unknown(given, name.as_str());
        };
        read(&folder, name.as_str())
            .map_err(|problem| SkillError::Damaged { name: name.to_string(), problem })
    }

    /// The error for an unknown skill, with similar names.
    fn unknown<T>(&self, given: &str, near: &str) -> Result<T, SkillError> {
        let names = self.names()?;
        let hint = did_you_mean(near, names.iter().map(String::as_str));
        Err(SkillError::Unknown { name: clipped(given), hint })
    }

    /// Saves a skill, completely or not at all.
    pub fn save(&self, new: &NewSkill) -> Result<Saved, SkillError> {
        let (name, description) = (new.name.as_str(), checked(new)?);
        create_private_dir(&self.state_dir).map_err(|error| match error {
            crate::StoreError::File { source, .. } => SkillError::Folder(source),
            other => SkillError::Folder(io::Error::other(other)),
        })?;
        let state = Folder::at(&self.state_dir).map_err(SkillError::Folder)?;
        let all = state.folder_made(FOLDER).map_err(SkillError::Folder)?;
        all.lock(FlockOperation::LockExclusive).map_err(SkillError::Folder)?;
        if !all.has(name) {
            let (names, more) = all.names(MAX_NAMES).map_err(SkillError::Folder)?;
            let taken = names.iter().filter(|name| !name.starts_with(b".")).count();
            if more || taken >= MAX_SKILLS {
                return Err(SkillError::TooMany { limit: MAX_SKILLS });
            }
        }
        let damaged = |error: io::Error| SkillError::Damaged {
            name: name.to_owned(),
            problem: no_folder(&error).to_owned(),
        };
        let own = all.folder_made(name).map_err(damaged)?;
        let saved = if own.has(TEXT_FILE) { Saved::Replaced } else { Saved::New };
        let matter = FrontMatter { name: name.to_owned(), description, triggers: Vec::new() };
        // In this order: without its text, it is not a skill yet.
        own.write(code_file(new.language), &new.code).map_err(SkillError::Folder)?;
        own.write(TEXT_FILE, &text_of(&matter, new.language)).map_err(SkillError::Folder)?;
        for other in LANGUAGES.into_iter().filter(|other| *other != new.language) {
            own.remove(code_file(other).as_bytes()).map_err(SkillError::Folder)?;
        }
        Ok(saved)
    }

    /// Removes a skill, damaged or not. If its folder has files that are not ours,
    /// nothing is removed.
    pub fn remove(&self, given: &str) -> Result<(), SkillError> {
        let name = SkillName::parse(given)?;
        let name = name.as_str();
        if name == SHIPPED_NAME {
            return Err(SkillError::Shipped { name: name.to_owned() });
        }
        let all = self.open(FlockOperation::LockExclusive)?;
        let Some(all) = all.filter(|all| all.has(name)) else { return self.unknown(given, name) };
        let own = all.folder(name).map_err(|error| SkillError::Damaged {
            name: name.to_owned(),
            problem: no_folder(&error).to_owned(),
        })?;
        let (files, _) = own.names(MAX_NAMES).map_err(SkillError::Folder)?;
        let is_ours = |file: &Vec<u8>| {
            file.starts_with(PART.as_bytes())
                || file == TEXT_FILE.as_bytes()
                || LANGUAGES.iter().any(|&language| file == code_file(language).as_bytes())
        };
        if let Some(other) = files.iter().find(|file| !is_ours(file)) {
            let other = clipped(&String::from_utf8_lossy(other));
            return Err(SkillError::NotOurs { name: name.to_owned(), other });
        }
        for file in &files {
            own.remove(file).map_err(SkillError::Folder)?;
        }
        all.remove_folder(name).map_err(SkillError::Folder)
    }

    /// The folder, locked, if it exists.
    fn open(&self, operation: FlockOperation) -> Result<Option<Folder>, SkillError> {
        let opened = Folder::at(&self.state_dir).and_then(|state| state.folder(FOLDER));
        match opened {
            Ok(folder) => {
                folder.lock(operation).map_err(SkillError::Folder)?;
                Ok(Some(folder))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(SkillError::Folder(error)),
        }
    }
}

/// One skill of the folder, or what is wrong with it.
fn read(all: &Folder, given: &str) -> Result<Skill, String> {
    let name =
        SkillName::parse(given).map_err(|_| "its name is not valid for a skill".to_owned())?;
    if given == SHIPPED_NAME {
        return Err("a skill of this name comes with tidegate".to_owned());
    }
    let own = all.folder(given).map_err(|error| no_folder(&error).to_owned())?;
    let text = file(&own, TEXT_FILE)?.ok_or_else(|| format!("has no `{TEXT_FILE}`"))?;
    let matter = FrontMatter::read(&text).map_err(|problem| format!("`{TEXT_FILE}` {problem}"))?;
    if matter.name != given {
        return Err(format!("`{TEXT_FILE}` is of skill `{}`", clipped(&matter.name)));
    }
    let mut code = None;
    for language in LANGUAGES {
        if let Some(source) = file(&own, code_file(language))?
            && code.replace((language, source)).is_some()
        {
            return Err("has code in two languages".to_owned());
        }
    }
    let FrontMatter { description, triggers, .. } = matter;
    Ok(Skill { name, description, triggers, text, code, origin: Origin::Saved })
}

fn file(own: &Folder, name: &str) -> Result<Option<String>, String> {
    own.text(name, SKILL_BYTES).map_err(|unreadable| match unreadable {
        Unreadable::Problem(problem) => format!("`{name}` {problem}"),
        Unreadable::TooLong => format!("`{name}` is longer than {SKILL_BYTES} bytes"),
        Unreadable::Io(error) => format!("`{name}` cannot be read: {}", error.kind()),
    })
}

fn no_folder(error: &io::Error) -> &'static str {
    match Errno::from_io_error(error) {
        // Systems differ in which of the two they return for a link.
        Some(Errno::LOOP | Errno::NOTDIR) => "is a link or not a folder",
        _ => "its folder cannot be opened",
    }
}

/// Checks a new skill and returns its description.
fn checked(new: &NewSkill) -> Result<String, SkillError> {
    let name = new.name.to_string();
    if new.name.as_str() == SHIPPED_NAME {
        return Err(SkillError::Shipped { name });
    }
    if new.code.trim().is_empty() {
        return Err(SkillError::Empty { name });
    }
    if new.code.len() > SKILL_BYTES {
        let (size, limit) = (new.code.len(), SKILL_BYTES);
        return Err(SkillError::TooLong { what: "code", size, limit, unit: "bytes" });
    }
    let description = cleaned_line(&new.description);
    let size = description.chars().count();
    if size > DESCRIPTION_CHARACTERS {
        let limit = DESCRIPTION_CHARACTERS;
        return Err(SkillError::TooLong { what: "description", size, limit, unit: "characters" });
    }
    if description.is_empty() {
        return Ok(format!("Code in {}, saved without a description", new.language.as_str()));
    }
    Ok(description)
}

/// The SKILL.md of a skill that is code.
fn text_of(matter: &FrontMatter, language: Language) -> String {
    let FrontMatter { name, description, .. } = matter;
    format!(
        "{}\n# {name}\n\n{description}\n\nThe code is in `{}`. `loadSkill(\"{name}\")` in a program in \
         TypeScript and `load_skill(\"{name}\")` in one in Python give its text.\n",
        matter.write(),
        code_file(language)
    )
}

#[cfg(test)]
mod tests;
