//! What a program prints: elements of a vector, or a value out of all of them.

use std::fmt;

use serde_json::{Value, json};

use super::source::Across;

/// What one `print`, `sum`, `min`, `max` or `count` shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Its line.
    pub line: usize,
    /// The vector.
    pub vector: String,
    /// What was made of all its elements; `None` if they are shown one by one.
    pub across: Option<Across>,
    /// Numbers as written.
    pub values: Vec<String>,
    /// How many elements there are; only the first may be among the values.
    pub elements: usize,
    /// The element that has the value, where one has.
    pub element: Option<usize>,
}

impl Shown {
    /// As JSON: decimal numbers of up to 64 bits are numbers, all others text.
    pub fn json(&self) -> Value {
        let number = |text: &String| {
            let signed = text.parse::<i64>().map(Value::from);
            signed.or_else(|_| text.parse::<u64>().map(Value::from)).unwrap_or_else(|_| text.as_str().into())
        };
        let values: Vec<Value> = self.values.iter().map(number).collect();
        let mut shown =
            json!({ "line": self.line, "vector": self.vector, "values": values, "elements": self.elements });
        if let Some(across) = self.across {
            shown["across"] = across.name().into();
        }
        if let Some(element) = self.element {
            shown["element"] = element.into();
        }
        shown
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(across) = self.across {
            write!(f, "{} ", across.name())?;
        }
        write!(f, "{} = {}", self.vector, self.values.join(" "))?;
        match (self.across, self.element) {
            (_, Some(element)) => write!(f, " (element {element} of {})", self.elements),
            (None, None) if self.values.len() < self.elements => write!(f, " ... ({} elements)", self.elements),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_numbers_as_far_as_they_go() {
        let values = ["-5", "18446744073709551615", "18446744073709551616", "0xff"].map(String::from).to_vec();
        let shown = Shown { line: 3, vector: "x".into(), across: None, values, elements: 9, element: None };
        assert_eq!(shown.to_string(), "x = -5 18446744073709551615 18446744073709551616 0xff ... (9 elements)");
        let written = shown.json()["values"].to_string();
        assert_eq!(written, "[-5,18446744073709551615,\"18446744073709551616\",\"0xff\"]");
        let least = Shown { across: Some(Across::Min), values: vec!["-5".into()], element: Some(7), ..shown };
        assert_eq!((least.to_string(), &least.json()["element"]), ("min x = -5 (element 7 of 9)".into(), &7.into()));
    }
}
