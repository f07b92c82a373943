//! The requests of clients that run no program, one function each.
//!
//! In: what a client asks for, and its context. Out: what it may see. Each delegates to the
//! floor that answers.

use serde_json::{Map, Value};
use tidegate_model::{Principal, RunError};

use crate::answer::shown::{Sanitized, ShowResult, Shown, ToolAnswer, ToolList, ToolText};
use crate::bridge::skills::SaveSkill;
use crate::context::RunContext;
use crate::gateway::Gateway;
use crate::privacy::named_session::{OwnSession, SessionError};
use crate::tools::search::{SearchRequest, SearchResult};

impl Gateway {
    /// Makes one call outside of a program, decided like any other.
    pub async fn call_tool(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        context: &RunContext,
    ) -> ShowResult<ToolAnswer> {
        self.bridge.call_tool(name, arguments, context).await
    }

    /// What a search finds, as a client reads it.
    pub async fn search_tools(
        &self,
        request: &SearchRequest,
        context: &RunContext,
    ) -> Shown<ToolText> {
        let found = self.tools.search(request).await;
        let definition_tokens = found.definition_tokens();
        let text = ToolText { text: found.to_string(), definition_tokens };
        self.answers.show(text, &context.principal)
    }

    /// The typed definition of one tool, as a client reads it.
    pub async fn tool_definition(&self, name: &str, context: &RunContext) -> ShowResult<ToolText> {
        let found = self.tools.definition(name).await;
        let text = |found: SearchResult| ToolText {
            text: found.to_string(),
            definition_tokens: found.tokens,
        };
        self.answers.show_result(found.map(text), &context.principal)
    }

    /// Every upstream tool as itself, named `<server>__<tool>`, for a client.
    pub async fn upstream_tools(&self, context: &RunContext) -> Shown<Vec<Value>> {
        self.answers.show(ToolList(self.tools.as_listed().await), &context.principal)
    }

    /// All skills as a client reads them.
    pub async fn list_skills(&self, context: &RunContext) -> ShowResult<ToolText> {
        self.bridge.list_skills(context).await
    }

    /// The code of a skill, or its text if it has none, as a client reads it.
    pub async fn load_skill(&self, name: &str, context: &RunContext) -> ShowResult<ToolText> {
        self.bridge.load_skill(name, context).await
    }

    /// Saves a skill for a client. Says so in one line.
    pub async fn save_skill(
        &self,
        request: SaveSkill,
        context: &RunContext,
    ) -> ShowResult<ToolText> {
        self.bridge.save_skill(request, context).await
    }

    /// A text with tokens of the session in the place of personal data.
    pub fn sanitize_pii(&self, text: &str, context: &RunContext) -> ShowResult<Sanitized> {
        self.bridge.sanitize_pii(text, context)
    }

    /// A text with real values in the place of its tokens, if a person agrees.
    pub async fn restore_pii(&self, text: &str, context: &RunContext) -> ShowResult<String> {
        self.bridge.restore_pii(text, context).await
    }

    /// A text with real values in the place of its tokens, for the user themself.
    pub fn reveal_pii(&self, text: &str, context: &RunContext) -> Result<Sanitized, RunError> {
        self.bridge.reveal_pii(text, context)
    }

    /// The name of a session in the vault.
    pub fn pii_session(&self, context: &RunContext) -> String {
        self.privacy.session(&context.principal).name.clone()
    }

    /// Makes a session this process's own. Those without a name always are.
    pub fn own_session(&self, principal: &Principal) -> Result<OwnSession, SessionError> {
        self.privacy.own_session(principal)
    }

    /// An error that was found before the gateway was asked for anything, for the client.
    pub fn show_error(&self, error: RunError, context: &RunContext) -> Shown<RunError> {
        self.answers.show(error, &context.principal)
    }

    /// A text for the log, in which personal data has tokens.
    pub fn redacted(&self, text: &str) -> String {
        self.privacy.redacted(text)
    }
}
