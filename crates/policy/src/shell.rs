//! What a command line does if a shell executes it.
//!
//! In: a command line, or the words of one command. Out: what it does, and the command that
//! says so. A short list of commands is known to read, another to add; everything else may
//! destroy something: a command that is not known, one that runs other commands, and every
//! redirection and substitution.

mod commands;
mod options;
mod words;

use tidegate_model::Effect;

use commands::{Known, known};
use words::{CommandLine, Redirection, command_line};

/// The longest command line that is read, in bytes. A longer one may do anything.
const MAX_BYTES: usize = 64 * 1024;

/// What a command line does, and the command that says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShellEffect {
    pub(crate) effect: Effect,
    pub(crate) command: String,
}

impl ShellEffect {
    fn new(effect: Effect, command: &str) -> Self {
        Self { effect, command: command.chars().take(40).collect() }
    }
}

/// The effect of a command line.
pub(crate) fn of_line(line: &str) -> Option<ShellEffect> {
    if line.len() > MAX_BYTES {
        return Some(ShellEffect::new(Effect::Destructive, "a long command line"));
    }
    strictest(&command_line(line))
}

/// The effect of one command with its arguments. No shell interprets them, unless a word says
/// that one does: `["ls", ";", "rm", "x"]`.
pub(crate) fn of_words(words: &[&str]) -> Option<ShellEffect> {
    let is_operator = |word: &&&str| {
        word.starts_with([';', '|', '&', '>'])
            || word.ends_with([';', '|', '&'])
            || word.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(['<', '>'])
    };
    if let Some(operator) = words.iter().find(is_operator) {
        return Some(ShellEffect::new(Effect::Destructive, operator));
    }
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    (!words.is_empty()).then(|| of_command(&words))
}

/// The effect of a text that may be prose: only a command that is known to destroy, with
/// arguments that look like those of a command, or one that prints into a file. None if it is
/// longer than what is read.
pub(crate) fn of_possible_line(line: &str) -> Option<ShellEffect> {
    if line.len() > MAX_BYTES {
        return None;
    }
    let line = command_line(line);
    let destroying = |name: &str| Some(ShellEffect::new(Effect::Destructive, name));
    for words in &line.commands {
        let Some((name, arguments)) = commands::led(words).split_first() else { continue };
        let name = commands::base_name(name);
        if commands::is_destroying(name) && commands::are_arguments(name, arguments) {
            return destroying(name);
        }
        if line.redirection == Some(Redirection(">")) && commands::is_printing(name) {
            return destroying(">");
        }
    }
    None
}

/// Whether a text is too long to be read as a command line.
pub(crate) fn is_too_long(line: &str) -> bool {
    line.len() > MAX_BYTES
}

fn strictest(line: &CommandLine) -> Option<ShellEffect> {
    if let Some(Redirection(symbol)) = line.redirection {
        return Some(ShellEffect::new(Effect::Destructive, symbol));
    }
    // A folder may be a repository with hooks and drivers of its own.
    let runs = |wanted: &str| {
        line.commands.iter().any(|words| words.first().is_some_and(|one| one == wanted))
    };
    if runs("cd") && runs("git") {
        return Some(ShellEffect::new(Effect::Destructive, "git"));
    }
    let effects = line.commands.iter().filter(|words| !words.is_empty());
    effects.map(|words| of_command(words)).max_by_key(|one| one.effect.strictness())
}

fn of_command(words: &[String]) -> ShellEffect {
    let Some((first, arguments)) = words.split_first() else {
        return ShellEffect::new(Effect::ReadOnly, "");
    };
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let effect = match known(first, &arguments) {
        Known::Reads => Effect::ReadOnly,
        Known::Adds => Effect::Additive,
        Known::No => Effect::Destructive,
    };
    ShellEffect::new(effect, commands::base_name(first))
}

#[cfg(test)]
mod tests;
