//! `--engine system`: the model of many control blocks.

use super::{sim, text};

fn ran(args: &[&str]) -> serde_json::Value {
    let output = sim(args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// More control blocks take less, and as many waves; a faster memory takes less; results are those of the interpreter.
#[test]
fn the_model_of_the_system_scales() {
    let kernel = |more: &[&str]| {
        let args = ["duality", "--kernel", "nn", "--engine", "system", "--preset", "tiny", "--format", "json"];
        let run = ran(&[&args[..], more].concat());
        let runs = run.as_array().expect("runs").clone();
        assert!(runs.iter().all(|run| run["engine"] == "system" && run["correct"] == true), "{runs:?}");
        let modes: Vec<&str> = runs.iter().map(|run| run["mode"].as_str().expect("a mode")).collect();
        assert_eq!(modes, ["lockstep", "decoupled"]);
        runs[1]["cycles"].as_u64().expect("cycles")
    };
    let [one, four] = [kernel(&[]), kernel(&["--blocks", "4"])];
    assert!(4 * four > one && 2 * four < one, "{one} {four}");
    assert!(kernel(&["--latency", "500"]) > one && kernel(&["--ways", "1"]) >= one);

    let ptx = format!("{}/examples/cuda/vecadd.ptx", env!("CARGO_MANIFEST_DIR"));
    let vectors = ["random:f32:32000:1", "random:f32:32000:2", "zero:f32:32000", "s32:32000"];
    let mut args = vec!["cuda", &ptx, "--kernel", "vecadd", "--grid", "125", "--block", "256", "--preset", "small"];
    vectors.iter().for_each(|vector| args.extend(["--arg", vector]));
    args.extend(["--format", "json", "--engine", "system", "--blocks", "32", "--slices", "14", "--memory"]);
    let memories = ["ddr4", "gddr5"].map(|memory| ran(&[&args[..], &[memory]].concat()));
    let cycles = memories.clone().map(|run| run["cycles"]["all"].as_u64().expect("cycles"));
    assert!(cycles[1] < cycles[0], "{cycles:?}");
    assert_eq!((&memories[0]["waves"], &memories[0]["engine"]), (&63.into(), &"system".into()));
    assert!(memories[0]["cache"]["misses"].as_u64() >= Some(3 * 32000 / 16), "{}", memories[0]);
}

/// When hardware is compared with its model changes nothing of what it does.
#[test]
fn comparing_behind_each_wave_is_the_same() {
    let rtl = ["duality", "--kernel", "histogram", "--preset", "tiny", "--engine", "rtl", "--format", "json"];
    let [plain, cycle, wave] = [&[][..], &["--compare", "cycle"], &["--compare", "wave"]].map(|more| {
        let output = sim(&[&rtl[..], more].concat());
        assert!(output.status.success(), "{more:?}: {}", text(&output.stderr));
        text(&output.stdout)
    });
    assert!(plain.contains("cycles") && plain == cycle && cycle == wave, "{plain}\n{cycle}\n{wave}");
}

#[test]
fn what_the_system_cannot_be_is_status_2() {
    let duality = ["duality", "--kernel", "nn", "--preset", "tiny"];
    for (more, wanted) in [
        (&["--engine", "system", "--blocks", "0"][..], "blocks = 0: must be 1 to 1120"),
        (&["--engine", "system", "--blocks", "1121"], "blocks = 1121: must be 1 to 1120"),
        (&["--engine", "system", "--slices", "57"], "slices = 57: must be 1 to 56"),
        (&["--engine", "system", "--ways", "21"], "ways = 21: must be 1 to 20"),
        (&["--engine", "system", "--memory", "tape"], "memory = tape: must be bus or one of ddr4, gddr5"),
        (&["--engine", "system", "--memory", "ddr4", "--latency", "3"], "latency = 3: is about the bus"),
        (&["--engine", "system", "--port-a-bank"], "engine = system: --port-a-bank is about rtl"),
        (&["--engine", "unit", "--compare", "wave"], "engine = unit: --compare is about rtl"),
        (&["--compare", "cycle"], "engine = interpreter: "),
        (
            &["--engine", "unit", "--blocks", "2"],
            "engine = unit: --blocks, --slices, --ways and --memory are about system",
        ),
        (
            &["--engine", "rtl", "--memory", "ddr4"],
            "engine = rtl: --blocks, --slices, --ways and --memory are about system",
        ),
        (&["--ways", "2"], "engine = interpreter: "),
    ] {
        let output = sim(&[&duality[..], more].concat());
        assert_eq!(output.status.code(), Some(2), "{more:?}");
        assert!(text(&output.stderr).contains(wanted), "{more:?}: {}", text(&output.stderr));
        assert!(output.stdout.is_empty(), "{more:?}");
    }
}
