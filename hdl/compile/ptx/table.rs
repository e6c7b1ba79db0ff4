//! The one table of every instruction of PTX: what works, what becomes something else, what is refused and why.
//!
//! The list is that of PTX ISA 8.7 (CUDA 12.8). An instruction has a row for each group of its types that fares
//! differently. The parser reads suffixes and operands by the rows that work, so that nothing is legal here and
//! unknown there; what stands in the other rows is what a user is told.
//!
//! ```text
//! form:  "sat? s32"                a suffix: words in order, ? may be absent, | one of them, CAPITALS a named list
//!        "d a a"                   operands, a letter each: see Role
//! ```

mod compute;
mod float;
mod memory;
mod others;

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::OnceLock;

use super::types::words;

words! {
    /// An instruction that the front end reads.
    Opcode {
        Add = "add", Sub = "sub", Mul = "mul", Mad = "mad", Mul24 = "mul24", Mad24 = "mad24", Sad = "sad",
        Div = "div", Rem = "rem", Abs = "abs", Neg = "neg", Min = "min", Max = "max", Popc = "popc", Clz = "clz",
        Bfind = "bfind", Brev = "brev", Bfe = "bfe", Bfi = "bfi", Fma = "fma", Rcp = "rcp", Sqrt = "sqrt",
        Rsqrt = "rsqrt", Sin = "sin", Cos = "cos", Lg2 = "lg2", Ex2 = "ex2", Tanh = "tanh", Testp = "testp",
        Copysign = "copysign", Set = "set", Setp = "setp", Selp = "selp", Slct = "slct", And = "and", Or = "or",
        Xor = "xor", Not = "not", Cnot = "cnot", Lop3 = "lop3", Shf = "shf", Shl = "shl", Shr = "shr",
        Prmt = "prmt", Mov = "mov", Cvt = "cvt", Cvta = "cvta", Isspacep = "isspacep", Ld = "ld", Ldu = "ldu",
        St = "st", Atom = "atom", Red = "red", Membar = "membar", Fence = "fence", Bar = "bar", Barrier = "barrier",
        Shfl = "shfl", Vote = "vote", Redux = "redux", Match = "match", Bra = "bra", Call = "call", Ret = "ret",
        Exit = "exit", Trap = "trap", Addc = "addc", Subc = "subc", Madc = "madc", Dp4a = "dp4a", Dp2a = "dp2a",
        Szext = "szext", Bmsk = "bmsk", Fns = "fns",
    }
}

/// How an instruction, or a part of its types, fares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Read, analysed and run by the interpreter.
    Works,
    /// Read, and replaced by this before anything else sees it.
    Lowered(&'static str),
    /// Refused: why, and what to do instead.
    Refused(&'static str),
}

impl Status {
    /// The word of the printed table.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Status::Works => "works",
            Status::Lowered(_) => "lowered",
            Status::Refused(_) => "refused",
        }
    }

    /// What the user is told beside it.
    #[must_use]
    pub fn remark(self) -> &'static str {
        match self {
            Status::Works => "",
            Status::Lowered(text) | Status::Refused(text) => text,
        }
    }
}

/// A suffix with its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// The words, in order.
    pub suffix: &'static str,
    /// The operands, a letter each.
    pub operands: &'static str,
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The instruction.
    pub name: &'static str,
    /// Which part of it, such as its types; empty for all.
    pub part: &'static str,
    /// How it fares.
    pub status: Status,
    /// What is legal, where it works.
    pub forms: &'static [Form],
    /// Where it does not: the words of a suffix that belong to this row; any, if empty.
    pub words: &'static str,
}

/// A form: suffix, operands.
const fn form(suffix: &'static str, operands: &'static str) -> Form {
    Form { suffix, operands }
}

/// A row that works.
const fn works(name: &'static str, part: &'static str, forms: &'static [Form]) -> Row {
    Row { name, part, status: Status::Works, forms, words: "" }
}

/// A row that is replaced.
const fn lowered(name: &'static str, part: &'static str, into: &'static str, forms: &'static [Form]) -> Row {
    Row { name, part, status: Status::Lowered(into), forms, words: "" }
}

/// A row that is refused.
const fn refused(name: &'static str, words: &'static str, why: &'static str) -> Row {
    Row { name, part: words, status: Status::Refused(why), forms: &[], words }
}

