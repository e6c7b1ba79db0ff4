//! Rows of the table: control flow, threads among each other, textures, matrices.

use super::{Form, Row, form, lowered, refused, works};

const WARP: &str =
    "threads of a warp may be anywhere when they are asked; name those that take part (__ballot_sync and others)";
const VOTES: &str = "an atomic operation on shared memory and a load";
const COUNT: &str = "`bar.sync`, an atomic operation on shared memory and a load";
const ARRIVE: &str =
    "threads run in step and meet at a barrier all together, so that none goes on before others; use __syncthreads()";
const UNNAMED: &str = "who takes part must be said; use the function of CUDA 9 that ends in _sync";
const ASYNC: &str =
    "copies beside the threads and their barriers need sm_80; compile for sm_50 and use __syncthreads()";
const CLUSTER: &str = "clusters of blocks; compile for sm_50, which has none";
const TEXTURE: &str = "there are no textures; read through a pointer, which is the same memory";
const MATRIX: &str = "products of matrices by a warp; compile for sm_50 and write the loops";
const VIDEO: &str = "packed video arithmetic; compute on the single numbers";

pub(super) const CONTROL: &[Row] = &[
    works("bra", "", &[form("uni?", "l")]),
    refused("brx", "", "a jump to a computed place; compile with -fno-jump-tables"),
    lowered("call", "", "the function's own instructions; recursion and pointers are refused", &[form("uni?", "")]),
    works("ret", "", &[form("uni?", "")]),
    works("exit", "", &[form("", "")]),
    works("trap", "", &[form("", "")]),
    refused("brkpt", "", "there is no debugger; leave it out"),
    refused("nanosleep", "", "threads run in step and do not wait for a time; leave it out"),
    refused("pmevent", "", "there are no such counters; leave it out"),
];

/// Reductions over a barrier.
const REDUCE: [Form; 4] = [
    form("red popc u32", "U b c"),
    form("red and|or pred", "q b c"),
    form("cta red popc u32", "U b c"),
    form("cta red and|or pred", "q b c"),
];
const ALIGNED: [Form; 4] = [
    form("red popc aligned? u32", "U b c"),
    form("red and|or aligned? pred", "q b c"),
    form("cta red popc aligned? u32", "U b c"),
    form("cta red and|or aligned? pred", "q b c"),
];

pub(super) const THREADS: &[Row] = &[
    works("bar", "sync of all threads", &[form("sync", "b"), form("cta sync", "b")]),
    lowered("bar", "red", COUNT, &[REDUCE[0], REDUCE[1], REDUCE[2], REDUCE[3]]),
    refused("bar", "arrive", ARRIVE),
    lowered(
        "bar",
        "warp",
        "nothing: the words of a program are done by all threads in turn",
        &[form("warp sync", "u")],
    ),
    works("barrier", "sync of all threads", &[form("sync aligned?", "b"), form("cta sync aligned?", "b")]),
    lowered("barrier", "red", COUNT, &[ALIGNED[0], ALIGNED[1], ALIGNED[2], ALIGNED[3]]),
    refused("barrier", "arrive", ARRIVE),
    refused("barrier", "cluster", CLUSTER),
    lowered("vote", "sync", VOTES, &[form("sync all|any|uni pred", "q c u"), form("sync ballot b32", "d c u")]),
    refused("vote", "all any uni ballot", UNNAMED),
    lowered(
        "match",
        "",
        "stores and loads of all values of the warp, or votes",
        &[form("any sync b32|b64", "U a u"), form("all sync b32|b64", "H a u")],
    ),
    refused("activemask", "", WARP),
    lowered(
        "redux",
        "sync of integers",
        VOTES,
        &[form("sync add|min|max u32|s32", "d a u"), form("sync and|or|xor b32", "d a u")],
    ),
    refused("redux", "f32 abs NaN", "needs sm_100a; reduce by __shfl_xor_sync"),
    refused("elect", "", WARP),
    refused("mbarrier", "", ASYNC),
    refused("griddepcontrol", "", "kernels do not start kernels; launch one after the other"),
    refused("clusterlaunchcontrol", "", CLUSTER),
    refused("setmaxnreg", "", "rows are allotted by the compiler; leave it out"),
    lowered("fence", "sc alone", "nothing: threads run in turn", &[form("sc|acq_rel", "")]),
];

pub(super) const TEXTURES: &[Row] = &[
    refused("tex", "", TEXTURE),
    refused("tld4", "", TEXTURE),
    refused("txq", "", TEXTURE),
    refused("istypep", "", TEXTURE),
    refused("suld", "", TEXTURE),
    refused("sust", "", TEXTURE),
    refused("sured", "", TEXTURE),
    refused("suq", "", TEXTURE),
];

pub(super) const MATRICES: &[Row] = &[
    refused("wmma", "", MATRIX),
    refused("mma", "", MATRIX),
    refused("ldmatrix", "", MATRIX),
    refused("stmatrix", "", MATRIX),
    refused("movmatrix", "", MATRIX),
    refused("wgmma", "", MATRIX),
    refused("tcgen05", "", MATRIX),
    refused("vadd", "", VIDEO),
    refused("vsub", "", VIDEO),
    refused("vabsdiff", "", VIDEO),
    refused("vmin", "", VIDEO),
    refused("vmax", "", VIDEO),
    refused("vshl", "", VIDEO),
    refused("vshr", "", VIDEO),
    refused("vmad", "", VIDEO),
    refused("vset", "", VIDEO),
    refused("vadd2", "", VIDEO),
    refused("vsub2", "", VIDEO),
    refused("vavrg2", "", VIDEO),
    refused("vabsdiff2", "", VIDEO),
    refused("vmin2", "", VIDEO),
    refused("vmax2", "", VIDEO),
    refused("vset2", "", VIDEO),
    refused("vadd4", "", VIDEO),
    refused("vsub4", "", VIDEO),
    refused("vavrg4", "", VIDEO),
    refused("vabsdiff4", "", VIDEO),
    refused("vmin4", "", VIDEO),
    refused("vmax4", "", VIDEO),
    refused("vset4", "", VIDEO),
];
