//! Bounds the depth of the syntax tree of a source without building it.
//!
//! In: the source. Out: whether its tree is shallow enough to be walked and dropped, both of
//! which use one stack frame per level: unbounded nesting would crash the process.
//!
//! The parser grows its own stack, so only the tree counts. Its depth is at most the number
//! of operators and keywords in an element, plus the depth of the deepest bracket in that
//! element, plus the enclosing blocks. Python has limits of its own: 200 brackets, 100
//! blocks and about 3,000 levels in total; anything beyond does not compile.

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::Mode;
use ruff_python_parser::lexer::{Lexer, lex};

/// Maximum levels of brackets and of blocks, as in Python itself (`MAXLEVEL` and
/// `MAXINDENT` of its tokenizer).
const MAX_BRACKETS: usize = 200;
const MAX_BLOCKS: usize = 100;

/// Maximum levels in total. Chosen: nobody writes a sum of so many terms, and Python gives up
/// at a small multiple of it.
pub(crate) const MAX_LEVELS: usize = 1500;

/// Whether the tree of a source is shallow enough to be walked.
pub(crate) fn is_shallow(source: &str) -> bool {
    DepthScan { tokens: lex(source, Mode::Module), open: Vec::new(), blocks: 0 }.run().is_some()
}

struct DepthScan<'s> {
    tokens: Lexer<'s>,
    /// The line itself and the open brackets.
    open: Vec<BracketLevel>,
    blocks: usize,
}

/// An open bracket, or the line around all of them.
#[derive(Default)]
struct BracketLevel {
    /// The opening token; `None` for the line itself.
    opening: Option<TokenKind>,
    /// Operators and keywords since the last comma.
    chain: u32,
    /// Those that span commas: `lambda a, b: lambda c, d: …`.
    comma_spanning: u32,
    /// The depth of the deepest bracket since the last comma, and of all before it.
    inner: u32,
    before: u32,
}

impl BracketLevel {
    fn depth(&self) -> u32 {
        self.before.max(self.chain + self.comma_spanning + self.inner)
    }

    /// A comma starts a sibling element.
    fn next_element(&mut self) {
        self.before = self.before.max(self.chain + self.comma_spanning + self.inner);
        (self.chain, self.inner) = (0, 0);
    }
}

impl DepthScan<'_> {
    /// Scans all tokens; `None` if the tree may get too deep, or if brackets do not match.
    fn run(mut self) -> Option<()> {
        self.open.push(BracketLevel::default());
        let mut after_async = false;
        loop {
            let kind = self.tokens.next_token();
            // Anything else is a syntax error, for which the parser recurses line by line.
            let fits = matches!(kind, TokenKind::Def | TokenKind::With | TokenKind::For);
            if after_async && !fits {
                return None;
            }
            after_async = kind == TokenKind::Async;
            match kind {
                TokenKind::EndOfFile => return (self.open.len() == 1).then_some(()),
                TokenKind::Unknown => return None,
                TokenKind::Indent => self.blocks += 1,
                TokenKind::Dedent => self.blocks = self.blocks.saturating_sub(1),
                kind if is_opening(kind) => self.open(kind)?,
                kind if is_closing(kind) => self.close(kind)?,
                kind => self.count(kind)?,
            }
            if self.blocks > MAX_BLOCKS || self.open.len() > MAX_BRACKETS {
                return None;
            }
        }
    }

    fn open(&mut self, kind: TokenKind) -> Option<()> {
        let level = self.open.last_mut()?;
        // Calls of calls nest; the parts of an f-string are siblings.
        let is_text =
            matches!(level.opening, Some(TokenKind::FStringStart | TokenKind::TStringStart));
        level.chain += u32::from(!is_text);
        self.open.push(BracketLevel { opening: Some(kind), ..BracketLevel::default() });
        Some(())
    }

    fn close(&mut self, kind: TokenKind) -> Option<()> {
        let closed = self.open.pop()?;
        if closed.opening != Some(opening_of(kind)?) {
            return None;
        }
        let level = self.open.last_mut()?;
        level.inner = level.inner.max(closed.depth() + 1);
        self.check()
    }

    fn count(&mut self, kind: TokenKind) -> Option<()> {
        let brackets = self.open.len() - 1;
        let level = self.open.last_mut()?;
        match kind {
            TokenKind::Newline | TokenKind::Semi if brackets > 0 => return None,
            TokenKind::Newline | TokenKind::Semi => *level = BracketLevel::default(),
            TokenKind::Comma => level.next_element(),
            TokenKind::Lambda | TokenKind::Yield => level.comma_spanning += 1,
            kind if is_leaf(kind) => return Some(()),
            _ => level.chain += 1,
        }
        self.check()
    }

    /// Closed brackets count for the enclosing level; in the end the line includes all of them.
    fn check(&self) -> Option<()> {
        let levels = self.open.last()?.depth() as usize + self.blocks;
        (levels <= MAX_LEVELS).then_some(())
    }
}

fn is_opening(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Lpar
            | TokenKind::Lsqb
            | TokenKind::Lbrace
            | TokenKind::FStringStart
            | TokenKind::TStringStart
    )
}

fn is_closing(kind: TokenKind) -> bool {
    opening_of(kind).is_some()
}

fn opening_of(kind: TokenKind) -> Option<TokenKind> {
    match kind {
        TokenKind::Rpar => Some(TokenKind::Lpar),
        TokenKind::Rsqb => Some(TokenKind::Lsqb),
        TokenKind::Rbrace => Some(TokenKind::Lbrace),
        TokenKind::FStringEnd => Some(TokenKind::FStringStart),
        TokenKind::TStringEnd => Some(TokenKind::TStringStart),
        _ => None,
    }
}

/// Tokens that are leaves of the tree.
fn is_leaf(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Name
            | TokenKind::Int
            | TokenKind::Float
            | TokenKind::Complex
            | TokenKind::String
            | TokenKind::FStringMiddle
            | TokenKind::TStringMiddle
            | TokenKind::Comment
            | TokenKind::NonLogicalNewline
            | TokenKind::Ellipsis
            | TokenKind::True
            | TokenKind::False
            | TokenKind::None
    )
}

#[cfg(test)]
mod tests;
