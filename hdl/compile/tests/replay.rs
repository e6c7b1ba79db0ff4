//! Launches that a device has recorded, repeated by `scripts/cuda-replay.py` on what answers like a driver.

use std::path::Path;
use std::process::Command;

use bitline_compile::runtime::{Asked, Device, Engine};
use bitline_units::duality::DualityParams;

/// `numbers[i] *= 2` for the first `count`, and a count of launches.
const TWICE: &str = ".version 4.2\n.target sm_50\n.address_size 64\n.visible .global .align 4 .u32 runs = 3;\n\
    .visible .entry twice(.param .u64 numbers, .param .u32 count) {\n\
    .reg .b32 %r<9>; .reg .b64 %d<5>; .reg .pred %p<3>;\n\
    ld.param.u64 %d1, [numbers]; ld.param.u32 %r1, [count]; mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x;\n\
    mad.lo.u32 %r4, %r3, 4, %r2; setp.ge.u32 %p1, %r4, %r1; @%p1 bra END; mul.wide.u32 %d2, %r4, 4;\n\
    add.s64 %d2, %d2, %d1; ld.global.u32 %r5, [%d2]; shl.b32 %r5, %r5, 1; st.global.u32 [%d2], %r5;\n\
    END: setp.ne.u32 %p2, %r4, 0; @%p2 ret; ld.global.u32 %r6, [runs]; add.u32 %r6, %r6, 1;\n\
    st.global.u32 [runs], %r6; ret; }\n";

/// Two launches in a folder, the second one on numbers inside of a buffer behind another one.
fn recorded(folder: &Path) {
    let mut device = Device::new(DualityParams::preset("tiny").expect("a preset"), Engine::Interpreter);
    device.record(folder.to_path_buf());
    let module = device.load("twice.ptx", TWICE).expect("a module");
    device.allocate(100).expect("memory");
    let place = device.allocate(32).expect("memory");
    let numbers: Vec<u8> = (1..9_u32).flat_map(u32::to_le_bytes).collect();
    device.write(place, &numbers).expect("its bytes");
    for (from, count) in [(place, 7_u32), (place + 8, 5)] {
        let arguments = vec![from.to_le_bytes().to_vec(), count.to_le_bytes().to_vec()];
        let asked = Asked { module, kernel: "twice".into(), grid: [2, 1, 1], block: [4, 1, 1], shared: 0, arguments };
        device.launch(&asked).unwrap_or_else(|status| panic!("{status:?}: {}", device.reason()));
    }
    // What fails leaves nothing.
    let asked = Asked { module, kernel: "twice".into(), grid: [1; 3], block: [1; 3], shared: 0, arguments: Vec::new() };
    assert!(device.launch(&asked).is_err());
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|bytes| u32::from_le_bytes(bytes.try_into().expect("4 bytes"))).collect()
}

#[test]
fn launches_are_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let inner = folder.path().join("launches");
    recorded(&inner);
    let mut names: Vec<_> =
        std::fs::read_dir(&inner).expect("it is there").map(|entry| entry.expect("one").file_name()).collect();
    names.sort();
    assert_eq!(names, ["0000-twice", "0001-twice"]);
    let read = |name: &str| std::fs::read(inner.join("0001-twice").join(name)).expect("a file");
    let text = String::from_utf8(read("launch.txt")).expect("text");
    let expected = "kernel twice\ngrid 2 1 1\nblock 4 1 1\nshared 0\nparameter 0802010000000000 pointer\n\
                    parameter 05000000\nmemory 0x10000 100\nmemory 0x10200 32\nvariable runs 4\n";
    assert_eq!(text, expected);
    assert_eq!(read("kernel.ptx"), TWICE.as_bytes());
    assert_eq!(words(&read("before.bin"))[25..], [2, 4, 6, 8, 10, 12, 14, 8, 4]);
    assert_eq!(words(&read("after.bin"))[25..], [2, 4, 12, 16, 20, 24, 28, 8, 5]);
    // A folder that is there already is kept as it is.
    let mut device = Device::new(DualityParams::preset("tiny").expect("a preset"), Engine::Interpreter);
    device.record(inner.clone());
    let module = device.load("twice.ptx", TWICE).expect("a module");
    let place = device.allocate(32).expect("memory");
    let arguments = vec![place.to_le_bytes().to_vec(), 0_u32.to_le_bytes().to_vec()];
    let asked = Asked { module, kernel: "twice".into(), grid: [1; 3], block: [1; 3], shared: 0, arguments };
    assert!(device.launch(&asked).is_err() && device.reason().contains("0000-twice"), "{}", device.reason());
}

#[test]
fn launches_are_repeated() {
    let folder = tempfile::tempdir().expect("a folder");
    let (inner, driver) = (folder.path().join("launches"), folder.path().join("driver.so"));
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/replay/driver.c");
    let compiled = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&driver).arg(source).status();
    assert!(compiled.expect("cc, which links this test").success());
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("SKIPPED: python3 is not installed; no launch is repeated");
        return;
    }
    recorded(&inner);
    let replay = |more: &[&str]| {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/cuda-replay.py");
        let mut command = Command::new("python3");
        command.arg(script).arg("--driver").arg(&driver).args(more).arg(&inner);
        let said = command.output().expect("it runs");
        (said.status.code(), String::from_utf8_lossy(&said.stdout).into_owned())
    };
    let (code, said) = replay(&["--jobs", "2", "--write"]);
    assert!(code == Some(0) && said.ends_with("2 launches: 2 the same, 0 differ, 0 failed\n"), "{said}");
    let path = |name: &str| inner.join("0000-twice").join(name);
    assert_eq!(std::fs::read(path("found.bin")).expect("written"), std::fs::read(path("after.bin")).expect("written"));
    // One byte that is another one, and text that is no PTX.
    let mut after = std::fs::read(path("after.bin")).expect("a file");
    after[101] = 7;
    std::fs::write(path("after.bin"), after).expect("written");
    let (code, said) = replay(&[]);
    assert!(
        code == Some(1) && said.contains("0000-twice: 1 bytes differ: byte 101 is 0x00, recorded is 0x07"),
        "{said}"
    );
    std::fs::write(path("kernel.ptx"), format!("// no such instruction\n{TWICE}")).expect("written");
    let (code, said) = replay(&[]);
    assert!(code == Some(1) && said.contains("CUDA_ERROR_INVALID_PTX (218): line 7: no such instruction"), "{said}");
    let (code, _) = replay(&["--driver", "/nowhere/libcuda.so"]);
    assert_eq!(code, Some(2));
    let (code, _) = replay(&["/nowhere/launches"]);
    assert_eq!(code, Some(2));
}
