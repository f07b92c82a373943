//! Splits a command line into commands and their words.
//!
//! In: a line. Out: its commands with quotes and escapes resolved, and whether it redirects
//! or substitutes something. Not a shell: whatever it does not understand, and whatever
//! shells read in different ways, counts as a redirection, which may destroy something.

/// A command line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct CommandLine {
    pub(super) commands: Vec<Vec<String>>,
    /// The first redirection or substitution.
    pub(super) redirection: Option<Redirection>,
}

/// How it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Redirection(pub(super) &'static str);

#[derive(Default)]
struct Splitter {
    line: CommandLine,
    command: Vec<String>,
    word: Option<String>,
}

/// Quotes that PowerShell takes for plain ones.
const TYPOGRAPHIC: &[char] = &['‘', '’', '‚', '‛', '“', '”', '„'];

/// The commands of a line.
pub(super) fn command_line(text: &str) -> CommandLine {
    let mut splitter = Splitter::default();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = splitter.step(c, &rest[c.len_utf8()..]);
    }
    splitter.end_command();
    splitter.line
}

impl Splitter {
    /// Takes one character, and as much of what is after it as belongs to it. Returns the
    /// rest.
    fn step<'t>(&mut self, c: char, rest: &'t str) -> &'t str {
        match c {
            '\'' => self.quoted(rest),
            '"' => self.double_quoted(rest),
            '\\' => self.escaped(rest),
            '`' => self.substitutes("`", rest),
            '$' if !rest.starts_with(|c: char| c.is_whitespace()) => self.substitutes("$", rest),
            '>' => self.redirects(rest),
            '<' if rest.starts_with(['(', '<', '>']) => self.substitutes("<", rest),
            '<' => {
                self.end_word();
                rest
            }
            ';' | '|' | '&' | '\n' | '\r' | '(' | ')' | '{' | '}' => {
                // `&>` and `>&` redirect; `2>&1` was taken with its `>`.
                self.end_command();
                rest
            }
            '#' if self.word.is_none() => self.comment(rest),
            c if c.is_whitespace() || c.is_control() => {
                self.end_word();
                rest
            }
            c => {
                self.push(c);
                rest
            }
        }
    }

    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().push(c);
    }

    fn quoted<'t>(&mut self, rest: &'t str) -> &'t str {
        let Some((text, after)) = rest.split_once('\'') else {
            return self.substitutes("'", "");
        };
        self.word.get_or_insert_default().push_str(text);
        if text.contains(TYPOGRAPHIC) {
            self.set("'");
        }
        after
    }

    /// What an interactive zsh does not take for a comment counts as code.
    fn comment<'t>(&mut self, rest: &'t str) -> &'t str {
        let (comment, after) = rest.split_at(rest.find('\n').unwrap_or(rest.len()));
        let opens = |quote: char| comment.contains(quote) && after.contains(quote);
        if comment.contains([';', '|', '&', '<', '>', '(', '$', '`', '\\'])
            || opens('\'')
            || opens('"')
        {
            self.set("#");
        }
        after
    }

    fn double_quoted<'t>(&mut self, rest: &'t str) -> &'t str {
        let mut characters = rest.char_indices();
        self.word.get_or_insert_default();
        while let Some((at, c)) = characters.next() {
            match c {
                '"' => return &rest[at + 1..],
                '\\' => {
                    let Some((_, c)) = characters.next() else { continue };
                    // In PowerShell, this is the end of the literal.
                    if c == '"' {
                        self.set("\\");
                    }
                    self.push(c);
                }
                '`' | '$' => self.set("$"),
                c if TYPOGRAPHIC.contains(&c) => self.set("\""),
                c => self.push(c),
            }
        }
        self.substitutes("\"", "")
    }

    fn escaped<'t>(&mut self, rest: &'t str) -> &'t str {
        let Some(c) = rest.chars().next() else { return rest };
        // In PowerShell, a backslash escapes nothing.
        if matches!(c, '\'' | '"') {
            self.set("\\");
        }
        if c != '\n' {
            self.push(c);
        }
        &rest[c.len_utf8()..]
    }

    /// `>`, unless it goes to nowhere or to another descriptor.
    fn redirects<'t>(&mut self, rest: &'t str) -> &'t str {
        let target = rest.trim_start_matches(['>', '|']).trim_start_matches([' ', '\t']);
        for harmless in ["&1", "&2", "/dev/null"] {
            if let Some(after) = target.strip_prefix(harmless)
                && !after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_'))
            {
                // The number before it is a descriptor.
                if self.word.as_ref().is_some_and(|word| word.parse::<u8>().is_ok()) {
                    self.word = None;
                }
                self.end_word();
                return after;
            }
        }
        self.set(">");
        self.end_word();
        rest
    }

    fn substitutes<'t>(&mut self, symbol: &'static str, rest: &'t str) -> &'t str {
        self.set(symbol);
        rest
    }

    fn set(&mut self, symbol: &'static str) {
        self.line.redirection.get_or_insert(Redirection(symbol));
    }

    fn end_word(&mut self) {
        self.command.extend(self.word.take());
    }

    fn end_command(&mut self) {
        self.end_word();
        if !self.command.is_empty() {
            self.line.commands.push(std::mem::take(&mut self.command));
        }
    }
}
