//! `sim cuda` and `ptx` with a source in place of PTX: clang is called, and what is wrong is told.

use std::path::Path;
use std::process::{Command, Output};

use super::{sim_cuda, skipped, source, text};

const VECTORS: [&str; 4] = ["random:f32:100:1", "random:f32:100:2", "zero:f32:100", "s32:100"];

fn launched(command: &mut Command) -> Output {
    command.args(["--grid", "4", "--block", "32"]);
    VECTORS.iter().for_each(|vector| _ = command.args(["--arg", vector]));
    command.output().expect("it runs")
}

/// An example with host code, with a header beside it and clang's standard ones: the same sums as from its PTX.
#[test]
fn a_source_is_launched_as_its_ptx_is() {
    if skipped() {
        return;
    }
    let sums = |file: &str, engine: &str| {
        let output = launched(sim_cuda(&source(file), "vecadd").args(["--engine", engine, "--out", "2:-"]));
        assert!(output.status.success(), "{file} on {engine}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    let expected = sums("examples/cuda/vecadd.ptx", "interpreter");
    assert_eq!(expected.lines().count(), 100);
    for engine in ["interpreter", "words"] {
        assert_eq!(sums("examples/cuda/vecadd.cu", engine), expected, "{engine}");
    }
    // In C++ a name is longer in PTX than in the source; headers stand beside a file; profiles name its lines.
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("sums.cu");
    let kernel = "#include \"sum.h\"\n__global__ void sums(const float *a, const float *b, float *sum, int n)\n{\n\
                  int i = blockIdx.x * blockDim.x + threadIdx.x;\nif (i < n)\nsum[i] = SUM(a[i], b[i]);\n}\n";
    std::fs::write(folder.path().join("sum.h"), "#define SUM(a, b) ((a) + (b) SIGN)\n").expect("written");
    std::fs::write(&path, kernel).expect("written");
    let (profile, out) = (folder.path().join("p.json"), folder.path().join("out.csv"));
    let mut command = sim_cuda(&path, "sums");
    command.args(["--engine", "words", "--clang-option", "-DSIGN=", "--profile"]).arg(&profile);
    let output = launched(command.arg("--out").arg(format!("2:{}", out.display())));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(std::fs::read_to_string(&out).expect("written"), expected);
    let profile = std::fs::read(&profile).expect("written");
    let profile: serde_json::Value = serde_json::from_slice(&profile).expect("JSON");
    let lines = profile["lines"].as_array().expect("lines").iter();
    let lines: Vec<u64> = lines.filter_map(|line| line["source"]["line"].as_u64()).collect();
    assert!(lines.contains(&6) && lines.iter().all(|line| (0..=7).contains(line)), "{lines:?}");
}

#[test]
fn ptx_of_a_source_is_printed() {
    if skipped() {
        return;
    }
    let printed = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bitline"));
        let output = command.arg("ptx").arg(source("tb/cuda_cli/opencl.cl")).args(more).output().expect("it runs");
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    assert!(printed(&[]).contains("reversed: ") && printed(&["--text"]).contains(".entry reversed("));
}

#[test]
fn what_does_not_compile_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str, content: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).expect("written");
        path
    };
    let out = folder.path().join("out.csv");
    let said = |file: &Path, kernel: &str, more: &[&str]| {
        let mut command = sim_cuda(file, kernel);
        command.args(more).args(["--arg", "zero:s32:4", "--out"]).arg(format!("0:{}", out.display()));
        let output = command.output().expect("it runs");
        assert_eq!(output.status.code(), Some(2), "{}: {}", file.display(), text(&output.stderr));
        assert!(!out.exists(), "nothing is written");
        text(&output.stderr)
    };
    let good = path("good.cl", b"kernel void k(global int *a)\n{\n    a[9] = 1;\n}\n");
    let missing = said(&good, "k", &["--clang", "/nowhere/clang"]);
    assert!(missing.contains("/nowhere/clang: is not installed: apt-get install clang-19"), "{missing}");
    assert!(said(&folder.path().join("none.cu"), "k", &[]).contains("none.cu: "));
    let empty = path("none.ptx", b".version 6.0\n.target sm_50\n.address_size 64\n");
    let none = said(&empty, "k", &[]);
    assert!(none.contains("kernel = k: ") && none.contains("none.ptx has no kernel"), "{none}");
    assert!(said(&empty, "k", &["--clang-option", "-O3"]).contains("clang compiles .cu and .cl"));
    if skipped() {
        return;
    }
    let wrong = path("wrong.cl", b"kernel void k(global int *a)\n{\n    a[0] = sinpi(1.0f);\n}\n");
    let told = said(&wrong, "k", &[]);
    assert!(told.contains("wrong.cl:3:12: error: ") && told.contains("wrong.cl does not compile"), "{told}");
    assert!(said(&path("noise.cu", &[0xff, 0, 7]), "k", &[]).contains("noise.cu does not compile"));
    assert!(said(&good, "j", &[]).contains("kernel = j: must be a kernel of PTX of "));
    // Behind what clang takes, lines are those of PTX, with that of the source.
    let outside = said(&good, "k", &[]);
    assert!(outside.contains("PTX of ") && outside.contains("(good.cl, line 3)"), "{outside}");
    let two = b"namespace a { __global__ void k(int *) {} }\nnamespace b { __global__ void k(int *) {} }\n";
    let several = said(&path("two.cu", two), "k", &[]);
    assert!(several.contains("is the name of several kernels") && several.contains("_ZN1b1kEPi"), "{several}");
    assert!(said(&good, "k", &["--clang-option", "-emit-llvm"]).contains("good.cl"));
}
