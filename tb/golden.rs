//! The files of every preset and unit, and the Verilog of other parameters, against hashes that are committed: what a
//! change to the sources does to the hardware is seen, or that it does nothing. `scripts/golden.sh --bless` writes the
//! hashes anew.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use bitline_emit::generate::{Request, generate};
use bitline_emit::unit::UNITS;
use bitline_kernel::mem::RamStyle;
use bitline_kernel::netlist::Netlist;
use bitline_kernel::verilog::{self, Header};
use bitline_units::array::blocks::{Top, design};
use bitline_units::array::isa::Set;
use bitline_units::array::params::{COLUMNS, Latch, Memory, MemoryPort, Params, Sensing};
use bitline_units::array::presets::preset;
use bitline_units::ccs::blocks::ccs_top;
use bitline_units::ccs::{CCS_PRESETS, CcsGeometry, CcsMemory};
use bitline_units::duality::DualityParams;
use bitline_units::duality::blocks::duality_memory_unit;
use bitline_units::parts::tmu::{Tiles, TmuParams, transpose_unit};
use bitline_units::regmap::fnv1a;

/// Lines of the golden file by what they belong to: a path and the hash of what it holds.
type Golden = BTreeMap<String, BTreeMap<String, String>>;
/// Makes the lines of one section.
type Maker = Box<dyn Fn() -> BTreeMap<String, String> + Send + Sync>;

fn hash(text: &str) -> String {
    format!("{:016x}", fnv1a(text.as_bytes()))
}

/// A Verilog file without its header, which names version and configuration.
fn body(text: &str) -> String {
    text.lines().skip_while(|line| line.starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// What `gen` writes.
fn generated(request: Request) -> Maker {
    Box::new(move || {
        let made = generate(&request).unwrap_or_else(|e| panic!("{request:?}: {e}"));
        let line = |(path, text): (&str, &str)| {
            let text = if path.ends_with(".v") { body(text) } else { text.to_string() };
            (path.to_string(), hash(&text))
        };
        // The manifest holds the files' hashes.
        made.files.iter().filter(|(path, _)| *path != "manifest.json").map(line).collect()
    })
}

/// One hash of all modules of a design that is no preset.
fn verilog_of(make: impl Fn() -> Netlist + Send + Sync + 'static) -> Maker {
    Box::new(move || {
        let netlist = make();
        let header = Header { preset: String::new(), hash: String::new() };
        let files = verilog::emit(&netlist, &header);
        let all: String = files.iter().map(|(name, text)| format!("{name}\n{}\n", body(text))).collect();
        BTreeMap::from([("all modules".to_string(), hash(&all))])
    })
}

/// Every section: its name, and what makes its lines.
fn sections() -> Vec<(String, Maker)> {
    let mut all = Vec::new();
    let mut add = |name: String, maker: Maker| all.push((name, maker));
    let request = |target: &str| Request { target: target.into(), ..Request::default() };
    let of = |target: &str, unit: &str, preset: &str| Request {
        unit: Some(unit.into()),
        preset: Some(preset.into()),
        ..request(target)
    };
    for target in ["generic", "generic-asic"] {
        for unit in UNITS {
            for (name, _) in (unit.presets)() {
                add(format!("{target} {} {name}", unit.name), generated(of(target, unit.name, name)));
            }
        }
    }
    add("verilator compute-unit tiny".into(), generated(of("verilator", "compute-unit", "tiny")));
    for board in bitline_units::boards::BOARDS {
        add(format!("{} --pcie {}", board.name, board.pcie.is_some()), {
            generated(Request { pcie: board.pcie.is_some(), ..request(board.name) })
        });
    }
    for (name, ..) in bitline_units::system::SYSTEM_PRESETS {
        add(format!("ecp5-evn system {name}"), generated(Request { preset: Some(name.into()), ..request("ecp5-evn") }));
    }
    for (at, columns) in COLUMNS.into_iter().enumerate() {
        for (port, memory_port) in MemoryPort::ALL.into_iter().enumerate() {
            let sensing = Sensing::ALL[(at + port) % 2];
            let memory = Memory::ALL[(at + port) / 2 % 2];
            let params = Params {
                name: "menu".into(),
                rows: 64,
                columns,
                sensing,
                memory,
                latches: Latch::ALL.to_vec(),
                sets: if port == 0 { Set::ALL.to_vec() } else { vec![Set::Fast] },
                command_fifo: 4,
                memory_port,
                float: false,
                radix: 2,
                custom: Vec::new(),
                exception_flags: false,
                unpacked: false,
            };
            add(
                format!("{columns} columns, {sensing}, {memory}, port {}", memory_port.name()),
                verilog_of(move || design(&params, Top::Registers).expect("elaborates")),
            );
        }
    }
    add("radix 4 with floating point".into(), {
        let params = Params {
            name: "radix_4".into(),
            rows: 256,
            columns: COLUMNS[0],
            sensing: Sensing::TwoPort,
            memory: Memory::BlockRam,
            latches: Latch::of(Sensing::TwoPort),
            sets: vec![Set::Fast],
            command_fifo: 4,
            memory_port: MemoryPort::None,
            float: true,
            radix: 4,
            custom: Vec::new(),
            exception_flags: false,
            unpacked: false,
        };
        verilog_of(move || design(&params, Top::ComputeUnit).expect("elaborates"))
    });
    for memory in [CcsMemory::Axi128, CcsMemory::Axi256, CcsMemory::Axi512] {
        for (name, ..) in CCS_PRESETS {
            let geometry = CcsGeometry { memory, ..CcsGeometry::preset(name).expect("exists") };
            if geometry.check().is_ok() {
                let name = format!("ccs {name}, {} bits", memory.bus_bits());
                add(name, verilog_of(move || ccs_top(&geometry).expect("elaborates")));
            }
        }
    }
    for words in COLUMNS {
        for tiles in [Tiles::Flop, Tiles::Rotated] {
            let params = TmuParams { words, bits: words.min(64), tiles, style: RamStyle::Distributed };
            if (tiles, words) != (Tiles::Flop, 512) && (tiles, words) != (Tiles::Flop, 256) {
                let name = format!("transpose memory unit, {words} words, {tiles:?}");
                add(name, verilog_of(move || transpose_unit(&params).expect("elaborates")));
            }
        }
    }
    for (columns, crossbar) in [(8, 8), (64, 4), (256, 256)] {
        let tiny = DualityParams::preset("tiny").expect("exists");
        let params = DualityParams { columns, crossbar, ..tiny };
        add(format!("memory unit with a crossbar, {columns} threads, {crossbar} at a time"), {
            verilog_of(move || duality_memory_unit(&params).expect("elaborates"))
        });
    }
    add("compute unit alone, tiny".into(), {
        verilog_of(|| design(&preset("tiny").expect("exists"), Top::ComputeUnit).expect("elaborates"))
    });
    all
}

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tb/golden/files.txt")
}

/// The lines of a file that [`write`] made.
fn read(text: &str) -> Golden {
    let mut golden = Golden::new();
    let mut section = String::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            section = name.to_string();
        } else {
            let (hash, path) = line.split_once(' ').expect("a hash and a path");
            golden.entry(section.clone()).or_default().insert(path.into(), hash.into());
        }
    }
    golden
}

