//! The place in the tokens, and what every rule asks of it.

use crate::error::{Error, Place, Result};
use crate::ptx::token::{Kind, Token};

/// A place in a list of tokens.
#[derive(Clone)]
pub(super) struct Cursor<'c, 't> {
    origin: &'c str,
    tokens: &'c [Token<'t>],
    at: usize,
}

impl<'c, 't> Cursor<'c, 't> {
    pub(super) fn new(origin: &'c str, tokens: &'c [Token<'t>]) -> Cursor<'c, 't> {
        Cursor { origin, tokens, at: 0 }
    }

    /// The same place, to read from twice.
    pub(super) fn fork(&self) -> Cursor<'c, 't> {
        self.clone()
    }

    /// The next token, which stays.
    pub(super) fn peek(&self) -> Option<Token<'t>> {
        self.tokens.get(self.at).copied()
    }

    /// Whether the next token is of this kind.
    pub(super) fn is(&self, kind: Kind) -> bool {
        self.peek().is_some_and(|token| token.kind == kind)
    }

    /// Whether the next token reads so.
    pub(super) fn reads(&self, text: &str) -> bool {
        self.peek().is_some_and(|token| token.text == text)
    }

    /// The kind of the token after the next.
    pub(super) fn second(&self) -> Option<Kind> {
        self.tokens.get(self.at + 1).map(|token| token.kind)
    }

    /// The text of the token after the next.
    pub(super) fn peek_second(&self) -> Option<&'t str> {
        self.tokens.get(self.at + 1).map(|token| token.text)
    }

    /// The next token.
    pub(super) fn next(&mut self) -> Result<Token<'t>> {
        let token = self.peek().ok_or_else(|| self.error("the text ends too early".into()))?;
        self.at += 1;
        Ok(token)
    }

    /// Takes the next token if it is of this kind.
    pub(super) fn take(&mut self, kind: Kind) -> bool {
        let found = self.is(kind);
        self.at += usize::from(found);
        found
    }

    /// Takes the next token if it reads so.
    pub(super) fn take_text(&mut self, text: &str) -> bool {
        let found = self.reads(text);
        self.at += usize::from(found);
        found
    }

    /// The next token, which must be of this kind.
    pub(super) fn expect(&mut self, kind: Kind, what: &str) -> Result<Token<'t>> {
        match self.peek() {
            Some(token) if token.kind == kind => self.next(),
            Some(token) => Err(self.error(format!("found {}, expected {what}", token.text))),
            None => Err(self.error(format!("the text ends too early: expected {what}"))),
        }
    }

    /// A whole number without a sign.
    pub(super) fn unsigned(&mut self, what: &str) -> Result<u64> {
        let token = self.expect(Kind::Integer, what)?;
        let text = token.text.trim_end_matches('U');
        let number = match text.as_bytes() {
            [b'0', b'x' | b'X', ..] => u64::from_str_radix(&text[2..], 16),
            [b'0', b'b' | b'B', ..] => u64::from_str_radix(&text[2..], 2),
            [b'0', _, ..] => u64::from_str_radix(&text[1..], 8),
            _ => text.parse(),
        };
        number.map_err(|_| self.error_before(format!("{}: must be a whole number of at most 64 bits", token.text)))
    }

    /// A whole number with a sign, perhaps.
    pub(super) fn signed(&mut self, what: &str) -> Result<i128> {
        let negative = self.take(Kind::Minus);
        let number = i128::from(self.unsigned(what)?);
        Ok(if negative { -number } else { number })
    }

    /// Where the next token is, or the last one.
    pub(super) fn place(&self) -> Place {
        self.peek().or(self.tokens.last().copied()).map_or(Place { line: 1, column: 1 }, |token| token.place)
    }

    /// An error at the next token.
    pub(super) fn error(&self, reason: String) -> Error {
        Error::source(self.origin, self.place(), reason)
    }

    /// An error at the token just taken.
    pub(super) fn error_before(&self, reason: String) -> Error {
        let token = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        self.error_at(token.map_or(Place { line: 1, column: 1 }, |token| token.place), reason)
    }

    /// An error at this place.
    pub(super) fn error_at(&self, place: Place, reason: String) -> Error {
        Error::source(self.origin, place, reason)
    }
}
