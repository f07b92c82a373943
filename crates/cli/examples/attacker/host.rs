//! A real gateway that starts the given executable as its worker.
//!
//! In: lines `{"id", "source", "timeout_ms"}` on standard input, all run at once.
//! Out: lines `{"id", "answer"}`, in the order in which they end.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tidegate_config::{Settings, TypeCheck};
use tidegate_gateway::{Gateway, RunContext};
use tidegate_model::{Clock, Isolation, Language, Program};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::task::JoinSet;

pub(crate) fn serve(state: &str, settings: &str) -> ExitCode {
    let wanted: Value = serde_json::from_str(settings).unwrap();
    let executable = wanted["executable"].as_str().unwrap().into();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let gateway =
            Gateway::open(read(state, &wanted), executable, BTreeMap::new(), Clock::system())
                .unwrap();
        println!("{}", json!({"ready": std::process::id()}));
        take_requests(&gateway).await;
    });
    runtime.shutdown_timeout(Duration::from_secs(1));
    ExitCode::SUCCESS
}

fn read(state: &str, wanted: &Value) -> Settings {
    let mut settings = Settings::new(Path::new(state).to_owned());
    settings.checks.types = TypeCheck::Off;
    if let Some(time) = wanted["time_ms"].as_u64() {
        settings.limits.time = Duration::from_millis(time);
    }
    if let Some(bytes) = wanted["memory_bytes"].as_u64() {
        settings.limits.memory_bytes = bytes;
    }
    if let Some(bytes) = wanted["output_bytes"].as_u64() {
        settings.limits.output_bytes = bytes;
    }
    if let Some(seconds) = wanted["cpu_s"].as_u64() {
        settings.limits.cpu = Duration::from_secs(seconds);
    }
    if let Some(level) = wanted["min_isolation"].as_str() {
        let level = Isolation::ALL.into_iter().find(|known| known.as_str() == level);
        settings.sandbox.min_isolation = level.unwrap();
    }
    settings
}

async fn take_requests(gateway: &Arc<Gateway>) {
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let mut runs = JoinSet::new();
    while let Ok(Some(line)) = lines.next_line().await {
        let request: Value = serde_json::from_str(&line).unwrap();
        let gateway = Arc::clone(gateway);
        runs.spawn(async move {
            let program = Program {
                source: request["source"].as_str().unwrap().to_owned(),
                language: Language::TypeScript,
                engine: None,
                timeout: request["timeout_ms"].as_u64().map(Duration::from_millis),
            };
            let answer = gateway.execute(program, &RunContext::default()).await;
            println!("{}", json!({"id": request["id"], "answer": answer}));
        });
    }
    while runs.join_next().await.is_some() {}
}
