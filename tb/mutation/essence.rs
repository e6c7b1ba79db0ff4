//! What of a ROM word matters.

use super::Table;
use bitline::isa::word::{Field, IndexCode, Kind, SetupKind, control, flow, setup};
use bitline::params::{Memory, Params};

/// The word with everything zero that cannot matter, by what its fields say: two words with the same essence are the
/// same.
pub(super) fn essence(params: &Params, table: Table, word: u128, other: u128) -> u128 {
    match table {
        Table::Flow => flow_essence(word),
        Table::Control => {
            let mut word = control_essence(word, other);
            if params.memory == Memory::BlockRam {
                // Not connected.
                clear(&mut word, &[control::MULTI]);
            }
            word
        }
        Table::Setup => setup_essence(word),
    }
}

fn clear(word: &mut u128, fields: &[Field]) {
    for field in fields {
        *word &= !(((1u128 << field.bits) - 1) << field.lsb);
    }
}

fn flow_essence(mut word: u128) -> u128 {
    let kind = flow::KIND.get(word);
    let is = |kinds: &[Kind]| kinds.iter().any(|&k| k as u64 == kind);
    if is(&[Kind::Next, Kind::Inner]) || kind == 7 {
        clear(&mut word, &[flow::TARGET]);
    }
    if !is(&[Kind::Outer, Kind::InnerOuter]) {
        clear(&mut word, &[flow::A_UNLESS_DONE]);
    }
    if kind == 7 {
        clear(&mut word, &[flow::KIND]);
    }
    if flow::END.get(word) == 1 {
        clear(&mut word, &[flow::MAY_STOP]);
    }
    if flow::KEYED.get(word) == 1 {
        clear(&mut word, &[flow::KEY_SHIFT]);
    }
    // Codes without a meaning keep.
    if (3..8).contains(&flow::Y_LOAD.get(word)) {
        clear(&mut word, &[flow::Y_LOAD]);
    }
    word
}

/// `flow` is the flow word at the same address.
fn control_essence(mut word: u128, flow: u128) -> u128 {
    let ports = [
        (control::A_EN, control::A_BASE, control::A_INDEX, control::A_IMMEDIATE),
        (control::B_EN, control::B_BASE, control::B_INDEX, control::B_IMMEDIATE),
        (control::W_EN, control::W_BASE, control::W_INDEX, control::W_IMMEDIATE),
    ];
    for (enable, base, index, immediate) in ports {
        if enable.get(word) == 0 {
            clear(&mut word, &[base, index, immediate]);
        }
        // Codes that are no index give the literal.
        if index.get(word) > IndexCode::I as u64 {
            clear(&mut word, &[index]);
        }
        if index.get(word) != IndexCode::Immediate as u64 {
            clear(&mut word, &[immediate]);
        }
    }
    if control::W_EN.get(word) == 0 {
        clear(&mut word, &[control::W_ON_EXIT]);
    }
    let kind = flow::KIND.get(flow);
    if kind != Kind::Inner as u64 && kind != Kind::InnerOuter as u64 {
        // Always left: conditions on that always hold.
        clear(&mut word, &[control::W_ON_EXIT]);
        if control::J_ZERO.get(word) == 1 {
            clear(&mut word, &[control::J]);
        }
        for (flip, lsb) in [
            (control::FLIP_X, control::X.lsb),
            (control::FLIP_Y, control::Y.lsb),
            (control::FLIP_OUT, control::OUT.lsb + 1),
        ] {
            word ^= u128::from(flip.get(word)) << lsb;
            clear(&mut word, &[flip]);
        }
    }
    if flow::KEYED.get(flow) == 1 || control::I.get(word) > 5 {
        // Takes the scanner's position in any case; codes without a meaning keep.
        clear(&mut word, &[control::I]);
    }
    if control::L.get(word) > 2 {
        clear(&mut word, &[control::L]);
    }
    word
}

fn setup_essence(mut word: u128) -> u128 {
    use setup::{CONSTANT, N, OPERAND, SHIFT, TARGET, TERM, TEST, TO};
    let kind = setup::KIND.get(word);
    let value = [OPERAND, N, TERM, CONSTANT, SHIFT];
    let is = |k: SetupKind| kind == k as u64;
    let bit = |field: Field, bit: usize| Field { lsb: field.lsb + bit, bits: 1 };
    if (4..6).contains(&N.get(word)) {
        // Coefficients that no word has count as -2.
        clear(&mut word, &[N]);
        word |= 6 << N.lsb;
    }
    if is(SetupKind::Jump) {
        clear(&mut word, &[&value[..], &[TO, TEST]].concat());
    } else if is(SetupKind::Value) || is(SetupKind::Extent) {
        clear(&mut word, &[TEST, TARGET]);
        if is(SetupKind::Extent) {
            clear(&mut word, &[TO]);
        }
    } else if is(SetupKind::Disjoint) {
        clear(&mut word, &[&value[1..], &[TARGET, bit(TEST, 1), bit(TO, 3), bit(TO, 4)]].concat());
    } else if is(SetupKind::Guard) {
        clear(&mut word, &[TO]);
    } else if is(SetupKind::GuardSame) {
        clear(&mut word, &[&value[1..], &[TEST, bit(TO, 3), bit(TO, 4)]].concat());
    } else if is(SetupKind::Require) {
        clear(&mut word, &[TARGET, bit(TO, 3), bit(TO, 4)]);
        if TEST.get(word) == bitline::isa::word::Test::Never as u64 {
            clear(&mut word, &value);
        }
    } else {
        clear(&mut word, &[&value[..], &[TEST, bit(TO, 3), bit(TO, 4)]].concat());
    }
    // The hardware knows coefficients from -2 to 3: lower codes count as -2.
    if (4..6).contains(&N.get(word)) {
        clear(&mut word, &[N]);
        N.set(&mut word, 6);
    }
    if setup::TERM.get(word) > 5 {
        clear(&mut word, &[TERM]);
    }
    word
}
