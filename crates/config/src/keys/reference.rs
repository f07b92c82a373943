//! Renders `docs/configuration.md` from the key tables.
//!
//! The page is checked in, so that it can be read without building. A
//! test fails if it differs; `UPDATE_DOCS=1 cargo test -p tidegate-config`
//! regenerates it.

use std::fmt::Write;

use crate::keys::approvals::{APPROVALS, RISK};
use crate::keys::checks::CHECKS;
use crate::keys::execution::{EXECUTION, RESOURCES};
use crate::keys::input::INPUT;
use crate::keys::key::{Format, Key, Kind, listed};
use crate::keys::limits::LIMITS;
use crate::keys::network::NETWORK;
use crate::keys::permissions::{COMMAND, PROFILE, TOOLS};
use crate::keys::policy::{EXAMPLE, POLICY, POLICY_DEFAULTS, POLICY_TOP, RULE};
use crate::keys::privacy::PRIVACY;
use crate::keys::python::PYTHON;
use crate::keys::sandbox::SANDBOX;
use crate::keys::search::SEARCH;
use crate::keys::server::SERVER;
use crate::keys::top::TOP;

/// The two example files. A test loads both.
pub(crate) const EXAMPLE_TOML: &str = include_str!("reference/tidegate.toml");
pub(crate) const EXAMPLE_JSON: &str = include_str!("reference/mcp.json");

pub(crate) const EXAMPLE_POLICY: &str = include_str!("reference/policy.toml");

/// The reference page of every key, in Markdown.
pub fn reference_page() -> String {
    let mut page = String::from(HEAD);
    let _ = write!(page, "\n## `tidegate.toml`\n\n```toml\n{EXAMPLE_TOML}```\n");
    let _ = write!(page, "\n## A client's file\n\n{CLIENT_FILES}\n```jsonc\n{EXAMPLE_JSON}```\n");
    page.push_str(VALUES);
    page.push_str("\n## Keys\n\nEmpty cells: the key is not for that file, or has no default.\n");
    section(&mut page, "Top level", TOP);
    section(&mut page, "One server", SERVER);
    section(&mut page, "`limits`", LIMITS);
    section(&mut page, "`sandbox`", SANDBOX);
    section(&mut page, "`python`", PYTHON);
    section(&mut page, "`search`", SEARCH);
    section(&mut page, "`privacy`", PRIVACY);
    section(&mut page, "`approvals`", APPROVALS);
    section(&mut page, "`risk`", RISK);
    section(&mut page, "`network`", NETWORK);
    section(&mut page, "`checks`", CHECKS);
    section(&mut page, "One profile", PROFILE);
    section(&mut page, "`tools`", TOOLS);
    section(&mut page, "`policy`", POLICY);
    section(&mut page, "`input`", INPUT);
    section(&mut page, "One command", COMMAND);
    section(&mut page, "`mcpCodeExecution`", EXECUTION);
    section(&mut page, "`mcpCodeExecution.resourceLimits`", RESOURCES);
    let _ = write!(page, "\n## `policy.toml`\n\n{POLICY_FILE}\n```toml\n{EXAMPLE_POLICY}```\n");
    own_section(&mut page, "Top level of a policy", POLICY_TOP);
    own_section(&mut page, "`defaults`", POLICY_DEFAULTS);
    own_section(&mut page, "One rule", RULE);
    own_section(&mut page, "One example", EXAMPLE);
    page
}

const HEAD: &str = "\
# Configuration

<!-- Generated from crates/config/src/keys. Do not edit; run
     UPDATE_DOCS=1 cargo test -p tidegate-config -->

Without `--config`, the first file that exists is read:

1. `tidegate.toml` in the current folder or one above it
2. `.mcp.json` in the current folder or one above it
3. `tidegate.toml` in the user's configuration folder (`$XDG_CONFIG_HOME/tidegate` on Linux)

Without any file there is no server, and the limits and checks have their defaults. State lives
under `TIDEGATE_HOME`, by default in the platform's data folder (`$XDG_DATA_HOME/tidegate` on Linux).

Unknown keys and values of the wrong type are errors. Each error names the file, the line and the
column, and never shows a value.
";

