//! Who may use whom: the rules of ARCHITECTURE.md, held against the sources.

use std::path::{Path, PathBuf};

/// Files below `folder` (or the file itself) that are part of the library.
fn sources(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut open, mut found) = (vec![root.join(folder)], Vec::new());
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            // Links lead to what has a place of its own.
            open.extend(entries.map(|entry| entry.expect("a folder can be read").path()).filter(|p| !p.is_symlink()));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    assert!(!found.is_empty(), "{folder} has no sources");
    found
}

/// Code without comments and without what only tests see.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// Lines above 120 columns that there are.
const MOST_LONG_LINES: usize = 33;

/// Members of the workspace and the members that each may use: data flows from one to the next.
const CRATES: [(&str, &[&str]); 9] = [
    ("hdl/kernel", &[]),
    ("hdl/units/array/isa", &["kernel"]),
    ("hdl/units", &["isa", "kernel"]),
    ("sim/engine", &["kernel"]),
    ("sim/model", &["units"]),
    ("hdl/compile", &["model", "units"]),
    ("hdl/emit", &["engine", "kernel", "model", "units"]),
    ("sim", &["compile", "emit", "engine", "kernel", "model", "units"]),
    ("hdl/bin", &["compile", "emit", "kernel", "sim", "units"]),
];

/// Module paths that a file names, spelled from the root of its crate or of another member, groups in braces taken
/// apart.
fn uses(path: &Path) -> Vec<String> {
    let code: String = code(path).split_whitespace().collect::<Vec<_>>().join(" ").replace(' ', "");
    let mut found = Vec::new();
    for root in ["crate::", "bitline_units::", "bitline_kernel::", "bitline_sim::", "bitline_emit::"] {
        for part in code.split(root).skip(1) {
            let end = part.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(part.len());
            let (path, rest) = part.split_at(end);
            match rest.strip_prefix('{') {
                // The first names of a group are enough: rules are about modules.
                Some(group) if path.is_empty() || path.ends_with("::") => {
                    let mut depth = 0;
                    let mut name = String::new();
                    for c in group.chars() {
                        match c {
                            '{' => depth += 1,
                            '}' if depth == 0 => break,
                            '}' => depth -= 1,
                            ',' if depth == 0 => found.push(format!("{path}{}", std::mem::take(&mut name))),
                            _ => name.push(c),
                        }
                    }
                    found.push(format!("{path}{name}"));
                }
                _ => found.push(path.to_string()),
            }
        }
    }
    found
}

/// Complains about each use that `allowed` does not take.
fn hold(folder: &str, allowed: impl Fn(&Path, &str) -> bool) {
    for path in sources(folder) {
        let is_test = path.file_stem().is_some_and(|stem| stem == "tests");
        for used in uses(&path).into_iter().filter(|_| !is_test) {
            assert!(allowed(&path, &used), "{} uses {used}", path.display());
        }
    }
}

fn within(used: &str, module: &str) -> bool {
    used == module || used.strip_prefix(module).is_some_and(|rest| rest.starts_with("::"))
}

#[test]
fn crates_use_what_is_before_them() {
    for (folder, allowed) in CRATES {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join("Cargo.toml");
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        // Tests of a crate may use more.
        let text = text.split("[dev-dependencies]").next().unwrap_or_default();
        let used: Vec<&str> =
            text.lines().filter_map(|line| line.strip_prefix("bitline-")?.split(['.', ' ', '=']).next()).collect();
        assert_eq!(used, allowed, "{folder}");
    }
}

#[test]
fn models_know_neither_kernel_nor_blocks() {
    hold("sim/model", |_, used| used.split("::").all(|module| !["kernel", "blocks", "emit"].contains(&module)));
}

#[test]
fn arithmetic_model_knows_only_opcodes() {
    hold("sim/model/cordic.rs", |_, _| false);
    hold("sim/model/arith.rs", |_, used| {
        // Floating point and CORDIC have files of their own; what columns hold is a record; operations of the library's
        // user bring their arithmetic.
        let isa = ["Opcode", "opcode", "element", "custom"].map(|module| format!("array::isa::{module}"));
        within(used, "float") || within(used, "cordic") || isa.iter().any(|module| within(used, module))
    });
}

/// It judges the table of operations.
#[test]
fn legality_knows_no_table() {
    let known = ["isa::Command", "isa::command", "isa::Opcode", "isa::Set", "params"];
    let known = known.map(|module| format!("array::{module}"));
    // Kinds of operations have files of their own. Of those of the library's user there is nothing but the description.
    for file in ["legality.rs", "legality/float.rs", "legality/kinds.rs", "legality/scratch.rs"] {
        hold(&format!("sim/model/{file}"), |_, used| known.iter().any(|module| within(used, module)));
    }
}

