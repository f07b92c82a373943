//! The log on standard error.
//!
//! In: events of all parts, whose fields may hold text of programs and servers.
//! Out: one line for each event. Characters that end the line, move the cursor, reverse the
//! reading direction or hide text are escaped, so that nobody can forge a line or control
//! the terminal. Personal data is replaced with tokens once there is a gateway.

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

/// The gateway, which knows which values are personal.
static GATEWAY: OnceLock<Weak<Gateway>> = OnceLock::new();

/// Redacts the log with this gateway from now on.
pub(crate) fn redact_with(gateway: &Arc<Gateway>) {
    // A process has one gateway, except in benchmarks and the demo, which log no personal
    // data.
    let _ = GATEWAY.set(Arc::downgrade(gateway));
}

fn redacted(text: String) -> String {
    match GATEWAY.get().and_then(Weak::upgrade) {
        Some(gateway) => gateway.redacted(&text),
        None => text,
    }
}

/// Whether an event may be logged. The MCP library traces raw answers, which were not yet
/// searched for personal data.
fn has_no_answer(event: &Metadata<'_>) -> bool {
    let of_library = event.target().split("::").next() == Some("rmcp");
    !of_library || *event.level() <= Level::DEBUG
}

/// Starts the log at the level of the command line, or of `RUST_LOG`.
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
    let lines = lines.with_filter(filter_fn(has_no_answer));
    tracing_subscriber::registry().with(filter).with(lines).init();
}
