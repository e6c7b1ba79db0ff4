//! Finds the conditions of a block's update function in its source text.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// Lines of the arms of each `if` and `match` of an update function, in the order of the text, and the function's first
/// and last line. An `else` without text is on the line of its `if`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Lines {
    pub first: usize,
    pub last: usize,
    pub arms: Vec<Vec<usize>>,
}

/// In the innermost braces around this line that have an update function; none if the text is no Rust or has none.
pub(super) fn lines(text: &str, line: u32) -> Option<Lines> {
    let body = update(text.parse().ok()?, line as usize)?;
    let mut arms = Vec::new();
    conditions(body.stream(), &mut arms);
    Some(Lines { first: body.span_open().start().line, last: body.span_close().end().line, arms })
}

fn is(token: Option<&TokenTree>, word: &str) -> bool {
    matches!(token, Some(TokenTree::Ident(ident)) if ident == word)
}

fn braces(token: Option<&TokenTree>) -> Option<&Group> {
    match token {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => Some(group),
        _ => None,
    }
}

fn line_of(token: &TokenTree) -> usize {
    token.span().start().line
}

fn update(stream: TokenStream, line: usize) -> Option<Group> {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    let around = |group: &&Group| (group.span_open().start().line..=group.span_close().end().line).contains(&line);
    let inside = tokens.iter().filter_map(|token| braces(Some(token))).find(around);
    let inner = inside.and_then(|group| update(group.stream(), line));
    let own = || {
        let at = (1..tokens.len()).find(|&at| is(tokens.get(at - 1), "fn") && is(tokens.get(at), "update"))?;
        tokens[at..].iter().find_map(|token| braces(Some(token))).cloned()
    };
    inner.or_else(own)
}

fn conditions(stream: TokenStream, arms: &mut Vec<Vec<usize>>) {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        let token = &tokens[at];
        at += 1;
        let choice = is(Some(token), "if") || is(Some(token), "match");
        let body = (at..tokens.len()).find(|&at| choice && braces(tokens.get(at)).is_some());
        let Some(body) = body else {
            if let TokenTree::Group(group) = token {
                conditions(group.stream(), arms);
            }
            continue;
        };
        let (place, group) = (arms.len(), braces(tokens.get(body)).expect("it was found"));
        at = body + 1;
        if is(Some(token), "match") {
            arms.push(vec![]);
            patterns(group.stream(), place, arms);
            continue;
        }
        let otherwise = tokens.get(at).filter(|token| is(Some(token), "else"));
        arms.push(vec![line_of(token), line_of(otherwise.unwrap_or(token))]);
        conditions(group.stream(), arms);
        // What is behind the `else` comes next: braces, or another `if`.
    }
}

/// The arms of a `match`.
fn patterns(stream: TokenStream, place: usize, arms: &mut Vec<Vec<usize>>) {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    let punctuation =
        |at: usize, wanted: char| matches!(tokens.get(at), Some(TokenTree::Punct(p)) if p.as_char() == wanted);
    let mut at = 0;
    while at < tokens.len() {
        arms[place].push(line_of(&tokens[at]));
        while at < tokens.len() && !(punctuation(at, '=') && punctuation(at + 1, '>')) {
            at += 1;
        }
        at += 2;
        if let Some(body) = braces(tokens.get(at)) {
            conditions(body.stream(), arms);
            at += 1;
            at += usize::from(punctuation(at, ','));
        } else {
            while at < tokens.len() && !punctuation(at, ',') {
                at += 1;
            }
            at += 1;
        }
    }
}
