//! Operations of the library's user: registered here, run on the hardware in simulation with the model beside it, and
//! under Verilator with the bench that a design comes with.

use std::path::Path;
use std::time::Duration;

use bitline::emit::generate::{Request, generate};
use bitline::emit::output;
use bitline::isa::custom::{Custom, named};
use bitline::isa::element::Outputs;
use bitline::isa::format::Mode;
use bitline::isa::linear::{Linear, M, N};
use bitline::isa::operation::{Condition, Operation};
use bitline::isa::program::{Program, each, once};
use bitline::isa::row::Operand::{A, B, D, E};
use bitline::isa::row::row;
use bitline::isa::uop::X;
use bitline::isa::{Command, Opcode, Set};
use bitline::params::{Memory, Params, Sensing};
use bitline::presets::preset;
use bitline::sim::campaign::{self, Bench, Effort, boundary, exhaustive, illegal, random};
use bitline::sim::cycle_table::{self, Selection};
use bitline::sim::engine::engine;
use bitline::sim::external::tool::{require, run};
use bitline::sim::host_link;
use bitline::sim::job;
use bitline::sim::machine::Engine;
use bitline::system::SystemParams;
use bitline_units::array::blocks::{Top, design};
use bitline_units::array::registers::configuration_hash;
use tempfile::tempdir;

#[allow(dead_code, reason = "its `main` is that of `cargo run --example`")]
#[path = "../examples/custom_operation.rs"]
mod example;

use example::{AVERAGE, PARITY};

/// With the key, and a second result.
const SAME: Custom = Custom {
    opcode: Opcode::Custom5,
    name: "same",
    meaning: "d ← ¬(a ⊕ key), e ← a.",
    signed: true,
    operation: |opcode, _| {
        // A description may ask for names, also while it is registered again.
        assert!(!opcode.name().is_empty());
        let rows = vec![
            each(N, row().a(A.j()).x(X::A).steer_x().write(D.j()).up().rewind()),
            each(N, row().a(A.j()).x(X::A).write(E.j()).up()),
        ];
        let operation = Operation::new(opcode, |n, _| 2 * n).source(A, N).result(D, N).result(E, N).all_apart();
        Some(operation.program(Program::new("same", rows).keep_tag()))
    },
    arithmetic: |n, _, key, inputs| {
        let mask = u128::MAX >> (128 - n);
        let a = u128::from(inputs.a);
        Outputs { d: Some((!(a ^ u128::from(key)) & mask, n)), e: Some((a, n)), tag: None }
    },
};

/// A second width, and no program but for one kind of sensing and two sets.
const LOW_PART: Custom = Custom {
    opcode: Opcode::Custom2,
    name: "low_part",
    meaning: "d (m rows) ← a modulo 2ᵐ.",
    signed: false,
    operation: |opcode, cx| {
        let copy = each(M, row().a(A.j()).x(X::A).write(D.j()).up());
        let operation = Operation::new(opcode, |_, m| m).source(A, N).second(1, N).result(D, M).apart_or_same(A, D);
        (cx.two_port() && cx.set != Set::Baseline)
            .then(|| operation.program(Program::new("low_part", vec![copy]).keep_tag()))
    },
    arithmetic: |_, m, _, inputs| Outputs { d: Some((u128::from(inputs.a) & ((1 << m) - 1), m)), ..Outputs::default() },
};

fn register() {
    for custom in [AVERAGE, PARITY, SAME, LOW_PART] {
        // Tests run beside each other: more than once is no error.
        assert_eq!(custom.register().unwrap_or_else(|e| panic!("{e}")), custom.opcode);
    }
}

/// A design with all that it can have.
fn with_all(base: Params) -> Params {
    register();
    let mut custom = vec![Opcode::Custom0, Opcode::Custom1, Opcode::Custom5];
    let low_part = base.sensing == Sensing::TwoPort && !base.sets.contains(&Set::Baseline);
    custom.extend(low_part.then_some(Opcode::Custom2));
    let params = Params { custom, ..base };
    params.check().unwrap_or_else(|e| panic!("{e}"));
    params
}

