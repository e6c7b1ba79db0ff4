//! Every test that `docs/found-by-users.md` names is there, and every row names one.

use std::collections::BTreeSet;
use std::path::Path;

/// Names of functions behind `#[test]` below a folder.
fn tests(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let path = entry.expect("a folder can be read").path();
        if path.is_dir() {
            tests(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            for part in read(&path).split("#[test]").skip(1) {
                let name = part.split("fn ").nth(1).and_then(|rest| rest.split('(').next());
                found.extend(name.map(String::from));
            }
        }
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Scripts that run by themselves, in CI or over night; another must be called by one of them.
const CALLERS: [&str; 3] = [".ci/run", "scripts/test.sh", "scripts/check-deep.sh"];

/// A check that is no test function: a script that one of [`CALLERS`] runs, or is; or code in the documentation, which
/// runs with the tests of the package.
fn checks(root: &Path, file: &str) -> Result<(), String> {
    let text = std::fs::read_to_string(root.join(file)).map_err(|e| format!("{file}: {e}"))?;
    if file.ends_with(".rs") {
        return if text.contains("\n//! ```\n") {
            Ok(())
        } else {
            Err(format!("{file}: no code in its documentation"))
        };
    }
    if file.ends_with(".md") {
        let facade = read(&root.join("hdl/lib.rs"));
        let included = facade.contains(&format!("#[cfg(doctest)]\n#[doc = include_str!(\"../{file}\")]"));
        return if included { Ok(()) } else { Err(format!("{file}: its code is not run")) };
    }
    let call = format!("./{file}");
    let called = |caller: &&str| {
        let lines = read(&root.join(caller));
        lines.lines().any(|line| !line.trim_start().starts_with('#') && line.contains(&call))
    };
    if CALLERS.contains(&file) || CALLERS.iter().any(called) { Ok(()) } else { Err(format!("{file}: nothing runs it")) }
}

#[test]
fn every_test_that_is_named_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = BTreeSet::new();
    ["hdl", "sim", "tb"].iter().for_each(|folder| tests(&root.join(folder), &mut found));
    let text = read(&root.join("docs/found-by-users.md"));
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| ") && !line.ends_with("| test |")).collect();
    assert!(rows.len() > 20, "{rows:?}");
    for row in rows {
        let cell = row.trim_end_matches('|').rsplit(" | ").next().expect("a row has cells");
        let names: Vec<&str> = cell.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "no test: {row}");
        for name in names {
            if name.contains('/') {
                checks(root, name).unwrap_or_else(|e| panic!("{e}: {row}"));
            } else {
                assert!(found.contains(name), "{name} is no test: {row}");
            }
        }
    }
}

/// What is nothing of the kind is refused.
#[test]
fn files_that_check_nothing_are_refused() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for file in ["scripts/nothing.sh", "scripts/photos.sh", "hdl/units/array/isa/uop.rs", "docs/sim.md"] {
        assert!(checks(root, file).is_err(), "{file}");
    }
}
