//! Programs from text to results.

use std::path::Path;

use super::{Across, FORMAT, Outcome, Plan, Source, Statement, assembly, plan, run, toml_form};
use crate::error::Result;
use crate::isa::custom::STATEMENTS;
use crate::isa::operation::{Context, Operation, Role};
use crate::isa::row::Operand;
use crate::isa::{Opcode, Set};
use crate::machine::Engine;
use crate::model::arith::{Inputs, evaluate};
use crate::params::Params;
use crate::vectors::Stimulus;

mod flags;
mod float;

fn source(text: &str) -> Result<Source> {
    assembly::parse("p.bl", Path::new("."), text)
}

fn planned(text: &str) -> Result<Plan> {
    let source = source(text)?;
    let design = source.design.clone().map_or_else(Default::default, |d| d.value);
    plan(&source, &design.params()?, None)
}

fn outcome(plan: &Plan) -> Result<Outcome> {
    let mut machine = Engine::Model.machine(&plan.params, 9)?;
    run(plan, machine.as_mut(), &mut |_, _| ())
}

fn error(text: &str) -> String {
    planned(text).and_then(|plan| outcome(&plan)).map_or_else(|e| e.to_string(), |o| o.failures.join("\n"))
}

/// The text between a fence of this kind and the next.
fn block(kind: &str) -> &'static str {
    let (_, rest) = FORMAT.split_once(&format!("```{kind}\n")).expect("the documentation has an example");
    rest.split_once("```").expect("fences are closed").0
}

#[test]
fn documented_examples_can_be_read() {
    let text = source(block("text")).expect("an example");
    assert_eq!((text.vectors.len(), text.statements.len()), (4, 6));
    let toml = toml_form::parse("p.toml", Path::new("."), block("toml")).expect("an example");
    assert_eq!((toml.vectors.len(), toml.statements.len()), (3, 6));
    for opcode in Opcode::ALL {
        let known = source(&format!("{opcode}"));
        let streams = ["load", "store"].contains(&opcode.name());
        assert_eq!(known.is_ok(), !streams, "{opcode}");
    }
}

#[test]
fn both_forms_say_the_same() {
    let toml = r#"
elements = 3
commands = ["mul.s d=p[0..16] a=x b=y set=skip", "search a=x key=-2"]
design = { preset = "tiny", rows = 128, latches = ["hold"], sets = ["fast", "skip"] }

[[vector]]
name = "x"
width = 8
signed = true
row = 3
load = { csv = "x.csv", column = "a b", skip = 1, separator = ";", scale = 2.5 }
expect = { raw = "x.bin", bytes = 2 }

[[vector]]
name = "y"
width = 8
load = { list = [1, -2, "0x80"] }
print = { limit = 4, base = 16 }
store = { pgm = "y.pgm", width = 3 }

[[vector]]
name = "p"
width = 20
load = { value = 7 }
store = { csv = "p.csv", column = "product" }

[[vector]]
name = "low"
of = "p[0..2]"
load = { rows = ["0b101", "0xff"] }
expect = { pgm = "low.pgm" }
print = true
store = { raw = "low.bin" }
"#;
    let text = r#"
elements 3
design preset=tiny rows=128 latches=hold sets=fast,skip
vector x width=8 signed row=3
vector y width=8
vector p width=20
vector low of=p[0..2]
load x csv x.csv column="a b" skip=1 separator=";" scale=2.5
load y list 1, -2, 0x80
load p value 7
load low rows 0b101 0xff
mul.s d=p[0..16] a=x b=y set=skip
search a=x key=-2   # a comment
expect x raw x.bin bytes=2
print y limit=4 base=16
store y pgm y.pgm width=3
store p csv p.csv column=product
expect low pgm low.pgm
print low
store low raw low.bin
"#;
    let toml = toml_form::parse("p", Path::new("."), toml).expect("legal");
    let text = assembly::parse("p", Path::new("."), text).expect("legal");
    assert_eq!(toml.design.as_ref().map(|d| &d.value), text.design.as_ref().map(|d| &d.value));
    assert_eq!(toml.elements.as_ref().map(|e| e.value), text.elements.as_ref().map(|e| e.value));
    let vectors = |s: &Source| s.vectors.iter().map(|v| v.value.clone()).collect::<Vec<_>>();
    assert_eq!(vectors(&toml), vectors(&text));
    let statements = |s: &Source| s.statements.iter().map(|s| s.value.clone()).collect::<Vec<Statement>>();
    assert_eq!(statements(&toml), statements(&text));
    assert_eq!((toml.vectors[1].line, toml.statements[4].line), (14, 3));
}