/// Every pair of short operands, and the standard campaigns with every width, every rule broken, and resets; with the
/// library's operations, with floating point beside them and without.
#[test]
fn campaigns_take_them() {
    for (sensing, memory, float) in [
        (Sensing::TwoPort, Memory::BlockRam, true),
        (Sensing::TwoPort, Memory::Behavioural, false),
        (Sensing::AndNor, Memory::Behavioural, false),
        (Sensing::AndNor, Memory::BlockRam, false),
    ] {
        let all = campaign::params(sensing, memory, 128, 8);
        let sets = if sensing == Sensing::TwoPort { vec![Set::Fast, Set::Skip] } else { all.sets.clone() };
        let unpacked = float && all.unpacked;
        let params = with_all(Params { float, unpacked, sets, ..all });
        assert_eq!(params.knows(Opcode::Custom2), sensing == Sensing::TwoPort);
        let seed = 31;
        println!("{sensing}, {memory}, seed {seed}");
        let netlist = design(&params, Top::ComputeUnit).unwrap_or_else(|e| panic!("{e}"));
        let mut bench = Bench::new(engine(&netlist), &params, seed);
        let custom = params.custom.clone();
        let mut tested = || -> campaign::Result {
            exhaustive::up_to_of(&mut bench, 4, |opcode| custom.contains(&opcode))?;
            let shapes = random::shapes(&mut bench, &random::widths(128));
            let own: Vec<Command> = shapes.into_iter().filter(|shape| custom.contains(&shape.opcode)).collect();
            assert!(custom.iter().all(|&opcode| own.iter().filter(|shape| shape.opcode == opcode).count() > 40));
            for commands in own.chunks(4) {
                random::chain(&mut bench, commands)?;
            }
            illegal::every_rule(&mut bench)?;
            illegal::unknown_codes(&mut bench)?;
            boundary::random(&mut bench, 400)?;
            campaign::standard(&mut bench, Effort::Sample)
        };
        tested().unwrap_or_else(|e| panic!("{e}"));
    }
}

/// The documented bench, on the Verilog, with vectors of every operation, without and with pauses; header and documents
/// have them, too. The design has rows of more than one beat of memory.
#[test]
fn a_design_is_written_with_them() {
    register();
    let folder = tempdir().expect("a temporary folder");
    let config = folder.path().join("mine.toml");
    let text = "base = \"tiny\"\nmemory_port = \"axi64\"\ncolumns = 128\n\
        custom = [\"same\", \"average\", \"parity\", \"low_part\"]\n";
    std::fs::write(&config, text).expect("a file");
    let request = Request { target: "verilator".into(), config: Some(config), ..Request::default() };
    let made = generate(&request).unwrap_or_else(|e| panic!("{e}"));
    let header = made.files.iter().find(|(path, _)| path.ends_with(".h")).expect("a C header").1;
    for line in ["OP_AVERAGE 122", "OP_PARITY 123", "OP_SAME 127", "OP_LOW_PART 124"] {
        let words: Vec<&str> = line.split(' ').collect();
        let found =
            header.lines().find(|line| line.contains(&format!("{} ", words[0]))).unwrap_or_else(|| panic!("{line}"));
        assert!(found.contains(words[1]), "{found}");
    }
    let operations = made.files.get("doc/operations.md").expect("a document");
    assert!(operations.contains("| `average` | d ← ⌊(a + b) / 2⌋ | 1 to 64 |"), "{operations}");
    let manifest = made.files.get("manifest.json").expect("a manifest");
    assert!(manifest.contains("\"custom\": [") && manifest.contains("\"average\""), "{manifest}");
    if require("verilator").is_none() {
        return;
    }
    let out = folder.path().join("out");
    output::plan(&out, &made.files).and_then(|plan| plan.install()).unwrap_or_else(|e| panic!("{e}"));
    let vectors = std::fs::read_to_string(out.join("vectors/vectors.txt")).expect("vectors");
    for stalls in ["STALLS=0", "STALLS=1"] {
        let told = run("make", &[stalls], &out).unwrap_or_else(|e| panic!("{e}"));
        assert!(told.lines().any(|line| line.starts_with("PASS ")), "{stalls}: {told}");
    }
    // The bench looks at their results: one bit of what is expected behind such a command.
    let at =
        vectors.find("average").map(|at| at + vectors[at..].find("\nexpect ").expect("its result")).expect("a case");
    let end = at + 1 + vectors[at + 1..].find('\n').expect("a line");
    let last = u32::from_str_radix(&vectors[end - 1..end], 16).expect("a digit");
    let other = format!("{}{:x}{}", &vectors[..end - 1], last ^ 1, &vectors[end..]);
    std::fs::write(out.join("wrong.txt"), other).expect("a file");
    let error = run("make", &["VECTORS=wrong.txt"], &out).expect_err("a wrong bit").to_string();
    assert!(error.contains("\nFAIL case"), "{error}");
}

