//! Every instruction of the table that is read, with all its types and suffixes, as lines that make a number of 64 bits
//! of three others.

use bitline_compile::ptx::parse;
use bitline_compile::ptx::table::rows;
use bitline_compile::ptx::types::Type;

use super::operands::Kind;

/// Lines around an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The instruction, and what of it is looked at.
    pub name: String,
    /// Which row of the table it is of.
    pub row: usize,
    /// What it reads.
    pub kinds: [Kind; 3],
    /// PTX on `%a0` to `%a2` of 64 bits, their lower parts `%b0` and `%h0`, and their bits as `%p0`; for `%d8`.
    pub text: String,
    /// What the result is.
    pub result: Type,
}

/// Instructions whose results are only said to be near to something.
pub fn is_approximate(line: &Line) -> bool {
    line.name.contains(".approx") || line.name.contains(".full")
}

fn kind(ty: Type) -> Kind {
    match ty {
        Type::F16 => Kind::F16,
        Type::BF16 => Kind::BF16,
        Type::F16x2 => Kind::F16x2,
        Type::BF16x2 => Kind::BF16x2,
        Type::F32 => Kind::F32,
        Type::F64 => Kind::F64,
        Type::Pred => Kind::Nothing,
        // Of registers that are wider the upper bits are something.
        Type::B8 | Type::U8 | Type::S8 => Kind::Integer(32),
        other => Kind::Integer(other.bits()),
    }
}

/// The register with a source of so many bits.
fn source(at: usize, bits: u32) -> String {
    let name = match bits {
        1 => "p",
        16 => "h",
        64 => "a",
        _ => "b",
    };
    format!("%{name}{at}")
}

/// The register of a result of so many bits, and what brings it to `%d8`.
fn result(bits: u32) -> (&'static str, &'static str) {
    match bits {
        1 => ("%q1", "selp.b64 %d8, 1, 0, %q1;"),
        16 => ("%g1", "cvt.u64.u16 %d8, %g1;"),
        64 => ("%d8", ""),
        _ => ("%r1", "cvt.u64.u32 %d8, %r1;"),
    }
}

const BOTH: &str = "selp.b32 %r2, 1, 0, %q1; selp.b32 %r3, 2, 0, %q2; or.b32 %r2, %r2, %r3; cvt.u64.u32 %d8, %r2;";
const WITH: &str = "selp.b32 %r2, 1, 0, %q2; mov.b64 %d8, {%r1, %r2};";
/// Leaves the lowest bit of the third number in the carry.
const CARRY: &str = "and.b32 %r9, %b2, 1; add.cc.u32 %r9, %r9, -1;";

/// Suffixes that this parser reads, and NVIDIA's assembler does not: they say what is so anyway.
fn is_idle(name: &str, types: &[Type], suffix: &str) -> bool {
    let has = |word: &str| suffix.split('.').any(|own| own == word);
    let &[to, from] = types else { return false };
    let all = (to.is_signed() || !from.is_signed())
        && to.bits() - u32::from(to.is_signed() && !from.is_signed()) >= from.bits();
    let flushed = matches!(from, Type::F16 | Type::F16x2 | Type::F32) && to != Type::BF16;
    name == "set" && has("ftz") && !flushed || name == "cvt" && has("sat") && !to.is_float() && !from.is_float() && all
}

