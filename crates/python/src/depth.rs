//! How deep the syntax tree of a source can get, told without making it.
//!
//! In: the source. Out: whether its tree is shallow enough to be walked and
//! dropped, which both go down one stack frame per level: a source that nests
//! without end would end the process.
//!
//! The parser itself grows its stack, so only the tree counts. Its depth is at most
//! the number of operators and keywords in an element, plus the depth of the
//! deepest bracket in that element, plus the blocks around it. Python has limits of
//! its own: 200 brackets, 100 blocks, and about 3,000 levels in all; what is beyond
//! them does not compile.

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::Mode;
use ruff_python_parser::lexer::{Lexer, lex};

/// Levels of brackets, and of blocks. Those of Python itself (`MAXLEVEL` and
/// `MAXINDENT` of its tokenizer).
const BRACKETS: usize = 200;
const BLOCKS: usize = 100;

/// Levels in all. Chosen: a sum of so many parts in one expression is not written
/// by hand, and Python gives up at a small multiple of it.
pub(crate) const LEVELS: usize = 1500;

/// Whether the tree of a source can be walked.
pub(crate) fn is_shallow(source: &str) -> bool {
    Scan { tokens: lex(source, Mode::Module), open: Vec::new(), blocks: 0 }.run().is_some()
}

struct Scan<'s> {
    tokens: Lexer<'s>,
    /// The line itself, and the brackets that are open.
    open: Vec<Level>,
    blocks: usize,
}

/// One bracket, or the line around all of them.
#[derive(Default)]
struct Level {
    /// What opened it; nothing for the line itself.
    opening: Option<TokenKind>,
    /// Operators and keywords since the last comma.
    chain: u32,
    /// Those that may have a comma inside: `lambda a, b: lambda c, d: …`.
    lasting: u32,
    /// Depth of the deepest bracket since the last comma, and of all before it.
    inner: u32,
    before: u32,
}

impl Level {
    fn depth(&self) -> u32 {
        self.before.max(self.chain + self.lasting + self.inner)
    }

    /// A comma: what follows stands beside what was.
    fn next_element(&mut self) {
        self.before = self.before.max(self.chain + self.lasting + self.inner);
        (self.chain, self.inner) = (0, 0);
    }
}

impl Scan<'_> {
    /// Reads all tokens; nothing if the tree may get too deep, or if brackets do
    /// not match: that is no Python.
    fn run(mut self) -> Option<()> {
        self.open.push(Level::default());
        let mut after_async = false;
        loop {
            let kind = self.tokens.next_token();
            // Anything else is an error, which the parser follows line after line.
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
            if self.blocks > BLOCKS || self.open.len() > BRACKETS {
                return None;
            }
        }
    }

    fn open(&mut self, kind: TokenKind) -> Option<()> {
        let level = self.open.last_mut()?;
        // A call of a call of a call; the parts of an f-string stand side by side.
        let is_text =
            matches!(level.opening, Some(TokenKind::FStringStart | TokenKind::TStringStart));
        level.chain += u32::from(!is_text);
        self.open.push(Level { opening: Some(kind), ..Level::default() });
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
            TokenKind::Newline | TokenKind::Semi => *level = Level::default(),
            TokenKind::Comma => level.next_element(),
            TokenKind::Lambda | TokenKind::Yield => level.lasting += 1,
            kind if is_leaf(kind) => return Some(()),
            _ => level.chain += 1,
        }
        self.check()
    }

    /// What is closed counts for what is around it: in the end the line has it all.
    fn check(&self) -> Option<()> {
        let levels = self.open.last()?.depth() as usize + self.blocks;
        (levels <= LEVELS).then_some(())
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

/// Tokens that have nothing below them.
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