/// The parts of the table, with their headings.
pub const TABLE: [(&str, &[Row]); 10] = [
    ("Integer arithmetic", compute::INTEGERS),
    ("Extended precision", compute::EXTENDED),
    ("Floating point", float::FLOATS),
    ("Comparison and selection", compute::COMPARISONS),
    ("Logic and shifts", compute::LOGIC),
    ("Data movement and conversion", memory::MEMORY),
    ("Control flow", others::CONTROL),
    ("Synchronisation and warps", others::THREADS),
    ("Textures and surfaces", others::TEXTURES),
    ("Matrices, bulk copies, others", others::MATRICES),
];

/// All rows.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    TABLE.iter().flat_map(|(_, rows)| rows.iter())
}

/// The words that a name in capitals stands for.
fn list(name: &str) -> Option<&'static str> {
    Some(match name {
        "INT" => "u16|u32|u64|s16|s32|s64",
        "BITS" => "b16|b32|b64",
        "WORDS" => "u32|s32|u64|s64",
        "ROUND" => "rn|rz|rm|rp",
        "ROUNDINT" => "rni|rzi|rmi|rpi",
        "INTCMP" => "eq|ne|lt|le|gt|ge|lo|ls|hi|hs",
        "FLOATCMP" => "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan",
        "BOOL" => "and|or|xor",
        "MEM" => "b8|u8|s8|b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64",
        "CVTINT" => "u8|s8|u16|s16|u32|s32|u64|s64",
        "SPACE" => "global|shared|local|const",
        "SEM" => "relaxed|acquire|release|acq_rel",
        "SCOPE" => "cta|gpu|sys",
        "LOADHINT" => "ca|cg|cs|lu|cv|nc",
        "STOREHINT" => "wb|cg|cs|wt",
        _ => return None,
    })
}

/// The words that a slot may be; a list stands for all of its own.
fn alternatives(slot: &'static str) -> impl Iterator<Item = &'static str> {
    slot.trim_end_matches('?').split('|').flat_map(|word| list(word).unwrap_or(word).split('|'))
}

impl Form {
    /// Every suffix that it stands for, each as its words with dots between them.
    #[must_use]
    pub fn spellings(&self) -> Vec<String> {
        self.suffix.split_whitespace().fold(vec![String::new()], |before, slot| {
            let none = slot.ends_with('?').then_some("");
            let words: Vec<&str> = none.into_iter().chain(alternatives(slot)).collect();
            let joined = |text: &String, word: &str| match (text.is_empty(), word.is_empty()) {
                (true, _) => word.to_string(),
                (_, true) => text.clone(),
                _ => format!("{text}.{word}"),
            };
            before.iter().flat_map(|text| words.iter().map(move |word| joined(text, word))).collect()
        })
    }

    /// Whether these words are its suffix.
    #[must_use]
    pub fn matches(&self, words: &[&str]) -> bool {
        let mut left = words.iter().copied().peekable();
        for slot in self.suffix.split_whitespace() {
            if left.peek().is_some_and(|word| alternatives(slot).any(|alternative| alternative == *word)) {
                left.next();
            } else if !slot.ends_with('?') {
                return false;
            }
        }
        left.next().is_none()
    }
}

/// Rows by the name of their instruction, in the order of the table.
fn by_name() -> &'static HashMap<&'static str, Vec<&'static Row>> {
    static ROWS: OnceLock<HashMap<&'static str, Vec<&'static Row>>> = OnceLock::new();
    ROWS.get_or_init(|| {
        let mut found: HashMap<&'static str, Vec<&'static Row>> = HashMap::new();
        rows().for_each(|row| found.entry(row.name).or_default().push(row));
        found
    })
}

/// What an instruction with these words is: its form, or why there is none.
///
/// # Errors
///
/// The reason, with what to do instead where that is known.
pub fn find(name: &str, words: &[&str]) -> Result<(&'static Row, &'static Form), String> {
    let spelled = || [&[name], words].concat().join(".");
    let Some(rows) = by_name().get(name) else {
        return Err(format!("`{name}` is no instruction of PTX ISA 8.7"));
    };
    for row in rows {
        if let Some(form) = row.forms.iter().find(|form| form.matches(words)) {
            return Ok((row, form));
        }
    }
    let of_row = |row: &&&Row| row.words.is_empty() || row.words.split(' ').any(|word| words.contains(&word));
    let mut others = rows.iter().filter(|row| row.forms.is_empty());
    Err(match others.find(of_row).map(|row| row.status) {
        Some(status) => format!("`{}` is refused: {}", spelled(), status.remark()),
        None => {
            let forms = rows.iter().flat_map(|row| row.forms);
            let forms: Vec<String> = forms.map(|form| format!("`{name} {}`", form.suffix)).collect();
            format!("`{}` has no suffix of {}", spelled(), forms.join(" or "))
        }
    })
}

