//! The tables of words, fields and codes as a document, from the lists that encoder and decoder read.

use std::fmt::Write;

use super::codes::*;
use super::field::FIELDS;

/// Tables in Markdown.
pub fn markdown() -> String {
    let mut text = String::from("| field | bits | kinds | |\n|---|--:|---|---|\n");
    for field in FIELDS {
        let bits = if field.bits == 1 { field.lsb.to_string() } else { format!("{}:{}", field.end() - 1, field.lsb) };
        let kinds: Vec<&str> = field.kinds.iter().map(|kind| kind.name()).collect();
        let kinds = if kinds.len() == Kind::ALL.len() { "all".into() } else { kinds.join(", ") };
        let _ = writeln!(text, "| {} | {bits} | {kinds} | {} |", field.name, field.doc);
    }
    macro_rules! list {
        ($title:literal, $list:ident) => {
            let _ = write!(text, "\n| {} | code | |\n|---|--:|---|\n", $title);
            for one in $list::ALL {
                let _ = writeln!(text, "| `{one}` | {} | {} |", one.code(), one.meaning());
            }
        };
    }
    list!("kind", Kind);
    list!("source", Source);
    list!("predicate", Predicate);
    list!("memory", MemoryOp);
    list!("space", Space);
    list!("element", Element);
    list!("scalar (`s.`)", ScalarOp);
    list!("mask (`mask.`)", MaskOp);
    list!("jump", Condition);
    list!("special register", Special);
    list!("trap", Trap);
    text
}
