//! Whole numbers as small expressions: in texts of the table of programs `{n / 256}` stands for its value.
//!
//! ```text
//! sum     = product { (+ | -) product }
//! product = factor { (* | /) factor }          / is the quotient towards zero
//! factor  = number | name | - factor | ( sum ) | (min | max) ( sum , sum )
//! ```

use std::collections::BTreeMap;

/// Names and what they stand for.
pub type Names = BTreeMap<String, i64>;

/// Longest expression, so that parentheses nest no deeper than a stack holds.
const LONGEST: usize = 200;

/// The value of an expression.
///
/// # Errors
/// What is wrong with it.
pub fn number(text: &str, names: &Names) -> Result<i64, String> {
    if text.len() > LONGEST {
        return Err(format!("an expression has {LONGEST} characters at most"));
    }
    let mut reader = Reader { rest: text.trim_start(), names };
    let value = reader.sum()?;
    if reader.rest.is_empty() { Ok(value) } else { Err(format!("{}: is not expected there", reader.rest)) }
}

/// The text with the values of what stands in braces.
///
/// # Errors
/// A brace that is not closed, or an expression that is wrong.
pub fn filled(text: &str, names: &Names) -> Result<String, String> {
    let (mut whole, mut rest) = (String::new(), text);
    while let Some((before, behind)) = rest.split_once('{') {
        let (inside, after) = behind.split_once('}').ok_or("a brace is not closed")?;
        whole += before;
        whole += &number(inside, names)?.to_string();
        rest = after;
    }
    Ok(whole + rest)
}

struct Reader<'a> {
    rest: &'a str,
    names: &'a Names,
}

impl<'a> Reader<'a> {
    /// Takes these characters, if they are next.
    fn takes(&mut self, what: &str) -> bool {
        let rest = self.rest.strip_prefix(what);
        self.rest = rest.unwrap_or(self.rest).trim_start();
        rest.is_some()
    }

    fn wants(&mut self, what: &str) -> Result<(), String> {
        if self.takes(what) { Ok(()) } else { Err(format!("{what} is missing")) }
    }

    /// Takes letters, digits and low lines.
    fn word(&mut self) -> &'a str {
        let end = self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        word
    }

    fn sum(&mut self) -> Result<i64, String> {
        let mut value = self.product()?;
        loop {
            let found = if self.takes("+") {
                value.checked_add(self.product()?)
            } else if self.takes("-") {
                value.checked_sub(self.product()?)
            } else {
                return Ok(value);
            };
            value = found.ok_or("is more than 64 bits hold")?;
        }
    }

    fn product(&mut self) -> Result<i64, String> {
        let mut value = self.factor()?;
        loop {
            let found = if self.takes("*") {
                value.checked_mul(self.factor()?)
            } else if self.takes("/") {
                value.checked_div(self.factor()?)
            } else {
                return Ok(value);
            };
            value = found.ok_or("is more than 64 bits hold, or divides by zero")?;
        }
    }

    fn factor(&mut self) -> Result<i64, String> {
        if self.takes("-") {
            return self.factor()?.checked_neg().ok_or("is more than 64 bits hold".into());
        }
        if self.takes("(") {
            let value = self.sum()?;
            return self.wants(")").map(|()| value);
        }
        let word = self.word();
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return word.parse().map_err(|_| format!("{word}: is no whole number of 64 bits"));
        }
        if ["min", "max"].contains(&word) && self.takes("(") {
            let first = self.sum()?;
            self.wants(",")?;
            let second = self.sum()?;
            self.wants(")")?;
            return Ok(if word == "min" { first.min(second) } else { first.max(second) });
        }
        let known = || self.names.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        match self.names.get(word) {
            Some(value) => Ok(*value),
            None if word.is_empty() => Err("a number or a name is missing".into()),
            None => Err(format!("{word}: must be a number or one of {}", known())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        Names::from([("n".to_string(), 1000), ("t".to_string(), 3)])
    }

    #[test]
    fn values_are_those_of_arithmetic() {
        let cases = [
            ("7", 7),
            ("n", 1000),
            (" n / 256 ", 3),
            ("(n + 255) / 256", 4),
            ("n - t - 1", 996),
            ("2 * 3 + 4 * 5", 26),
            ("-t + 2", -1),
            ("-(n - 1) / 2", -499),
            ("max(1, t - n + 1)", 1),
            ("min(t, n) - max(1, 2)", 1),
        ];
        for (text, value) in cases {
            assert_eq!(number(text, &names()), Ok(value), "{text}");
        }
        assert_eq!(filled("s32:{n}:{t * 2}x", &names()), Ok("s32:1000:6x".into()));
        assert_eq!(filled("plain", &names()), Ok("plain".into()));
    }

    #[test]
    fn what_is_wrong_is_told() {
        let deep = "(".repeat(1000);
        let cases = [
            ("", "a number or a name is missing"),
            ("1 +", "a number or a name is missing"),
            ("1 2", "2: is not expected there"),
            ("m", "m: must be a number or one of n, t"),
            ("(1", ") is missing"),
            ("min(1)", ", is missing"),
            ("1 / 0", "is more than 64 bits hold, or divides by zero"),
            ("9223372036854775807 + 1", "is more than 64 bits hold"),
            ("9223372036854775808", "9223372036854775808: is no whole number of 64 bits"),
            ("12n", "12n: is no whole number of 64 bits"),
            (&deep, "an expression has 200 characters at most"),
        ];
        for (text, rule) in cases {
            assert_eq!(number(text, &names()), Err(rule.into()), "{text}");
        }
        assert_eq!(filled("a{1", &names()), Err("a brace is not closed".into()));
    }
}
