//! MCP over standard input and output.
//!
//! In: the session of the only client of this process. Out: nothing, once the client has
//! closed its end. Invariant: standard output carries protocol only.

use std::sync::Arc;

use rmcp::service::{ServerInitializeError, ServiceExt};
use rmcp::transport::stdio_pipes;
use thiserror::Error;
use tidegate_gateway::OpenSession;

use crate::handler::Handler;
use crate::surface::Surface;

/// Why serving failed.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The client did not complete the handshake.
    #[error("the client did not complete the handshake")]
    Handshake(#[source] Box<ServerInitializeError>),
    /// The service task failed.
    #[error("serving failed")]
    Service(#[source] tokio::task::JoinError),
}

/// Serves one client until it closes its end; its session stays open meanwhile.
pub async fn serve_stdio(surface: Surface, session: Arc<OpenSession>) -> Result<(), ServeError> {
    session.gateway().prepare_worker();
    let handler = Handler { surface, session, pending: Arc::default() };
    let service = match handler.serve(stdio_pipes()).await {
        Ok(service) => service,
        // A client that only tests whether the command starts.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(ServeError::Handshake(Box::new(error))),
    };
    service.waiting().await.map_err(ServeError::Service)?;
    Ok(())
}