/// The table as Markdown, with counts.
#[must_use]
pub fn markdown() -> String {
    let mut text = String::from("# Instructions of PTX ISA 8.7\n");
    for (heading, rows) in TABLE {
        let _ = write!(text, "\n## {heading}\n\n| instruction | part | status | remark |\n|---|---|---|---|\n");
        for row in rows {
            let part = row.part.replace(' ', ", ");
            let _ = writeln!(text, "| `{}` | {part} | {} | {} |", row.name, row.status.name(), row.status.remark());
        }
    }
    let mut names: Vec<&str> = rows().map(|row| row.name).collect();
    names.sort_unstable();
    names.dedup();
    let count = |status: &str| rows().filter(|row| row.status.name() == status).count();
    let with =
        |status: &str| names.iter().filter(|n| rows().any(|r| &r.name == *n && r.status.name() == status)).count();
    let whole = names.iter().filter(|n| rows().filter(|r| &r.name == *n).all(|r| !r.forms.is_empty())).count();
    let _ =
        write!(text, "\n{} instructions in {} rows\n\n| status | rows | instructions |\n", names.len(), rows().count());
    text += "|---|--:|--:|\n";
    for status in ["works", "lowered", "refused"] {
        let _ = writeln!(text, "| {status} | {} | {} |", count(status), with(status));
    }
    let read = names.iter().filter(|n| rows().any(|r| &r.name == *n && !r.forms.is_empty())).count();
    let _ = writeln!(text, "\n{read} instructions are read, {whole} of them with all their types.");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::types::{Space, Type, Word};

    #[test]
    fn suffixes_are_taken_in_order() {
        assert!(find("add", &["sat", "s32"]).is_ok() && find("add", &["s32"]).is_ok());
        assert!(find("add", &["s32", "sat"]).is_err() && find("add", &["sat", "u32"]).is_err());
        assert!(find("add", &["rn", "ftz", "f32"]).is_ok() && find("add", &["ftz", "f64"]).is_err());
        assert!(find("cvt", &["rzi", "ftz", "s32", "f32"]).is_ok());
    }

    #[test]
    fn a_form_is_spelled_in_all_its_ways() {
        assert_eq!(form("sat? s32", "d a a").spellings(), ["s32", "sat.s32"]);
        assert_eq!(form("l|r clamp|wrap b32", "").spellings().len(), 4);
        assert_eq!(form("", "").spellings(), [""]);
        for form in rows().flat_map(|row| row.forms) {
            for spelling in form.spellings() {
                let words: Vec<&str> = spelling.split('.').filter(|word| !word.is_empty()).collect();
                assert!(form.matches(&words), "{spelling}");
            }
        }
    }

    #[test]
    fn who_is_refused_is_told_why() {
        let message = |name, words: &[&str]| find(name, words).expect_err("refused");
        assert!(message("add", &["f32x2"]).contains("is refused: two numbers"), "{}", message("add", &["f32x2"]));
        assert!(message("tex", &["2d", "v4", "f32", "s32"]).contains("pointer"));
        assert_eq!(message("addd", &["s32"]), "`addd` is no instruction of PTX ISA 8.7");
        assert!(message("popc", &["s32"]).contains("`popc b32|b64`"), "{}", message("popc", &["s32"]));
    }

    /// Each word of each form is one that the parser can file.
    #[test]
    fn forms_use_words_that_there_are() {
        for row in rows() {
            assert!(row.forms.is_empty() || Opcode::from_name(row.name).is_some(), "{}", row.name);
            assert_eq!(row.forms.is_empty(), matches!(row.status, Status::Refused(_)));
            for text in row.forms.iter().flat_map(|form| form.suffix.split_whitespace()) {
                for word in alternatives(text) {
                    let known = Type::from_name(word).is_some() || Space::from_name(word).is_some();
                    assert!(known || Word::from_name(word).is_some(), "{} {word}", row.name);
                }
            }
        }
        for opcode in Opcode::ALL {
            assert!(rows().any(|row| row.name == opcode.name() && !row.forms.is_empty()), "{}", opcode.name());
        }
    }

    #[test]
    fn counts_are_those_of_the_rows() {
        let text = markdown();
        let lines = text.lines().filter(|line| line.starts_with("| `")).count();
        assert_eq!(lines, rows().count());
        assert!(text.contains(&format!("in {lines} rows")));
    }
}
