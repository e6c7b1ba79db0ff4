//! The cache compute system's commands as one table, its error codes, geometry and registers.
//!
//! Source: Vieira et al., Exploiting Compute Caches for Memory Bound Vector Operations, §II: a vector unit tied to a
//! cache, with 48 commands that map a function over vectors or reduce them to one value. The paper names the groups and
//! most of the commands; the list is our reading of it. Codes from 48 on are not the paper's: comparisons of two
//! vectors, and the smaller and the greater of two elements.
//!
//! A command goes through two levels of every lane, and a reduction then through a tree of nodes and an accumulator:
//!
//! ```text
//!  a, b ─▶ first level: adder, logic ─▶ second level: multiplier, comparison ─┬─▶ a map's result
//!                                                                             └─▶ tree ─▶ a reduction's
//! ```

pub mod blocks;
pub mod control;
pub(crate) mod geometry;
pub mod registers;

pub use geometry::{CCS_PRESETS, CcsGeometry, CcsMemory};

/// Bits of a command's code.
pub const CCS_CODE_BITS: usize = 6;
/// Bits of an error code.
pub const CCS_ERROR_BITS: usize = 4;
/// Cycles without an answer after which memory is taken to have none: after a hard reset, and in a soft reset.
pub const SILENCE: u64 = 1 << SILENCE_BITS;
/// The same as a power of two.
pub const SILENCE_BITS: usize = 10;

/// What a command works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Operands {
    /// Two vectors.
    Vv,
    /// A vector and the constant.
    Vc,
    /// A vector.
    V,
    /// The constant.
    C,
}

/// What becomes of the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A vector of results.
    Map,
    /// One result.
    Reduce,
}

/// First level of a lane (the paper's L0): adder and logic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum First {
    /// a + b.
    Add,
    /// a - b.
    Subtract,
    /// a AND b.
    And,
    /// a OR b.
    Or,
    /// a XOR b.
    Xor,
    /// NOT (a AND b).
    Nand,
    /// NOT (a OR b).
    Nor,
    /// NOT (a XOR b).
    Xnor,
    /// a.
    A,
    /// b.
    B,
}

/// Second level of a lane (the paper's L1, and L0's shifts): what becomes of the first level's result r.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Second {
    /// r.
    Pass,
    /// r · b, low half.
    Multiply,
    /// r · r, low half.
    Square,
    /// -r where a < b, else r: with r = a - b the distance of a and b.
    Distance,
    /// r << b.
    Left,
    /// r >> b, zeros come in.
    Right,
    /// r >> b, the sign comes in.
    RightArithmetic,
    /// r rotated left by b.
    RotateLeft,
    /// r rotated right by b.
    RotateRight,
    /// All ones where a < b, else 0; with r = a - b.
    Less,
    /// All ones where a > b, else 0; with r = a - b.
    Greater,
    /// All ones where a = b, else 0; with r = a - b.
    Equal,
    /// The smaller of a and b: r where a < b, else 0, plus b; with r = a - b.
    Least,
    /// The greater of a and b: 0 where a < b, else r, plus b; with r = a - b.
    Greatest,
}

/// What a node of the tree, and the accumulator, makes of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tree {
    /// The sum.
    Sum,
    /// OR.
    Or,
    /// XOR.
    Xor,
    /// The greater, without signs.
    Max,
}

/// What every element of a reduction, and its result, is combined with by exclusive or: so that 0 is the identity of
/// every reduction, and AND and minimum come from OR and maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flip {
    /// 0.
    None,
    /// All ones.
    Ones,
    /// The sign bit; 0 for unsigned elements.
    Sign,
    /// All but the sign bit; all ones for unsigned elements.
    ButSign,
}

/// A command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CcsCommand {
    /// Its code.
    pub code: u8,
    /// Its name, as in the paper.
    pub name: &'static str,
    /// What it computes.
    pub doc: &'static str,
    /// What it works on.
    pub operands: Operands,
    /// Map or reduce.
    pub kind: Kind,
    /// First level.
    pub first: First,
    /// Second level.
    pub second: Second,
    /// Tree; of no meaning for maps.
    pub tree: Tree,
    /// Makes 0 the identity. The second operand if it is not [`Flip::None`], of maps without b too.
    pub flip: Flip,
}

