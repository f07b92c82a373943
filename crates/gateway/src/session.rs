//! Whose request it is.

use std::sync::Arc;

/// Whose request it is. Sessions share the gateway fairly.
///
/// A client over standard input and output is the only one of its process and
/// has the default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct SessionId(pub Arc<str>);
