//! Exceptions in program files.

use super::*;

const HEAD: &str = "design preset=tiny rows=256 float=true exception_flags=true\nelements 8\nvector x float=f16\n\
                    vector y float=f16\nvector z float=f16\nload x list 1 2 3 4 5 6 7 8\nload y value 3\n";

/// What the statements print, and what fails.
fn run(rest: &str) -> (Vec<String>, Vec<String>) {
    let outcome = outcome(&planned(&format!("{HEAD}{rest}")).expect("a program")).expect("it runs");
    (outcome.printed.iter().map(ToString::to_string).collect(), outcome.failures)
}

#[test]
fn exceptions_since_the_statement_before_and_of_the_last_command() {
    let (printed, failures) = run("flags\nfdiv d=z a=x b=y\nflags last\nfadd d=z a=x b=y\nflags last\nflags\nflags\n");
    let all = ["flags = none", "flags last = inexact", "flags last = none", "flags = inexact", "flags = none"];
    assert_eq!((&printed[..], failures), (&all.map(String::from)[..], vec![]));
    // Several at once; integers and signs leave or clear those of the last command.
    let (printed, _) = run("load y value 60000\nfmul d=z a=x b=y\nflags last\nadd d=z a=x b=y\nflags last\n\
                            fneg d=z a=x\nflags last\nflags\n");
    let [several, none] = ["overflow inexact", "none"];
    let all = [several, several, none].map(|names| format!("flags last = {names}"));
    assert_eq!((&printed[..3], printed[3].as_str()), (&all[..], "flags = overflow inexact"));
}

#[test]
fn expected_exceptions() {
    let divide = "load y value 0\nfdiv d=z a=x b=y\n";
    assert_eq!(run(&format!("{divide}flags expect=divide_by_zero\n")).1, Vec::<String>::new());
    assert_eq!(run(&format!("{divide}flags last expect=divide_by_zero\nflags\nflags expect=none\n")).1, [""; 0]);
    let failed = run(&format!("{divide}flags expect=inexact,invalid\n")).1;
    assert!(failed.len() == 1 && failed[0].contains("flags = divide_by_zero: must be invalid,inexact"), "{failed:?}");
    let failed = run(&format!("{divide}flags last expect=none\n")).1;
    assert!(failed.len() == 1 && failed[0].contains("flags last = divide_by_zero: must be none"), "{failed:?}");
}

/// Every chunk counts: here the second one alone divides by zero.
#[test]
fn exceptions_of_all_chunks() {
    let text = HEAD.replace("elements 8", "elements 16").replace("1 2 3 4 5 6 7 8", "1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7");
    let zeros = "vector w float=f16\nload w list 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 0\nfdiv d=z a=x b=w\nflags\n";
    let outcome = outcome(&planned(&format!("{text}{zeros}")).expect("a program")).expect("it runs");
    assert_eq!(outcome.printed[0].to_string(), "flags = divide_by_zero");
    assert_eq!(outcome.printed[0].json()["values"], serde_json::json!(["divide_by_zero"]));
}

#[test]
fn what_is_refused() {
    let refused = |text: &str| planned(text).expect_err("it is refused").to_string();
    let without = HEAD.replace(" exception_flags=true", "");
    assert!(refused(&format!("{without}flags\n")).contains("flags: needs a design with exception_flags=true"));
    let unknown = refused(&format!("{HEAD}flags expect=exact\n"));
    assert!(unknown.contains("expect = exact: must be none, or of invalid, divide_by_zero, overflow"), "{unknown}");
    assert!(refused(&format!("{HEAD}flags first\n")).contains("first"));
}
