//! Control word of the compute unit: what its lanes and its tree do for a command, and the unit's latencies; and the
//! word of a command, which is what the launcher keeps of it.
//!
//! The word is a function of the command's row in the table and of the unsigned flag. It does not change while a
//! command's steps are in the unit.

use crate::ccs::{CCS_CODE_BITS, COMMANDS, CcsCommand, First, Flip, Kind, Operands, Second, Tree};

/// Bits of the word.
pub const UNIT_CONTROL_BITS: usize = 18;
/// Bits of it that lanes get, the lowest.
pub const LANE_CONTROL_BITS: usize = 16;

/// First level: which function of a and b, [`function`]; three bits.
pub const LOGIC: usize = 0;
/// First level: a is added to the function.
pub const ADD_A: usize = 3;
/// First level: 1 is added.
pub const CARRY: usize = 4;
/// Comparisons take operands as signed.
pub const SIGNED: usize = 5;
/// The second factor is b; else a power of two.
pub const MULTIPLY: usize = 6;
/// Its exponent is b; else 0.
pub const SHIFT: usize = 7;
/// Its exponent is -b.
pub const BACKWARD: usize = 8;
/// The second factor is the first.
pub const SQUARE: usize = 9;
/// The second factor is -1 where a < b; with [`CHOOSE`] it is 0 there.
pub const DISTANCE: usize = 10;
/// The first factor has a sign.
pub const SIGNED_FACTOR: usize = 11;
/// What becomes of the product, [`place`]; two bits.
pub const PLACE: usize = 12;
/// A comparison's result is the opposite.
pub const OPPOSITE: usize = 14;
/// b is added to the product. The second factor is 0 where a < b does not hold; with [`DISTANCE`] where it does.
pub const CHOOSE: usize = 15;
/// What the tree does, [`tree`]; two bits.
pub const TREE: usize = 16;

/// Functions of a and b, bit by bit.
pub mod function {
    /// a XOR b.
    pub const XOR: u64 = 0;
    /// NOT (a XOR b).
    pub const XNOR: u64 = 1;
    /// a AND b.
    pub const AND: u64 = 2;
    /// a OR b.
    pub const OR: u64 = 3;
    /// NOT (a AND b).
    pub const NAND: u64 = 4;
    /// NOT (a OR b).
    pub const NOR: u64 = 5;
    /// a.
    pub const A: u64 = 6;
    /// b.
    pub const B: u64 = 7;
}

/// Where a lane's result is in the product, or that it is a comparison's. The lower bit tells the choices for the
/// result's upper half apart, the upper bit those for its lower half.
pub mod place {
    /// At its low end, or half an element further down.
    pub const LEFT: u64 = 0;
    /// An element further up, or half an element.
    pub const RIGHT: u64 = 1;
    /// At either place.
    pub const ROTATE: u64 = 2;
    /// Nowhere.
    pub const COMPARE: u64 = 3;
}

/// What a node of the tree does.
pub mod tree {
    /// Sum.
    pub const SUM: u64 = 0;
    /// OR.
    pub const OR: u64 = 1;
    /// XOR.
    pub const XOR: u64 = 2;
    /// The greater, without signs.
    pub const MAX: u64 = 3;
}

/// Cycles from a step to its results in the lanes.
pub const MAP_LATENCY: usize = 8;

/// Cycles from the last step of a reduction to its result, of a unit with so many lanes.
pub const fn reduce_latency(lanes: usize) -> usize {
    MAP_LATENCY + lanes.ilog2() as usize + 2
}

