//! Launches of the example kernels, and what each of their runs is compared with.

use bitline_compile::launch::{Argument, Buffer, Plan};
use bitline_compile::words::{Ran, Words};
use bitline_units::duality::DualityParams;
use pretty_assertions::assert_eq;

/// A launch: file, kernel, blocks, threads of a block, arguments.
pub type Launch = (&'static str, &'static str, [u32; 3], [u32; 3], &'static [&'static str]);

pub const LAUNCHES: &[Launch] = &[
    (
        "vecadd.ptx",
        "vecadd",
        [5, 1, 1],
        [16, 1, 1],
        &["random:f32:75:1:-4..4", "random:f32:75:2:-4..4", "zero:f32:76", "s32:75"],
    ),
    (
        "backprop.ptx",
        "layer",
        [1, 4, 1],
        [16, 16, 1],
        &["random:f32:64:4:-4..4", "random:f32:1024:5:-4..4", "zero:f32:64", "s32:16"],
    ),
    (
        "backprop.ptx",
        "adjust",
        [1, 2, 1],
        [16, 16, 1],
        &[
            "random:f32:512:5:-4..4",
            "random:f32:512:6:-4..4",
            "random:f32:16:7:-4..4",
            "random:f32:32:4:-4..4",
            "s32:16",
            "f32:0.3",
            "f32:0.75",
        ],
    ),
    (
        "hotspot.ptx",
        "hotspot",
        [2, 2, 1],
        [16, 16, 1],
        &[
            "random:f32:525:8:-4..4",
            "random:f32:525:9:-4..4",
            "zero:f32:525",
            "s32:25",
            "s32:21",
            "f32:0.5",
            "f32:0.1",
            "f32:0.2",
            "f32:0.05",
            "f32:3.0",
        ],
    ),
    (
        "pathfinder.ptx",
        "pathfinder",
        [2, 1, 1],
        [256, 1, 1],
        &["random:s32:2500:10:0..9", "random:s32:500:11:0..99", "zero:s32:500", "s32:500", "s32:2", "s32:3"],
    ),
    (
        "bfs.ptx",
        "bfs",
        [3, 1, 1],
        [16, 1, 1],
        &[
            "csv:s32:first",
            "random:s32:200:13:0..39",
            "random:u8:40:14:0..1",
            "zero:u8:40",
            "random:s32:40:15:-1..2",
            "zero:s32:1",
            "s32:40",
            "s32:2",
        ],
    ),
    (
        "gaussian.ptx",
        "eliminate",
        [3, 3, 1],
        [8, 8, 1],
        &["random:f32:400:14:-4..4", "random:f32:20:15:-4..4", "random:f32:400:16:-4..4", "s32:20", "s32:3"],
    ),
    (
        "gameoflife.ptx",
        "generation",
        [4, 3, 1],
        [8, 4, 1],
        &["random:u8:300:16:0..1", "zero:u8:300", "s32:30", "s32:10"],
    ),
    (
        "matvec.ptx",
        "matvec",
        [3, 1, 1],
        [32, 1, 1],
        &["random:f32:2310:17:-4..4", "random:f32:33:18:-4..4", "zero:f32:70", "s32:70", "s32:33"],
    ),
    (
        "matmul.ptx",
        "matmul",
        [2, 2, 1],
        [16, 16, 1],
        &["random:f32:1024:19:-4..4", "random:f32:1024:20:-4..4", "zero:f32:1024", "s32:32"],
    ),
    (
        "nn.ptx",
        "nn",
        [5, 1, 1],
        [64, 1, 1],
        &["random:f32:600:22:-90..90", "zero:f32:300", "s32:300", "f32:12.5", "f32:-7"],
    ),
    (
        "gaussian.ptx",
        "multipliers",
        [2, 1, 1],
        [16, 1, 1],
        &["random:f32:400:14:-4..4", "zero:f32:400", "s32:20", "s32:3"],
    ),
    (
        "reduce.ptx",
        "reduce",
        [3, 1, 1],
        [96, 1, 1],
        &["random:f32:250:23:-4..4", "zero:f32:3", "zero:s32:3", "f32:1.5", "s32:250"],
    ),
    (
        "blackscholes.ptx",
        "blackscholes",
        [3, 1, 1],
        [32, 1, 1],
        &[
            "random:f32:70:31:5..30",
            "random:f32:70:32:1..100",
            "random:f32:70:33:0.25..10",
            "zero:f32:70",
            "zero:f32:70",
            "s32:70",
            "f32:0.02",
            "f32:0.065",
            "f32:0.3",
        ],
    ),
    ("histogram.ptx", "histogram", [3, 1, 1], [96, 1, 1], &["random:u8:1000:21:0..255", "zero:s32:256", "s32:1000"]),
    ("histogram64.ptx", "histogram", [3, 1, 1], [96, 1, 1], &["random:u8:1000:21:0..255", "zero:s32:256", "s32:1000"]),
    ("lud.ptx", "below", [2, 1, 1], [8, 1, 1], &["random:f32:576:47:1..4", "s32:24", "s32:0"]),
    ("lud.ptx", "inside", [2, 2, 1], [8, 4, 1], &["random:f32:576:48:1..4", "s32:24", "s32:0"]),
    (
        "streamcluster.ptx",
        "price",
        [3, 1, 1],
        [32, 1, 1],
        &["random:f32:270:49:-4..4", "random:f32:90:50:1..2", "zero:f32:90", "s32:90", "s32:3", "s32:17"],
    ),
    (
        "tricubic.ptx",
        "tricubic",
        [2, 2, 1],
        [8, 4, 1],
        &["random:f32:384:55:-4..4", "zero:f32:384", "random:f32:12:56:-1..1", "s32:12", "s32:8", "s32:4"],
    ),
    (
        "dwt2d.ptx",
        "lift",
        [2, 3, 1],
        [8, 4, 1],
        &["random:s32:209:57:-128..127", "zero:s32:209", "s32:19", "s32:19", "s32:11", "s32:1"],
    ),
    (
        "correlation.ptx",
        "track",
        [3, 1, 1],
        [8, 4, 1],
        &[
            "random:u8:400:59:0..255",
            "random:u8:400:60:0..255",
            "random:s32:3:61:130..250",
            "zero:f32:96",
            "zero:s32:3",
            "s32:20",
        ],
    ),
    (
        "hybridsort.ptx",
        "count",
        [3, 1, 1],
        [32, 1, 1],
        &["random:f32:90:62:0..4", "zero:s32:16", "s32:90", "s32:16", "f32:0", "f32:4"],
    ),
    (
        "hybridsort.ptx",
        "merge",
        [3, 1, 1],
        [32, 1, 1],
        &["steps:f32:96:1", "zero:f32:96", "steps:s32:7:16", "s32:96", "s32:2", "s32:6", "f32:0", "f32:0.0625"],
    ),
    (
        "btree.ptx",
        "find",
        [2, 1, 1],
        [32, 1, 1],
        &[
            "random:s32:160:64:0..50",
            "random:s32:160:65:0..19",
            "random:s32:50:66:0..50",
            "zero:s32:50",
            "s32:50",
            "s32:19",
            "s32:2",
        ],
    ),
];

