//! The tools of one server, with the names under which programs call them.
//!
//! In: a tool list as the server sent it. Out: cleaned definitions, function names, and
//! lookup by any spelling. All text from servers enters the catalog here.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use tidegate_model::{Language, ServerInfo, ToolDef, ToolList, cleaned_line, shown_name};

use crate::names::{fold, function_names, python_function_names, python_parameters};
use crate::prose::{CleanedTool, clean};

/// The tools of one server.
#[derive(Debug, Clone, Default)]
pub struct ServerTools {
    /// The server that sent them.
    pub info: ServerInfo,
    /// The tools, in the server's order.
    pub tools: Vec<Arc<ToolDef>>,
    /// Function names, in the same order.
    pub functions: Vec<String>,
    /// Whether the tool contained hidden text, in the same order.
    pub(crate) hid_text: Vec<bool>,
    /// Whether its text addresses the model; checked when it is first shown.
    pub(crate) instructs: Vec<OnceLock<bool>>,
    by_spelling: HashMap<String, usize>,
}

/// A function in Python: its name, the tool, and its parameters in positional order. Each
/// parameter: its Python name, the tool's name for it, and whether `None` means that it is
/// omitted.
pub type PythonFunction<'a> = (String, &'a str, Vec<(String, &'a str, bool)>);

impl ServerTools {
    /// The functions of this server as Python programs call them.
    pub fn python_functions(&self) -> Vec<PythonFunction<'_>> {
        let names = python_function_names(self.tools.iter().map(AsRef::as_ref));
        let function = |(name, tool)| {
            let tool: &ToolDef = tool;
            (name, tool.name.as_str(), python_parameters(&tool.input_schema))
        };
        names.into_iter().zip(self.tools.iter().map(AsRef::as_ref)).map(function).collect()
    }

    /// The function names of all tools in a language.
    pub fn names_in(&self, language: Language) -> Cow<'_, [String]> {
        match language {
            Language::TypeScript => Cow::Borrowed(&self.functions),
            Language::Python => {
                Cow::Owned(python_function_names(self.tools.iter().map(AsRef::as_ref)))
            }
        }
    }

    /// Prepares a tool list for lookups. All text from servers enters here: invisible characters
    /// are removed from prose, names stay unchanged.
    pub fn new(list: &ToolList) -> Self {
        let functions = function_names(&list.tools);
        let mut by_spelling = HashMap::new();
        // Later entries win: an exact name beats a function name, which beats a folded
        // spelling. A folded spelling that two tools share resolves to neither.
        let mut folded: HashMap<String, Option<usize>> = HashMap::new();
        for (at, tool) in list.tools.iter().enumerate() {
            folded.entry(fold(&tool.name)).and_modify(|entry| *entry = None).or_insert(Some(at));
        }
        by_spelling.extend(folded.into_iter().filter_map(|(name, at)| Some((name, at?))));
        by_spelling.extend(functions.iter().cloned().enumerate().map(|(at, name)| (name, at)));
        // The name as it is shown, if that differs.
        let shown = |(at, tool): (usize, &ToolDef)| (shown_name(&tool.name).into_owned(), at);
        by_spelling.extend(list.tools.iter().enumerate().map(shown));
        by_spelling.extend(list.tools.iter().enumerate().map(|(at, tool)| (tool.name.clone(), at)));
        let (mut tools, mut hid_text) = (Vec::new(), Vec::new());
        for CleanedTool { tool, hid_text: hidden } in list.tools.iter().map(clean) {
            tools.push(Arc::new(tool));
            hid_text.push(hidden);
        }
        let instructs = vec![OnceLock::new(); tools.len()];
        let info = clean_info(&list.info);
        Self { info, tools, functions, hid_text, instructs, by_spelling }
    }

    /// Finds a tool by any spelling of its name.
    pub fn find(&self, name: &str) -> Option<&Arc<ToolDef>> {
        self.tools.get(self.position(name)?)
    }

    /// The function name of a tool, given any spelling of its name.
    pub fn function_of(&self, name: &str) -> Option<&str> {
        self.functions.get(self.position(name)?).map(String::as_str)
    }

    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.by_spelling.get(name).or_else(|| self.by_spelling.get(&fold(name))).copied()
    }
}

/// The server's description of itself, on one line and without invisible characters.
fn clean_info(info: &ServerInfo) -> ServerInfo {
    ServerInfo {
        name: cleaned_line(&info.name),
        version: cleaned_line(&info.version),
        protocol_version: cleaned_line(&info.protocol_version),
    }
}