/// The words of statements, which no operation of the library's user may have as its name, are those that are read.
#[test]
fn statements_are_reserved() {
    assert!(Across::ALL.iter().all(|(name, _)| STATEMENTS.contains(name)));
    for word in STATEMENTS {
        // Alone on its line: `design` is a whole statement, most ask for what is missing.
        if let Err(error) = source(word) {
            let error = error.to_string();
            assert!(!error.contains("statement = "), "{word} is no statement: {error}");
        }
    }
    let error = source("no_such_statement").expect_err("no statement").to_string();
    assert!(error.contains("statement = \"no_such_statement\""), "{error}");
}

/// Every operation by its mnemonic, with data over several chunks, against the arithmetic model; and a wrong
/// expectation.
#[test]
fn every_operation_by_name() {
    let seed = 5;
    println!("seed {seed}");
    let mut stimulus = Stimulus::new(seed);
    for preset in ["tiny", "paper"] {
        for opcode in crate::presets::preset(preset).expect("a preset").opcodes() {
            if !matches!(opcode, Opcode::Load | Opcode::Store | Opcode::TagStore) {
                for set in [Set::Fast, Set::Skip] {
                    operation_by_name(preset, opcode, set, &mut stimulus);
                }
            }
        }
    }
}

/// Literals, directions of rounding and subnormal numbers by name; results in decimal and as bits, in a file, too.
fn operation_by_name(preset: &str, opcode: Opcode, set: Set, stimulus: &mut Stimulus) {
    let params: Params = crate::presets::preset(preset).expect("a preset");
    let operation = Operation::of(opcode, Context::of(&params, set));
    let (n, count) = (8u32, 21);
    let m = match opcode {
        Opcode::DotU | Opcode::DotS => 19,
        _ if operation.second.is_some() => 4,
        _ => 0,
    };
    let key = stimulus.value(8);
    let inputs: Vec<Inputs> = (0..count).map(|_| stimulus.inputs(opcode, n, m, key)).collect();
    let results: Vec<_> = inputs.iter().map(|&i| evaluate(opcode, n, m, key, i)).collect();
    let list = |values: Vec<u128>| values.iter().map(u128::to_string).collect::<Vec<_>>().join(" ");
    let mut text = format!("design preset={preset} rows=256 columns=8\n");
    let (mut loads, mut operands, mut expects) = (String::new(), String::new(), Vec::new());
    for extent in operation.extents.iter().filter(|e| e.role != Role::Scratch) {
        let name = extent.operand.name();
        let width = extent.rows.value(n as i32, m as i32);
        text += &format!("vector {name} width={width}\n");
        operands += &format!(" {name}={name}");
        let value = |i: &Inputs| match extent.operand {
            Operand::A => i.a.into(),
            Operand::B => i.b.into(),
            Operand::D => i.d,
            _ => i.e.into(),
        };
        if extent.role != Role::Result {
            loads += &format!("load {name} list {}\n", list(inputs.iter().map(value).collect()));
        }
        let result = |o: &crate::model::arith::Outputs| if extent.operand == Operand::D { o.d } else { o.e };
        if extent.role != Role::Source {
            let wanted: Vec<u128> = results.iter().map(|o| result(o).expect("the model says what it is").0).collect();
            expects.push((name, wanted));
        }
    }
    let key = if matches!(opcode, Opcode::Search | Opcode::MulConst) { format!(" key={key}") } else { String::new() };
    text += &format!("vector tags width=1\nelements {count}\n{loads}{opcode}{operands}{key} set={set}\n");
    if results[0].tag.is_some() {
        text += "tag_store d=tags\n";
        let tags = results.iter().map(|o| u128::from(o.tag.expect("every column has one"))).collect();
        expects.push(("tags", tags));
    }
    for spoilt in [None, Some(13)] {
        let mut text = text.clone();
        for (name, values) in &expects {
            let mut values: Vec<u128> = values.clone();
            if let Some(index) = spoilt {
                values[index] ^= 1;
            }
            text += &format!("expect {name} list {}\n", list(values));
        }
        let outcome = planned(&text).and_then(|p| outcome(&p)).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(outcome.report.chunks, 3);
        match spoilt {
            None => assert!(outcome.failures.is_empty(), "{:?}\n{text}", outcome.failures),
            Some(_) => {
                assert_eq!(outcome.failures.len(), expects.len(), "{text}");
                assert!(outcome.failures.iter().all(|f| f.contains("element 13 = ") && f.contains("1 of 21")));
            }
        }
    }
}

