//! Requests that run no program, one function each.
//!
//! In: a request and its context. Out: what the client, or the person at a terminal, may see.
//! Each function delegates to the floor that answers.

use serde_json::{Map, Value};
use tidegate_model::{Program, RunError};

use crate::answer::shown::{Sanitized, ShowResult, Shown, ToolAnswer, ToolList, ToolText};
use crate::bridge::skills::SaveSkill;
use crate::context::RunContext;
use crate::examine::patterns::FailedExample;
use crate::gateway::Gateway;
use crate::tools::search::{SearchRequest, SearchResult};

impl Gateway {
    /// Makes one call outside of a program, decided like any other.
    pub async fn call_tool(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        context: &RunContext,
    ) -> ShowResult<ToolAnswer> {
        let _lease = self.begin_request(&context.principal);
        self.bridge.call_tool(name, arguments, context).await
    }

    /// Tries the examples in the user's rule files. Returns how many there are, and those
    /// that fail.
    pub async fn try_examples(
        &self,
        context: &RunContext,
    ) -> Result<(usize, Vec<FailedExample>), RunError> {
        let examples = self.examiner.examples();
        let mut failed = Vec::new();
        for example in examples {
            let (source, language) = (example.source.clone(), example.language);
            let program = Program { source, language, engine: None, timeout: None };
            let issues = self.inspect(&program, context).await?.judgement.issues;
            if !example.holds(&issues) {
                let found = issues.into_iter().map(|issue| issue.rule).collect();
                failed.push(FailedExample { example: example.clone(), found });
            }
        }
        Ok((examples.len(), failed))
    }

    /// Searches tools. The answer is text for a client.
    pub async fn search_tools(
        &self,
        request: &SearchRequest,
        context: &RunContext,
    ) -> Shown<ToolText> {
        let _lease = self.begin_request(&context.principal);
        let found = self.tools.search(request).await;
        let definition_tokens = found.definition_tokens();
        let text = ToolText { text: found.to_string(), definition_tokens };
        self.answers.show(text, &context.principal)
    }

    /// The typed definition of one tool, as a client reads it.
    pub async fn tool_definition(&self, name: &str, context: &RunContext) -> ShowResult<ToolText> {
        let _lease = self.begin_request(&context.principal);
        let found = self.tools.definition(name).await;
        let text = |found: SearchResult| ToolText {
            text: found.to_string(),
            definition_tokens: found.tokens,
        };
        self.answers.show_result(found.map(text), &context.principal)
    }

    /// Every upstream tool, named `<server>__<tool>`, for a client.
    pub async fn upstream_tools(&self, context: &RunContext) -> Shown<Vec<Value>> {
        let _lease = self.begin_request(&context.principal);
        self.answers.show(ToolList(self.tools.as_listed().await), &context.principal)
    }

    /// All skills as a client reads them.
    pub async fn list_skills(&self, context: &RunContext) -> ShowResult<ToolText> {
        let _lease = self.begin_request(&context.principal);
        self.bridge.list_skills(context).await
    }

    /// The code of a skill, or its text if it has none, as a client reads it.
    pub async fn load_skill(&self, name: &str, context: &RunContext) -> ShowResult<ToolText> {
        let _lease = self.begin_request(&context.principal);
        self.bridge.load_skill(name, context).await
    }

    /// Saves a skill for a client and confirms it in one line.
    pub async fn save_skill(
        &self,
        request: SaveSkill,
        context: &RunContext,
    ) -> ShowResult<ToolText> {
        let _lease = self.begin_request(&context.principal);
        self.bridge.save_skill(request, context).await
    }

    /// Replaces personal data in a text by tokens of the session.
    pub fn sanitize_pii(&self, text: &str, context: &RunContext) -> ShowResult<Sanitized> {
        let _lease = self.begin_request(&context.principal);
        self.bridge.sanitize_pii(text, context)
    }

    /// Replaces the tokens in a text by real values, if a person approves.
    pub async fn restore_pii(&self, text: &str, context: &RunContext) -> ShowResult<String> {
        let _lease = self.begin_request(&context.principal);
        self.bridge.restore_pii(text, context).await
    }

    /// Replaces the tokens in a text by real values, for the user at the terminal.
    pub fn reveal_pii(&self, text: &str, context: &RunContext) -> Result<Sanitized, RunError> {
        let _lease = self.begin_request(&context.principal);
        self.bridge.reveal_pii(text, context)
    }

    /// The name of a session in the vault.
    pub fn pii_session(&self, context: &RunContext) -> String {
        let _lease = self.begin_request(&context.principal);
        self.privacy.session(&context.principal).name.clone()
    }

    /// Shows the client an error that was found before the gateway was called.
    pub fn show_error(&self, error: RunError, context: &RunContext) -> Shown<RunError> {
        let _lease = self.begin_request(&context.principal);
        self.answers.show(error, &context.principal)
    }

    /// A text for the log, with personal data replaced by tokens.
    pub fn redacted(&self, text: &str) -> String {
        self.privacy.redacted(text)
    }
}
