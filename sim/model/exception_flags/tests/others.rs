//! Operations besides sums, products, quotients and roots.

use super::*;

/// Every number of a format in an operation on one.
fn every_number(params: &Params, form: Form) {
    let mut unit = ComputeUnit::new(params);
    let bits = form.source().map_or(u32::from(form.n), Format::bits);
    for mode in modes(form.opcode) {
        let case = Case { params, form, set: Set::Fast, key: mode.key() };
        for first in (0..1 << bits).step_by(COLUMNS) {
            let a = (first..first + COLUMNS as u64).map(|a| a & ((1 << bits) - 1)).collect();
            case.check(&mut unit, &[a, vec![], vec![]]);
        }
    }
}

/// Operations on one operand.
pub(super) fn on_one() -> impl Iterator<Item = Form> {
    use Opcode as O;
    let float = O::ALL.iter().copied().filter(|opcode| opcode.is_float());
    let one = |opcode: &Opcode| {
        opcode.conversion().is_some()
            || opcode.source_format().is_some()
            || matches!(opcode, O::FRcp | O::FRsqrt | O::FRound | O::FSqrt | O::FClass)
    };
    float.filter(one).flat_map(Form::all)
}

macro_rules! numbers_of {
    ($($name:ident $bits:literal $which:expr;)+) => {$(
        #[test]
        fn $name() {
            let params = params(Memory::Behavioural, 2);
            let (bits, which): (u32, fn(Opcode) -> bool) = ($bits, $which);
            let narrow = |form: &Form| form.source().map_or(u32::from(form.n), Format::bits) == bits;
            for form in on_one().filter(|form| which(form.opcode)).filter(narrow) {
                every_number(&params, form);
            }
        }
    )+};
}

numbers_of! {
    every_operand_of_8_bits 8 |_| true;
    every_operand_of_16_bits_to_formats 16 |opcode| opcode.source_format().is_some();
    every_operand_of_16_bits_and_integers 16 |opcode| opcode.conversion().is_some();
    every_operand_of_16_bits 16 |opcode| opcode.conversion().is_none() && opcode.source_format().is_none();
}

/// Comparisons, minima and maxima.
pub(super) const COMPARISONS: [Opcode; 8] = [
    Opcode::FEq,
    Opcode::FLt,
    Opcode::FLe,
    Opcode::FUnordered,
    Opcode::FMin,
    Opcode::FMax,
    Opcode::FMinimum,
    Opcode::FMaximum,
];

#[test]
fn every_pair_of_comparisons() {
    for opcode in COMPARISONS {
        for format in [E5M2, E4M3] {
            every_pair(&params(Memory::Behavioural, 2), format, opcode);
        }
    }
}

/// All pairs, with a third number at random. All triples, in one of the modes each, if `BITLINE_DEEP` is set.
#[test]
fn every_pair_of_factors() {
    let seed = 33;
    println!("seed {seed}");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for (format, radix) in [(E5M2, 2), (E4M3, 2), (E5M2, 4), (E4M3, 4)] {
        fused(&params(Memory::Behavioural, radix), &[Set::Fast, Set::Skip], format, &mut rng);
    }
}

/// The same on a design, in the sets in turn.
pub(super) fn fused(params: &Params, sets: &[Set], format: Format, rng: &mut ChaCha8Rng) {
    let thirds = if std::env::var_os("BITLINE_DEEP").is_some() { 16 } else { 1 };
    let mut unit = ComputeUnit::new(params);
    for (at, mode) in Mode::all().enumerate() {
        let form = Form::of(Opcode::FFma, format);
        let case = Case { params, form, set: sets[at % sets.len()], key: mode.key() };
        for half in 0..128u64 {
            let a: Vec<u64> = (0..512).map(|k| 2 * half + k / 256).collect();
            let b: Vec<u64> = (0..512).map(|k| k % 256).collect();
            // Each mode has its own thirds, which are all numbers together.
            for third in 0..thirds {
                let e = (0..512).map(|k: u64| {
                    if thirds > 1 { (k + third * 16 + at as u64) % 256 } else { rng.random_range(0..256) }
                });
                case.check(&mut unit, &[a.clone(), b.clone(), e.collect()]);
            }
        }
    }
}

/// All other operations in all forms, on numbers at the edges.
#[test]
fn structured_operands() {
    let seed = 72;
    println!("seed {seed}");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let forms = || COMPARISONS.into_iter().flat_map(Form::all).chain(on_one());
    for (memory, radix) in [(Memory::Behavioural, 2), (Memory::BlockRam, 2), (Memory::Behavioural, 4)] {
        let params = params(memory, radix);
        let mut unit = ComputeUnit::new(&params);
        for form in forms().filter(|form| !ROUNDED.contains(&form.opcode)) {
            for mode in modes(form.opcode) {
                let case = Case { params: &params, form, set: Set::Skip, key: mode.key() };
                check_or_shown(&case, &mut unit, &numbers(form, &mut rng));
            }
        }
    }
}

/// The rows that it takes; for the documents.
#[test]
fn cycles_beside_those_without() {
    let reported = Opcode::ALL.iter().copied().filter(|&opcode| reports(opcode));
    for opcode in reported {
        for set in [Set::Fast, Set::Skip] {
            let with = Context::of(&params(Memory::BlockRam, 2), set);
            let form = Form::all(opcode).into_iter().find(|form| form.n == 26 || form.n == 32).expect("a form");
            let cycles = |cx: Context| Operation::of(opcode, cx).cycles(form.n.into(), form.m.into());
            let (with, without) = (cycles(with), cycles(Context { exception_flags: false, ..with }));
            println!("{opcode} {} {set:?}: {without} cycles, {with} with flags", form.n);
            assert!(with >= without);
        }
    }
    let rows = |opcode, cx| Operation::of(opcode, cx).extent_of(Operand::S).map(|e| e.rows);
    for opcode in Opcode::ALL.iter().copied().filter(|opcode| opcode.is_float()) {
        let with = Context::of(&params(Memory::BlockRam, 2), Set::Fast);
        let without = Context { exception_flags: false, ..with };
        assert_eq!(rows(opcode, with), rows(opcode, without), "{opcode}: no scratch row more");
    }
}

/// Whether programs of an operation have rows that report.
pub(super) fn reports(opcode: Opcode) -> bool {
    Operation::of(opcode, Context::of(&params(Memory::BlockRam, 2), Set::Fast)).reports()
}

/// What the documents say.
#[test]
fn operations_that_report() {
    use Opcode as O;
    for &opcode in Opcode::ALL.iter().filter(|opcode| opcode.is_float()) {
        let expected = COMPARISONS.contains(&opcode)
            || ROUNDED.contains(&opcode)
            || opcode.conversion().is_some()
            || opcode.source_format().is_some()
            || matches!(opcode, O::FRsqrt | O::FRound);
        assert_eq!(reports(opcode), expected, "{opcode}");
    }
}
