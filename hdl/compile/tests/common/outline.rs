//! Random kernels with functions: lines of a kernel are taken out of it, into functions that it calls in their place.
//!
//! A function is called with what its lines read and gives back what they write. Values are passed in registers, in
//! variables, in structures with others, as registers in place of variables; some lines of a function are in functions
//! again; some functions return in two places; what is under a guard may be called under it.

use std::collections::BTreeMap;
use std::fmt::Write;

use bitline_compile::ptx::ast::{Guard, Instruction, Kernel, RegisterId};
use bitline_compile::ptx::parse;
use bitline_compile::ptx::table::Opcode;
use bitline_compile::ptx::types::Type;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The kernel, with some of its lines in functions.
pub fn outlined(text: &str, seed: u64) -> String {
    let module = parse("random.ptx", text).unwrap_or_else(|error| panic!("{error}"));
    let kernel = &module.kernels[0];
    let mut by_line: BTreeMap<usize, Vec<&Instruction>> = BTreeMap::new();
    for it in &kernel.body {
        by_line.entry(it.place.line as usize - 1).or_default().push(it);
    }
    let lines: Vec<&str> = text.lines().collect();
    let head = lines.iter().position(|line| line.contains(".visible .entry")).expect("a kernel");
    let registers: Vec<&str> = lines.iter().copied().filter(|line| line.contains(".reg ")).collect();
    let registers = registers.join("\n");
    let random = ChaCha8Rng::seed_from_u64(seed ^ 0xf00d);
    let mut outline = Outline { kernel, by_line, lines, registers, random, functions: String::new(), count: 0 };
    let body = outline.body(head + 2..outline.lines.len(), 0);
    format!(
        "{}\n{}{}\n{body}",
        outline.lines[..head].join("\n"),
        outline.functions,
        outline.lines[head..head + 2].join("\n")
    )
}

struct Outline<'o> {
    kernel: &'o Kernel,
    by_line: BTreeMap<usize, Vec<&'o Instruction>>,
    lines: Vec<&'o str>,
    /// Declarations of all registers, which every function repeats.
    registers: String,
    random: ChaCha8Rng,
    functions: String,
    count: usize,
}

/// A value that is passed.
struct Value {
    register: String,
    ty: Type,
    way: Way,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// In a register.
    Register,
    /// In a variable that the call names.
    Variable,
    /// In a variable of the function; the call names the register.
    Direct,
    /// In a structure with others.
    Structure,
}

impl Value {
    /// `.b32`
    fn bits(&self) -> String {
        format!("b{}", self.ty.bits())
    }
}

/// Offsets of those that are in the structure, and its bytes.
fn structure(values: &[Value]) -> (Vec<u32>, u32) {
    let mut end = 0;
    let mut offsets = Vec::new();
    for value in values {
        offsets.push(end);
        end += if value.way == Way::Structure { 8 } else { 0 };
    }
    (offsets, end)
}

