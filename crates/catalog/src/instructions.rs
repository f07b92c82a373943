//! Detects tool texts that address the model instead of describing the tool.
//!
//! In: the texts of a tool. Out: whether one of them reads like an instruction.
//! This informs and does not protect: whoever knows the patterns can avoid them. `policy`
//! decides what a run may do, whatever a model has read.
//!
//! The patterns cover the known classes of poisoned descriptions. Each requires a verb
//! and its object close together, since single words ("system", "secret", "must")
//! occur in honest descriptions too. How many honest tools they flag is measured in
//! `instructions/tests.rs` and docs/untrusted-tools.md.

use std::sync::LazyLock;

use regex::bytes::{RegexSet, RegexSetBuilder};
use tidegate_model::{ToolDef, cleaned};

use crate::prose::for_each_text;

/// How much of each text is checked: the longest of 3,031 real descriptions has 14 KB.
const LOOKED_AT_BYTES: usize = 32 * 1024;

/// Whether a text of the tool reads like an instruction to the model.
pub(crate) fn holds_instructions(tool: &ToolDef) -> bool {
    let mut found = false;
    for_each_text(tool, &mut |text| found = found || instructs(text));
    found
}

/// Whether a text reads like an instruction to the model.
pub(crate) fn instructs(text: &str) -> bool {
    // Most names and values are single words and need no check.
    let says_something = text.contains([' ', '<', '[', '\n']) || !text.is_ascii();
    says_something && PATTERNS.is_match(normal(text).as_bytes())
}

/// Normalizes a text for the patterns: lower-case letters, one space between words,
/// no quotes or emphasis, full-width letters as ordinary ones.
fn normal(text: &str) -> String {
    let text = cleaned(&text[..text.floor_char_boundary(LOOKED_AT_BYTES)]);
    let mut result = String::with_capacity(text.len());
    for c in text.chars() {
        let c = match c {
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
            c => c,
        };
        match c {
            '*' | '`' | '"' | '\'' | '“' | '”' | '‘' | '’' => {}
            c if c.is_whitespace() => {
                if !result.ends_with(' ') {
                    result.push(' ');
                }
            }
            c => result.extend(c.to_lowercase()),
        }
    }
    result
}

static PATTERNS: LazyLock<RegexSet> = LazyLock::new(|| {
    // Bytes instead of characters, and a large DFA cache: both are faster. A test ensures
    // that the patterns compile.
    let built = RegexSetBuilder::new(SOURCES).unicode(false).dfa_size_limit(16 << 20).build();
    built.unwrap_or_else(|_| RegexSet::empty())
});

