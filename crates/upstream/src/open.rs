//! Opens a connection: starts or reaches a server and completes the handshake.
//!
//! In: a configured server, and the provider of its authorization. Out: a [`Connection`],
//! or why there is none. A server that refuses the handshake of one protocol era is tried
//! in the other; one that refuses the authorization is tried once more if there is another
//! authorization.

use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::{ErrorData, ProtocolVersion};
use rmcp::service::{ClientInitializeError, ClientLifecycleMode, ClientServiceExt, RunningService};
use tidegate_model::{Secret, ServerSpec, Transport};
use tokio::sync::watch;

use crate::UpstreamError;
use crate::child::{ChildProcess, Launcher, Termination};
use crate::connection::{Connection, ProtocolEra, ToolChanges, UpstreamClient, clean};
use crate::credentials::{Authorization, CredentialProvider};
use crate::http::{http_reason, http_transport, is_unauthorized};
use crate::stdio::StdioTransport;

/// Opens the connections of one server.
pub(crate) struct Opener {
    spec: Arc<ServerSpec>,
    launcher: Launcher,
    credentials: CredentialProvider,
}

/// A completed handshake.
struct Handshake {
    service: RunningService<RoleClient, UpstreamClient>,
    child: Option<ChildProcess>,
}

/// Why a connection could not be opened, and what may help.
enum OpenFailure {
    /// The server refused the handshake: the other era may work.
    RefusedHandshake(UpstreamError),
    /// The server refused the authorization: another one may work.
    Unauthorized(UpstreamError),
    /// Nothing helps.
    Final(UpstreamError),
}

impl Opener {
    pub(crate) fn new(spec: Arc<ServerSpec>, launcher: Launcher) -> Self {
        let credentials = CredentialProvider::new(&spec);
        Self { spec, launcher, credentials }
    }

    /// Starts or reaches the server and completes the handshake.
    pub(crate) async fn open(&self) -> Result<Connection, UpstreamError> {
        let authorization = self.credentials.authorization();
        let opened = match self.open_in_either_era(&authorization).await {
            Err(OpenFailure::Unauthorized(error)) => {
                match self.credentials.after_refusal(&authorization) {
                    Some(other) => self.open_in_either_era(&other).await,
                    None => Err(OpenFailure::Final(error)),
                }
            }
            opened => opened,
        };
        opened.map_err(OpenFailure::into_error)
    }

    /// Nearly every server still speaks `initialize`, and servers of both eras answer it;
    /// only a server that refuses it is asked in the new era.
    async fn open_in_either_era(
        &self,
        authorization: &Authorization,
    ) -> Result<Connection, OpenFailure> {
        match self.open_in(ProtocolEra::Sessions, authorization).await {
            Err(OpenFailure::RefusedHandshake(_)) => {
                self.open_in(ProtocolEra::Stateless, authorization).await
            }
            opened => opened,
        }
    }

    async fn open_in(
        &self,
        era: ProtocolEra,
        authorization: &Authorization,
    ) -> Result<Connection, OpenFailure> {
        let (changes, _) = watch::channel(ToolChanges::default());
        let client = UpstreamClient::new(changes.clone());
        let lifecycle = match era {
            ProtocolEra::Sessions => ClientLifecycleMode::Initialize,
            ProtocolEra::Stateless => {
                ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::LATEST] }
            }
        };
        let handshake = match &self.spec.transport {
            Transport::Stdio { .. } => self.start(client, lifecycle, authorization).await?,
            Transport::Http { url, .. } => {
                self.reach(url, client, lifecycle, authorization).await?
            }
        };
        let Handshake { service, child } = handshake;
        Ok(Connection::new(self.spec.name.clone(), service, child, changes, era))
    }

    /// Starts a child and completes the handshake over its pipes.
    async fn start(
        &self,
        client: UpstreamClient,
        lifecycle: ClientLifecycleMode,
        authorization: &Authorization,
    ) -> Result<Handshake, OpenFailure> {
        let started = self.launcher.start(&self.spec, authorization);
        let (mut child, pipes) = started.map_err(OpenFailure::Final)?;
        let transport = StdioTransport::new(pipes, child.output_tail().clone());
        let handshake = client.serve_with_lifecycle(transport, lifecycle);
        match tokio::time::timeout(self.spec.connect_timeout, handshake).await {
            Ok(Ok(service)) => Ok(Handshake { service, child: Some(child) }),
            Ok(Err(ClientInitializeError::JsonRpcError(error))) => Err(self.refused(&error)),
            Ok(Err(
                ClientInitializeError::ConnectionClosed(_)
                | ClientInitializeError::TransportError { .. },
            )) => Err(self.failed(child.termination().await)),
            Ok(Err(error)) => {
                let reason = clean(&error.to_string());
                Err(self.failed(Termination { reason, last_output: child.output_tail().text() }))
            }
            Err(_) => Err(self.timed_out(child.output_tail().text())),
        }
    }

    /// Completes the handshake with a remote server.
    async fn reach(
        &self,
        url: &Secret<String>,
        client: UpstreamClient,
        lifecycle: ClientLifecycleMode,
        authorization: &Authorization,
    ) -> Result<Handshake, OpenFailure> {
        let transport = http_transport(url.expose(), authorization, self.spec.max_concurrent)
            .map_err(|reason| self.failed(Termination::without_output(reason)))?;
        let handshake = client.serve_with_lifecycle(transport, lifecycle);
        match tokio::time::timeout(self.spec.connect_timeout, handshake).await {
            Ok(Ok(service)) => Ok(Handshake { service, child: None }),
            Ok(Err(ClientInitializeError::JsonRpcError(error))) => Err(self.refused(&error)),
            Ok(Err(error)) => {
                let end = Termination::without_output(http_reason(&error));
                match is_unauthorized(&error) {
                    true => Err(OpenFailure::Unauthorized(self.start_failed(end))),
                    false => Err(self.failed(end)),
                }
            }
            Err(_) => Err(self.timed_out(String::new())),
        }
    }

    fn refused(&self, error: &ErrorData) -> OpenFailure {
        let reason = format!("it refused the handshake: {}", clean(&error.message));
        OpenFailure::RefusedHandshake(self.start_failed(Termination::without_output(reason)))
    }

    fn failed(&self, end: Termination) -> OpenFailure {
        OpenFailure::Final(self.start_failed(end))
    }

    fn timed_out(&self, last_output: String) -> OpenFailure {
        let within = self.spec.connect_timeout.as_millis();
        let reason = format!("no answer to the handshake within {within} ms");
        self.failed(Termination { reason, last_output })
    }

    fn start_failed(&self, end: Termination) -> UpstreamError {
        let Termination { reason, last_output } = end;
        UpstreamError::StartFailed { server: self.spec.name.clone(), reason, last_output }
    }
}

impl OpenFailure {
    fn into_error(self) -> UpstreamError {
        match self {
            Self::RefusedHandshake(error) | Self::Unauthorized(error) | Self::Final(error) => error,
        }
    }
}
