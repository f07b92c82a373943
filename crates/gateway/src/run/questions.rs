//! Answers the questions of programs: servers, functions, search, files, tokens.
//!
//! The file tree of a program is generated here and does not exist on disk:
//! `./servers`, `./servers/<server>`, `./servers/<server>/<function>.ts`, and the
//! same for `./skills` (`skills.rs`).

use serde_json::{Value, json};
use tidegate_catalog::{PythonFunction, Resolution};
use tidegate_model::{ErrorCode, Language, RunError, Scope};
use tidegate_policy::Permissions;
use tidegate_wire::Question;

use super::Runner;
use crate::bridge::call::Caller;
use crate::bridge::skills::skill_files;
use crate::explain;
use crate::privacy::{ForProgram, Unscanned};
use crate::tools::contents::contents;
use crate::tools::search::SearchRequest;
use crate::tools::view::View;

/// Not listed in `./servers`: programs take every name there for a server.
const CONTENTS: &str = "README.md";

/// The only file of a server for Python programs.
const PYTHON_FILE: &str = "__init__.py";

impl Runner {
    /// The answer to one question, for the program.
    pub(crate) async fn answer(
        &self,
        view: &View,
        caller: &Caller<'_>,
        question: Question,
        body: &str,
    ) -> ForProgram {
        let (privacy, person) = (&self.bridge.privacy, caller.person);
        let principal = &person.context().principal;
        if question == Question::Pii {
            return privacy.token_answer(principal, body);
        }
        let found = self.found(view, caller, question, body).await;
        let found = Unscanned::new(found.map(|value| value.to_string()));
        privacy.looked_up(principal, found, &person.errors)
    }

    /// What the program asks for, as JSON. All of it comes from the view of the run.
    async fn found(
        &self,
        view: &View,
        caller: &Caller<'_>,
        question: Question,
        body: &str,
    ) -> Result<Value, RunError> {
        let permissions = caller.permissions;
        match question {
            Question::Servers => Ok(json!(view.catalog().servers().collect::<Vec<_>>())),
            Question::Functions => self.functions(view, body).await,
            Question::Search => {
                let request: SearchRequest = serde_json::from_str(body).map_err(|_| {
                    RunError::new(
                        ErrorCode::BadArgument,
                        "`searchTools` takes a query and a detail level",
                    )
                    .with_hint("write `searchTools(\"read a file\", \"full\")`")
                })?;
                let (catalog, failed) = view.complete(&self.bridge.tools.discovery).await;
                let searched =
                    self.bridge.tools.search_among(&catalog, &failed, &request, Some(permissions));
                let mut answer = searched.await;
                if view.language == Language::Python {
                    answer.results.iter_mut().for_each(|result| result.turn_python(&catalog));
                }
                let results = serde_json::to_value(answer.results).map_err(|_| internal())?;
                let recommended = serde_json::to_value(answer.recommended);
                let recommended = recommended.map_err(|_| internal())?;
                Ok(json!({"results": results, "recommended": recommended}))
            }
            Question::ReadDir => {
                may_read(permissions, body)?;
                self.read_dir(view, body).await
            }
            Question::ReadFile => {
                may_read(permissions, body)?;
                self.read_file(view, body).await
            }
            Question::LoadSkill => {
                let skill = self.bridge.skill(permissions, body).await?;
                Ok(Value::String(skill.content().to_owned()))
            }
            Question::SaveSkill => self.bridge.save_for_program(caller, body).await,
            Question::Pii => Err(internal()),
        }
    }

    async fn functions(&self, view: &View, given: &str) -> Result<Value, RunError> {
        if let Some((server, name)) = given.split_once('\n') {
            return self.function(view, server, name).await;
        }
        let (server, tools) = view.server(&self.bridge.tools.discovery, given).await?;
        if view.language == Language::Python {
            return Ok(json!({"server": server, "functions": tools.python_functions()}));
        }
        let names = tools.functions.iter().map(String::as_str);
        let functions: Vec<(&str, &str)> =
            names.zip(tools.tools.iter().map(|tool| tool.name.as_str())).collect();
        Ok(json!({"server": server, "functions": functions}))
    }

    /// One function in any spelling, with its definition. A function that the view does
    /// not have is looked up in the current catalog.
    async fn function(&self, view: &View, server: &str, name: &str) -> Result<Value, RunError> {
        let full = format!("{server}__{name}");
        let mut catalog = view.catalog();
        let id = match catalog.resolve_in(view.language, &full) {
            Resolution::Tool { id, .. } => id,
            _ => {
                let (id, _) = self.bridge.tools.discovery.resolve_in(view.language, &full).await?;
                catalog = self.bridge.tools.discovery.catalog();
                id
            }
        };
        let (functions, definition) = match view.language {
            Language::TypeScript => {
                (json!([[catalog.function_name(&id), id.tool]]), catalog.definition(&id))
            }
            Language::Python => {
                let tools = catalog.server(&id.server).map(|tools| tools.python_functions());
                let is_it = |function: &PythonFunction<'_>| function.1 == id.tool;
                let found: Vec<_> = tools.into_iter().flatten().filter(is_it).collect();
                (json!(found), catalog.python_definition(&id).map(|(_, text)| text))
            }
        };
        Ok(json!({"server": id.server, "functions": functions, "definition": definition}))
    }

