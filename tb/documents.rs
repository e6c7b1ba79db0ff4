//! The manual against the sources: links, configuration keys, programs, commands, and figures.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

mod ccs_cycles;
mod first_page;
mod keys;
mod ports;

/// A file of the project.
fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The pages: those at the root, and the manual.
fn pages() -> Vec<PathBuf> {
    let top = ["README.md", "ARCHITECTURE.md", "DESIGN.md", "CHANGELOG.md"].map(root);
    let entries = std::fs::read_dir(root("docs")).expect("the manual").map(|entry| entry.expect("an entry").path());
    let mut manual: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|e| e == "md")).collect();
    manual.sort();
    top.into_iter().chain(manual).collect()
}

/// A page without its blocks of code, in which brackets are no links.
fn prose(text: &str) -> String {
    text.split("```").step_by(2).collect()
}

/// Targets of links: what stands in the parentheses behind brackets.
fn links(text: &str) -> Vec<String> {
    prose(text).split("](").skip(1).filter_map(|rest| rest.split(')').next()).map(str::to_string).collect()
}

/// The name that a heading has in links.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c)).map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn anchors(text: &str) -> BTreeSet<String> {
    prose(text).lines().filter_map(|line| line.trim_start_matches('#').strip_prefix(' ').map(anchor)).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let mut seen = 0;
    for page in pages() {
        for link in links(&read(&page)) {
            if link.starts_with("http://") || link.starts_with("https://") {
                continue;
            }
            let (file, place) = link.split_once('#').map_or((&link[..], None), |(file, place)| (file, Some(place)));
            let target = if file.is_empty() { page.clone() } else { page.with_file_name(file) };
            assert!(target.exists(), "{}: {link}", page.display());
            if let Some(place) = place.filter(|_| target.extension().is_some_and(|e| e == "md")) {
                assert!(anchors(&read(&target)).contains(place), "{}: {link}: no such heading", page.display());
            }
            seen += 1;
        }
    }
    assert!(seen > 40, "{seen} links: are they found?");
}

/// mdBook makes a book of what the contents name, and leads nowhere outside of it.
#[test]
fn the_book_is_whole() {
    let summary = links(&read(&root("docs/SUMMARY.md")));
    assert!(summary.len() > 10, "{summary:?}");
    let named: BTreeSet<&String> = summary.iter().collect();
    assert_eq!(named.len(), summary.len(), "a page is named twice: {summary:?}");
    for name in &summary {
        let page = root("docs").join(name);
        let text = read(&page);
        assert!(text.starts_with("# "), "{}: a page begins with its title", page.display());
        for link in links(&text).iter().filter(|link| !link.starts_with("http")) {
            let file = link.split('#').next().unwrap_or_default();
            assert!(file.is_empty() || summary.iter().any(|page| page == file), "{name}: {link} is not in the book");
        }
    }
}

/// Blocks of code of one language.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let parts = text.split("```").skip(1).step_by(2);
    parts.filter_map(|block| block.strip_prefix(&format!("{language}\n")).map(str::to_string)).collect()
}

/// Every subcommand and option of `bitline` that the manual uses is one that it has.
#[test]
fn commands_of_the_manual_exist() {
    let mut seen = 0;
    for page in pages() {
        for line in blocks(&read(&page), "sh").iter().flat_map(|block| block.lines()) {
            let line = line.split("  #").next().unwrap_or_default().trim();
            let aliases = ["gen", "sim", "host"].map(|name| (format!("cargo run --release --bin {name} --"), name));
            let alias = aliases.iter().find_map(|(head, name)| Some(format!("{name}{}", line.strip_prefix(head)?)));
            let rest =
                line.strip_prefix("bitline ").or(line.strip_prefix("cargo run --release -- ")).map(str::to_string);
            let Some(arguments) = rest.or(alias) else { continue };
            let words: Vec<&str> =
                arguments.split(['>', '<', '|']).next().unwrap_or_default().split_whitespace().collect();
            let commands: Vec<&str> = words.iter().copied().filter(|word| is_command(word)).take(2).collect();
            let depth = if commands.first() == Some(&"gen") { 1 } else { 2 };
            let help = help(&commands[..commands.len().min(depth)]);
            for option in words.iter().filter(|word| word.starts_with("--")) {
                let known = help.split([' ', ',', '\n', '[', '=']).any(|word| word == *option);
                assert!(known, "{}: {line}: {option} is not in\n{help}", page.display());
            }
            for option in needed(&commands, &help) {
                let given = words.iter().any(|word| option.contains(word));
                assert!(given, "{}: {line}: {option:?} is not there", page.display());
            }
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen} commands: are they found?");
}

/// Options of which a command needs one each: those that its usage names outside of brackets, and what `gen` writes.
fn needed<'a>(commands: &[&str], help: &'a str) -> Vec<Vec<&'a str>> {
    let usage = help.lines().find_map(|line| line.strip_prefix("Usage:")).expect("a line on usage");
    let named = usage.split_whitespace().filter(|word| word.starts_with("--")).map(|word| vec![word]);
    named.chain((commands.first() == Some(&"gen")).then(|| vec!["--target", "--list"])).collect()
}

