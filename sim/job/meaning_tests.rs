//! What programs mean beyond single commands: rows that were never written, values across columns, forms of numbers.

use std::path::Path;

use pretty_assertions::assert_eq;

use super::{Outcome, assembly, plan, run};
use crate::error::Result;
use crate::machine::Engine;

fn outcome(text: &str) -> Result<Outcome> {
    let source = assembly::parse("p.bl", Path::new("."), text)?;
    let design = source.design.clone().map_or_else(Default::default, |design| design.value);
    let plan = plan(&source, &design.params()?, None)?;
    let mut machine = Engine::Model.machine(&plan.params, 9)?;
    run(&plan, machine.as_mut(), &mut |_, _| ())
}

fn refused(text: &str, wanted: &str) {
    let message = outcome(text).map_or_else(|error| error.to_string(), |_| "nothing".into());
    assert!(message.contains(wanted), "{text}\n says {message}\n not  {wanted}");
}

/// The program that gave noise with exit status 0: an accumulator that nobody has cleared.
#[test]
fn rows_never_written_are_told() {
    let start =
        "design preset=tiny rows=128\nvector x width=8\nvector y width=8\nvector acc width=16\nload x value 3\n";
    let noise = "what was there at power-up, which can be anything";
    refused(
        &format!("{start}load y value 5\ndot d=acc a=x b=y\n"),
        &format!(
            "p.bl, line 7: dot: d = acc: rows 16 to 31 hold {noise}: the result is added to what acc holds, so begin \
            with `zero d=acc`"
        ),
    );
    let good = outcome(&format!("{start}load y value 5\nzero d=acc\ndot d=acc a=x b=y\nprint acc limit=1\n"));
    assert_eq!(good.expect("legal").printed[0].to_string(), "acc = 15 ... (8 elements)");
    refused(
        &format!("{start}add d=x a=x b=y\n"),
        &format!("line 6: add: b = y: rows 8 to 15 hold {noise}: load y before"),
    );
    refused(&format!("{start}print y\n"), &format!("line 6: y: rows 8 to 15 hold {noise}: load y before"));
    refused(&format!("{start}expect y value 3\n"), "line 6: y: rows 8 to 15");
    refused(&format!("{start}store y csv o.csv\n"), "line 6: y: rows 8 to 15");
    refused(&format!("{start}sum y\n"), "line 6: y: rows 8 to 15");
    // Half of a result, and its one row that nobody has written.
    refused(&format!("{start}copy d=acc[0..8] a=x\nprint acc\n"), "line 7: acc: rows 24 to 31");
    refused(&format!("{start}load y[0..7] value 1\nprint y\n"), "line 7: y: row 15 holds");
    // Intermediate values are no data either.
    let scratch = "vector v width=3\nvector s width=8\nload v value 1\nload s value 1\nrotl d=y a=x b=v s=s\nprint s\n";
    refused(
        &format!("{start}{scratch}"),
        "line 11: s: rows 35 to 42 hold intermediate values of the command in line 10",
    );
    let fine = outcome(&format!("{start}{}", scratch.replace("print s", "load s value 2\nprint s limit=1")));
    assert_eq!(fine.expect("legal").printed[0].to_string(), "s = 2 ... (8 elements)");
}

#[test]
fn values_across_columns_and_chunks() {
    let list = (0..21).map(|i| ((i * 37 + 11) % 100 - 50).to_string()).collect::<Vec<_>>();
    let numbers: Vec<i64> = list.iter().map(|text| text.parse().expect("a number")).collect();
    let text = format!(
        "design preset=tiny\nvector x width=8 signed\nvector low width=1\nvector zero width=8\nload x list {}\nload \
        zero value 0\nlt.s d=low a=x b=zero\nsum x\nmin \
         x\nmax x\ncount x\ncount low\nsum x[7..] expect=-3\n",
        list.join(" ")
    );
    let outcome = outcome(&text).expect("legal");
    let (least, most) = (numbers.iter().min().expect("some"), numbers.iter().max().expect("some"));
    let at = |value: &i64| numbers.iter().position(|other| other == value).expect("it is there");
    let below = numbers.iter().filter(|&&n| n < 0).count();
    let wanted = [
        format!("sum x = {}", numbers.iter().sum::<i64>()),
        format!("min x = {least} (element {} of 21)", at(least)),
        format!("max x = {most} (element {} of 21)", at(most)),
        format!("count x = {}", numbers.iter().filter(|&&n| n != 0).count()),
        format!("count low = {below}"),
        format!("sum x[7..] = -{below}"),
    ];
    assert_eq!(outcome.printed.iter().map(ToString::to_string).collect::<Vec<_>>(), wanted);
    let failure = format!("p.bl, line 13: sum x[7..] = -{below}: must be -3");
    assert_eq!(outcome.failures, [failure]);
    // No command ran for them: rows left, in each of three chunks.
    let report = &outcome.report;
    assert_eq!((report.commands.len(), report.across.len(), report.rows_out), (1, 6, 3 * (4 * 8 + 2)));
    let sum = &report.across[0];
    assert_eq!((sum.text.as_str(), sum.line, sum.runs, sum.rows, report.beats_of(sum.rows)), ("sum x", 8, 3, 24, 24));
    let json = report.json();
    assert_eq!((&json["across"][0]["stream_cycles"], &json["commands"][0]["runs"]), (&24.into(), &3.into()));
    assert!(report.to_string().contains("across columns and chunks, by the host"), "{report}");
}

/// min and max are commands where operands are named.
#[test]
fn smallest_of_two_vectors_and_of_one() {
    let text = "design preset=tiny\nvector x width=4\nvector y width=4\nload x list 7 2 9\nload y list 3 8 1\nmin d=x \
    a=x \
                b=y\nmin x expect=1\nmax x expect=3\n";
    let outcome = outcome(text).expect("legal");
    assert_eq!((outcome.failures.len(), outcome.report.commands.len(), outcome.printed.len()), (0, 1, 2));
    refused("vector x width=4\nsum", "line 2: the vector is missing");
    refused("vector x width=4\nload x value 1\nmin x 3", "\"3\": nothing more is expected here");
    refused(
        "vector x width=4\nload x value 1\nsum x of=3",
        "of = 3: this statement has no such key (its keys: expect)",
    );
}

/// The format promises decimal, 0x, 0b and `_` wherever there is a number.
#[test]
fn numbers_take_every_form_everywhere() {
    let text = "design preset=tiny rows=0x8_0 command_fifo=0b10\nelements 0b11\nvector x width=0x8 \
    row=0b1_0000\nvector y \
                of=x[0b1..0x4]\nload x list 0x1_0 0b1_0 1_0\nsearch a=x key=0b1_0000 n=0x8\nprint x limit=0x2 \
                base=0xa\nprint y limit=0b11 base=0x2\nstore x raw o.bin bytes=0x4\nstore x[0x0..7] pgm o.pgm \
                width=0b11\n";
    let outcome = outcome(text).expect("legal");
    assert_eq!((outcome.report.params.rows, outcome.report.params.command_fifo), (128, 2));
    let printed: Vec<String> = outcome.printed.iter().map(ToString::to_string).collect();
    assert_eq!(printed, ["x = 16 2 ... (3 elements)", "y = 0b0 0b1 0b101"]);
    assert_eq!(outcome.files[0].1.len(), 12);
    for wrong in ["0xg", "0b2", "_1", "0x", "1.5", "-1", "99999999999999999999999"] {
        refused(&format!("vector x width={wrong}"), &format!("width = {wrong}: must be a number"));
    }
}
