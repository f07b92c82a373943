//! Which language a program is written in.

use serde::{Deserialize, Serialize};

/// The languages a program can be written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// TypeScript, or JavaScript, which is the same with fewer types.
    #[default]
    TypeScript,
    /// Python.
    Python,
}

impl Language {
    /// The word for it in requests and reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TypeScript => "typescript",
            Self::Python => "python",
        }
    }

    /// The language that a word of a request means: models write many.
    pub fn parse(word: &str) -> Option<Self> {
        match word.to_ascii_lowercase().as_str() {
            "typescript" | "ts" | "javascript" | "js" | "mjs" | "mts" | "tsx" | "jsx" => {
                Some(Self::TypeScript)
            }
            "python" | "py" | "python3" => Some(Self::Python),
            _ => None,
        }
    }

    /// The language that a program seems to be written in: what its Markdown
    /// fence says, else what its lines look like. TypeScript if nothing does.
    pub fn of(source: &str) -> Self {
        let fence = source.lines().find_map(|line| line.trim_start().strip_prefix("```"));
        if let Some(named) = fence.and_then(|word| Self::parse(word.trim())) {
            return named;
        }
        let (mut python, mut typescript) = (0_u32, 0_u32);
        for line in source.lines().map(str::trim).filter(|line| !line.is_empty()) {
            python += u32::from(is_python(line));
            typescript += u32::from(is_typescript(line));
        }
        if python > typescript { Self::Python } else { Self::TypeScript }
    }
}

/// A line that is Python and no TypeScript.
fn is_python(line: &str) -> bool {
    let code = line.split(" #").next().unwrap_or(line).trim_end();
    let opens = code.ends_with(':')
        && ["def ", "async def ", "class ", "if ", "elif ", "else", "for ", "async for ", "while "]
            .into_iter()
            .chain(["try", "except", "finally", "with ", "async with ", "match ", "case "])
            .any(|word| code.starts_with(word));
    let imports = !code.ends_with(';')
        && !code.contains(['"', '\'', '{', '*'])
        && (code.starts_with("from ") && code.contains(" import ")
            || code.starts_with("import ") && !code.contains(" from "));
    opens
        || imports
        || line.starts_with("# ")
        || line.starts_with("print(") && !code.ends_with(';')
        || line.starts_with("\"\"\"")
        || is_plain_assignment(code)
}

/// `name = value` without a word before it and a semicolon behind it.
fn is_plain_assignment(code: &str) -> bool {
    let Some((name, value)) = code.split_once(" = ") else { return false };
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.')
    };
    name.split(',').all(|name| is_name(name.trim()))
        && !value.ends_with([';', '{', '('])
        && !value.contains("=>")
}

/// A line that is TypeScript and no Python.
fn is_typescript(line: &str) -> bool {
    let starts = ["const ", "let ", "var ", "function ", "async function ", "export ", "//", "/*"]
        .into_iter()
        .chain([
            "interface ",
            "type ",
            "}",
            "console.",
            "import {",
            "import * as ",
            "return await ",
        ])
        .any(|word| line.starts_with(word));
    starts || line.ends_with([';', '{']) || line.contains("=>") || line.contains("===")
}

#[cfg(test)]
mod tests {
    use super::Language;

    #[test]
    fn programs_are_told_apart_by_their_lines() {
        let python = [
            "from servers import github\nissues = github.list_issues(repo='a/b')\nresult = len(issues)",
            "import json\nprint(json.dumps({'a': 1}))",
            "async def main():\n    return await servers.time.now()\nmain()",
            "# count\ntotal = sum(x for x in range(3))\ntotal",
            "Here it is:\n```python\n1 + 1\n```",
            "for i in range(3):\n    print(i)",
            "result = 1",
            "x = 1\ny = 2\nx + y",
        ];
        for source in python {
            assert_eq!(Language::of(source), Language::Python, "{source}");
        }
        let typescript = [
            "return 1",
            "1 + 1",
            "",
            "import * as github from './servers/github'\nreturn github.listIssues({})",
            "const a = 1;\nconsole.log(a);",
            "async () => { return 1 }",
            "```ts\nfor (const x of y) {}\n```",
            "servers.time.now()",
            "for (const x of [1]) {\n  console.log(x)\n}",
            "let total = 0\nfor (const x of [1, 2]) total += x\ntotal",
            "if (a) {\n  b = c\n}",
        ];
        for source in typescript {
            assert_eq!(Language::of(source), Language::TypeScript, "{source}");
        }
    }

    #[test]
    fn words_of_requests_are_understood() {
        assert_eq!(Language::parse("Python"), Some(Language::Python));
        assert_eq!(Language::parse("js"), Some(Language::TypeScript));
        assert_eq!(Language::parse("ruby"), None);
    }
}
