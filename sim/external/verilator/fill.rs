//! Contents of memories in Verilator's C++: one statement for each word becomes a table and a loop.
//!
//! A control block of the Duality Cache has ROMs with 190,000 words in all. As statements they are 25 MB of C++, for
//! which the compiler takes ten times as long as for everything else, and 4 GB of memory.

use std::fmt::Write as _;

/// Fewer words than this stay as they are.
const FEW: usize = 64;

/// A statement that writes a number to a word, or to 32 bits of a wide one: `vlSelf->NAME[0x1fU][2U] = 0x5U;`.
struct Fill<'t> {
    name: &'t str,
    index: &'t str,
    part: Option<&'t str>,
    value: &'t str,
}

impl<'t> Fill<'t> {
    fn read(line: &'t str) -> Option<Fill<'t>> {
        let (place, value) = line.strip_prefix("    vlSelf->")?.strip_suffix(';')?.split_once(" = ")?;
        let (name, place) = place.split_once('[')?;
        let (index, rest) = place.split_once(']')?;
        let part = match rest {
            "" => None,
            rest => Some(rest.strip_prefix('[')?.strip_suffix(']')?),
        };
        let named = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let numbers = [Some(index), part, Some(value)].into_iter().flatten().all(is_number);
        (named && numbers).then_some(Fill { name, index, part, value })
    }
}

/// Whether this is a number without a sign as Verilator writes it: `5U`, `0x1fU`, `0x1fULL`.
fn is_number(text: &str) -> bool {
    let digits = text.trim_end_matches("LL").strip_suffix('U').unwrap_or_default();
    match digits.strip_prefix("0x") {
        Some(digits) => !digits.is_empty() && digits.chars().all(|c| c.is_ascii_hexdigit()),
        None => !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit()),
    }
}

/// The same C++ with tables in the place of many statements. Two statements for the same word keep their order.
pub(super) fn tabled(text: &str) -> String {
    let mut found = String::with_capacity(text.len());
    let mut run: Vec<(&str, Fill<'_>)> = Vec::new();
    for line in text.lines() {
        match Fill::read(line) {
            Some(fill) => run.push((line, fill)),
            None => {
                flush(&mut run, &mut found);
                _ = writeln!(found, "{line}");
            }
        }
    }
    flush(&mut run, &mut found);
    found
}

/// Writes the statements of a run. Words of different names, and parts of words, are different places.
fn flush(run: &mut Vec<(&str, Fill<'_>)>, found: &mut String) {
    if run.len() < FEW {
        run.drain(..).for_each(|(line, _)| _ = writeln!(found, "{line}"));
        return;
    }
    run.sort_by_key(|(_, fill)| (fill.name, fill.part));
    for fills in run.chunk_by(|one, next| (one.1.name, one.1.part) == (next.1.name, next.1.part)) {
        let (name, part) = (fills[0].1.name, fills[0].1.part.map(|part| format!("[{part}]")).unwrap_or_default());
        found.push_str("    {\n        static const struct { unsigned at; unsigned long long to; } words[] = {\n");
        fills.iter().for_each(|(_, fill)| _ = writeln!(found, "{{{},{}}},", fill.index, fill.value));
        _ = writeln!(
            found,
            "        }};\n        for (const auto& word : words) vlSelf->{name}[word.at]{part} = word.to;\n    }}"
        );
    }
    run.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_words_become_a_table() {
        let words: String = (0..100).map(|i| format!("    vlSelf->top__DOT__rom[{i}U] = 0x{i:x}ULL;\n")).collect();
        let parts: String = (0..100).map(|i| format!("    vlSelf->wide[0x{i:x}U][{}U] = 7U;\n", i % 2)).collect();
        let text = format!("void f() {{\n{words}{parts}    g();\n    vlSelf->top__DOT__rom[3U] = 5U;\n}}\n");
        let found = tabled(&text);
        assert!(found.starts_with("void f() {\n    {\n") && found.ends_with("}\n"), "{found}");
        assert_eq!(found.matches("static const struct").count(), 3);
        assert!(found.contains("{99U,0x63ULL},\n        };\n        for (const auto& word : words) "), "{found}");
        assert!(found.contains("{0x63U,7U},\n        };\n") && found.contains("vlSelf->wide[word.at][1U] = word.to;"));
        // What comes behind a call stays behind it.
        assert!(found.contains("    g();\n    vlSelf->top__DOT__rom[3U] = 5U;\n"), "{found}");
    }

    #[test]
    fn other_statements_stay() {
        let lines = [
            "    vlSelf->a[i] = 0U;",
            "    vlSelf->a[0U] = vlSelf->b;",
            "    vlSelf->a[0U] = 0x5U",
            "        vlSelf->a[0U] = 5U;",
            "    vlSelf->a[0U] = -5U;",
            "    vlSelf->a = 5U;",
            "    vlSelf->a.b[0U] = 5U;",
        ];
        for line in lines {
            let text = format!("{line}\n").repeat(100);
            assert_eq!(tabled(&text), text);
        }
        let few = "    vlSelf->a[0U] = 5U;\n".repeat(FEW - 1);
        assert_eq!(tabled(&few), few);
    }
}
