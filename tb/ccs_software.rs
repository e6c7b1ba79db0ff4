//! The C framework of the cache compute system: it compiles without a word in C and C++, for this machine and for the
//! processor; the code in its guide does, too; and run on plain memory in the place of registers, it writes what the
//! table of commands says.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use bitline::ccs::registers::{REG_LAUNCH, REGISTERS, reset_value};
use bitline::ccs::{CCS_PRESETS, COMMANDS, CcsGeometry, Kind, Operands};
use bitline::emit::ccs::{GUIDE_PATH, HEADER_PATH};
use bitline::emit::unit::software;
use bitline::sim::external::tool::{require, run};

const STRICT: [&str; 6] = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion"];
const PROCESSOR: &str = "riscv64-unknown-elf-gcc";

fn geometries() -> Vec<CcsGeometry> {
    let named = CCS_PRESETS.iter().map(|(name, ..)| CcsGeometry::preset(name).expect("named"));
    let other =
        |lanes, element_bits| CcsGeometry { lanes, element_bits, ..CcsGeometry::preset("vc709").expect("named") };
    named.chain([other(4, 32), other(128, 8), other(32, 16)]).collect()
}

/// Writes the header as `bitline_ccs.h` into the folder; gives the guide.
fn write(geometry: &CcsGeometry, folder: &Path) -> String {
    let files = software(geometry);
    fs::write(folder.join("bitline_ccs.h"), files.get(HEADER_PATH).expect("there is a header")).expect("writable");
    files.get(GUIDE_PATH).expect("there is a guide").to_string()
}

/// What stands between the fences of the guide.
fn examples(guide: &str) -> String {
    let blocks = guide.split("```c\n").skip(1).map(|block| block.split("```").next().expect("a fence ends"));
    blocks.collect::<Vec<_>>().join("\n")
}

fn quiet(compiler: &str, arguments: &[&str], folder: &Path) {
    let said = run(compiler, arguments, folder).unwrap_or_else(|e| panic!("{arguments:?}: {e}"));
    assert_eq!(said.trim(), "", "{arguments:?}");
}

#[test]
fn header_and_guide_compile_without_a_word() {
    for geometry in geometries() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let guide = write(&geometry, folder.path());
        assert!(guide.lines().count() < 100, "a page");
        let code = examples(&guide);
        assert!(code.matches("__ccs_").count() > 15, "{code}");
        fs::write(folder.path().join("guide.c"), &code).expect("writable");
        fs::write(folder.path().join("guide.cpp"), &code).expect("writable");
        if require("gcc").is_some() {
            quiet("gcc", &[&STRICT[..], &["-O2", "-c", "guide.c"]].concat(), folder.path());
            let cpp = ["-std=c++11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-c", "-xc++", "guide.cpp"];
            quiet("gcc", &cpp, folder.path());
        }
        if require(PROCESSOR).is_some() {
            let target = ["-march=rv32im", "-mabi=ilp32", "-ffreestanding", "-O2", "-c", "guide.c"];
            quiet(PROCESSOR, &[&STRICT[..], &target].concat(), folder.path());
        }
    }
}

/// A command whose operands the compiler knows: a store for each, one to start, a load to wait, and nothing kept in
/// memory.
#[test]
fn a_call_is_a_handful_of_stores() {
    if require(PROCESSOR).is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(&geometries()[0], folder.path());
    let code = "#include \"bitline_ccs.h\"\nextern uint32_t a[64], b[64], r[64];\nint f(void)\n{\n    \
                return __ccs_run(CCS_ROLVV, a, b, r, 64);\n}\n";
    fs::write(folder.path().join("call.c"), code).expect("writable");
    let target = ["-march=rv32im", "-mabi=ilp32", "-ffreestanding", "-O2", "-S", "call.c"];
    quiet(PROCESSOR, &[&STRICT[..], &target].concat(), folder.path());
    let text = fs::read_to_string(folder.path().join("call.s")).expect("it was just written");
    println!("{text}");
    let count = |what: &str| {
        text.lines().filter(|line| line.strip_prefix('\t').is_some_and(|code| code.starts_with(what))).count()
    };
    assert_eq!((count("sw\t"), count("lw\t"), count("b")), (4, 1, 0), "{text}");
    assert!(!text.contains("(bitline_ccs_launch)"), "{text}");
}