    async fn read_dir(&self, view: &View, path: &str) -> Result<Value, RunError> {
        let folder = |name: &str| json!({"name": name, "folder": true});
        let file = |name: String| json!({"name": name, "folder": false});
        match tree_path(path).as_deref() {
            Some([]) => Ok(json!([folder("servers"), folder("skills")])),
            Some([skills]) if skills == "skills" => Ok(self
                .bridge
                .tools
                .skills
                .list()
                .await?
                .skills
                .iter()
                .map(|s| folder(s.name.as_str()))
                .collect()),
            Some([skills, name]) if skills == "skills" => {
                let skill = self.bridge.tools.skills.find(name).await?;
                Ok(skill_files(&skill).into_iter().map(|(name, _)| file(name.to_owned())).collect())
            }
            Some([servers]) if servers == "servers" => {
                Ok(view.catalog().servers().map(folder).collect())
            }
            Some([servers, server]) if servers == "servers" => {
                let (server, _) = view.server(&self.bridge.tools.discovery, server).await?;
                if view.language == Language::Python {
                    return Ok(json!([file(PYTHON_FILE.to_owned())]));
                }
                let catalog = view.catalog();
                Ok(catalog.api(&server).into_iter().flat_map(|api| api.files()).map(file).collect())
            }
            _ => Err(no_such_file(path, view)),
        }
    }

    async fn read_file(&self, view: &View, path: &str) -> Result<Value, RunError> {
        let parts = tree_path(path).unwrap_or_default();
        if parts == ["servers", CONTENTS] {
            let (catalog, _) = view.complete(&self.bridge.tools.discovery).await;
            return Ok(Value::String(contents(&catalog, view.language)));
        }
        let [servers, server, file] = parts.as_slice() else {
            return Err(no_such_file(path, view));
        };
        if servers == "skills" {
            let skill = self.bridge.tools.skills.find(server).await?;
            let found = skill_files(&skill).into_iter().find(|(name, _)| name == file);
            let text = found.map(|(_, text)| Value::from(text));
            return text.ok_or_else(|| no_such_file(path, view));
        }
        if servers != "servers" {
            return Err(no_such_file(path, view));
        }
        let (server, tools) = view.server(&self.bridge.tools.discovery, server).await?;
        let catalog = view.catalog();
        if view.language == Language::Python {
            let text = catalog.api(&server).filter(|_| file == PYTHON_FILE).map(|api| api.python());
            return text.map(Value::String).ok_or_else(|| no_such_file(path, view));
        }
        let text = catalog.api(&server).and_then(|api| {
            // The tool's own spelling works here too.
            let own = || tools.function_of(file.strip_suffix(".ts")?);
            api.file(file).or_else(|| api.file(&format!("{}.ts", own()?)))
        });
        text.map(Value::String).ok_or_else(|| no_such_file(path, view))
    }
}

/// Refuses paths in a folder that the run may not read. A path in no known folder does
/// not exist, which the lookup reports.
fn may_read(permissions: &Permissions, path: &str) -> Result<(), RunError> {
    let parts = tree_path(path).unwrap_or_default();
    let first = parts.first().map(String::as_str);
    let Some(scope) = Scope::ALL.into_iter().find(|scope| Some(scope.as_str()) == first) else {
        return Ok(());
    };
    permissions.may_read(scope).map_err(|refusal| {
        let (reason, hint) = explain::refusal(&refusal);
        let message = format!("`./{}` may not be read: {reason}", scope.as_str());
        RunError::new(ErrorCode::File, message).with_hint(hint)
    })
}

/// The parts of a path in the program's tree. `None` for one that leaves it.
fn tree_path(path: &str) -> Option<Vec<String>> {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name.to_owned()),
        }
    }
    Some(parts)
}

fn no_such_file(path: &str, view: &View) -> RunError {
    let path = &path[..path.floor_char_boundary(200)];
    let in_skills = path.trim_start_matches(['.', '/']).starts_with("skills");
    let hint = match view.language {
        _ if in_skills => "skills are `./skills/<name>/SKILL.md`, with `skill.ts` or `skill.py`",
        Language::TypeScript => "programs see `./servers/<server>/<function>.ts`",
        Language::Python => "programs see `./servers/<server>/__init__.py`",
    };
    RunError::new(ErrorCode::File, format!("`{}` does not exist", path.escape_debug()))
        .with_hint(hint)
}

fn internal() -> RunError {
    RunError::new(ErrorCode::Internal, "the answer could not be written")
}

#[cfg(test)]
mod tests {
    use super::tree_path;

    #[test]
    fn paths_stay_inside_the_tree() {
        let parts = |path: &str| tree_path(path).map(|parts| parts.join("|"));
        assert_eq!(parts("./servers/git/"), Some("servers|git".into()));
        assert_eq!(parts("/servers/../servers"), Some("servers".into()));
        assert_eq!(parts("../etc/passwd"), None);
        assert_eq!(parts("./servers/../../etc"), None);
    }
}
