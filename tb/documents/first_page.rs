//! The first page, and the way from nothing: what must stand there, and that script and pages say the same.

use bitline::emit::unit::UNITS;

use super::{blocks, links, read, root};

/// One screen and a half.
#[test]
fn the_first_page_is_short() {
    let lines = read(&root("README.md")).lines().count();
    assert!((30..=90).contains(&lines), "README.md has {lines} lines");
}

/// A part of a page, from its heading to the next.
fn part<'a>(page: &'a str, heading: &str) -> &'a str {
    let (_, rest) = page.split_once(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("no part: {heading}"));
    rest.split("\n## ").next().expect("all of it")
}

/// A measured headline for each unit, which unit is for what, five commands, where it stands, and where to read on.
#[test]
fn the_first_page_has_its_parts() {
    let page = read(&root("README.md"));
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| [")).collect();
    assert_eq!(rows.len(), UNITS.len(), "a row for each unit: {rows:?}");
    for row in rows {
        let measured = row.trim_end_matches(" |").rsplit(" | ").next().expect("the last cell");
        assert!(measured.contains(|c: char| c.is_ascii_digit()), "nothing measured: {row}");
    }
    let choice = part(&page, "Which unit do I want?");
    assert_eq!(choice.lines().filter(|line| line.starts_with("- **")).count(), UNITS.len(), "{choice}");
    let commands = blocks(part(&page, "Five commands"), "sh");
    assert_eq!(commands[0].lines().count(), 5, "{commands:?}");
    for row in ["| in simulation |", "| synthesis |", "| place and route |", "| on a board"] {
        assert!(part(&page, "Where it stands").contains(row), "{row}");
    }
    let further = links(part(&page, "Read on"));
    for name in ["tutorial-program", "tutorial-operation", "tutorial-block", "tutorial-board"] {
        assert!(further.contains(&format!("docs/{name}.md")), "{name}: {further:?}");
    }
    for name in ["software", "configuration", "ports"] {
        assert!(further.contains(&format!("docs/{name}.md")), "{name}: {further:?}");
    }
    let manual = read(&root("docs/introduction.md"));
    for unit in UNITS {
        assert!(manual.contains(&format!(" | `{}`", unit.name)), "docs/introduction.md: {}", unit.name);
    }
    // There is other RTL of one of the papers, by students.
    assert!(page.contains("https://github.com/Muslim-314/CONV-ENGINE"));
}

/// The script that starts from nothing is the first command; what it runs is documented by itself, with what it needs
/// and the time that it takes.
#[test]
fn the_way_from_nothing_is_the_same_everywhere() {
    let plain = "cargo run --release --bin gen -- --target vc709";
    let (page, start) = (read(&root("README.md")), read(&root("docs/start.md")));
    let first = blocks(part(&page, "Five commands"), "sh").remove(0);
    assert!(first.starts_with("./scripts/setup.sh "), "{first}");
    assert!(page.contains("nothing but [Rust](https://rustup.rs)"), "what the first command needs");
    assert_eq!(blocks(part(&start, "From nothing"), "sh")[..2], ["./scripts/setup.sh\n", &format!("{plain}\n")]);
    assert!(page.contains(plain) && start.contains("where `cc` is there") && start.contains(" s on two quiet cores"));
    let script = read(&root("scripts/setup.sh"));
    assert!(script.contains("if [ $# = 0 ]; then set -- --target vc709; fi"), "{script}");
    assert!(script.contains("\ncargo run --release --bin gen -- \"$@\"\n"), "{script}");
    assert!(script.contains("install_missing missing_to_build"), "{script}");
    let packages = read(&root("scripts/packages.sh"));
    assert!(packages.contains("command -v cc >/dev/null || echo gcc libc6-dev"), "rustc links with it");
}