macro_rules! commands {
    ($($code:literal $name:literal $operands:ident $kind:ident $first:ident $second:ident $tree:ident $flip:ident $doc:literal;)+) => {
        /// Every command, in the order of the codes, which have no gaps.
        pub const COMMANDS: [CcsCommand; [$($code),+].len()] = [$(CcsCommand {
            code: $code,
            name: $name,
            doc: $doc,
            operands: Operands::$operands,
            kind: Kind::$kind,
            first: First::$first,
            second: Second::$second,
            tree: Tree::$tree,
            flip: Flip::$flip,
        }),+];
    };
}

commands! {
    // code, name, operands, kind, first level, second level, tree, identity
    0  "ADDVV"  Vv Map Add Pass Sum None "r = a + b";
    1  "ADDVC"  Vc Map Add Pass Sum None "r = a + c";
    2  "SUBVV"  Vv Map Subtract Pass Sum None "r = a - b";
    3  "SUBVC"  Vc Map Subtract Pass Sum None "r = a - c";
    4  "MULVV"  Vv Map A Multiply Sum None "r = a * b, low half";
    5  "MULVC"  Vc Map A Multiply Sum None "r = a * c, low half";
    6  "SLLVV"  Vv Map A Left Sum None "r = a << b";
    7  "SLLVC"  Vc Map A Left Sum None "r = a << c";
    8  "SLAVV"  Vv Map A Left Sum None "r = a << b, the same as SLLVV";
    9  "SLAVC"  Vc Map A Left Sum None "r = a << c, the same as SLLVC";
    10 "SRLVV"  Vv Map A Right Sum None "r = a >> b, zeros come in";
    11 "SRLVC"  Vc Map A Right Sum None "r = a >> c, zeros come in";
    12 "SRAVV"  Vv Map A RightArithmetic Sum None "r = a >> b, the sign comes in";
    13 "SRAVC"  Vc Map A RightArithmetic Sum None "r = a >> c, the sign comes in";
    14 "ROLVV"  Vv Map A RotateLeft Sum None "r = a rotated left by b";
    15 "ROLVC"  Vc Map A RotateLeft Sum None "r = a rotated left by c";
    16 "RORVV"  Vv Map A RotateRight Sum None "r = a rotated right by b";
    17 "RORVC"  Vc Map A RotateRight Sum None "r = a rotated right by c";
    18 "ANDVV"  Vv Map And Pass Sum None "r = a & b";
    19 "ANDVC"  Vc Map And Pass Sum None "r = a & c";
    20 "ORVV"   Vv Map Or Pass Sum None "r = a | b";
    21 "ORVC"   Vc Map Or Pass Sum None "r = a | c";
    22 "XORVV"  Vv Map Xor Pass Sum None "r = a ^ b";
    23 "XORVC"  Vc Map Xor Pass Sum None "r = a ^ c";
    24 "NANDVV" Vv Map Nand Pass Sum None "r = ~(a & b)";
    25 "NANDVC" Vc Map Nand Pass Sum None "r = ~(a & c)";
    26 "NORVV"  Vv Map Nor Pass Sum None "r = ~(a | b)";
    27 "NORVC"  Vc Map Nor Pass Sum None "r = ~(a | c)";
    28 "XNORVV" Vv Map Xnor Pass Sum None "r = ~(a ^ b)";
    29 "XNORVC" Vc Map Xnor Pass Sum None "r = ~(a ^ c)";
    30 "LESSVC" Vc Map Subtract Less Sum None "r = all ones where a < c, else 0";
    31 "GRTRVC" Vc Map Subtract Greater Sum None "r = all ones where a > c, else 0";
    32 "EQUVC"  Vc Map Subtract Equal Sum None "r = all ones where a = c, else 0";
    33 "COPYV"  V  Map A Pass Sum None "r = a";
    34 "NOTV"   V  Map Xor Pass Sum Ones "r = ~a";
    35 "INITC"  C  Map B Pass Sum None "r = c";
    36 "SUMV"   V  Reduce A Pass Sum None "sum of a";
    37 "ANDV"   V  Reduce Xor Pass Or Ones "AND of a";
    38 "ORV"    V  Reduce A Pass Or None "OR of a";
    39 "XORV"   V  Reduce A Pass Xor None "XOR of a";
    40 "MINV"   V  Reduce Xor Pass Max ButSign "least of a";
    41 "MAXV"   V  Reduce Xor Pass Max Sign "greatest of a";
    42 "SSDVV"  Vv Reduce Subtract Square Sum None "sum of (a - b)^2";
    43 "SSDVC"  Vc Reduce Subtract Square Sum None "sum of (a - c)^2";
    44 "SADVV"  Vv Reduce Subtract Distance Sum None "sum of |a - b|";
    45 "SADVC"  Vc Reduce Subtract Distance Sum None "sum of |a - c|";
    46 "IPVV"   Vv Reduce A Multiply Sum None "sum of a * b";
    47 "IPVC"   Vc Reduce A Multiply Sum None "sum of a * c";
    48 "LESSVV" Vv Map Subtract Less Sum None "r = all ones where a < b, else 0";
    49 "GRTRVV" Vv Map Subtract Greater Sum None "r = all ones where a > b, else 0";
    50 "EQUVV"  Vv Map Subtract Equal Sum None "r = all ones where a = b, else 0";
    51 "MINVV"  Vv Map Subtract Least Sum None "r = the smaller of a and b";
    52 "MINVC"  Vc Map Subtract Least Sum None "r = the smaller of a and c";
    53 "MAXVV"  Vv Map Subtract Greatest Sum None "r = the greater of a and b";
    54 "MAXVC"  Vc Map Subtract Greatest Sum None "r = the greater of a and c";
}