#[test]
fn data_independent_counts_add_up() {
    let text = "design preset=tiny\nvector x width=8\nvector y width=8\nload x list 1 2 3 4 5 6 7 8 9\nadd d=y a=x \
                b=x\nsub d=y a=y b=x\nexpect y list 1 2 3 4 5 6 7 8 9\n";
    let outcome = planned(text).and_then(|p| outcome(&p)).expect("a legal program");
    assert!(outcome.failures.is_empty());
    let report = &outcome.report;
    assert_eq!((report.chunks, report.rtl_cycles(), report.latency_cycles()), (2, 32, 40));
    assert_eq!((report.rows_in, report.rows_out, report.beats()), (16, 16, 32));
    assert!(report.clock_cycles > report.latency_cycles());
    assert!(report.to_string().contains("9 elements in 2 chunks"));
}

#[test]
fn results_take_every_form() {
    let text = "design preset=tiny\nvector x width=8 signed\nload x list -1 2 -128 127\n\
        print x\nprint x base=16 limit=2\nprint x[7..]\nprint x[0..7]\nstore x csv o.csv\nstore x[0..4] csv o.csv \
        column=low\n\
        store x raw o.bin bytes=2\nstore x[0..7] pgm o.pgm width=2\n";
    let outcome = planned(text).and_then(|p| outcome(&p)).expect("a legal program");
    let printed = ["x = -1 2 -128 127", "x = 0xff 0x2 ... (4 elements)", "x[7..] = -1 0 -1 0", "x[0..7] = 127 2 0 127"];
    assert_eq!(outcome.printed.iter().map(ToString::to_string).collect::<Vec<_>>(), printed);
    let file = |name: &str| {
        let found = outcome.files.iter().find(|(path, _)| path.ends_with(name));
        found.map(|(_, content)| content.clone()).expect("the program stores it")
    };
    assert_eq!(file("o.csv"), b"x,low\n-1,15\n2,2\n-128,0\n127,15\n");
    assert_eq!(file("o.bin"), [255, 255, 2, 0, 128, 255, 127, 0]);
    assert_eq!(file("o.pgm"), b"P5\n2 2\n127\n\x7f\x02\x00\x7f");
}

