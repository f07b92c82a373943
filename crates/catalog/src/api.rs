//! The typed API of tools: one tool's definition, or all tools of a server.
//!
//! In: tool definitions and, where a server declares no result schema, the observed one.
//! Out: text for models and type checkers. A single tool's definition is self-contained;
//! the files of a server share their types.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, OnceLock};

use serde_json::Value;
use tidegate_model::{OnChange, ToolDef, visible};

use crate::check_py::{ArgumentStyle, Callable, stubs};
use crate::named_types::{NameCost, NamedTypes, share};
use crate::names::{
    camel_case, is_identifier, is_python_identifier, python_function_names, python_parameters,
};
use crate::note::{Note, with_notes};
use crate::read_schema::{Words, read_schema};
use crate::render_py::{Stub, module, without_head};
use crate::render_ts::{TypeScript, inert};
use crate::shape::ObservedSchema;
use crate::types::{Type, TypeId, Types};

/// Maximum length of a tool description. The longest of 3,031 real ones has 14 KB.
const DESCRIPTION_BYTES: usize = 16 * 1024;

/// The typed API of a server.
#[derive(Debug)]
pub struct ServerApi {
    types: Types,
    shared: NamedTypes,
    tools: Vec<ToolTypes>,
    python_names: Vec<String>,
    declarations: [OnceLock<Arc<str>>; 3],
}

#[derive(Debug)]
struct ToolTypes {
    name: String,
    function: String,
    words: String,
    /// `None` for a tool without arguments.
    input: Option<TypeId>,
    output: Option<TypeId>,
    source: Source,
    /// Python parameters: the name in Python, and the tool's own name.
    parameters: Vec<(String, String)>,
    /// In quarantine: its arguments are neither shown nor checked.
    withheld: bool,
}

/// How a Python program calls a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PythonUse {
    /// How it passes arguments.
    pub passed: ArgumentStyle,
    /// How it writes the tool's name.
    pub spellings: Vec<String>,
}

impl ToolTypes {
    /// The type of the tool's result, if `results` covers it.
    fn output_in(&self, results: ResultTypes) -> Option<TypeId> {
        match (results, self.source) {
            (ResultTypes::Ignored, _) | (ResultTypes::Declared, Source::ObservedSchema) => None,
            (ResultTypes::All, _) | (ResultTypes::Declared, Source::Declared) => self.output,
        }
    }
}

/// Where the type of a result comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// The server declares it, or it is unknown.
    Declared,
    /// It was observed.
    ObservedSchema,
}

/// Which result types a program is checked against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultTypes {
    /// All known types.
    All,
    /// Only those that servers declare.
    Declared,
    /// None: results can be anything.
    Ignored,
}

/// A tool to document, and what is known about it.
pub(crate) struct DocumentedTool<'a> {
    pub(crate) tool: &'a ToolDef,
    pub(crate) function: &'a str,
    pub(crate) observed: Option<&'a ObservedSchema>,
    pub(crate) notes: Vec<Note>,
}

/// The self-contained definition of one tool in TypeScript.
pub(crate) fn definition(subject: DocumentedTool<'_>) -> String {
    let api = ServerApi::read([subject].into_iter(), NameCost::DEFINITION);
    let mut text = api.shared_types("");
    for tool in &api.tools {
        text.push_str(&api.function(tool, ""));
    }
    text.trim_end().to_owned()
}

/// The same in Python.
pub(crate) fn python_definition(subject: DocumentedTool<'_>) -> String {
    let function = subject.function.to_owned();
    let mut api = ServerApi::read([subject].into_iter(), NameCost::DEFINITION);
    api.python_names = vec![function];
    without_head(&api.python()).trim_end().to_owned()
}

/// The Python signature of a tool, without description and result.
pub(crate) fn python_signature(tool: &ToolDef, function: &str) -> String {
    let bare = ToolDef { output_schema: None, description: None, title: None, ..tool.clone() };
    let text = python_definition(DocumentedTool::bare(&bare, function));
    let end = text.rfind(" -> Any:\n").unwrap_or(text.len());
    text[..end].to_owned()
}

