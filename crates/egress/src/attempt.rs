//! The record of one hop.
//!
//! In: what happens during the hop. Out: a [`Connection`], passed to the recorder.
//! Invariant: the record is written when the attempt is dropped, so every hop has one:
//! answered, refused, failed, or cut off with its run.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use tidegate_model::{Alert, Connection, RunId, Verdict};

use crate::counted::Counts;
use crate::error::{EgressError, EgressErrorKind};
use crate::rules::Denial;
use crate::target::Target;
use crate::volume::Volume;

/// Receives the record of each hop when the hop has ended.
pub type ConnectionRecorder<'a> = dyn Fn(Connection) + Send + Sync + 'a;

/// A hop in progress.
pub(crate) struct Attempt<'a> {
    connection: Connection,
    started: Instant,
    pub(crate) counts: Arc<Counts>,
    /// The name under which its bytes are counted, once it is permitted.
    bucket: Option<String>,
    volume: &'a Volume,
    record: &'a ConnectionRecorder<'a>,
}

impl<'a> Attempt<'a> {
    pub(crate) fn start(
        run: &RunId,
        (method, started_at): (&str, SystemTime),
        volume: &'a Volume,
        record: &'a ConnectionRecorder<'a>,
    ) -> Self {
        let connection = Connection {
            run: run.clone(),
            started_at,
            duration: std::time::Duration::ZERO,
            // Operators read this text, and a program can write anything here.
            method: method.chars().take(20).collect::<String>().escape_debug().to_string(),
            host: String::new(),
            port: 0,
            address: None,
            verdict: Verdict::CutOff,
            rule: String::new(),
            bytes_sent: 0,
            bytes_received: 0,
            status: None,
            alert: None,
        };
        let (started, counts) = (Instant::now(), Arc::default());
        Self { connection, started, counts, bucket: None, volume, record }
    }

    pub(crate) fn aim(&mut self, target: &Target) {
        self.connection.host = target.host_text();
        self.connection.port = target.port();
    }

    pub(crate) fn permit(&mut self, rule: &str, bucket: &str) {
        self.connection.rule = rule.to_owned();
        self.bucket = Some(bucket.to_owned());
    }

    pub(crate) fn at(&mut self, address: IpAddr) {
        self.connection.address = Some(address);
    }

    /// Records that this address is refused, whatever the error of the hop is.
    pub(crate) fn refuse_address(&mut self, address: IpAddr, reason: &str) {
        self.connection.address = Some(address);
        self.connection.rule = reason.to_owned();
        self.connection.alert = Some(Alert::DeniedTarget);
    }

    pub(crate) fn answered(&mut self, status: u16) {
        self.connection.status = Some(status);
    }

    pub(crate) fn finish<T>(mut self, outcome: &Result<T, EgressError>) {
        let Err(error) = outcome else {
            self.connection.verdict = Verdict::Allowed;
            return;
        };
        self.connection.verdict = match error.kind() {
            EgressErrorKind::Denied => Verdict::Denied,
            EgressErrorKind::Limited => Verdict::Limited,
            EgressErrorKind::Failed => Verdict::Failed,
        };
        if let EgressError::Denied(Denial::Listed { rule, .. }) = error {
            self.connection.alert = Some(Alert::DeniedTarget);
            self.connection.rule.clone_from(rule);
        } else if self.connection.rule.is_empty() {
            self.connection.rule = error.to_string();
        }
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        let connection = &mut self.connection;
        connection.duration = self.started.elapsed();
        connection.bytes_sent = self.counts.sent();
        connection.bytes_received = self.counts.received();
        if let Some(bucket) = &self.bucket {
            let (sent, received) = (connection.bytes_sent, connection.bytes_received);
            if self.volume.add(bucket, sent, received, Instant::now()) {
                connection.alert.get_or_insert(Alert::Volume);
            }
        }
        if let Some(alert) = connection.alert {
            let (run, alert) = (&connection.run, alert.as_str());
            let (host, port, rule) = (&connection.host, connection.port, &connection.rule);
            let address = connection.address.map(|address| address.to_string());
            tracing::warn!(%run, alert, host, port, address, rule, "suspicious connection");
        }
        (self.record)(connection.clone());
    }
}
