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
            let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            for part in text.split("#[test]").skip(1) {
                let name = part.split("fn ").nth(1).and_then(|rest| rest.split('(').next());
                found.extend(name.map(String::from));
            }
        }
    }
}

#[test]
fn every_test_that_is_named_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = BTreeSet::new();
    ["hdl", "sim", "tb"].iter().for_each(|folder| tests(&root.join(folder), &mut found));
    let path = root.join("docs/found-by-users.md");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| ") && !line.ends_with("| test |")).collect();
    assert!(rows.len() > 20, "{rows:?}");
    for row in rows {
        let cell = row.trim_end_matches('|').rsplit(" | ").next().expect("a row has cells");
        let names: Vec<&str> = cell.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "no test: {row}");
        for name in names {
            assert!(found.contains(name), "{name} is no test: {row}");
        }
    }
}