/// The signature of a tool, without description and result.
pub(crate) fn signature(tool: &ToolDef, function: &str) -> String {
    let bare = ToolDef { output_schema: None, ..tool.clone() };
    let api =
        ServerApi::read([DocumentedTool::bare(&bare, function)].into_iter(), NameCost::DEFINITION);
    let ts = api.typescript();
    let mut text = api.shared_types("");
    for tool in &api.tools {
        let function = ts.function(&tool.function, tool.input, "");
        text.push_str(function.strip_suffix(": Promise<>").unwrap_or(&function));
    }
    text
}

impl<'a> DocumentedTool<'a> {
    /// Only its arguments.
    fn bare(tool: &'a ToolDef, function: &'a str) -> Self {
        Self { tool, function, observed: None, notes: Vec::new() }
    }
}

impl ServerApi {
    /// Reads all tools of a server in the form in which they are shown. `observed` has the
    /// observed result schemas, `notes` the notes on each tool.
    pub(crate) fn new(
        tools: &[Cow<'_, ToolDef>],
        functions: &[String],
        observed: &BTreeMap<String, Arc<ObservedSchema>>,
        notes: impl Fn(usize) -> Vec<Note>,
    ) -> Self {
        let subjects = tools.iter().zip(functions).enumerate();
        let subjects = subjects.map(|(at, (tool, function))| {
            let observed = observed.get(&tool.name).map(AsRef::as_ref);
            DocumentedTool { tool: tool.as_ref(), function, observed, notes: notes(at) }
        });
        let mut api = Self::read(subjects, NameCost::FILES);
        api.python_names = python_function_names(tools.iter().map(AsRef::as_ref));
        api
    }

    fn read<'a>(tools: impl Iterator<Item = DocumentedTool<'a>>, cost: NameCost) -> Self {
        let mut types = Types::default();
        let mut read = Vec::new();
        let mut roots = Vec::new();
        for DocumentedTool { tool, function, observed, notes } in tools {
            let place = camel_case(&tool.name);
            let input = read_schema(&tool.input_schema, Words::Read, &mut types);
            let input = (!takes_nothing(&types, input)).then_some(input);
            let declared = tool.output_schema.as_ref();
            let output = declared
                .or(observed.map(|observed| &observed.schema))
                .map(|schema| read_schema(schema, Words::Skipped, &mut types));
            roots.extend(input.map(|input| (format!("{place}Input"), input)));
            roots.extend(output.map(|output| (format!("{place}Result"), output)));
            let observed = observed.filter(|_| declared.is_none());
            let parameters = python_parameters(&tool.input_schema);
            let parameters =
                parameters.into_iter().map(|(written, own, _)| (written, own.to_owned())).collect();
            read.push(ToolTypes {
                name: tool.name.clone(),
                function: function.to_owned(),
                words: words(tool, observed, &notes),
                withheld: notes
                    .iter()
                    .any(|note| matches!(note, Note::Changed(_, OnChange::Quarantine))),
                input,
                output,
                source: if observed.is_some() { Source::ObservedSchema } else { Source::Declared },
                parameters,
            });
        }
        let taken: Vec<String> = read.iter().map(|tool| tool.function.clone()).collect();
        let shared = share(&types, &roots, &taken, cost);
        let declarations = Default::default();
        Self { types, shared, tools: read, python_names: Vec::new(), declarations }
    }

