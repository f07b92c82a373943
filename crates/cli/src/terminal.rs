//! Asks the person at the terminal for approval.
//!
//! Uses the terminal itself, since standard input may be the program. Without a terminal
//! nobody is asked here; `tidegate approvals` answers instead.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, IsTerminal, Write};
use std::pin::Pin;
use std::sync::Arc;

use tidegate_gateway::{Approver, Form, Reply, Shown};
use tidegate_model::visible;

/// The terminal of this process, if a person is there to see it.
pub(crate) fn approver() -> Option<Arc<dyn Approver>> {
    let is_visible = std::io::stderr().is_terminal();
    let terminal = OpenOptions::new().read(true).write(true).open("/dev/tty").ok()?;
    is_visible.then(|| Arc::new(Terminal(terminal)) as Arc<dyn Approver>)
}

struct Terminal(File);

impl Approver for Terminal {
    fn name(&self) -> &'static str {
        "terminal"
    }

    fn ask<'a>(
        &'a self,
        form: &'a Shown<Form>,
    ) -> Pin<Box<dyn Future<Output = Option<Reply>> + Send + 'a>> {
        let (form, terminal) = (form.clone(), self.0.try_clone());
        Box::pin(async move {
            let terminal = terminal.ok()?;
            // A blocking read cannot be cancelled; it ends with the process.
            tokio::task::spawn_blocking(move || ask(&form, &terminal)).await.ok()?
        })
    }
}

fn ask(form: &Form, mut terminal: &File) -> Option<Reply> {
    let text = form.text();
    write!(
        terminal,
        "\r\x1b[K\n{}\n\napprove? [y] once, [s] for this session, [a] all calls of these tools, [N] no: ",
        visible(text.trim_end())
    )
    .ok()?;
    let mut answer = String::new();
    BufReader::new(terminal).read_line(&mut answer).ok()?;
    Some(match answer.trim() {
        "y" | "Y" | "yes" => Reply::Once,
        "s" | "S" | "session" => Reply::Session,
        "a" | "A" | "all" => Reply::AllCalls,
        _ => Reply::Deny,
    })
}