const SOURCES: &[&str] = &[
    // Overriding earlier instructions.
    r"\b(ignore|disregard|forget|override|bypass|discard)\b[^.]{0,30}\b(previous|prior|above|earlier|preceding|your|system|safety|other|existing)\b[^.]{0,30}\b(instructions?|prompts?|rules|guidelines|directives|constraints|training|guardrails|messages|told)\b",
    r"\b(ignoriere|vergiss)\b[^.]{0,30}\banweisungen\b",
    r"\b(ignora|olvida|ignore|oublie|esqueça)z?\b[^.]{0,20}\b(instrucciones|instructions (précédentes|antérieures)|consignes|instruções)",
    r"(忽略|无视|忘记)(?u:[^。]{0,12})(指令|指示|说明|提示|规则)",
    r"(игнорируй|забудь)[^.]{0,30}(инструкци|указани)",
    r"(指示|命令)を(無視|忘れ)",
    // Hiding something from the user.
    r"\b(do not|dont|never|must not|should not|avoid|without)( ever)? (tell|telling|inform|informing|mention|mentioning|reveal|revealing|notify|notifying|disclose|disclosing|alert|alerting|warn|warning|let)\b[^.]{0,50}\b(users?|humans?|operator|person|owner|anyone|anybody|this (step|instruction|note))\b",
    r"\b(keep|hide|conceal)\b[^.]{0,30}\b(secret|hidden|confidential|private)?\s?from (the |your )?(users?|humans?|operator|person)\b",
    r"\b(secretly|covertly|quietly|silently)\b[^.]{0,30}\b(send|forward|copy|upload|include|add|read|call|run|execute|append|pass|bcc)\b",
    // Role markers and special tags.
    r"<\s*/?\s*(system|important|assistant|secret|hidden|admin|instructions?|critical|system[-_ ](prompt|message|reminder|note))\s*/?>",
    r"<\|[a-z_]{2,20}\|>|\[/?inst\]|<</?sys>>|\[system\]|#{2,} ?(system|instructions?|new instructions?) ?:",
    r"\b(system|developer|admin) (override|prompt|notice|instructions?|command)\s*:",
    // Demands to be called first, or instead of something else.
    r"\bbefore\b[^.]{0,20}\b(any|every|all|each)( of the)?( other)? (tools?|functions?|actions?|requests?|tasks?|responses?)\b[^.]{0,80}\b(must|always|first|call|run|read|use|invoke)\b",
    r"\b(must|always|first|required to|need to)\b[^.]{0,60}\bbefore\b[^.]{0,20}\b(any|every|all|each)( of the)?( other)? (tools?|functions?|actions?|requests?|tasks?|responses?)\b",
    r"\byou (must|have to|need to|should) (always )?first (call|run|invoke|read|open|execute)\b",
    r"\b(when|whenever|every time|each time|if)\b[^.]{0,50}\b(tools?|functions?|server|emails?|messages?)\b[^.]{0,50}\b(always|must|also)\b[^.]{0,30}\b(bcc|forward|redirect|copy|recipient)\b",
    r"\b(do not|dont|never) (use|call|trust|invoke)\b[^.]{0,20}\b(any )?other (tools?|servers?|functions?)\b",
    // Secrets of the machine or the conversation as arguments.
    r"\b(read|open|load|cat|include|send|pass|provide|attach|append|copy|paste|upload|put|output|fetch|collect|gather|list)\b[^.]{0,60}([~$/.\\]ssh\b|id_rsa|id_ed25519|/etc/(passwd|shadow)|\.aws/|\.kube/config|\.netrc|\.npmrc|\.git-credentials|mcp\.json|claude_desktop_config|\.cursor/)",
    r"\b(include|send|pass|attach|append|copy|paste|upload|put|output|collect|gather|dump)\b[^.]{0,40}\b(your|the users?|all|any|available|every|local|process|full)( [a-z]+)? (environment variables|env vars?|api keys?|credentials|secrets|passwords|private keys?|access tokens?)\b",
    r"\b(read|include|send|pass|attach|append|copy|paste|repeat|print|output|reveal|summari[sz]e|put)\b[^.]{0,40}\b((system|initial|your) prompt|your (system )?(instructions|context window)|(entire|whole|full|complete|previous|all|this|prior) (conversation|chat|messages|dialog(ue)?)( history)?|(conversation|chat) (history|log|transcript))\b[^.]{0,60}\b(parameter|argument|field|here|this tool|request|url|body|in the|into|as)\b",
    // A new role, or addressing the model.
    r"\b(you are now|from now on,? you|your (new|real|true|actual) (task|instructions?|goal|role|objective|purpose|system prompt))\b",
    r"\b(jailbreak|developer mode|dan mode|unrestricted (mode|ai))\b",
    r"\b(notes?|messages?|instructions?|attention|reminders?|important|hint)( (to|for)|,|:)? (the |any |all )?(ai|llm|language model|ai model|ai assistant|ai agent|claude|gpt|chatgpt|gemini|copilot)s?\b( (assistant|model|agent)s?)?\s?([:!]|—|–| - )",
    // Skipping confirmation, or sending data elsewhere.
    r"\b(do not|dont|never) (ask|wait|prompt|request|seek)\b[^.]{0,20}\b(for )?(confirmation|permission|approval|consent)\b",
    r"\b(send|post|forward|upload|transmit|exfiltrate|leak|report|bcc|copy)\b[^.]{0,60}\b(results?|contents?|data|conversation|responses?|outputs?|files?|everything|emails?|messages?|keys?|tokens?)\b[^.]{0,40}\bto (https?://|[a-z0-9._-]+@[a-z0-9-]+\.)",
];

#[cfg(test)]
mod tests;