    fn typescript(&self) -> TypeScript<'_> {
        TypeScript::new(&self.types, &self.shared)
    }

    /// Names of the TypeScript files of this server.
    pub fn files(&self) -> impl Iterator<Item = String> {
        let types = (!self.shared.named.is_empty()).then(|| "types.ts".to_owned());
        let functions = self.tools.iter().map(|tool| format!("{}.ts", tool.function));
        ["index.ts".to_owned()].into_iter().chain(types).chain(functions)
    }

    /// The text of one of these files.
    pub fn file(&self, name: &str) -> Option<String> {
        match name {
            "index.ts" => Some(self.index()),
            "types.ts" => Some(self.shared_types("export ")).filter(|text| !text.is_empty()),
            _ => {
                let function = name.strip_suffix(".ts")?;
                let tool = self.tools.iter().find(|tool| tool.function == function)?;
                let roots: Vec<TypeId> = tool.input.into_iter().chain(tool.output).collect();
                let mentioned = self.shared.mentioned_by(&self.types, &roots);
                let import = match mentioned.as_slice() {
                    [] => String::new(),
                    names => format!("import type {{{}}} from \"./types\"\n", names.join(",")),
                };
                Some(import + &self.function(tool, "export declare "))
            }
        }
    }

    /// Everything in one TypeScript file that programs are checked against, with each function
    /// under every name that a program can use. A result of unknown type is `any`.
    pub fn declarations(&self, results: ResultTypes) -> Arc<str> {
        let kept = &self.declarations[results as usize];
        Arc::clone(kept.get_or_init(|| self.written_declarations(results).into()))
    }

    fn written_declarations(&self, results: ResultTypes) -> String {
        // Without any text from the server: a type checker needs none.
        let ts = self.typescript().without_words();
        // With `{ raw: true }` as second argument the answer has MCP's own form.
        let mut text = "type __Result<O, R> = O extends [] ? R : any\n".to_owned();
        for named in &self.shared.named {
            let _ = writeln!(text, "export {}", ts.definition(named));
        }
        for tool in &self.tools {
            let output = tool.output_in(results);
            let output = output.map_or("any".to_owned(), |output| ts.result(output));
            let input = tool.input.map_or("input?: {}".to_owned(), |input| ts.parameter(input));
            let function = &tool.function;
            let _ = writeln!(
                text,
                "export declare function {function}<O extends any[]>\
                 ({input}, ...options: O): Promise<__Result<O, {output}>>"
            );
            if tool.name != tool.function && is_identifier(&tool.name) {
                let _ = writeln!(text, "export {{{} as {}}}", tool.function, tool.name);
            }
        }
        // `import github from './servers/github'` works as well.
        text.push_str("import * as __all from \"./index\"\nexport default __all\n");
        text
    }

    /// The stubs that a Python program is checked against: only the tools that it uses, in the
    /// way it calls them. All other tools can be anything.
    pub fn python_declarations(
        &self,
        results: ResultTypes,
        used: &BTreeMap<String, PythonUse>,
    ) -> String {
        let mut callables = Vec::new();
        for (tool, function) in self.tools.iter().zip(&self.python_names) {
            let Some(of) = used.get(&tool.name).filter(|_| !tool.withheld) else { continue };
            let spellings = of.spellings.iter().map(String::as_str);
            let spellings = spellings.filter(|name| is_python_identifier(name) && name != function);
            callables.push(Callable {
                function,
                spellings: spellings.collect(),
                parameters: &tool.parameters,
                passed: of.passed,
                input: tool.input,
                output: tool.output_in(results).filter(|output| self.is_reliable(tool, *output)),
            });
        }
        stubs(&self.types, &self.shared, &callables)
    }

    /// Whether a result always has this type. An observed string may be JSON next time, and is
    /// then an object.
    fn is_reliable(&self, tool: &ToolTypes, output: TypeId) -> bool {
        let ty = self.types.get(self.types.bare(output));
        tool.source == Source::Declared || matches!(ty, Type::Object(_) | Type::List(_))
    }

    /// Whether any result type of these tools is known only from observed results.
    pub fn has_observed(&self) -> bool {
        self.tools.iter().any(|tool| tool.source == Source::ObservedSchema)
    }

    /// The Python module of this server, `__init__.py`.
    pub fn python(&self) -> String {
        let stubs: Vec<Stub<'_>> = self
            .tools
            .iter()
            .zip(&self.python_names)
            .map(|(tool, function)| Stub {
                function,
                words: &tool.words,
                input: tool.input,
                output: tool.output,
            })
            .collect();
        module(&self.types, &self.shared, &stubs)
    }

    fn index(&self) -> String {
        let mut text = String::new();
        for tool in &self.tools {
            let _ = writeln!(text, "export * from \"./{}\"", tool.function);
        }
        text
    }

    fn shared_types(&self, prefix: &str) -> String {
        let ts = self.typescript();
        let mut text = String::new();
        for named in &self.shared.named {
            let _ = writeln!(text, "{prefix}{}", ts.definition(named));
        }
        text
    }

    fn function(&self, tool: &ToolTypes, prefix: &str) -> String {
        let comment = match inert(&tool.words) {
            words if words.is_empty() => String::new(),
            words => format!("/** {words} */\n"),
        };
        let ts = self.typescript();
        let output = tool.output.map_or("unknown".to_owned(), |output| ts.result(output));
        let text = ts.function(&tool.function, tool.input, &output);
        format!("{comment}{prefix}{text}\n")
    }
}