/// Whether a word may be a subcommand: values of options that the manual uses are not among their names.
fn is_command(word: &str) -> bool {
    const NAMES: &str = "gen sim host ptx completions man run cuda cuda-device cuda-report cycles bench regress \
                         coverage cc ccs ccs-system transfers scaling duality duality-asm duality-disasm \
                         help-duality help-format help-operations ports info self-test memory-test throughput read \
                         write load store launch duality-launch simulate";
    NAMES.split(' ').any(|name| name == word)
}

fn help(commands: &[&str]) -> String {
    let output =
        Command::new(env!("CARGO_BIN_EXE_bitline")).args(commands).arg("--help").output().expect("it is built");
    assert!(output.status.success(), "{commands:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// The tutorial's program prints what the tutorial says.
#[test]
fn the_first_program_prints_what_the_tutorial_says() {
    let page = read(&root("docs/tutorial-program.md"));
    let text = blocks(&page, "text");
    let [program, printed] = &text[..] else { panic!("a program and what it prints: {text:?}") };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("bright.bl");
    std::fs::write(&file, program).expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_bitline")).args(["sim", "run"]).arg(&file).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.starts_with(printed.as_str()), "{said}");
    assert!(said.lines().any(|line| line.contains("addc d=sum") && line.contains(" 9 ")), "{said}");
}

/// The first kernel is compiled to what its page says, words and summary.
#[test]
fn the_first_kernel_becomes_what_its_page_says() {
    let page = read(&root("docs/cuda.md"));
    for (options, printed) in [("--engine words", "vecadd: "), ("--emit -", ".name vecadd\n")] {
        let command = page.lines().find(|line| line.starts_with("bitline sim cuda ") && line.contains(options));
        let command = command.expect("the page has it").split(" --out ").next().expect("a part");
        let output = Command::new(env!("CARGO_BIN_EXE_bitline"))
            .args(command.split(' ').skip(1))
            .current_dir(root("."))
            .output()
            .expect("it runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        let shown = blocks(&page, "text").into_iter().find(|text| text.starts_with(printed)).expect("the page has it");
        assert!(said.contains(shown.trim_end()), "{command}: {said}");
    }
}

/// What stands between the marks of a figure: the same as in the file that the command's output went to. Run
/// `scripts/figures.sh NAME` to measure anew.
#[test]
fn figures_come_from_results() {
    let mut seen = BTreeSet::new();
    for page in pages() {
        let text = read(&page);
        for part in text.split("<!-- begin ").skip(1) {
            let (name, rest) = part.split_once(" -->\n").expect("the mark ends its line");
            let (shown, _) = rest.split_once(&format!("<!-- end {name} -->")).expect("the mark of its end");
            let result = read(&root(&format!("docs/results/{name}.md")));
            let (head, body) = result.split_once('\n').expect("a line that says where it is from");
            assert!(head.starts_with("<!-- ") && head.contains("commit"), "{name}: {head}");
            assert_eq!(shown, body, "{}: {name} is not docs/results/{name}.md", page.display());
            seen.insert(name.to_string());
        }
    }
    let files = std::fs::read_dir(root("docs/results")).expect("results").map(|entry| entry.expect("an entry").path());
    let stems = files.map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned());
    assert_eq!(seen, stems.collect::<BTreeSet<_>>(), "each result is shown, and each figure has one");
}

/// The figures of the first page are those of the results: as the page has them, and as a result does.
#[test]
fn headlines_are_in_the_results() {
    let page = read(&root("README.md"));
    for (name, shown, measured) in HEADLINES {
        assert!(page.contains(shown), "README.md: {shown}");
        let result = read(&root(&format!("docs/results/{name}.md")));
        // Columns are apart by more than a blank.
        let result = result.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(result.contains(measured), "{name}: {measured}, for {shown}");
    }
}

/// A result, the first page's words, and the result's.
const HEADLINES: [(&str, &str, &str); 13] = [
    ("coverage", "98.1 % of the arms of the array's", "| array | tiny | 8051 / 10481 (76.8 %) | 355 / 362 (98.1 %) |"),
    ("coverage", "99.0 % of the compute cache's", "192 / 194 (99.0 %)"),
    ("coverage", "96.7 % of the cache compute system's", "378 / 391 (96.7 %)"),
    ("cycles", "1,026 cycles", "| mul n×n→2n | 86 / 302 / 1118 | 66 / 258 / 1026 |"),
    ("cycles", "formula: 1,118", "86 / 302 / 1118"),
    ("compute-cache", "in 4 cycles of a stream", "| cc_and | 1 | 10 | 4.0 |"),
    ("compute-cache", "116 ×", "; 116 in a stream over copy, compare, search and or"),
    ("compute-cache", "54 ×", "The paper's average: 54."),
    ("compute-cache", "44 ×", "Against the strict loop: 44 in a stream"),
    ("array-cost", "3,757 LUT", "bl_compute_unit 3757 LUT"),
    ("load", "256 threads load from anywhere in 330 cycles", "| lines being there | 330 | 330 | 330 |"),
    ("ccs-system", "takes 1/415 of the cycles", "| best: RORVV | 1024 | 408 | 791.2 | 189.1 | 300.2 | 414.6 | above |"),
    ("duality", "1.12 × as fast", "Decoupled over lockstep: 1.117 × in the geometric mean"),
];

/// The table of cycles is measured here, on the hardware, with every target met or within what is allowed.
#[test]
fn cycles_are_as_the_manual_says() {
    let mut rows = Vec::new();
    for selection in bitline::sim::cycle_table::summary_selections() {
        let engine = bitline::sim::machine::Engine::Native;
        rows.extend(
            bitline::sim::cycle_table::measure(&selection, engine, 1, &mut |_, _| ()).expect("results are right"),
        );
    }
    let missed: Vec<_> =
        rows.iter().filter(|row| row.verdict() == bitline::sim::cycle_table::Verdict::Missed).collect();
    assert!(missed.is_empty(), "{missed:?}");
    let table = bitline::sim::cycle_table::summary(&rows);
    let shown = read(&root("docs/results/cycles.md"));
    assert_eq!(shown.split_once('\n').expect("lines").1, table, "scripts/figures.sh cycles brings it up to date");
}

/// The patches of the tutorial still fit: what they hang on is in the sources.
#[test]
fn patches_of_the_tutorial_fit() {
    let patches = blocks(&read(&root("docs/tutorial-operation.md")), "diff");
    assert_eq!(patches.len(), 4);
    let mut added = 0;
    for patch in patches {
        let file = patch.lines().find_map(|line| line.strip_prefix("+++ b/")).expect("a file");
        let source = read(&root(file));
        let body: Vec<&str> = patch.lines().skip(3).collect();
        let context: Vec<&str> = body.iter().filter_map(|line| line.strip_prefix(' ')).collect();
        assert!(source.contains(&(context.join("\n") + "\n")), "{file} has no\n{}", context.join("\n"));
        let new = body.iter().filter(|line| line.starts_with('+')).count();
        added += new;
        let counts = format!("@@ -2,{} +2,{} @@", context.len(), context.len() + new);
        assert_eq!(patch.lines().nth(2), Some(&counts[..]), "{file}");
    }
    assert_eq!(added, 14, "lines of an operation, as docs/how-to-add.md says");
}
