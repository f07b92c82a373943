//! Prints progress lines with the elapsed time, and runs commands under such a line.
//!
//! Out: lines on stderr, `[  12.3s] what happens`.

use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

pub(crate) struct Progress {
    start: Instant,
}

impl Progress {
    pub(crate) fn start() -> Self {
        Self { start: Instant::now() }
    }

    pub(crate) fn say(&self, text: &str) {
        eprintln!("[{:6.1}s] {text}", self.start.elapsed().as_secs_f32());
    }

    /// Runs a command whose output the reader wants to see.
    pub(crate) fn run(&self, what: &str, command: &mut Command) -> Result<()> {
        self.say(&format!("{what}: {}", shown(command)));
        let status =
            command.status().with_context(|| format!("cannot start {}", shown(command)))?;
        if !status.success() {
            bail!("{what} failed: {status}");
        }
        Ok(())
    }

    /// Runs a command whose output matters only if it fails. Returns its standard output.
    pub(crate) fn run_quietly(&self, what: &str, command: &mut Command) -> Result<String> {
        self.say(what);
        output_of(command).with_context(|| format!("{what} failed"))
    }
}

/// The standard output of a command that must succeed.
pub(crate) fn output_of(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {}", shown(command)))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        let stdout = String::from_utf8_lossy(&output.stdout);
        bail!(
            "{} ended with {}\n{}{}",
            shown(command),
            output.status,
            stdout,
            last_lines(&stderr, 30)
        );
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn shown(command: &Command) -> String {
    let mut text = format!("`{}", command.get_program().to_string_lossy());
    for argument in command.get_args() {
        text.push(' ');
        text.push_str(&argument.to_string_lossy());
    }
    text + "`"
}

/// An installer can print a lot; the reason is at the end.
pub(crate) fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}
