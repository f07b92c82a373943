//! Builds the result of a tool call for a client; nothing else does.
//!
//! In: [`Shown`] values of the gateway. Out: [`ToolResult`], which becomes a result of MCP.
//!
//! Invariant: a `ToolResult` is built from a shown value or from a literal. Text that was
//! not redacted cannot become one, whatever a function of the handler returns.

use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde_json::{Value, json};
use tidegate_gateway::{Sanitized, Shown, ToolAnswer, ToolText};
use tidegate_model::{ErrorCode, Response, RunError, visible_json};

/// The answer to a tool call.
#[derive(Debug)]
pub struct ToolResult(CallToolResult);

impl ToolResult {
    /// A failure in the server. Takes a literal: no other text is known to be redacted.
    pub(crate) fn failed(message: &'static str) -> Self {
        let error = RunError::new(ErrorCode::Internal, message);
        Self(CallToolResult::error(vec![ContentBlock::text(error.to_string())]))
    }

    fn text(text: String) -> Self {
        Self(CallToolResult::success(vec![ContentBlock::text(text)]))
    }

    /// Adds metadata, which clients read and models do not pay for.
    fn with_meta(mut self, key: &str, value: Value) -> Self {
        let mut meta = MetaObject::new();
        meta.0.insert(key.into(), value);
        self.0.meta = Some(meta);
        self
    }
}

impl From<ToolResult> for CallToolResult {
    fn from(ToolResult(result): ToolResult) -> Self {
        result
    }
}

impl From<Shown<Response>> for ToolResult {
    fn from(response: Shown<Response>) -> Self {
        // As text only, so that the model pays for it once.
        let Ok(text) = serde_json::to_string(&response) else {
            return Self::failed("the answer could not be written");
        };
        // The model reads the text, so hidden characters become visible.
        let content = vec![ContentBlock::text(visible_json(&text).into_owned())];
        Self(match response.success {
            true => CallToolResult::success(content),
            false => CallToolResult::error(content),
        })
    }
}

/// An upstream answer as our own: content only, since most servers repeat it as structured
/// content.
impl From<Shown<ToolAnswer>> for ToolResult {
    fn from(shown: Shown<ToolAnswer>) -> Self {
        let ToolAnswer { answer, pii_counts } = &*shown;
        let blocks = answer.content.iter().cloned();
        let mut content: Vec<ContentBlock> =
            blocks.filter_map(|block| serde_json::from_value(block).ok()).collect();
        if content.is_empty()
            && let Some(structured) = &answer.structured
        {
            content.push(ContentBlock::text(structured.to_string()));
        }
        let result = Self(match answer.is_error {
            true => CallToolResult::error(content),
            false => CallToolResult::success(content),
        });
        match pii_counts.is_empty() {
            true => result,
            false => result.with_meta("tidegate/pii_counts", json!(pii_counts)),
        }
    }
}

impl From<Shown<ToolText>> for ToolResult {
    fn from(shown: Shown<ToolText>) -> Self {
        let result = Self::text(shown.text.clone());
        match shown.definition_tokens {
            Some(tokens) => result.with_meta("tidegate/tokens", tokens.into()),
            None => result,
        }
    }
}

impl From<Shown<Sanitized>> for ToolResult {
    fn from(shown: Shown<Sanitized>) -> Self {
        let answer = json!({
            "text": shown.text,
            "pii_tokenized": !shown.counts.is_empty(),
            "pii_counts": shown.counts,
        });
        Self::text(answer.to_string())
    }
}

impl From<Shown<String>> for ToolResult {
    fn from(text: Shown<String>) -> Self {
        Self::text(text.to_string())
    }
}

impl From<Shown<RunError>> for ToolResult {
    fn from(error: Shown<RunError>) -> Self {
        Self(CallToolResult::error(vec![ContentBlock::text(error.to_string())]))
    }
}