/// A program file with the operations' names, on the hardware in simulation.
#[test]
fn program_files_have_their_names() {
    register();
    let text = "design preset=tiny rows=256 custom=average,parity,same\n\
        vector a width=8\nvector b width=8\nvector d width=8\nvector e width=8\nvector odd width=1\n\
        load a list 0 255 100 7\nload b list 1 255 50 8\n\
        average d=d a=a b=b\nexpect d list 0 255 75 7\nparity d=odd a=b\nexpect odd list 1 0 1 1\n\
        same d=d e=e a=a key=0x0f\nexpect d list 0xf0 0x0f 0x94 0xf7\nexpect e list 0 255 100 7\n";
    let done = |text: &str| -> bitline::error::Result<Vec<String>> {
        let source = job::parse("test", Path::new(""), text)?;
        let design = source.design.clone().map_or_else(Default::default, |design| design.value);
        let plan = job::plan(&source, &design.params()?, None)?;
        let mut machine = Engine::DEFAULT.machine(&plan.params, 1)?;
        Ok(job::run(&plan, machine.as_mut(), &mut |_, _| ())?.failures)
    };
    assert_eq!(done(text).unwrap_or_else(|e| panic!("{e}")), Vec::<String>::new());
    assert_eq!(done(&text.replace("75 7", "74 7")).expect("it runs").len(), 1, "a wrong expectation is told");
    for (wrong, said) in [
        (text.replace("custom=average,", "custom="), "design tiny does not have it (custom = [\"average\"] adds it)"),
        (text.replace("custom=average,", "custom=averages,"), "must be an operation that this program registers"),
        (
            text.replace("average d=d", "low_part m=4 d=d").replace("tiny rows=256", "paper"),
            "design paper does not have it",
        ),
        (text.replace("average d=d", "average set=baseline d=d"), "set baseline is not in design tiny"),
        (text.replace(" key=0x0f", ""), "key= is missing"),
        (text.replace("average d=d a=a b=b", "average d=d a=a b=b key=1"), "this operation has no key"),
    ] {
        let error = done(&wrong).expect_err(said).to_string();
        assert!(error.contains(said), "{error}");
    }
}

/// The self-test of a board goes through them, with an array that is a model of plain integers at the other end.
#[test]
fn the_self_test_of_a_board_runs_them() {
    let system = SystemParams::preset("tiny").expect("named");
    let array = with_all(Params { latches: system.array.latches.clone(), ..system.array.clone() });
    let custom = array.custom.len();
    let plain = system.array.opcodes().len();
    let params = SystemParams { array, timeout_bits: 1024, baud: 20_000_000, ..system };
    let double = host_link::double::Double::new(&params, 5).unwrap_or_else(|e| panic!("{e}"));
    let wire = Box::new(host_link::transport::InProcess::new(double));
    let mut board = host_link::Board::connect(wire, &params, Duration::from_secs(20)).unwrap_or_else(|e| panic!("{e}"));
    let report = host_link::self_test::run(&mut board, host_link::self_test::Effort::Quick, 5, &mut |_, _| ());
    let report = report.unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(report.operations[1], plain + custom - 2, "{report:?}");
}

/// Equal names with other programs are other designs, and a design that asks for nothing is the one that it was.
#[test]
fn the_hash_covers_the_programs() {
    let tiny = preset("tiny").expect("a preset");
    let all = with_all(tiny.clone());
    let some = |custom: Vec<Opcode>| configuration_hash(&Params { custom, ..tiny.clone() });
    let hashes =
        [configuration_hash(&tiny), some(vec![Opcode::Custom0]), some(vec![Opcode::Custom1]), configuration_hash(&all)];
    let different: std::collections::BTreeSet<u64> = hashes.into_iter().collect();
    assert_eq!(different.len(), hashes.len());
    assert_eq!(some(all.custom.clone()), some(all.custom.iter().rev().copied().collect()), "order says nothing");
    assert_eq!(configuration_hash(&tiny), configuration_hash(&preset("tiny").expect("a preset")));
}

