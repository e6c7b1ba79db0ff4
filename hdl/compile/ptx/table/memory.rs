//! Rows of the table: memory, moves, conversions.

use super::{Row, form, lowered, planned, refused, works};

const HALF: &str = "comes with the phase of 16-bit floats; compute in float and convert";
const ASYNC: &str = "copies beside the threads; load and store instead (compile for sm_50)";
const CLUSTER: &str = "clusters of blocks; compile for sm_50, which has none";
const CACHE: &str = "steers a cache that the array does not have; leave it out";

pub(super) const MEMORY: &[Row] = &[
    works("mov", "", &[form("pred", "d a"), form("BITS|INT", "k A"), form("f32|f64", "d a")]),
    planned("mov", "b128", "comes with the phase of 128-bit integers; use unsigned long long"),
    works(
        "ld",
        "up to 64 bits",
        &[form("volatile|weak? SPACE? LOADHINT? v2|v4? MEM", "x m"), form("param v2|v4? MEM", "x m")],
    ),
    works("ld", "with order and scope", &[form("relaxed|acquire SCOPE global|shared? v2|v4? MEM", "x m")]),
    planned("ld", "f16 b16x2", HALF),
    refused("ld", "b128 v8", "needs sm_70 or newer; compile for sm_50"),
    refused("ld", "shared::cluster L1::no_allocate L1::evict_last L2::64B L2::128B L2::256B mmio", CACHE),
    lowered("ldu", "", "`ld`", &[form("global? v2|v4? MEM", "x m")]),
    works("st", "up to 64 bits", &[form("volatile|weak? global|shared|local? STOREHINT? v2|v4? MEM", "m y")]),
    works("st", "with order and scope", &[form("relaxed|release SCOPE global|shared? v2|v4? MEM", "m y")]),
    planned("st", "param", "comes with calls of functions; compile with -O2 and mark functions static inline"),
    refused("st", "b128 v8", "needs sm_70 or newer; compile for sm_50"),
    refused("st", "async bulk shared::cluster", CLUSTER),
    works(
        "cvt",
        "integers, f32, f64",
        &[
            form("sat? CVTINT CVTINT", "e r"),
            form("ROUNDINT ftz? sat? CVTINT f32", "e s"),
            form("ROUNDINT sat? CVTINT f64", "e s"),
            form("ROUND ftz? sat? f32 CVTINT", "d r"),
            form("ROUND sat? f64 CVTINT", "d r"),
            form("ROUND ftz? sat? f32 f64", "d s"),
            form("ftz? sat? f64 f32", "d s"),
            form("ROUNDINT? ftz? sat? f32 f32", "d s"),
            form("ROUNDINT? sat? f64 f64", "d s"),
        ],
    ),
    planned("cvt", "f16", HALF),
    refused(
        "cvt",
        "bf16 bf16x2 f16x2 tf32 e4m3x2 e5m2x2 ue8m0x2 e2m1x2 e2m3x2 e3m2x2",
        "needs sm_80 or newer; use float",
    ),
    refused("cvt", "pack", "needs sm_72; convert one by one"),
    works("cvta", "", &[form("to? SPACE u32|u64", "d v")]),
    refused("cvta", "param shared::cluster", CLUSTER),
    works("isspacep", "", &[form("SPACE", "q z")]),
    refused("isspacep", "param shared::cluster shared::cta", CLUSTER),
    works("prmt", "", &[form("b32", "d a a a"), form("b32 f4e|b4e|rc8|ecl|ecr|rc16", "d a a a")]),
    planned("shfl", "", "warps of 32 neighbours come with the phase of masks; exchange through shared memory"),
    lowered("membar", "", "nothing: threads run in turn", &[form("cta|gl|sys", "")]),
    lowered(
        "fence",
        "",
        "nothing: threads run in turn",
        &[form("sc|acq_rel SCOPE", ""), form("acquire|release SCOPE", "")],
    ),
    refused("fence", "proxy mbarrier_init cluster", ASYNC),
    works(
        "atom",
        "32 and 64 bits",
        &[
            form("SEM? SCOPE? global|shared? and|or|xor|exch b32|b64", "o m a"),
            form("SEM? SCOPE? global|shared? cas b32|b64", "o m a a"),
            form("SEM? SCOPE? global|shared? inc|dec u32", "o m a"),
            form("SEM? SCOPE? global|shared? add u32|s32|u64|f32|f64", "o m a"),
            form("SEM? SCOPE? global|shared? min|max u32|s32|u64|s64", "o m a"),
        ],
    ),
    planned("atom", "f16 f16x2 bf16 bf16x2 noftz b16", HALF),
    refused("atom", "b128 v2 v4 v8 cluster shared::cluster", CLUSTER),
    works(
        "red",
        "32 and 64 bits",
        &[
            form("SEM? SCOPE? global|shared? and|or|xor b32|b64", "m a"),
            form("SEM? SCOPE? global|shared? inc|dec u32", "m a"),
            form("SEM? SCOPE? global|shared? add u32|s32|u64|f32|f64", "m a"),
            form("SEM? SCOPE? global|shared? min|max u32|s32|u64|s64", "m a"),
        ],
    ),
    planned("red", "f16 f16x2 bf16 bf16x2 noftz", HALF),
    refused("red", "async v2 v4 v8 cluster shared::cluster", CLUSTER),
    refused("prefetch", "", CACHE),
    refused("prefetchu", "", CACHE),
    refused("applypriority", "", CACHE),
    refused("discard", "", CACHE),
    refused("createpolicy", "", CACHE),
    refused("mapa", "", CLUSTER),
    refused("getctarank", "", CLUSTER),
    refused("cp", "async bulk reduce", ASYNC),
    refused("multimem", "", "memory of several GPUs; there is none"),
    refused("st", "bulk", ASYNC),
    refused("tensormap", "", ASYNC),
    refused("alloca", "", "memory on a stack of run-time size; use an array of fixed size"),
    refused("stacksave", "", "there is no stack; use arrays of fixed size"),
    refused("stackrestore", "", "there is no stack; use arrays of fixed size"),
];
