//! Where a kernel's time goes, by lines of PTX: as text, JSON, or a flame graph.

use std::fmt::Write as _;
use std::path::Path;

use bitline_compile::words::Spent;
use bitline_kernel::error::{Error, Result};
use bitline_sim::data::source::STANDARD;
use bitline_sim::plot::COLOURS;

/// Width of the flame graph and height of its rows, in pixels.
const WIDTH: f64 = 1200.0;
const ROW: f64 = 18.0;
/// Width of a letter.
const LETTER: f64 = 6.2;

/// A profile, with what its lines are.
pub struct Profile<'a> {
    /// The kernel's name.
    pub kernel: &'a str,
    /// The PTX.
    pub text: &'a str,
    /// What each line takes, in the order of lines.
    pub lines: &'a [Spent],
}

/// Refuses names of files that say nothing of their form.
///
/// # Errors
/// The rule.
pub fn check(path: &Path) -> Result<()> {
    let ending = path.extension().and_then(|ending| ending.to_str());
    if path.as_os_str() == STANDARD || matches!(ending, Some("txt" | "json" | "svg")) {
        return Ok(());
    }
    let rule = "must end in .txt (a table), .json or .svg (a flame graph), or be - (a table)";
    Err(Error::parameter("profile", path.display(), rule))
}

impl Profile<'_> {
    /// The profile in the form that the file's name asks for.
    pub fn written(&self, path: &Path) -> Vec<u8> {
        let text = match path.extension().and_then(|ending| ending.to_str()) {
            Some("json") => self.json(),
            Some("svg") => self.flames(),
            _ => self.table(),
        };
        text.into_bytes()
    }

    fn cycles(&self) -> u64 {
        self.lines.iter().map(|line| line.cycles).sum()
    }

    /// What stands in a line.
    fn of(&self, line: u32) -> &str {
        let found = (line as usize).checked_sub(1).and_then(|at| self.text.lines().nth(at));
        found.map_or("around the kernel", |text| text.split("//").next().unwrap_or_default().trim())
    }

    /// The line of the source, or the label before.
    fn group(&self, spent: &Spent) -> String {
        if let Some((file, line)) = spent.source {
            return format!("source {file}:{line}");
        }
        let before: Vec<&str> = self.text.lines().take(spent.line as usize).collect();
        let label = before.iter().rev().map(|text| text.trim()).find(|text| {
            text.contains(".entry") || text.split_once(':').is_some_and(|(name, _)| name.starts_with(['$', '_', 'L']))
        });
        match label.and_then(|text| text.split_once(':')) {
            Some((name, _)) => name.to_string(),
            None => "entry".into(),
        }
    }

    /// Lines by their cycles, the longest first.
    fn table(&self) -> String {
        let all = self.cycles().max(1) as f64;
        let mut lines: Vec<&Spent> = self.lines.iter().collect();
        lines.sort_by_key(|line| (std::cmp::Reverse(line.cycles), line.line));
        let mut text = format!(
            "{}: {} cycles of windows, by the tables of operations; windows work beside each other\n\n\
             {:>7} {:>12} {:>9} {:>6}  PTX\n",
            self.kernel,
            self.cycles(),
            "share",
            "cycles",
            "words",
            "line"
        );
        for spent in lines {
            let source = spent.source.map_or(String::new(), |(file, line)| format!("    source {file}:{line}"));
            _ = writeln!(
                text,
                "{:>5.1} % {:>12} {:>9} {:>6}  {}{source}",
                100.0 * spent.cycles as f64 / all,
                spent.cycles,
                spent.words,
                spent.line,
                self.of(spent.line)
            );
        }
        text
    }

    fn json(&self) -> String {
        let line = |spent: &Spent| {
            serde_json::json!({
                "line": spent.line,
                "text": self.of(spent.line),
                "source": spent.source.map(|(file, line)| serde_json::json!({ "file": file, "line": line })),
                "words": spent.words,
                "cycles": spent.cycles,
            })
        };
        let lines: Vec<serde_json::Value> = self.lines.iter().map(line).collect();
        let value = serde_json::json!({ "kernel": self.kernel, "cycles": self.cycles(), "lines": lines });
        serde_json::to_string_pretty(&value).expect("numbers and strings always serialise") + "\n"
    }

    /// The kernel, below it lines of its source or labels, below those lines of PTX: as wide as their cycles.
    fn flames(&self) -> String {
        let all = self.cycles().max(1);
        let scale = WIDTH / all as f64;
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{}\" font-family=\"monospace\" \
             font-size=\"10\">\n<rect width=\"{WIDTH}\" height=\"{}\" fill=\"white\"/>\n",
            3.0 * ROW,
            3.0 * ROW
        );
        let mut frame = |row: f64, from: u64, cycles: u64, name: &str, colour: &str| {
            let (x, width) = (from as f64 * scale, cycles as f64 * scale);
            let shown: String = name.chars().take((width / LETTER) as usize).collect();
            let share = 100.0 * cycles as f64 / all as f64;
            _ = writeln!(
                text,
                "<g><title>{}: {cycles} cycles, {share:.1} %</title><rect x=\"{x:.2}\" y=\"{:.0}\" \
                 width=\"{width:.2}\" height=\"{:.0}\" fill=\"{colour}\" fill-opacity=\"0.6\" \
                 stroke=\"white\" stroke-width=\"0.5\"/><text \
                 x=\"{:.2}\" y=\"{:.0}\">{}</text></g>",
                escaped(name),
                row * ROW,
                ROW,
                x + 2.0,
                row * ROW + 13.0,
                escaped(&shown)
            );
        };
        frame(0.0, 0, all, self.kernel, COLOURS[0]);
        let mut groups: Vec<(String, Vec<&Spent>)> = Vec::new();
        for spent in self.lines {
            let name = self.group(spent);
            match groups.iter_mut().find(|(known, _)| *known == name) {
                Some((_, lines)) => lines.push(spent),
                None => groups.push((name, vec![spent])),
            }
        }
        let mut at = 0;
        for (name, lines) in groups {
            frame(1.0, at, lines.iter().map(|line| line.cycles).sum(), &name, COLOURS[1]);
            for line in lines {
                frame(2.0, at, line.cycles, &format!("{}: {}", line.line, self.of(line.line)), COLOURS[2]);
                at += line.cycles;
            }
        }
        text + "</svg>\n"
    }
}