#[test]
fn errors_name_line_and_rule() {
    let cases = [
        ("frobnicate a=x", "p.bl, line 1: statement = \"frobnicate\": must be design, elements, vector,"),
        ("\nvector 1x width=8", "p.bl, line 2: vector = \"1x\": must be a name"),
        ("vector x", "vector x: needs width=, float= or of="),
        ("vector x width=129", "vector x: width = 129: must be 1 to 128"),
        ("vector x width=0", "width = 0: must be 1 to 128"),
        ("vector x width=-3", "width = -3: must be a number"),
        ("vector x width=8\nvector x width=8", "line 2: vector x: declared twice"),
        ("vector x width=8 row=508", "x = rows 508 to 515: the array has 512 rows"),
        ("vector x width=8 row=18446744073709551615", "x = row 18446744073709551615: the array has 512 rows"),
        ("vector x width=8 row=4\nvector y width=8 row=11", "line 2: y = rows 11 to 18: x has rows 4 to 11"),
        (
            "design preset=tiny\nvector x width=20\nvector y width=20",
            "line 3: y = 20 rows: no 20 free rows in succession (20 of 32",
        ),
        ("vector x width=8\nvector y of=x[4..9]", "line 2: rows = x[4..9]: must be within 0..8"),
        (
            "vector x width=8 colour=red",
            "colour = red: this statement has no such key (its keys: of, float, width, row)",
        ),
        ("vector x width=8 width=9", "width: given twice"),
        ("vector x width=8 wide", "\"wide\": nothing more is expected here"),
        ("elements 0", "elements = 0: must be 1 to"),
        ("elements 3\nelements 4", "line 2: elements: given before, in line 1"),
        ("print x", "vector = x: not declared"),
        ("load x", "line 1: the kind of data"),
        ("vector x width=8\nload x list 1 2 256", "load x: element 2 = 256: must be 0 to 255 (8 bits, unsigned)"),
        ("vector x width=8 signed\nload x value 128", "value = 128: must be -128 to 127"),
        ("vector x width=8\nload x list 1 two", "element = \"two\": must be a number"),
        ("vector x width=8\nload x list", "0 elements: must be 1 to"),
        ("vector x width=2\nload x rows 0xff", "rows = 1 literals: must be 2"),
        (
            "design preset=tiny\nvector x width=1\nload x rows 0x1ff",
            "row = \"0x1ff\": must be 0x or 0b and digits for at most 8 columns",
        ),
        (
            "vector x width=8\nload x list 1 2\nexpect x list 1 2 3",
            "line 3: expect x: 3 elements: must be 2, as said in line 2",
        ),
        ("vector x width=8\nload x csv nowhere.csv", "load x: ./nowhere.csv: "),
        ("vector x width=8\nload x csv \"now", "a quotation mark is not closed"),
        ("vector x width=8\nload x raw nowhere.bin bytes=3", "bytes = 3: must be 1, 2, 4 or 8"),
        ("vector x width=65\nload x raw nowhere.bin", "raw files hold at most 64 bits"),
        ("vector x width=8\nstore x raw o.bin bytes=3", "bytes = 3: must be 1, 2, 4 or 8"),
        ("vector x width=9\nstore x raw o.bin bytes=1", "bytes = 1: must hold 9 bits"),
        ("vector x width=17\nstore x pgm o.pgm width=4", "an image needs unsigned elements of at most 16 bits"),
        ("vector x width=8\nstore x pgm o.pgm", "width= is needed where no image is loaded"),
        (
            "vector x width=8\nelements 10\nload x value 3\nstore x pgm o.pgm width=4",
            "line 4: width = 4: must divide the number of pixels, 10",
        ),
        (
            "vector x width=8\nload x value 3\nstore x raw o.bin\nstore x csv o.bin",
            "line 4: store x: ./o.bin: written before, in line 3",
        ),
        ("vector x width=8\nprint x base=7", "base = 7: must be 2, 10 or 16"),
        ("vector x width=8\nadd d=x a=x", "add: operand b is missing"),
        ("vector x width=8\nadd d=x a=x b=x e=x", "add: e = x: this operation has no such operand"),
        ("vector x width=8\nvector y width=9\nadd d=x a=x b=y", "add: b = y has 9 rows: must be 8 (n = 8"),
        ("vector x width=8\nvector y width=9\nadd d=y a=x b=x n=8", "add: d = y has 9 rows: must be 8"),
        ("vector x width=8\nadd d=x a=x b=z", "add: b: vector = z: not declared (there are: x)"),
        ("vector x width=8\nadd d=x a=x b=x set=best", "set = best: must be one of fast, skip, baseline"),
        ("vector x width=8\nadd d=x a=x b=x key=1", "add: key = 1: this operation has no key"),
        ("vector x width=8\nsearch a=x", "search: key= is missing"),
        ("vector x width=8\nsearch a=x key=256", "search: key = 256: must be 0 to 255"),
        ("vector x width=100\nadd d=x a=x b=x", "width = 100: must be 1 to 64"),
        ("vector x width=8\nvector y width=3\nrotl d=x a=x b=y", "must not overlap"),
        ("vector x width=8\nadd d=x a=x b=x n=0", "width = 0: must be 1 to 64"),
        (
            "design preset=tiny\nvector x width=8\nvector y width=8\nvector p width=16\nrotl d=y a=x b=x[0..3]",
            "rotl: scratch = 8 rows",
        ),
        ("design preset=tiny sets=fast\nvector x width=8\nadd d=x a=x b=x set=skip", "line 3: add.skip"),
        (
            "design preset=tiny latches=hold\nvector x width=8\nvector y width=8\ndiv d=y a=x b=x",
            "needs latch Predicate",
        ),
        ("design preset=huge", "preset = huge: must be"),
        ("design rows=100", "rows = 100: must be a power of two"),
        ("design rows=many", "line 1: rows = many: must be a whole number"),
        ("design depth=3", "key = \"depth\": must be one of preset, rows"),
        ("design sensing=both", "sensing = both: must be one of and_nor, two_port"),
    ];
    for (text, wanted) in cases {
        let message = error(text);
        assert!(message.contains(wanted), "{text:?}\n says {message:?}\n not  {wanted:?}");
    }
}

#[test]
fn toml_errors_name_line_and_rule() {
    let cases = [
        ("elements = \"many\"", "line 1: "),
        ("\nspeed = 3", "line 2: unknown field `speed`"),
        (
            "[[vector]]\nname = \"x\"\nwidth = 8\nload = { list = [1], value = 3 }",
            "line 4: load: must hold exactly one of",
        ),
        (
            "[[vector]]\nname = \"x\"\nwidth = 8\nload = { list = [1], bytes = 3 }",
            "line 4: load: bytes: list has no such key (its keys: none)",
        ),
        ("[[vector]]\nname = \"x\"\nwidth = 8\nstore = { }", "line 4: store: must hold exactly one of"),
        ("[[vector]]\nname = \"a-b\"\nwidth = 8", "line 1: name = \"a-b\": must be a name"),
        ("commands = [\"add\",\n\"foo\"]", "line 2: statement = \"foo\""),
        ("commands = [", "line 1: "),
    ];
    for (text, wanted) in cases {
        let parsed = toml_form::parse("p.toml", Path::new("."), text);
        let message = parsed.map_or_else(|e| e.to_string(), |_| "nothing".into());
        assert!(
            message.starts_with("p.toml, ") && message.contains(wanted),
            "{text:?}\n says {message:?}\n not  {wanted:?}"
        );
    }
}
