//! MCP over standard input and output.
//!
//! In: a gateway and the principal of its only client. Out: nothing, once the client has
//! closed its end. Invariant: standard output carries protocol only.

use std::sync::Arc;

use rmcp::service::{ServerInitializeError, ServiceExt};
use rmcp::transport::stdio_pipes;
use thiserror::Error;
use tidegate_gateway::Gateway;
use tidegate_model::Principal;

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

/// Serves one client until it closes its end.
pub async fn serve_stdio(
    gateway: Arc<Gateway>,
    surface: Surface,
    principal: Principal,
) -> Result<(), ServeError> {
    gateway.prepare_worker();
    let handler = Handler { gateway, surface, principal, pending: Arc::default() };
    let service = match handler.serve(stdio_pipes()).await {
        Ok(service) => service,
        // A client that only tests whether the command starts.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(ServeError::Handshake(Box::new(error))),
    };
    service.waiting().await.map_err(ServeError::Service)?;
    Ok(())
}