/// The line of an instruction whose operands are all in registers; none if there is another one.
fn plain(row: usize, name: &str, suffix: &str, operands: &str) -> Option<Line> {
    if matches!(name, "match" | "redux" | "vote" | "bar" | "barrier") || operands.is_empty() {
        return None;
    }
    let spelling = if suffix.is_empty() { name.to_string() } else { format!("{name}.{suffix}") };
    let types: Vec<Type> = suffix.split('.').filter_map(Type::from_name).collect();
    if is_idle(name, &types, suffix) {
        return Some(Line {
            name: String::new(),
            row,
            kinds: [Kind::Nothing; 3],
            text: String::new(),
            result: Type::Pred,
        });
    }
    let first = types.first().copied().unwrap_or(Type::B32);
    let second = types.get(1).copied().unwrap_or(first);
    let doubled = first.doubled().unwrap_or(first);
    let mut kinds = Vec::new();
    let (mut texts, mut behind, mut of) = (Vec::new(), "", first);
    for letter in operands.split(' ') {
        let mut read = |ty: Type, own: Kind| {
            let at = kinds.len();
            kinds.push(own);
            source(at, ty.bits())
        };
        let mut written = |ty: Type| {
            let (register, text) = result(ty.bits());
            (behind, of) = (text, ty);
            register.to_string()
        };
        texts.push(match letter {
            "d" | "e" | "o" | "k" => written(first),
            "D" => written(doubled),
            "U" => written(Type::U32),
            "q" => written(Type::Pred),
            // NVIDIA's assembler gives the complement of a comparison of single 16-bit numbers no register.
            "p" if matches!(first, Type::F16 | Type::BF16) => written(Type::Pred),
            "p" | "P" => {
                (behind, of) = (BOTH, Type::U32);
                "%q1|%q2".to_string()
            }
            "g" => {
                (behind, of) = (WITH, Type::U64);
                "%r1|%q2".to_string()
            }
            "a" | "A" => read(first, kind(first)),
            "W" => read(doubled, kind(doubled)),
            "s" | "r" => read(second, kind(second)),
            "u" if name.starts_with("dp") => read(Type::U32, Kind::Integer(32)),
            "u" => read(Type::U32, Kind::Amount),
            "c" => "%p3".to_string(),
            "i" => "TABLE".to_string(),
            _ => return None,
        });
    }
    if kinds.len() == 4 {
        kinds[2] = Kind::Amounts;
    }
    kinds.resize(3, Kind::Nothing);
    let before = if matches!(name, "addc" | "subc" | "madc") { CARRY } else { "" };
    let text = format!("{before} {spelling} {}; {behind}", texts.join(", "));
    Some(Line { name: spelling, row, kinds: [kinds[0], kinds[1], kinds[2]], text, result: of })
}

/// The same with what the instruction leaves in the carry, as an `addc` and a `subc` see it.
fn carries(line: &Line) -> [Line; 2] {
    [("addc", "carry"), ("subc", "borrow")].map(|(reader, what)| Line {
        name: format!("{} {what}", line.name),
        text: format!("{} {reader}.u32 %r1, 0, 0; cvt.u64.u32 %d8, %r1;", line.text),
        result: Type::U32,
        ..line.clone()
    })
}

/// Lines that a person has written, for what is not a matter of registers alone. The first word is what they are in
/// the table, and which of its rows.
const WRITTEN: &str = include_str!("sweep.txt");

fn by_hand() -> Vec<Line> {
    let all: Vec<_> = rows().collect();
    let mut lines = Vec::new();
    for text in WRITTEN.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (head, text) = text.split_once(": ").unwrap_or_else(|| panic!("{text}"));
        let (name, part) = head.split_once('/').unwrap_or((head, ""));
        let row = all.iter().position(|row| row.name == name && !row.forms.is_empty() && row.part.starts_with(part));
        let row = row.unwrap_or_else(|| panic!("{head}: no such row"));
        let floats = [("add.f32", Kind::F32), ("add.f64", Kind::F64), ("noftz.f16x2", Kind::F16x2)];
        let floats = floats.into_iter().chain([("noftz.bf16x2", Kind::BF16x2), ("noftz.f16", Kind::F16)]);
        let float = floats.chain([("noftz.bf16", Kind::BF16)]).find(|(word, _)| text.contains(word));
        let integer = |at: usize| {
            let bits = [16, 32, 64].into_iter().rev().find(|bits| text.contains(&source(at, *bits)));
            bits.map_or(Kind::Nothing, |bits| float.map_or(Kind::Integer(bits), |(_, kind)| kind))
        };
        let end = if text.contains("%d8") { "" } else { "cvt.u64.u32 %d8, %r1;" };
        let own = format!("{text} {end}");
        lines.push(Line { name: text.to_string(), row, kinds: [0, 1, 2].map(integer), text: own, result: Type::U64 });
    }
    lines
}