/// A program that checks every command's stores, and every stride's mask.
fn checker(geometry: &CcsGeometry) -> String {
    let offset = |name: &str| REGISTERS.iter().find(|r| r.name == name).expect("a register").offset / 4;
    let mut text = String::from(
        "#include <stdint.h>\nstatic uint32_t registers[64];\n#define BITLINE_CCS_BASE ((uintptr_t)registers)\n\
         #include \"bitline_ccs.h\"\n#define POINTER(address) ((void *)(uintptr_t)(address))\n\
         static int same(uint32_t a, uint32_t b, uint32_t r, uint32_t launch)\n{\n",
    );
    let [a, b, r] = ["a", "b", "r"].map(offset);
    let at = REG_LAUNCH / 4;
    writeln!(
        text,
        "    const int right = registers[{a}] == a && registers[{b}] == b && registers[{r}] == r && registers[{at}] == \
         launch;\n    \
         registers[{a}] = registers[{b}] = registers[{r}] = registers[{at}] = 0;\n    return right;\n}}\n\nint \
         main(void)\n{{"
    )
    .expect("a string takes all");
    let mut number = 0;
    let mut check = |text: &mut String, what: String| {
        number += 1;
        writeln!(text, "    if (!({what})) return {};", 1 + number % 250).expect("a string takes all");
    };
    for command in &COMMANDS {
        let (has_a, has_b) = match command.operands {
            Operands::Vv => (1, 1),
            Operands::Vc | Operands::V => (1, 0),
            Operands::C => (0, 0),
        };
        for (flags, bits, stores) in [("", 0, false), (" | CCS_UNSIGNED", 0x40, false), (" | CCS_STORE", 0x80, true)] {
            let has_r = u32::from(command.kind == Kind::Map || stores);
            let launch = 77 << 8 | bits | u32::from(command.code);
            writeln!(
                text,
                "    (void)__ccs_run(CCS_{}{flags}, POINTER(0x1000), POINTER(0x2000), POINTER(0x3000), 77);",
                command.name
            )
            .expect("a string takes all");
            check(&mut text, format!("same({}u, {}u, {}u, {launch}u)", 0x1000 * has_a, 0x2000 * has_b, 0x3000 * has_r));
        }
    }
    // Longer than `launch` can say.
    let [command, length, start] = ["command", "length", "start"].map(offset);
    text += "    __ccs_setup(CCS_NOTV, POINTER(4), 0, POINTER(8), 0x1000000);\n    __ccs_start();\n";
    check(&mut text, "same(4, 0, 8, 0)".into());
    check(
        &mut text,
        format!("registers[{command}] == 34 && registers[{length}] == 0x1000000 && registers[{start}] == 1"),
    );
    // Every mask.
    let mask = offset("mask_0");
    for stride in (0..8).map(|power| 1 << power).filter(|&stride| stride < geometry.lanes) {
        for lane in [0, 1, stride / 2, stride - 1, geometry.lanes - 1, geometry.lanes / 2 + stride / 3] {
            let address = 0x4000 + lane * geometry.element_bytes();
            writeln!(text, "    __ccs_stride({stride}, POINTER({address}));").expect("a string takes all");
            for word in 0..geometry.lanes.div_ceil(32) {
                let on = (0..32).filter(|bit| (32 * word + bit) % stride == lane % stride);
                let lanes: u32 = on.map(|bit| 1 << bit).sum();
                check(&mut text, format!("registers[{}] == {lanes:#x}u", mask as usize + word));
            }
        }
    }
    let id = offset("id");
    check(&mut text, "!bitline_ccs_matches()".into());
    for register in REGISTERS.iter().filter(|r| r.name == "id" || r.name.starts_with("hash")) {
        let value = reset_value(geometry, register);
        writeln!(text, "    registers[{}] = {value:#x}u;", register.offset / 4).expect("a string takes all");
    }
    check(&mut text, "bitline_ccs_matches()".into());
    check(&mut text, "!__ccs_check()".into());
    writeln!(text, "    registers[{}] = 1;", offset("status")).expect("a string takes all");
    check(&mut text, format!("__ccs_check() && registers[{id}] != 0"));
    text + "    return 0;\n}\n"
}

#[test]
fn every_command_is_written_as_the_table_says() {
    if require("gcc").is_none() {
        return;
    }
    for geometry in geometries() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        write(&geometry, folder.path());
        fs::write(folder.path().join("main.c"), checker(&geometry)).expect("writable");
        quiet("gcc", &[&STRICT[..], &["main.c", "-o", "main"]].concat(), folder.path());
        run("./main", &[], folder.path()).unwrap_or_else(|e| panic!("{geometry:?}: {e}"));
    }
}

/// Register map and SystemRDL have every register and command.
#[test]
fn documents_are_complete() {
    let files = software(&geometries()[0]);
    let (map, rdl) =
        (files.get("doc/registers.md").expect("a map"), files.get("doc/registers.rdl").expect("SystemRDL"));
    for register in REGISTERS {
        assert!(map.contains(&format!("## {}\n", register.name)), "{}", register.name);
        assert!(rdl.contains(&format!("}} \\{} @ {:#04x};", register.name, register.offset)), "{}", register.name);
    }
    assert!(COMMANDS.iter().all(|c| map.contains(&format!("| `{}` |", c.name))));
}