/// Text as XML has it.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        ".visible .entry k() {\n    add.s32 %r1, %r2, 1; // counts\n$L_a:\n    setp.lt.s32 %p1, %r1, 5;\n}";

    fn lines() -> Vec<Spent> {
        let spent = |line, cycles, source| Spent { line, source, words: 2, cycles };
        vec![spent(0, 4, None), spent(2, 30, Some((1, 12))), spent(4, 66, None)]
    }

    #[test]
    fn a_table_has_the_longest_first() {
        let text = Profile { kernel: "k", text: TEXT, lines: &lines() }.table();
        let rows: Vec<&str> = text.lines().skip(3).collect();
        assert_eq!(rows[0], " 66.0 %           66         2      4  setp.lt.s32 %p1, %r1, 5;");
        assert_eq!(rows[1], " 30.0 %           30         2      2  add.s32 %r1, %r2, 1;    source 1:12");
        assert!(rows[2].ends_with("around the kernel") && rows.len() == 3, "{text}");
    }

    #[test]
    fn json_and_flames_have_every_line() {
        let profile = Profile { kernel: "k<>", text: TEXT, lines: &lines() };
        let value: serde_json::Value = serde_json::from_str(&profile.json()).expect("JSON");
        assert_eq!(value["cycles"], 100);
        assert_eq!(value["lines"][1]["source"]["line"], 12);
        let flames = profile.flames();
        assert_eq!(flames.matches("<rect").count(), 1 + 1 + 3 + 3);
        assert!(flames.contains("k&lt;&gt;: 100 cycles, 100.0 %") && flames.contains("$L_a: 66 cycles"), "{flames}");
        assert!(flames.contains("<title>source 1:12: 30 cycles, 30.0 %</title>"), "{flames}");
        assert!(flames.contains("x=\"408.00\" y=\"36\" width=\"792.00\""), "{flames}");
    }

    #[test]
    fn forms_are_asked_for_by_names() {
        for name in ["p.txt", "p.json", "p.svg", "-"] {
            check(Path::new(name)).expect("a form");
        }
        let error = check(Path::new("p.html")).expect_err("no form").to_string();
        assert!(error.starts_with("profile = p.html: must end in .txt"), "{error}");
    }
}
