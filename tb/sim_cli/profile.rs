//! `sim cuda --profile`: where a kernel's time goes.

use super::{sim, text};

/// The same words on every engine; their cycles by the tables are those in which hardware computes and looks at
/// memory, less what it takes until a word begins.
#[test]
fn profiles_have_every_line() {
    let ptx = format!("{}/examples/cuda/vecadd.ptx", env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("a folder");
    let mut args = vec!["cuda", &ptx, "--kernel", "vecadd", "--grid", "4", "--block", "32", "--preset", "tiny"];
    for vector in ["random:f32:100:1", "random:f32:100:2", "zero:f32:100", "s32:100"] {
        args.extend(["--arg", vector]);
    }
    let run = |engine: &str, name: &str| {
        let path = folder.path().join(name).display().to_string();
        let output = sim(&[&args[..], &["--engine", engine, "--profile", &path, "--format", "json"]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        (report, std::fs::read_to_string(&path).expect("a profile"))
    };
    let (words, profile) = run("words", "words.json");
    let (hardware, same) = run("rtl", "rtl.json");
    assert_eq!(profile, same);
    let profile: serde_json::Value = serde_json::from_str(&profile).expect("JSON");
    let sum = |key: &str| -> u64 {
        profile["lines"].as_array().expect("lines").iter().map(|line| line[key].as_u64().expect("a number")).sum()
    };
    assert_eq!(Some(sum("words")), words["words"].as_u64());
    assert_eq!(Some(sum("cycles")), profile["cycles"].as_u64());
    let cycles = hardware["cycles"]["all"].as_u64().expect("cycles");
    assert!((cycles * 3 / 4..=cycles).contains(&sum("cycles")), "{cycles} {}", sum("cycles"));
    let sums = profile["lines"].as_array().expect("lines").iter();
    let sums =
        sums.filter(|line| line["text"].as_str().is_some_and(|text| text.starts_with("add.") && text.contains("f32")));
    assert!(sums.clone().count() == 1 && sums.clone().all(|line| line["words"] == 4), "{profile}");
    assert!(run("words", "words.svg").1.contains("<title>vecadd: "));
    assert!(run("words", "words.txt").1.contains("add.rn.ftz.f32"));
}

#[test]
fn profiles_that_cannot_be_are_status_2() {
    let ptx = format!("{}/examples/cuda/vecadd.ptx", env!("CARGO_MANIFEST_DIR"));
    for (more, wanted) in [
        (["--engine", "words", "--profile", "p.html"], "profile = p.html: must end in .txt"),
        (["--engine", "interpreter", "--profile", "p.svg"], "engine = interpreter: --profile is about words"),
    ] {
        let output = sim(&[&["cuda", &ptx, "--kernel", "vecadd"][..], &more].concat());
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(wanted), "{said}");
    }
}