/// How it is launched.
pub fn plan(launch: &Launch) -> Plan {
    let (_, kernel, grid, block, arguments) = *launch;
    let argument = |text: &&str| {
        if *text != "csv:s32:first" {
            return text.parse().unwrap_or_else(|error| panic!("{error}"));
        }
        // Where the edges of each node begin: some have none, some have many.
        let element = "s32".parse().expect("a type");
        let mut firsts: Vec<u64> = (0..41_u64).map(|node| (node * 37 % 190).max(node * 4)).collect();
        firsts.sort_unstable();
        Argument::Buffer(Buffer::of(element, firsts))
    };
    Plan { grid, block, arguments: arguments.iter().map(argument).collect(), ..Plan::new(kernel) }
}

/// A preset.
pub fn preset(name: &str) -> DualityParams {
    DualityParams::preset(name).expect("a preset")
}

/// Runs a launch as words and by the interpreter of PTX.
pub fn both(launch: &Launch, words: &Words<'_>) -> Result<Ran, String> {
    let (module, plan) = (super::module(launch.0), plan(launch));
    let expected = plan.interpret(&module, &mut |_, _| ()).unwrap_or_else(|error| panic!("{error}"));
    let found = plan.words(&module, words).map_err(|error| error.to_string())?;
    for (number, (found, expected)) in found.buffers.iter().zip(&expected.buffers).enumerate() {
        let bits = |buffer: &Option<Buffer>| buffer.as_ref().map(|b| b.bits().collect::<Vec<_>>());
        assert_eq!(bits(found), bits(expected), "{} {}, buffer {number}", launch.0, launch.1);
    }
    assert_eq!(found.outcome.threads, expected.counts.threads, "{}", launch.0);
    Ok(found)
}
