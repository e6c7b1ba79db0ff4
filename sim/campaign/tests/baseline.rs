//! Floating-point operations by the papers' algorithms.

use super::*;

/// Operations that have programs of their own in the set.
const OWN: [Opcode; 4] = [Opcode::FAdd, Opcode::FSub, Opcode::FMul, Opcode::FDiv];

fn design(sensing: Sensing, memory: Memory, exception_flags: bool) -> Params {
    let params = params(sensing, memory, 512, 128);
    Params { sets: vec![Set::Baseline], float: true, exception_flags, ..params }
}

/// Every format and mode, with exception flags and without; what the formats can hold was met.
#[test]
fn in_every_mode() {
    for sensing in [Sensing::TwoPort, Sensing::AndNor] {
        let one = if sensing == Sensing::TwoPort { Memory::BlockRam } else { Memory::Behavioural };
        for memory in memories(one) {
            let mut bench = bench(&design(sensing, memory, memory == Memory::BlockRam), 47);
            let met = float::every_mode_of(&mut bench, 1, |operation| OWN.contains(&operation.opcode), |_| true);
            let met = met.unwrap_or_else(|f| panic!("{f}"));
            println!("{sensing} {memory}: {} commands, {} cycles", bench.commands, bench.unit.cycle_count());
            let results = |class| met.iter().filter(move |((_, of), _)| *of == class).map(|(_, (_, results))| *results);
            assert_eq!(results(Class::Subnormal).filter(|&results| results > 20).count(), FORMATS.len());
        }
    }
}

/// All operands of the format of 8 bits that the algorithms are there for, in some direction of rounding, with
/// subnormal numbers and without.
#[test]
fn all_bytes() {
    let params = Params { columns: 512, rows: 128, ..design(Sensing::TwoPort, Memory::Behavioural, false) };
    let mut bench = bench(&params, 48);
    let direction = bench.rng().random_range(0..4);
    passes(exhaustive::bytes_of(&mut bench, |command| {
        let mode = command.key >> 1 & 3 == direction && command.key & 1 == command.key >> 3 & 1;
        OWN.contains(&command.opcode) && command.width == E5M2.n() && mode
    }));
    println!("{} commands, {} cycles", bench.commands, bench.unit.cycle_count());
    assert!(bench.commands >= 4 * 2 * 128);
}

/// With radix 4 the set has the programs of `fast`, and its other operations none that differ.
#[test]
fn only_where_columns_take_a_bit_at_a_time() {
    for cx in Context::all().into_iter().filter(|cx| cx.set == Set::Baseline) {
        for opcode in Opcode::ALL.iter().filter(|opcode| opcode.is_float() && !opcode.is_unpacked()) {
            let of = |set| Microcode::assemble_only(&design_of(Context { set, ..cx }), &[*opcode]);
            let (papers, fast) = (of(Set::Baseline), of(Set::Fast));
            let own = OWN.contains(opcode) && !cx.radix_4();
            assert_eq!((papers.flow, papers.control) != (fast.flow, fast.control), own, "{opcode} {cx:?}");
        }
    }
}

fn design_of(cx: Context) -> Params {
    let params = params(cx.columns(), cx.memory, 512, 8);
    Params { sets: vec![cx.set], float: true, ..params }
}