impl Outline<'_> {
    /// These lines, some of them as calls.
    fn body(&mut self, range: std::ops::Range<usize>, depth: usize) -> String {
        let mut text = String::new();
        let mut at = range.start;
        while at < range.end {
            let most = self.random.random_range(1..7);
            let run = (at..range.end).take(most).take_while(|line| self.plain(*line)).count();
            let whole = depth > 0 && run == range.len();
            if run > 0 && !whole && self.random.random_bool(0.4) {
                text += &self.call(at..at + run, depth);
                at += run;
            } else {
                text = text + self.lines[at] + "\n";
                at += 1;
            }
        }
        text
    }

    /// Whether a line may be in a function.
    fn plain(&self, line: usize) -> bool {
        let stays = |it: &&Instruction| it.ends() || it.opcode == Opcode::Bra;
        self.by_line.get(&line).is_some_and(|all| !all.iter().any(stays))
            && !self.lines[line].contains(':')
            && !["ld.param", "own"].iter().any(|word| self.lines[line].contains(word))
    }

    fn instructions(&self, range: std::ops::Range<usize>) -> Vec<&Instruction> {
        range.flat_map(|line| self.by_line[&line].iter().copied()).collect()
    }

    fn values(&mut self, registers: &[RegisterId], ways: &[Way]) -> Vec<Value> {
        let of = |register: &RegisterId| {
            let own = &self.kernel.registers[register.0 as usize];
            let way = ways[self.random.random_range(0..ways.len())];
            let way = if own.ty == Type::Pred { Way::Register } else { way };
            Value { register: own.name.clone(), ty: own.ty, way }
        };
        registers.iter().map(of).collect()
    }

    /// Makes a function of these lines; gives the call.
    fn call(&mut self, range: std::ops::Range<usize>, depth: usize) -> String {
        let all: Vec<Instruction> = self.instructions(range.clone()).into_iter().cloned().collect();
        let guard: Option<Guard> = match &all[..] {
            [one] if one.guard.is_some() && self.random.random_bool(0.5) => one.guard,
            _ => None,
        };
        let (mut read, mut written): (Vec<RegisterId>, Vec<RegisterId>) = (Vec::new(), Vec::new());
        for it in &all {
            let mut own = it.reads();
            // What is written under a guard may stay as it was.
            if it.guard.is_some() && guard.is_none() {
                own.extend(it.writes());
            }
            own.retain(|register| !written.contains(register) && !read.contains(register));
            own.sort_unstable();
            own.dedup();
            read.extend(own);
            let mut own = it.writes();
            own.retain(|register| !written.contains(register));
            written.extend(own);
        }
        let ways = [Way::Register, Way::Variable, Way::Direct, Way::Structure];
        let (inputs, results) = (self.values(&read, &ways), self.values(&written, &ways));
        let name = format!("f{}", self.count);
        self.count += 1;
        let mut inner = if depth < 2 { self.body(range.clone(), depth + 1) } else { self.lines[range].join("\n") };
        let (mut before, mut after) = (String::new(), String::new());
        if let Some(guard) = guard {
            let register = &self.kernel.registers[guard.register.0 as usize].name;
            before = format!("@{}{register} ", if guard.negated { "!" } else { "" });
            inner = inner.replacen(&before, "", 1);
            after = before.clone();
        }
        self.function(&name, &inputs, &results, &inner);
        called(&name, &inputs, &results, [&before, &after])
    }

    /// The function itself.
    fn function(&mut self, name: &str, inputs: &[Value], results: &[Value], inner: &str) {
        let head = |values: &[Value], prefix: &str| {
            let (_, bytes) = structure(values);
            let mut all: Vec<String> = Vec::new();
            for (index, value) in values.iter().enumerate() {
                match value.way {
                    Way::Register => all.push(format!(".reg .{} %{prefix}{index}", value.ty.name())),
                    Way::Structure => {}
                    _ => all.push(format!(".param .{} {prefix}{index}", value.bits())),
                }
            }
            if bytes > 0 {
                all.push(format!(".param .align 8 .b8 {prefix}s[{bytes}]"));
            }
            all.join(", ")
        };
        let mut text =
            format!(".func ({}) {name}({})\n{{\n{}\n", head(results, "z"), head(inputs, "a"), self.registers);
        let (offsets, _) = structure(inputs);
        for (index, value) in inputs.iter().enumerate() {
            let (bits, register) = (value.bits(), &value.register);
            let _ = match value.way {
                Way::Register => writeln!(text, "mov.{} {register}, %a{index};", value.ty.name()),
                Way::Structure => writeln!(text, "ld.param.{bits} {register}, [as+{}];", offsets[index]),
                _ => writeln!(text, "ld.param.{bits} {register}, [a{index}];"),
            };
        }
        text += inner;
        let mut give = String::new();
        let (offsets, _) = structure(results);
        for (index, value) in results.iter().enumerate() {
            let (bits, register) = (value.bits(), &value.register);
            let _ = match value.way {
                Way::Register => writeln!(give, "mov.{} %z{index}, {register};", value.ty.name()),
                Way::Structure => writeln!(give, "st.param.{bits} [zs+{}], {register};", offsets[index]),
                _ => writeln!(give, "st.param.{bits} [z{index}], {register};"),
            };
        }
        if self.random.random_bool(0.4) {
            let _ = writeln!(text, "\nsetp.gt.u32 %p5, %tid.x, 5; @%p5 bra OTHER;\n{give}ret;\nOTHER:");
        }
        let _ = writeln!(self.functions, "{text}\n{give}ret;\n}}");
    }
}

/// The call of a function; guards before it and before what it gives is taken.
fn called(name: &str, inputs: &[Value], results: &[Value], [guard, after]: [&str; 2]) -> String {
    let mut text = String::from("    {\n");
    let mut end = String::new();
    let mut lists = Vec::new();
    for (values, prefix) in [(results, "y"), (inputs, "x")] {
        let (offsets, bytes) = structure(values);
        let mut all: Vec<String> = Vec::new();
        for (index, value) in values.iter().enumerate() {
            let (bits, register) = (value.bits(), &value.register);
            let (variable, place) = match value.way {
                Way::Register | Way::Direct => {
                    all.push(register.clone());
                    continue;
                }
                Way::Structure => (format!("{prefix}s"), offsets[index]),
                Way::Variable => {
                    let _ = writeln!(text, "    .param .{bits} {prefix}{index};");
                    all.push(format!("{prefix}{index}"));
                    (format!("{prefix}{index}"), 0)
                }
            };
            if value.way == Way::Structure && offsets[index] == 0 {
                let _ = writeln!(text, "    .param .align 8 .b8 {prefix}s[{bytes}];");
            }
            let _ = match prefix {
                "x" => writeln!(text, "    st.param.{bits} [{variable}+{place}], {register};"),
                _ => writeln!(end, "    {after}ld.param.{bits} {register}, [{variable}+{place}];"),
            };
        }
        if bytes > 0 {
            all.push(format!("{prefix}s"));
        }
        lists.push(all.join(", "));
    }
    format!("{text}    {guard}call ({}), {name}, ({});\n{end}    }}\n", lists[0], lists[1])
}
