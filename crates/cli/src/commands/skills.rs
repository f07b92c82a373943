//! `tidegate skills list|show|remove`: for the user, who is not limited by any profile.

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Value, json};
use tidegate_config::Environment;
use tidegate_gateway::admin::{Admin, Skill, SkillError, SkillList, SkillOrigin, code_file};

use crate::args::{SkillsArgs, SkillsCommand};
use crate::{context, print};

pub(crate) fn run(config: &Option<PathBuf>, args: &SkillsArgs) -> anyhow::Result<ExitCode> {
    let settings = context::settings(config, &Environment::from_process())?;
    let skills = Admin::new(&settings).skills();
    let done = match &args.command {
        SkillsCommand::List { json } => skills.list().map(|found| list(&found, *json)),
        SkillsCommand::Show { name, json } => skills.load(name).map(|skill| show(&skill, *json)),
        SkillsCommand::Remove { name } => {
            skills.remove(name).map(|()| print::line(format!("removed `{name}`")))
        }
    };
    match done {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error) => failed(error),
    }
}

fn list(found: &SkillList, json: bool) {
    if json {
        let skills: Vec<Value> = found.skills.iter().map(entry).collect();
        let skipped: Vec<Value> = found
            .skipped
            .iter()
            .map(|(name, problem)| json!({"name": name, "problem": problem}))
            .collect();
        print::json(&json!({"skills": skills, "skipped": skipped}));
        return;
    }
    for skill in &found.skills {
        let name = print::bold(skill.name.as_str());
        print::line(format!("{name}  ({})  {}", kind(skill), skill.description));
    }
    for (name, problem) in &found.skipped {
        print::note(format!("warning: `{name}` is skipped: {problem}"));
    }
}

fn show(skill: &Skill, json: bool) {
    if json {
        let mut whole = entry(skill);
        whole["text"] = skill.text.as_str().into();
        whole["code"] = skill.code.as_ref().map(|(_, code)| code.as_str()).into();
        print::json(&whole);
        return;
    }
    print::line(print::harmless(skill.text.trim_end()));
    if let Some((language, code)) = &skill.code {
        print::line(format!("\n{}", print::bold(code_file(*language))));
        print::line(print::harmless(code.trim_end()));
    }
}

fn entry(skill: &Skill) -> Value {
    json!({
        "name": skill.name.as_str(),
        "description": skill.description,
        "triggers": skill.triggers,
        "language": skill.code.as_ref().map(|(language, _)| language.as_str()),
        "shipped": skill.origin == SkillOrigin::Shipped,
    })
}

fn kind(skill: &Skill) -> &'static str {
    match (&skill.code, skill.origin) {
        (Some((language, _)), _) => language.as_str(),
        (None, SkillOrigin::Shipped) => "shipped",
        (None, SkillOrigin::Saved) => "text",
    }
}

/// An invalid name is wrong usage; everything else is a failure.
fn failed(error: SkillError) -> anyhow::Result<ExitCode> {
    let hint = match &error {
        SkillError::Unknown { hint: None, .. } => "`tidegate skills list` has all of them".into(),
        other => other.hint(),
    };
    match error {
        SkillError::BadName { .. } => Err(print::Usage(format!("{error}\nhint: {hint}")).into()),
        // Its cause is an error of the operating system.
        SkillError::Folder(_) => Err(error.into()),
        other => {
            print::error(&format!("error: {other}\nhint: {hint}"));
            Ok(ExitCode::FAILURE)
        }
    }
}
