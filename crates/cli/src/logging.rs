//! The log on standard error.
//!
//! In: events of all parts, with texts of programs and servers among their fields.
//! Out: one line each. What would end the line, move a cursor, turn the direction of
//! reading or hide is written as an escape, so that nobody can forge a line or steer
//! a terminal. Personal data in it has tokens, as soon as there is a gateway.

use std::sync::{Arc, OnceLock, Weak};

use tidegate_gateway::Gateway;
use tidegate_model::visible_line;
use tracing::{Level, Metadata};
use tracing_subscriber::field::MakeExt;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::fmt::format::debug_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer};

use crate::print::has_colours;

/// Who knows what is personal.
static GATEWAY: OnceLock<Weak<Gateway>> = OnceLock::new();

/// From now on this gateway says what is personal.
pub(crate) fn redact_with(gateway: &Arc<Gateway>) {
    // A process has one gateway; what a second one would know, the bench does not log.
    let _ = GATEWAY.set(Arc::downgrade(gateway));
}

fn redacted(text: String) -> String {
    match GATEWAY.get().and_then(Weak::upgrade) {
        Some(gateway) => gateway.redacted(&text),
        None => text,
    }
}

/// Whether it may be logged at all. The MCP library traces raw answers, before anybody has
/// looked for personal data in them.
fn holds_no_answer(event: &Metadata<'_>) -> bool {
    let of_library = event.target().split("::").next() == Some("rmcp");
    !of_library || *event.level() <= Level::DEBUG
}

/// Starts it, as loud as the command line says, or `RUST_LOG`.
pub(crate) fn start(verbose: u8) {
    let default = match verbose {
        0 => "error",
        1 => "warn,tidegate=info",
        2 => "info,tidegate=debug",
        _ => "debug",
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(default));
    let fields = debug_fn(|writer, field, value| {
        let value = format!("{value:?}");
        let value = redacted(value);
        let value = visible_line(&value);
        match field.name() {
            "message" => write!(writer, "{value}"),
            name => write!(writer, "{name}={value}"),
        }
    });
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(has_colours(&std::io::stderr()))
        .fmt_fields(fields.delimited(" "));
    let lines = lines.with_filter(filter_fn(holds_no_answer));
    tracing_subscriber::registry().with(filter).with(lines).init();
}