impl CcsCommand {
    /// The command with this code.
    pub fn from_code(code: u8) -> Option<&'static CcsCommand> {
        COMMANDS.get(usize::from(code))
    }

    /// The command of this name.
    pub fn named(name: &str) -> Option<&'static CcsCommand> {
        COMMANDS.iter().find(|command| command.name == name)
    }

    /// Whether the unsigned flag changes what it computes.
    pub fn has_sign(&self) -> bool {
        let flips = matches!(self.flip, Flip::Sign | Flip::ButSign);
        let compares = matches!(self.second, Second::Less | Second::Greater | Second::Least | Second::Greatest);
        flips || compares || self.second == Second::Distance
    }

    /// What [`CcsCommand::flip`] is for elements of so many bits.
    pub fn flip_word(&self, element_bits: usize, unsigned: bool) -> u32 {
        let ones = u32::MAX >> (32 - element_bits);
        let sign = if unsigned { 0 } else { 1 << (element_bits - 1) };
        match self.flip {
            Flip::None => 0,
            Flip::Ones => ones,
            Flip::Sign => sign,
            Flip::ButSign => ones ^ sign,
        }
    }
}

macro_rules! errors {
    ($($(#[doc = $doc:literal])+ $variant:ident = $code:literal $name:literal;)+) => {
        /// Why a command did not run, or not to its end.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum CcsError {
            $($(#[doc = $doc])+ $variant = $code,)+
        }

        impl CcsError {
            /// Every error, in the order of the codes.
            pub const ALL: [CcsError; [$($code),+].len()] = [$(CcsError::$variant),+];

            /// The name in tables, headers and messages.
            pub fn name(self) -> &'static str {
                match self { $(CcsError::$variant => $name),+ }
            }

            /// What it means, for headers and register maps.
            pub fn description(self) -> &'static str {
                match self { $(CcsError::$variant => concat!($($doc),+)),+ }
            }
        }
    };
}

errors! {
    /// No command has this code.
    Command = 1 "command";
    /// Length or count is 0.
    Length = 2 "length";
    /// The stride is no power of two, or not smaller than a line.
    Stride = 3 "stride";
    /// An address is no multiple of an element, or the vectors do not start at the same place of a line, or steps would
    /// change that.
    Alignment = 4 "alignment";
    /// An operand ends beyond the address space.
    Address = 5 "address";
    /// Start while a command runs: the one that runs goes on. If that ends with an error, its error comes in the place
    /// of this one.
    Busy = 6 "busy";
    /// Memory has answered with an error: to a line of the command that runs, or to a write of the processor, which
    /// ends that command, too, with what is queued behind it; lines written before stay. While none runs a write of the
    /// processor has failed: the next start is taken as ever and clears the error. A failed read of the processor is
    /// answered to it alone. The cache may hold what a failed write did not bring to memory: a soft reset empties it.
    Bus = 7 "bus";
    /// A soft reset has given up waiting: memory had said nothing for 1024 cycles, and still owes what it was asked
    /// for. The system is as after any soft reset. Answers that come late are dropped, and commands that follow wait
    /// for writes that are still to be acknowledged.
    Silent = 8 "silent";
}

impl CcsError {
    /// The error with this code.
    pub fn from_code(code: u8) -> Option<CcsError> {
        CcsError::ALL.into_iter().find(|error| *error as u8 == code)
    }
}

#[cfg(test)]
mod tests;
