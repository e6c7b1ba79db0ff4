//! Tokens of PTX, with their places.
//!
//! Words that begin with a dot (directives, suffixes, `.x` of `%tid.x`) are one token each; blanks and comments are
//! none, but whether a blank stands before a dot is kept: a suffix is written in one piece with its instruction.

use logos::{FilterResult, Lexer, Logos};

use crate::error::{Error, Place, Result};

/// Leaves out a comment, up to its end.
fn comment(lexer: &mut Lexer<'_, Kind>) -> FilterResult<(), ()> {
    let Some(end) = lexer.remainder().find("*/") else { return FilterResult::Error(()) };
    lexer.bump(end + 2);
    FilterResult::Skip
}

/// What a token is.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\f]+")]
#[logos(skip r"//[^\n]*")]
pub enum Kind {
    /// A comment over lines; it is left out.
    #[token("/*", comment)]
    Comment,
    /// `.visible`, `.f32`, `.x`, `.shared::cta`
    #[regex(r"\.[A-Za-z_$][A-Za-z0-9_$]*(::[A-Za-z0-9_$]+)*")]
    #[regex(r"\.[0-9]+[A-Za-z_$][A-Za-z0-9_$]*(::[A-Za-z0-9_$]+)*")]
    Dotted,
    /// An instruction, a label, a variable; also `_`.
    #[regex(r"[A-Za-z_$][A-Za-z0-9_$]*")]
    Name,
    /// A register: `%r1`
    #[regex(r"%[A-Za-z0-9_$]+")]
    Register,
    /// An integer: decimal, octal, hexadecimal, binary
    #[regex(r"0[xX][0-9a-fA-F]+U?")]
    #[regex(r"0[bB][01]+U?")]
    #[regex(r"[0-9]+U?")]
    Integer,
    /// A float by its bits: `0f3F800000`, `0d3FF0000000000000`
    #[regex(r"0[fF][0-9a-fA-F]{8}", priority = 10)]
    #[regex(r"0[dD][0-9a-fA-F]{16}", priority = 10)]
    Bits,
    /// A decimal fraction: 1.5; also a version
    #[regex(r"[0-9]+\.[0-9]+([eE][+-]?[0-9]+)?")]
    Fraction,
    /// A text in quotes
    #[regex(r#""[^"\n]*""#)]
    Text,
    /// `@`
    #[token("@")]
    At,
    /// `!`
    #[token("!")]
    Not,
    /// `,`
    #[token(",")]
    Comma,
    /// `;`
    #[token(";")]
    Semicolon,
    /// `:`
    #[token(":")]
    Colon,
    /// `(`
    #[token("(")]
    ParenOpen,
    /// `)`
    #[token(")")]
    ParenClose,
    /// `[`
    #[token("[")]
    BracketOpen,
    /// `]`
    #[token("]")]
    BracketClose,
    /// `{`
    #[token("{")]
    BraceOpen,
    /// `}`
    #[token("}")]
    BraceClose,
    /// `<`
    #[token("<")]
    Less,
    /// `>`
    #[token(">")]
    Greater,
    /// `|`
    #[token("|")]
    Bar,
    /// `+`
    #[token("+")]
    Plus,
    /// `-`
    #[token("-")]
    Minus,
    /// `=`
    #[token("=")]
    Equals,
}

/// A token of a text.
#[derive(Clone, Copy, Debug)]
pub struct Token<'t> {
    /// What it is.
    pub kind: Kind,
    /// Its characters.
    pub text: &'t str,
    /// Where it begins.
    pub place: Place,
    /// Whether it follows the token before without a blank.
    pub joined: bool,
}

/// All tokens of `text`.
///
/// # Errors
///
/// The first character that begins no token.
pub fn tokens<'t>(origin: &str, text: &'t str) -> Result<Vec<Token<'t>>> {
    let mut found = Vec::new();
    let (mut line, mut line_start, mut seen, mut last_end) = (1, 0, 0, 0);
    for (kind, span) in Kind::lexer(text).spanned() {
        for (at, _) in text[seen..span.start].match_indices('\n') {
            line += 1;
            line_start = seen + at + 1;
        }
        seen = span.start;
        let column = text[line_start..span.start].chars().count() as u32 + 1;
        let place = Place { line, column };
        let Ok(kind) = kind else {
            let what = text[span].chars().next().unwrap_or(' ');
            let reason = match what {
                '/' => "a comment has no end".to_string(),
                '"' => "a text in quotes has no end on its line".to_string(),
                other => format!("the character '{}' begins nothing that PTX has", other.escape_default()),
            };
            return Err(Error::source(origin, place, reason));
        };
        found.push(Token { kind, text: &text[span.clone()], place, joined: last_end == span.start && last_end > 0 });
        last_end = span.end;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(Kind, &str)> {
        tokens("test", text).expect("tokens").iter().map(|token| (token.kind, token.text)).collect()
    }

    #[test]
    fn instructions_come_apart_at_dots() {
        let found = kinds("@!%p1 add.rn.ftz.f32 %f1, 0f3F800000, -1; // sum");
        let kinds: Vec<Kind> = found.iter().map(|(kind, _)| *kind).collect();
        use Kind::{At, Bits, Comma, Dotted, Integer, Minus, Name, Not, Register, Semicolon};
        let expected =
            [At, Not, Register, Name, Dotted, Dotted, Dotted, Register, Comma, Bits, Comma, Minus, Integer, Semicolon];
        assert_eq!(kinds, expected);
        assert_eq!(found[9].1, "0f3F800000");
    }

    #[test]
    fn places_count_lines_and_characters() {
        let found = tokens("test", "a\n/* ä\n */ b .x.y").expect("tokens");
        let places: Vec<(u32, u32, bool)> =
            found.iter().map(|token| (token.place.line, token.place.column, token.joined)).collect();
        assert_eq!(places, [(1, 1, false), (3, 5, false), (3, 7, false), (3, 9, true)]);
    }

    #[test]
    fn numbers_do_not_swallow_what_follows() {
        assert_eq!(
            kinds("0x1FU 017 0b11 12 7.8"),
            [
                (Kind::Integer, "0x1FU"),
                (Kind::Integer, "017"),
                (Kind::Integer, "0b11"),
                (Kind::Integer, "12"),
                (Kind::Fraction, "7.8"),
            ]
        );
        // Too few digits for the bits of a float: not one token.
        assert_eq!(kinds("0f3F80").len(), 2);
    }

    #[test]
    fn what_is_no_token_has_a_place() {
        let error = tokens("k.ptx", "add\n  ^").expect_err("no token").to_string();
        assert_eq!(error, "k.ptx, line 2, column 3: the character '^' begins nothing that PTX has");
        let error = tokens("k.ptx", "add /* sum").expect_err("no end").to_string();
        assert_eq!(error, "k.ptx, line 1, column 5: a comment has no end");
    }
}