/// All lines, by rows of the table.
pub fn lines() -> Vec<Line> {
    let mut all = Vec::new();
    for (row, own) in rows().enumerate() {
        for form in own.forms {
            for suffix in form.spellings() {
                // Memory, threads and jumps are in the lines by hand.
                let Some(line) = plain(row, own.name, &suffix, form.operands) else { break };
                if line.text.is_empty() {
                    continue;
                }
                if parse("k.ptx", &kernel(&[&line], 1)).is_err() && !line.text.contains("TABLE") {
                    continue;
                }
                if line.text.contains("TABLE") {
                    for table in (0..256).step_by(if line.name == "lop3.b32" { 1 } else { 17 }) {
                        let (name, text) =
                            (format!("{} {table}", line.name), line.text.replace("TABLE", &table.to_string()));
                        all.push(Line { name, text, ..line.clone() });
                    }
                    continue;
                }
                if suffix.starts_with("cc.") || suffix.contains(".cc.") {
                    all.extend(carries(&line));
                }
                all.push(line);
            }
        }
    }
    all.extend(by_hand());
    all.sort_by_key(|line| line.row);
    all
}

/// Threads of a block.
pub const BLOCK: usize = 64;

/// A kernel that has each line done by `count` threads, on numbers of their own.
pub fn kernel(lines: &[&Line], count: usize) -> String {
    let mut text = String::from(
        ".version 8.6\n.target sm_90\n.address_size 64\n\
         .const .align 8 .b8 constants[16] = {1, 2, 131, 4, 5, 6, 7, 136, 9, 10, 11, 12, 13, 14, 143, 240};\n\
         .visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 out)\n{\n\
         .reg .pred %p<4>, %q<4>; .reg .b16 %h<4>, %g<9>; .reg .b32 %b<4>, %r<16>, %x<4>;\n\
         .reg .b64 %a<4>, %d<12>, %y<9>; .shared .align 64 .b8 own[2048]; .local .align 16 .b8 mine[32];\n\
         mov.u32 %x0, %tid.x; mov.u32 %x1, %ctaid.x; mov.u32 %x2, %ntid.x; mad.lo.u32 %x3, %x1, %x2, %x0;\n\
         mul.wide.u32 %y0, %x3, 8; ld.param.u64 %y4, [out]; add.s64 %y4, %y4, %y0;\n",
    );
    for (at, name) in ["a", "b", "c"].into_iter().enumerate() {
        text += &format!("ld.param.u64 %y1, [{name}]; add.s64 %y1, %y1, %y0; ld.global.u64 %a{at}, [%y1];\n");
        for (bits, how) in [(32, "cvt.u32.u64"), (16, "cvt.u16.u64")] {
            let register = source(at, bits);
            if lines.iter().any(|line| line.text.contains(&register)) || bits == 32 {
                text += &format!("{how} {register}, %a{at};\n");
            }
        }
        text += &format!("and.b32 %r0, %b{at}, 1; setp.ne.u32 %p{at}, %r0, 0;\n");
    }
    text += "mov.b64 {%r0, %b3}, %a2;\n";
    text += "and.b32 %r0, %b2, 512; setp.ne.u32 %p3, %r0, 0;\n";
    if lines.iter().any(|line| line.text.contains("%y7")) {
        // 8 bytes of a thread behind all results.
        text += &format!("add.s64 %y7, %y4, {};\n", lines.len() * count * 8);
    }
    if lines.iter().any(|line| line.text.contains("%y5")) {
        // 32 bytes of a thread in a block's memory, with a number in it.
        text += "mul.lo.u32 %r0, %x0, 32; cvt.u64.u32 %y5, %r0; mov.u64 %y6, own; add.s64 %y5, %y5, %y6;\n";
    }
    for (at, line) in lines.iter().enumerate() {
        text +=
            &format!("{}\nst.global.u64 [%y4+{}], %d8;\n", line.text.replace("$", &format!("_{at}")), at * count * 8);
    }
    text + "ret;\n}\n"
}