/// That of the cache compute system knows its commands by name.
#[test]
fn arithmetic_of_commands_knows_nothing() {
    hold("sim/model/ccs/arith.rs", |_, _| false);
}

/// A unit's own file names its top; all else sees netlists.
#[test]
fn emitters_know_no_block() {
    let tops = ["compute_unit.rs", "compute_cache.rs", "ccs.rs", "duality.rs", "generate.rs"]
        .map(|file| format!("hdl/emit/{file}"));
    hold("hdl/emit", |path, used| {
        // What follows `mod tests {` is not looked at.
        tops.iter().any(|top| path.ends_with(top)) || used.split("::").all(|module| module != "blocks")
    });
}

/// Units know what all units share, and none of the others; the system of a board is made of them, the control block
/// of arrays.
#[test]
fn units_know_no_other_unit() {
    let units = ["array", "compute_cache", "ccs", "duality", "system", "boards"];
    for own in ["parts", "regmap.rs", "array", "compute_cache", "ccs"] {
        hold(&format!("hdl/units/{own}"), |_, used| units.iter().all(|unit| unit == &own || !within(used, unit)));
    }
    hold("hdl/units/duality", |_, used| {
        units.iter().all(|unit| ["duality", "array"].contains(unit) || !within(used, unit))
    });
}

#[test]
fn instruction_set_knows_no_hardware() {
    // Macros stand at the root of their crate, and name from there what they use.
    let known = [
        "array::isa",
        "array::params",
        "error",
        "each_latch",
        "layout",
        "code::bits",
        "latch::mask",
        "params",
        "second::alone",
        "second::gathers",
        "second::with_alone",
        "second::with_gathers",
    ];
    hold("hdl/units/array/isa", |_, used| known.iter().any(|module| within(used, module)));
}

/// Errors of the library are its own; only the binaries have arguments.
#[test]
fn only_binaries_use_anyhow_and_clap() {
    for folder in ["hdl", "sim", "tb"] {
        for path in sources(folder) {
            if path.components().any(|part| part.as_os_str() == "bin") || path.ends_with("tb/imports.rs") {
                continue;
            }
            let code = code(&path);
            for name in ["anyhow", "clap"] {
                let used = code.contains(&format!("use {name}")) || code.contains(&format!("{name}::"));
                assert!(!used, "{} uses {name}", path.display());
            }
        }
    }
}

/// A word whose width is set at run time has 0 `BITS`: blocks ask for `Packed::width`. What modules call so is a
/// plain constant.
#[test]
fn blocks_ask_no_type_for_its_bits() {
    for path in sources("hdl/units") {
        let code = code(&path);
        for (at, found) in code.match_indices("::BITS") {
            let longer = code[at + found.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
            let owner = code[..at].rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
            let allowed = longer || owner.starts_with(|c: char| c.is_ascii_lowercase());
            assert!(allowed, "{} asks `{owner}` for its BITS", path.display());
        }
    }
}

#[test]
fn paths_are_found() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("sample.rs");
    let text = "use crate::isa::{Command, word::{self, flow}};\n// use crate::array::blocks;\nuse \
                crate::{params, kernel::bits};\n\
                fn f(x: crate::error::Error) {}\n";
    std::fs::write(&file, text).expect("a file");
    let found = uses(&file);
    assert_eq!(
        found,
        ["isa::Command", "isa::word::self", "params", "kernel::bits", "error::Error"].map(|path| {
            // Inner groups run into their module's name.
            if path == "isa::word::self" { "isa::word::self,flow" } else { path }
        })
    );
}

/// What is longer holds tables, pictures, or text of other languages; no more of it is to come.
#[test]
fn lines_are_short() {
    let long = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let long = |(_, line): &(usize, &str)| line.chars().count() > 120;
        let places = text.lines().enumerate().filter(long);
        places.map(|(at, _)| format!("{}:{}", path.display(), at + 1)).collect::<Vec<_>>()
    };
    let found: Vec<String> = ["hdl", "sim", "tb", "examples", "benches"]
        .into_iter()
        .flat_map(sources)
        .flat_map(|path| long(&path))
        .collect();
    assert!(found.len() <= MOST_LONG_LINES, "{} lines above 120 columns:\n{}", found.len(), found.join("\n"));
}