/// What is wrong with an operation is told when it is registered, in words, and nothing is registered.
#[test]
fn wrong_operations_are_refused() {
    register();
    let free = Custom { opcode: Opcode::Custom4, name: "free", ..AVERAGE };
    let refused = |custom: Custom, said: &str| {
        let error = custom.register().expect_err(said).to_string();
        assert!(error.contains(said) && error.starts_with("custom = "), "{said:?} in {error}");
        assert!(named("free").is_err(), "{said}");
    };
    refused(Custom { opcode: Opcode::Add, ..free }, "must be Custom0 to Custom5");
    refused(Custom { opcode: Opcode::Custom0, ..free }, "another operation, average, has this name or this opcode");
    refused(Custom { name: "average", ..free }, "another operation, average");
    refused(Custom { name: "add", ..free }, "an operation of the library has this name");
    refused(Custom { name: "load_memory", ..free }, "an operation of the library has this name");
    for name in ["", "Free", "2free", "free-er", "fr\u{1b}ee"] {
        refused(Custom { name, ..free }, "a name is a letter");
    }
    refused(Custom { name: "lt_s", ..free }, "an operation of the library has this name");
    refused(Custom { name: "vector", ..free }, "a statement of program files has this name");
    refused(Custom { name: "free_for_all_of_us", ..free }, "at most 15 letters");
    refused(Custom { meaning: "", ..free }, "meaning must be a line");
    refused(Custom { meaning: "T ← a.", ..free }, "T is a result");
    let copy = |arithmetic| Custom { operation: COPY, arithmetic, ..free };
    refused(
        copy(|n, _, _, _| Outputs { d: Some((0, n + 1)), ..Outputs::default() }),
        "rows written to d: 1, in the arithmetic 2",
    );
    refused(copy(|_, _, _, _| Outputs::default()), "rows written to d: 1, in the arithmetic none");
    refused(copy(|_, _, _, _| panic!("no arithmetic today")), "no arithmetic today");
    let described = |operation| Custom { operation, ..free };
    refused(described(|_, cx| COPY(Opcode::Custom1, cx)), "its description is that of Custom1");
    refused(described(|opcode, cx| COPY(opcode, cx).map(|o| o.widths(5, 7).powers_of_two())), "none is legal");
    refused(
        described(|opcode, cx| COPY(opcode, cx).map(|o| o.widths(1, 65))),
        "widths = 1 to 65: must be within 1 to 64",
    );
    refused(
        described(|opcode, cx| {
            let mut operation = COPY(opcode, cx)?;
            operation.formula = |n, _| n + 1;
            Some(operation)
        }),
        "takes 4 cycles, its closed form says 5",
    );
    refused(
        described(|opcode, cx| {
            let mut operation = COPY(opcode, cx)?;
            operation.variants.clear();
            Some(operation)
        }),
        "no micro-program applies, wherever operands are",
    );
    refused(described(|opcode, cx| COPY(opcode, cx).map(|o| o.source(A, N))), "operand A twice");
    refused(described(|opcode, cx| COPY(opcode, cx).map(|o| o.apart(B, D))), "b is named, and is no operand");
    refused(described(|opcode, cx| COPY(opcode, cx).map(|o| o.second(3, 2))), "no second width is legal");
    refused(described(|opcode, cx| COPY(opcode, cx).map(|o| o.second(1, 128))), "the second width must be 0 to 127");
    refused(described(|opcode, cx| COPY(opcode, cx).map(|o| o.scratch(N.half()))), "rows of S");
    refused(
        described(|opcode, cx| {
            let mut operation = COPY(opcode, cx)?;
            operation.variants[0].when = vec![Condition::Same(A, D)];
            Some(operation)
        }),
        "no micro-program applies, wherever operands are",
    );
    refused(
        described(|opcode, cx| {
            let mut operation = COPY(opcode, cx)?;
            operation.variants[0].when = vec![Condition::Mode(Mode::FLUSHED)];
            Some(operation)
        }),
        "modes of floating-point numbers",
    );
    refused(described(|opcode, cx| COPY(opcode, cx).map(|o| o.result(B, N))), "b cannot be a Result");
    // A row that no hardware of a kind can run.
    let far = described(|opcode, _| {
        let select = each(N, row().a(A.j()).b(B.j()).x(X::HSelect).write(D.j()).up());
        let operation = Operation::new(opcode, |n, _| n).source(A, N).source(B, N).result(D, N);
        Some(operation.program(Program::new("far", vec![select])))
    });
    refused(far, "a code without a meaning in and_nor sensing");
    // A loop that some width does not enter, which a counter would run as often as it has values.
    let never = described(|opcode, _| {
        let [first, rest] = [N - 3, Linear::constant(3)].map(|count| each(count, row().a(A.j()).write(D.j()).up()));
        let operation = Operation::new(opcode, |n, _| n).widths(3, 64).source(A, N).result(D, N);
        Some(operation.program(Program::new("never", vec![first, rest])))
    });
    refused(never, "never: a loop of 0 passes at n = 3");
}