fn write(golden: &Golden) -> String {
    let mut text = String::from("# Hashes of what is generated. Written by scripts/golden.sh --bless.\n");
    for (section, lines) in golden {
        writeln!(text, "\n[{section}]").expect("a string takes all");
        lines.iter().for_each(|(path, hash)| writeln!(text, "{hash} {path}").expect("a string takes all"));
    }
    text
}

/// Everything, made on all processors.
fn made() -> Golden {
    let sections = sections();
    let (next, golden) = (AtomicUsize::new(0), Mutex::new(Golden::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some((name, maker)) = sections.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let lines = maker();
                    golden.lock().expect("no thread has panicked").insert(name.clone(), lines);
                }
            });
        }
    });
    golden.into_inner().expect("no thread has panicked")
}

/// What differs, a line each.
fn differences(old: &Golden, new: &Golden) -> Vec<String> {
    let none = BTreeMap::new();
    let names: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let mut found = Vec::new();
    for name in names {
        let (a, b) = (old.get(name).unwrap_or(&none), new.get(name).unwrap_or(&none));
        let paths: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
        for path in paths {
            match (a.get(path), b.get(path)) {
                (Some(x), Some(y)) if x == y => {}
                (Some(_), Some(_)) => found.push(format!("changed  {name}: {path}")),
                (None, _) => found.push(format!("new      {name}: {path}")),
                (_, None) => found.push(format!("missing  {name}: {path}")),
            }
        }
    }
    found
}

#[test]
fn everything_generated_is_as_it_was() {
    let new = made();
    let old = read(&std::fs::read_to_string(path()).unwrap_or_default());
    let found = differences(&old, &new);
    if std::env::var_os("BITLINE_BLESS").is_some() {
        std::fs::write(path(), write(&new)).expect("the golden file can be written");
        println!("{} lines changed:\n{}", found.len(), found.join("\n"));
        return;
    }
    let shown = found.iter().take(40).cloned().collect::<Vec<_>>().join("\n");
    assert!(
        found.is_empty(),
        "{} files differ; if that is meant, run scripts/golden.sh --bless:\n{shown}",
        found.len()
    );
}

#[test]
fn a_change_is_seen() {
    let one = |hash: &str| Golden::from([("unit".into(), BTreeMap::from([("rtl/x.v".into(), hash.into())]))]);
    assert_eq!(differences(&one("1"), &one("1")), Vec::<String>::new());
    assert_eq!(differences(&one("1"), &one("2")), ["changed  unit: rtl/x.v"]);
    assert_eq!(differences(&one("1"), &Golden::new()), ["missing  unit: rtl/x.v"]);
    assert_eq!(read(&write(&one("7"))), one("7"));
    assert_ne!(hash(&body("// header\nassign a = b;")), hash(&body("// header\nassign a = c;")));
    assert_eq!(hash(&body("// header\nassign a = b;")), hash(&body("// other\nassign a = b;")));
}

/// Floating point is micro-programs: the array, its columns and its rows are the same text with it, so that it costs no
/// LUT there. What tells the program where it is grows.
#[test]
fn floating_point_changes_nothing_in_the_array() {
    let default = preset("default").expect("a preset");
    let header = Header { preset: String::new(), hash: String::new() };
    let text = |float: bool, top: Top| {
        let netlist = design(&Params { float, ..default.clone() }, top).unwrap_or_else(|e| panic!("{e}"));
        verilog::emit(&netlist, &header).into_iter().map(|(name, text)| (name, body(&text))).collect::<BTreeMap<_, _>>()
    };
    let [without, with] = [false, true].map(|float| text(float, Top::ComputeUnit));
    for module in ["bl_compute_array.v", "bl_column_peripheral.v", "bl_sram_block_ram.v"] {
        assert!(without[module] == with[module], "{module} differs");
    }
    assert!(without["bl_address_generator.v"].len() < with["bl_address_generator.v"].len() / 8);
}
