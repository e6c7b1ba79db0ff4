//! Names with indices: `lane[2*(i+1)]$sum$next` ─▶ `lane$6$sum`. rust-hdl hands index expressions over as text.

use std::collections::HashMap;

/// Values of loop variables and named constants.
pub(super) type Values = HashMap<String, i64>;

/// Resolves every index of `name` and drops a trailing `$next`.
pub(super) fn resolve(name: &str, values: &Values) -> Result<String, String> {
    let mut text = name.trim_start_matches('.').replace("::", "$").replace('.', "$");
    while let Some(shorter) = text.strip_suffix("$next") {
        text = shorter.to_string();
    }
    while let Some(open) = text.find('[') {
        let close = matching(&text, open).ok_or_else(|| format!("`{name}`: an index without end"))?;
        let index = evaluate(&text[open + 1..close], values)?;
        if index < 0 {
            return Err(format!("`{name}`: index {index} is negative"));
        }
        text = format!("{}${index}{}", &text[..open], &text[close + 1..]);
    }
    Ok(text)
}

fn matching(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices().skip(open) {
        match c {
            '[' => depth += 1,
            ']' if depth == 1 => return Some(at),
            ']' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Evaluates an integer expression: `+ - * / %`, parentheses, numbers, names.
pub(super) fn evaluate(text: &str, values: &Values) -> Result<i64, String> {
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let mut parser = Parser { text: &compact, at: 0, values };
    let value = parser.sum()?;
    if parser.at < compact.len() {
        return Err(format!("index `{text}`: `{}` is not understood", &compact[parser.at..]));
    }
    Ok(value)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    values: &'a Values,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn sum(&mut self) -> Result<i64, String> {
        let mut value = self.product()?;
        while let Some(op @ ('+' | '-')) = self.peek() {
            self.at += 1;
            let rhs = self.product()?;
            value =
                if op == '+' { value.checked_add(rhs) } else { value.checked_sub(rhs) }.ok_or("an index overflows")?;
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<i64, String> {
        let mut value = self.factor()?;
        while let Some(op @ ('*' | '/' | '%')) = self.peek() {
            self.at += 1;
            let rhs = self.factor()?;
            value = match op {
                '*' => value.checked_mul(rhs),
                '/' => value.checked_div(rhs),
                _ => value.checked_rem(rhs),
            }
            .ok_or("an index overflows or divides by zero")?;
        }
        Ok(value)
    }

    fn factor(&mut self) -> Result<i64, String> {
        if self.peek() == Some('(') {
            self.at += 1;
            let value = self.sum()?;
            if self.peek() != Some(')') {
                return Err(format!("index `{}`: a parenthesis without end", self.text));
            }
            self.at += 1;
            return Ok(value);
        }
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').unwrap_or(rest.len());
        let word = &rest[..end];
        self.at += end;
        if let Some(&value) = self.values.get(word) {
            return Ok(value);
        }
        let digits = word.trim_end_matches("usize").replace('_', "");
        digits.parse().map_err(|_| {
            format!(
                "index `{}`: `{word}` is neither a number, a loop variable nor a constant named in `describe` \
                 (const generics have no value here)",
                self.text
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values() -> Values {
        [("i".to_string(), 3), ("j".to_string(), 5)].into()
    }

    #[test]
    fn names_with_indices() {
        let r = |name: &str| resolve(name, &values()).unwrap();
        assert_eq!(r("a$b$next"), "a$b");
        assert_eq!(r("x[(i*7+j)%16]$d$next"), "x$10$d");
        assert_eq!(r("t[2*(62-i)+1]"), "t$119");
        assert_eq!(r("m[i][j]$q"), "m$3$5$q");
        assert_eq!(r("m[i+1_000usize]"), "m$1003");
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for name in ["x[N-1]", "x[i", "x[i-4]", "x[(i]", "x[i/0]", "x[i&1]"] {
            assert!(resolve(name, &values()).is_err(), "{name}");
        }
    }
}