fn takes_nothing(types: &Types, id: TypeId) -> bool {
    match types.get(types.bare(id)) {
        Type::Object(object) => {
            object.fields.is_empty()
                && object.rest.is_none_or(|rest| *types.get(rest) == Type::Unknown)
        }
        _ => false,
    }
}

/// The comment of a tool.
fn words(tool: &ToolDef, observed: Option<&ObservedSchema>, notes: &[Note]) -> String {
    let text = tool.description.as_deref().or(tool.title.as_deref()).unwrap_or_default();
    let text = dedented(&text[..text.floor_char_boundary(DESCRIPTION_BYTES)]);
    let mut text = with_notes(notes, &unfenced(&text));
    let mut tag = |tag: &str| {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(tag);
    };
    let hints = tool.annotations.as_ref();
    if hints.is_some_and(|hints| hints.read_only_hint == Some(true)) {
        tag("@readonly");
    } else if hints.is_some_and(|hints| hints.destructive_hint == Some(true)) {
        tag("@destructive");
    }
    if let Some(example) = example(&tool.input_schema) {
        tag(&format!("@example {example}"));
    }
    if let Some(ObservedSchema { results, .. }) = observed {
        let plural = if *results == 1 { "" } else { "s" };
        tag(&format!("@returns as observed in {results} result{plural}, not promised"));
    }
    text
}

/// An example of a whole input, where the server gives one.
fn example(schema: &Value) -> Option<String> {
    let first = schema.get("examples").and_then(Value::as_array).and_then(|all| all.first());
    let text = first.or_else(|| schema.get("example"))?.to_string();
    (text.len() <= 1000).then(|| visible(&text).into_owned())
}

/// Replaces the marks of Markdown code fences: they would end the code block that a
/// definition is shown in.
fn unfenced(text: &str) -> String {
    let line = |line: &str| {
        let fence = line.trim_start().chars().next().filter(|c| matches!(c, '`' | '~'));
        let marks = |fence| line.trim_start().chars().take_while(|c| *c == fence).count();
        match fence.map(|fence| (fence, marks(fence))) {
            Some((fence, count)) if count >= 3 => {
                let marks: String = std::iter::repeat_n(fence, count).collect();
                line.replacen(&marks, &"'".repeat(count), 1)
            }
            _ => line.to_owned(),
        }
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// A description without the indentation of the source code it was copied from, and with
/// at most one empty line in a row.
fn dedented(text: &str) -> String {
    let lines: Vec<&str> = text.trim().lines().map(str::trim_end).collect();
    let indent = |line: &&str| line.len() - line.trim_start().len();
    let inner = lines.iter().skip(1).filter(|line| !line.is_empty());
    let common = inner.map(indent).min().unwrap_or(0);
    let mut result = String::with_capacity(text.len());
    let mut empty = 0;
    for (at, line) in lines.iter().enumerate() {
        empty = if line.is_empty() { empty + 1 } else { 0 };
        if empty > 1 {
            continue;
        }
        if at > 0 {
            result.push('\n');
        }
        // Not all whitespace is one byte long.
        let start = if at == 0 { 0 } else { common };
        result.push_str(line.get(start..).unwrap_or_else(|| line.trim_start()));
    }
    result
}

/// The first sentence of a description, for lists.
pub fn one_line(tool: &ToolDef) -> String {
    let text = tool.description.as_deref().or(tool.title.as_deref()).unwrap_or_default();
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let sentence = match flat.find(". ") {
        Some(end) => &flat[..=end],
        None => flat.as_str(),
    };
    let end = sentence.floor_char_boundary(160);
    if end < sentence.len() { format!("{}…", &sentence[..end]) } else { sentence.to_owned() }
}

#[cfg(test)]
mod tests;