/// The control word of a command.
pub fn unit_control(command: &CcsCommand, unsigned: bool) -> u64 {
    // The bit above a sum tells how operands compare: that of a - b is a < b, that of a - b - 1 is a <= b, and that of
    // NOT (a XOR b) + 1, without sign, is a != b.
    let equal = command.second == Second::Equal;
    let arithmetic = matches!(command.first, First::Add | First::Subtract) && !equal;
    let carry = command.first == First::Subtract && command.second != Second::Greater;
    let logic = match command.first {
        // The adder turns the exclusive or with a into the sum.
        First::Add | First::Xor => function::XOR,
        First::Subtract | First::Xnor => function::XNOR,
        First::And => function::AND,
        First::Or => function::OR,
        First::Nand => function::NAND,
        First::Nor => function::NOR,
        First::A => function::A,
        First::B => function::B,
    };
    let shift = |right: bool| 1 << SHIFT | u64::from(right) << BACKWARD;
    let second = match command.second {
        Second::Pass => place::LEFT << PLACE,
        Second::Multiply => 1 << MULTIPLY,
        Second::Square => 1 << SQUARE,
        Second::Distance => 1 << DISTANCE,
        Second::Left => shift(false) | place::LEFT << PLACE,
        Second::Right => shift(true) | place::RIGHT << PLACE,
        Second::RightArithmetic => shift(true) | place::RIGHT << PLACE | 1 << SIGNED_FACTOR,
        Second::RotateLeft => shift(false) | place::ROTATE << PLACE,
        Second::RotateRight => shift(true) | place::ROTATE << PLACE,
        Second::Less => place::COMPARE << PLACE,
        Second::Greater => place::COMPARE << PLACE | 1 << OPPOSITE,
        Second::Equal => place::COMPARE << PLACE | 1 << OPPOSITE,
        Second::Least => 1 << CHOOSE,
        Second::Greatest => 1 << CHOOSE | 1 << DISTANCE,
    };
    let node = match command.tree {
        Tree::Sum => tree::SUM,
        Tree::Or => tree::OR,
        Tree::Xor => tree::XOR,
        Tree::Max => tree::MAX,
    };
    logic << LOGIC
        | u64::from(arithmetic) << ADD_A
        | u64::from(carry) << CARRY
        | u64::from(!unsigned && !equal) << SIGNED
        | second
        | node << TREE
}

/// Bits of the index of a command's word: the code, and the unsigned flag.
pub const WORD_INDEX: usize = CCS_CODE_BITS + 1;
/// Bits of a command's word: what follows, and the unit's control word.
pub const WORD_BITS: usize = UNIT_AT + UNIT_CONTROL_BITS;
/// There is such a command.
pub const LEGAL: usize = 0;
/// a is a vector.
pub const USES_A: usize = 1;
/// b is a vector.
pub const USES_B: usize = 2;
/// It is a map.
pub const IS_MAP: usize = 3;
/// The second operand is the constant row.
pub const B_CONSTANT: usize = 4;
/// The constant row holds what results are combined with, not the constant.
pub const FLIPS: usize = 5;
/// Its bits below the sign are 1.
pub const FLIP_ONES: usize = 6;
/// Its sign is 1.
pub const FLIP_SIGN: usize = 7;
/// Lowest bit of the unit's control word.
pub const UNIT_AT: usize = 8;

/// A command's word: 0 if there is no such command.
pub fn command_word(index: usize) -> u64 {
    let unsigned = index >> CCS_CODE_BITS & 1 == 1;
    let Some(command) = COMMANDS.get(index & ((1 << CCS_CODE_BITS) - 1)) else { return 0 };
    let flip = command.flip_word(32, unsigned);
    let bits = [
        (LEGAL, true),
        (USES_A, command.operands != Operands::C),
        (USES_B, command.operands == Operands::Vv),
        (IS_MAP, command.kind == Kind::Map),
        (B_CONSTANT, matches!(command.operands, Operands::Vc | Operands::C) || command.flip != Flip::None),
        (FLIPS, command.flip != Flip::None),
        (FLIP_ONES, flip & 1 == 1),
        (FLIP_SIGN, flip >> 31 == 1),
    ];
    let flow = bits.iter().fold(0, |word, &(bit, set)| word | u64::from(set) << bit);
    flow | unit_control(command, unsigned) << UNIT_AT
}