const CLIENT_FILES: &str = "\
Any JSON file with `mcpServers` (or `servers`, as VS Code writes it) is used as it is. Other keys at
its top level belong to the client and are ignored, unless one looks like a typo of ours.
";

const POLICY_FILE: &str = "\
What the rules mean, and which of them wins: [policy.md](policy.md). The first file that exists is
read: the one that `[policy]` names, `policy.toml` beside the configuration in use, `policy.toml` in
the user's configuration folder. Variables are not expanded in it.
";

const VALUES: &str = "
## Values

* **Durations** are a whole number and a unit: `500ms`, `30s`, `2m`, `1h`. A number alone counts
  milliseconds.
* **Sizes** are a whole number and a unit: `64KB`, `256MB`, `1GB`. Units count in 1024 under each of
  their names, so `MB`, `MiB` and `m` are all 1024 * 1024 bytes. A number alone counts bytes.
* **Variables** are expanded in `command`, `args`, `cwd`, `url`, `tsc` and `ca_file`, of a command in
  `path`, `read` and `write`, and in the values of `env` and `headers`: `${NAME}`, `${NAME:-default}`
  (for a variable that is not set or empty) and
  `${env:NAME}`. A variable that is not set and has no default is an error. `$${` writes a plain
  `${`; any other `$`, and `$$`, stays as it is.
* `${workspaceFolder}` is the folder of the file, or the one above it if that is `.vscode`. A
  relative `cwd`, `tsc` or `ca_file` counts from there. `${input:...}` is refused: only VS Code can ask.
* **Server names** have from 1 to 64 characters with at least one letter or digit; no slash, no
  invisible character and no `__`. Two names must differ in more than case and punctuation.
";

fn section<Id>(page: &mut String, title: &str, keys: &[Key<Id>]) {
    let _ = write!(page, "\n### {title}\n\n");
    page.push_str("| in `tidegate.toml` | in a client's file | takes | default | meaning |\n");
    page.push_str("| --- | --- | --- | --- | --- |\n");
    for key in keys {
        let toml = listed(key.spellings(Format::Toml));
        let json = listed(key.spellings(Format::Json));
        let cells = [&toml, &json, &takes(&key.kind), &(key.default)(), key.doc];
        for cell in cells {
            // An empty cell is one space, not two: editors trim the second.
            let space = if cell.is_empty() { "" } else { " " };
            let _ = write!(page, "|{space}{cell} ");
        }
        page.push_str("|\n");
    }
}

/// The keys of a file that has one form only.
fn own_section<Id>(page: &mut String, title: &str, keys: &[Key<Id>]) {
    let _ = write!(page, "\n### {title}\n\n| key | takes | default | meaning |\n");
    page.push_str("| --- | --- | --- | --- |\n");
    for key in keys {
        let name = listed(key.spellings(Format::Toml));
        let _ = write!(page, "| {name} | {} |", takes(&key.kind));
        let default = (key.default)();
        let space = if default.is_empty() { "" } else { " " };
        let _ = writeln!(page, "{space}{default} | {} |", key.doc);
    }
}

fn takes(kind: &Kind) -> String {
    let name = match kind {
        Kind::Text => "text".into(),
        Kind::Word(words) => listed(words),
        Kind::TextList => "list of text".into(),
        Kind::WordList(words) => format!("list of {}", listed(words)),
        Kind::Words(words) => format!("{} or a list of them", listed(words)),
        Kind::TextMap => "names with text".into(),
        Kind::Flag => "`true` or `false`".into(),
        Kind::Duration => "duration".into(),
        Kind::Size { .. } => "size".into(),
        Kind::Count { .. } => "whole number".into(),
        Kind::Texts => "text or list of text".into(),
        Kind::TextsMap => "names with text or list of text".into(),
        Kind::Section => "keys".into(),
        Kind::Sections => "list of keys".into(),
        Kind::Foreign { .. } => "anything".to_owned(),
    };
    match kind.range() {
        Some((least, most)) => format!("{name}, `{least}` to `{most}`"),
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::reference_page;

    #[test]
    fn the_checked_in_page_is_the_generated_one() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/configuration.md");
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&path, reference_page()).unwrap();
        }
        let checked_in = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(checked_in, reference_page(), "run with UPDATE_DOCS=1 to write it again");
    }
}