/// A copy, as the library has it.
const COPY: bitline::isa::custom::Describe = |opcode, _| {
    let copy = each(N, row().a(A.j()).x(X::A).write(D.j()).up());
    let operation = Operation::new(opcode, |n, _| n).source(A, N).result(D, N);
    Some(operation.program(Program::new("copy", vec![copy]).keep_tag()))
};

/// The cycle table has them with the others; what no design of the table has says so.
#[test]
fn cycles_are_measured() {
    register();
    let of = |op: &str| {
        let selection = Selection { ops: vec![op.into()], widths: vec![8], ..Selection::default() };
        cycle_table::measure(&selection, Engine::DEFAULT, 3, &mut |_, _| ())
    };
    let rows = of("average").unwrap_or_else(|e| panic!("{e}"));
    assert!(rows.len() == 12 && rows.iter().all(|row| row.formula_cycles == 9 && row.rtl_cycles >= 9), "{rows:?}");
    let error = of("low_part").expect_err("not in all sets").to_string();
    assert!(error.starts_with("op = low_part: has no micro-program in every set"), "{error}");
}

/// Programs that are longer than the ROMs are refused before anything is built.
#[test]
fn what_the_roms_cannot_hold_is_refused() {
    const LONG: Custom = Custom {
        opcode: Opcode::Custom4,
        name: "long",
        meaning: "d ← a, at length.",
        operation: |opcode, _| {
            let copy = once(row().a(A.row(0)).x(X::A).write(D.row(0)));
            let operation = Operation::new(opcode, |_, _| 33_000).widths(1, 1).source(A, N).result(D, N);
            Some(operation.program(Program::new("long", vec![copy; 33_000]).keep_tag()))
        },
        arithmetic: |n, _, _, inputs| Outputs { d: Some((inputs.a.into(), n)), ..Outputs::default() },
        ..AVERAGE
    };
    let custom = vec![LONG.register().unwrap_or_else(|e| panic!("{e}"))];
    let error = Params { custom, ..preset("tiny").expect("a preset") }.check().expect_err("too long").to_string();
    assert!(error.starts_with("custom = long: ") && error.contains("must be at most 32768 of each"), "{error}");
}

/// Designs that cannot have them say so.
#[test]
fn wrong_designs_are_refused() {
    register();
    let paper = preset("paper").expect("a preset");
    let refused = |params: Params, said: &str| {
        let error = params.check().expect_err(said).to_string();
        assert!(error.contains(said) && error.starts_with("custom = "), "{error}");
    };
    let of = |custom: &[Opcode]| Params { custom: custom.to_vec(), ..paper.clone() };
    refused(
        of(&[Opcode::Custom2]),
        "has no micro-program for and_nor sensing on behavioural memory, radix 2, set fast",
    );
    refused(of(&[Opcode::Custom0, Opcode::Custom0]), "each operation at most once");
    refused(of(&[Opcode::Custom3]), "no such operation is registered");
    refused(of(&[Opcode::Add]), "no such operation is registered");
    // Without the parameter the hardware does not know the code, whatever this process has registered.
    let command = Command { b: 8, d: 16, ..Command::new(Opcode::Custom0, 8) };
    let error = command.check(&paper).expect_err("not there").to_string();
    assert!(error.contains("design paper does not have it (custom = [\"average\"] adds it)"), "{error}");
    assert!(Command { set: Set::Skip, ..command }.check(&with_all(paper.clone())).is_ok());
}
