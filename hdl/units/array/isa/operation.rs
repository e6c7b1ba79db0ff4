//! What an operation asks of a command: widths, operand rows, overlaps, latches, and its micro-programs.
//!
//! ```
//! use bitline_units::array::isa::operation::{Context, Operation};
//! use bitline_units::array::isa::row::Operand;
//! use bitline_units::array::isa::{Opcode, Set};
//! use bitline_units::array::presets::preset;
//!
//! let params = preset("default").expect("it is there");
//! let product = Operation::of(Opcode::MulU, Context::of(&params, Set::Fast));
//! assert_eq!(product.widths, (1, 64));
//! // Operands of 8 bits have a product of 16 rows, which takes 66 cycles.
//! let rows = product.extent_of(Operand::D).expect("a result").rows;
//! assert_eq!((rows.value(8, 0), (product.formula)(8, 0)), (16, 66));
//! assert!(product.latches().iter().all(|&latch| params.has(latch)));
//! ```

mod builder;
mod within;

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, OnceLock, RwLock};

use crate::array::isa::and_nor::on_and_nor;
use crate::array::isa::assemble::assemble;
use crate::array::isa::format::{FORMATS, Format, Mode};
use crate::array::isa::linear::Linear;
use crate::array::isa::opcode::{Opcode, Set};
use crate::array::isa::program::Program;
use crate::array::isa::row::{Operand, Report, Row};
use crate::array::isa::rows::Rows;
use crate::array::isa::ucode;
use crate::array::isa::uop::{Multi, Second};
use crate::array::params::{Columns, Latch, Memory, Sensing};

/// The hardware that micro-programs are written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Context {
    /// Sensing mode.
    pub sensing: Sensing,
    /// Memory kind.
    pub memory: Memory,
    /// Micro-program set.
    pub set: Set,
    /// 2, or 4 where columns have a second adder.
    pub radix: u8,
    /// Rows report exceptions.
    pub exception_flags: bool,
}

impl Context {
    /// Whether both bits of two rows are visible.
    pub fn two_port(self) -> bool {
        self.sensing == Sensing::TwoPort
    }

    /// Whether columns take two bits of a multiplier in a cycle.
    pub fn radix_4(self) -> bool {
        self.columns() == Columns::Radix4
    }

    /// What the columns are.
    pub fn columns(self) -> Columns {
        Columns::new(self.sensing, self.radix)
    }

    /// Whether floating-point operations are to follow the papers' algorithms. These are for columns that take a bit at
    /// a time: with radix 4 the set `baseline` has the programs of `fast` there, for which alone the ROM has room.
    pub fn papers(self) -> bool {
        self.set == Set::Baseline && !self.radix_4()
    }

    /// Whether any set of rows can be raised at once.
    pub fn multi_row(self) -> bool {
        self.memory == Memory::Behavioural
    }
}

/// What happens to the rows of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Read; survives.
    Source,
    /// Written.
    Result,
    /// Read, then written.
    Accumulator,
    /// Written with intermediate values.
    Scratch,
}

/// A row operand of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Which operand.
    pub operand: Operand,
    /// Number of rows.
    pub rows: Rows,
    /// What happens to them.
    pub role: Role,
}

/// Two operands that must not share rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disjoint {
    /// One.
    pub first: Operand,
    /// The other.
    pub second: Operand,
    /// They may start at the same row.
    pub same_start: bool,
}

/// A condition under which a micro-program applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The expression is 0.
    Zero(Linear),
    /// The expression is at least 0.
    AtLeastZero(Linear),
    /// The expression is even.
    Even(Linear),
    /// Two operands start at the same row.
    Same(Operand, Operand),
    /// The low bits of the command's key are this mode.
    Mode(Mode),
}

impl Condition {
    /// Whether it is on something else than widths.
    pub fn beside_widths(&self) -> bool {
        matches!(self, Condition::Same(..) | Condition::Mode(_))
    }
}

/// A micro-program and when it applies.
#[derive(Clone, Debug)]
pub struct Variant {
    /// All must hold; variants are tried in order.
    pub when: Vec<Condition>,
    /// The table.
    pub program: Program,
}

impl Variant {
    /// Whether its conditions on the widths hold; those on operands and modes may or may not.
    pub fn applies(&self, n: u32, m: u32) -> bool {
        self.when.iter().all(|&condition| {
            let value = |l: Linear| l.value(n as i32, m as i32);
            match condition {
                Condition::Zero(l) => value(l) == 0,
                Condition::AtLeastZero(l) => value(l) >= 0,
                Condition::Even(l) => value(l) % 2 == 0,
                Condition::Same(..) | Condition::Mode(_) => true,
            }
        })
    }

    /// The same for commands with this key: those on operands may or may not hold.
    pub fn applies_with(&self, n: u32, m: u32, key: u64) -> bool {
        let mode = |condition: &Condition| match condition {
            Condition::Mode(mode) => *mode == Mode::of_key(key),
            _ => true,
        };
        self.applies(n, m) && self.when.iter().all(mode)
    }
}

/// Closed form of the cycle count: `(n, m)` to issue cycles without stalls, for n ≥ 4 (shorter widths have rows of
/// their own). For programs that depend on the data: the worst case. Division: with the remainder in the dividend's
/// rows.
pub type Formula = fn(i64, i64) -> i64;

/// Everything about one operation on one kind of hardware.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Which.
    pub opcode: Opcode,
    /// Smallest and largest width.
    pub widths: (u8, u8),
    /// Only powers of two.
    pub power_of_two: bool,
    /// The second width m must lie between these; `None` when the operation has none, or takes formats.
    pub second: Option<(Linear, Linear)>,
    /// Widths n and m are those of a format of floating-point numbers.
    pub formats: bool,
    /// Operands and their rows.
    pub extents: Vec<Extent>,
    /// Pairs that must not overlap.
    pub disjoint: Vec<Disjoint>,
    /// Largest width whose operands fit the array, as far as that is known ([`Operation::within`]).
    pub largest: u8,
    /// Micro-programs; the first that applies runs.
    pub variants: Vec<Variant>,
    /// Closed form of the cycle count; [`Operation::cycles`] is true of operations without one, too.
    pub formula: Formula,
    /// The closed form of commands in the mode [`Mode::FLUSHED`], where they have micro-programs of their own.
    pub flushed: Option<Formula>,
    /// The closed form is that of other columns; on these, cycles are counted.
    pub counted: Option<Context>,
    /// What [`Operation::latches`] has found.
    needed: OnceLock<Vec<Latch>>,
}

impl Operation {
    /// The operation's description on this hardware. Sets that have no program of their own for it use the fast one.
    /// Whatever was asked for before is kept: checking a command needs no micro-program to be written again.
    pub fn of(opcode: Opcode, context: Context) -> Arc<Operation> {
        type Known = RwLock<HashMap<(Opcode, Context), Arc<Operation>>>;
        static KNOWN: LazyLock<Known> = LazyLock::new(RwLock::default);
        let poisoned = "nothing panics while it is locked";
        let known = KNOWN.read().expect(poisoned).get(&(opcode, context)).cloned();
        known.unwrap_or_else(|| {
            let new = Arc::new(ucode::operation(opcode, context));
            Arc::clone(KNOWN.write().expect(poisoned).entry((opcode, context)).or_insert(new))
        })
    }

    /// The same with programs for `AndNor` columns.
    pub(crate) fn on_and_nor(mut self, cx: Context) -> Operation {
        for variant in &mut self.variants {
            variant.program = on_and_nor(&variant.program, self.opcode.gives_tag());
        }
        self.counted = Some(cx);
        self
    }

    /// Cycles at widths that it takes, the worst case where they depend on the data; from the closed form, or counted.
    /// Of commands in whatever mode takes most.
    pub fn cycles(&self, n: i64, m: i64) -> i64 {
        self.counted.map_or_else(|| (self.formula)(n, m), |cx| self.count(cx, n, m, 0))
    }

    /// The same of commands with this key.
    pub fn cycles_with(&self, n: i64, m: i64, key: u64) -> i64 {
        match self.flushed.filter(|_| self.has_own(n as u32, m as u32, key)) {
            Some(formula) => self.counted.map_or_else(|| formula(n, m), |cx| self.count(cx, n, m, key)),
            None => self.cycles(n, m),
        }
    }

    /// Cycles of commands with this key, counted.
    fn count(&self, cx: Context, n: i64, m: i64, key: u64) -> i64 {
        let (n, m) = (n as u32, m as u32);
        let variant = self.variants.iter().find(|variant| variant.applies_with(n, m, key));
        variant.map_or(0, |variant| assemble(&variant.program, cx).cycles(n, m, n) as i64)
    }

    /// Whether the micro-program of commands with this key is for one mode alone.
    fn has_own(&self, n: u32, m: u32, key: u64) -> bool {
        let variant = self.variants.iter().find(|variant| variant.applies_with(n, m, key));
        variant.is_some_and(|variant| variant.when.iter().any(|condition| matches!(condition, Condition::Mode(_))))
    }

    /// Whether it has a micro-program for numbers of the format with this width in the mode [`Mode::FLUSHED`] alone.
    pub fn has_flushed(&self, width: u8) -> bool {
        let own = |format: Format| self.has_own(format.n().into(), format.m().into(), Mode::FLUSHED.key());
        self.own_formats().any(|format| format.n() == width && own(format))
    }

    /// Latches besides C and T that the micro-programs use.
    #[inline]
    pub fn latches(&self) -> &[Latch] {
        self.needed.get_or_init(|| {
            let rows: Vec<&Row> = self.variants.iter().flat_map(|v| v.program.rows()).collect();
            Latch::ALL.iter().copied().filter(|&latch| rows.iter().any(|row| row.column.needs(latch))).collect()
        })
    }

    /// Whether its micro-programs look at the command's key.
    pub fn takes_key(&self) -> bool {
        let looks = |row: &&Row| row.keyed || row.steer_x || row.steer_y || row.key_shift > 0;
        self.variants.iter().any(|v| v.program.key_ones.is_none() && v.program.rows().iter().any(looks))
    }

    /// Whether its micro-programs use the second adder of columns with radix 4.
    pub fn takes_two_bits(&self) -> bool {
        let mut rows = self.variants.iter().flat_map(|v| v.program.rows());
        // Rows that choose or gather mean something else by its code.
        let adds = |row: &&Row| !row.column.x.chooses() && !row.column.gathers;
        rows.any(|row| adds(&row) && row.column.second != Second::Off)
    }

    /// Whether its micro-programs use anything of those columns: the second adder, the choice among eight rows, or what
    /// rows gather.
    pub fn uses_radix_4(&self) -> bool {
        let mut rows = self.variants.iter().flat_map(|v| v.program.rows());
        self.takes_two_bits() || rows.any(|row| row.column.x.chooses() || row.column.gathers || row.column.alone)
    }

    /// Whether rows of its micro-programs report exceptions.
    pub fn reports(&self) -> bool {
        self.variants.iter().flat_map(|v| v.program.rows()).any(|row| row.report != Report::None)
    }

    /// The formats that it takes, if it takes any: those with widths within its bounds.
    pub fn own_formats(&self) -> impl Iterator<Item = Format> {
        let (low, high) = if self.formats { self.widths } else { (1, 0) };
        FORMATS.into_iter().filter(move |format| (low..=high).contains(&format.n()))
    }

    /// What is wrong with a width that the operation does not take.
    pub fn width_rule(&self, width: u8) -> String {
        if self.formats {
            let all: Vec<String> = self.own_formats().map(|format| format!("{} ({format})", format.n())).collect();
            return format!("width = {width}: must be that of a format, {}", all.join(", "));
        }
        let ((low, high), rule) = (self.widths, if self.power_of_two { ", a power of two" } else { "" });
        format!("width = {width}: must be {low} to {high}{rule}")
    }

    /// Whether the operation takes a width.
    ///
    /// # Errors
    /// What is wrong with it.
    #[inline]
    pub fn check_width(&self, width: u8) -> Result<(), String> {
        let (low, high) = self.widths;
        let legal = (low..=high).contains(&width)
            && (!self.power_of_two || width.is_power_of_two())
            && (!self.formats || FORMATS.iter().any(|format| format.n() == width));
        if legal { Ok(()) } else { Err(self.width_rule(width)) }
    }

    /// Whether the operation has a second width.
    pub fn has_second(&self) -> bool {
        self.second.is_some() || self.formats
    }

    /// Least and greatest second width at a legal width, if the operation has one.
    #[inline]
    pub fn seconds(&self, width: u8) -> Option<(i32, i32)> {
        if self.formats {
            let format = self.own_formats().find(|format| format.n() == width)?;
            return Some((format.m().into(), format.m().into()));
        }
        self.second.map(|(low, high)| (low.value(width.into(), 0), high.value(width.into(), 0)))
    }

    /// The extent of `operand`, if the operation has it.
    #[inline]
    pub fn extent_of(&self, operand: Operand) -> Option<Extent> {
        self.extents.iter().copied().find(|e| e.operand == operand)
    }
}

/// Why a row cannot run on hardware with this sensing, if so.
pub fn row_fault(row: &Row, context: Context) -> Option<String> {
    let c = &row.column;
    let and_nor = context.sensing == Sensing::AndNor;
    if !c.suits(context.columns()) || (c.predicated || row.merge) && !and_nor {
        return Some(format!("a code without a meaning in {} sensing, radix {}", context.sensing, context.radix));
    }
    if !context.multi_row() && row.multi != Multi::Off {
        return Some("multi-row sensing on block RAM".into());
    }
    if c.predicated && !(row.w == row.b || (row.w == row.a && !row.merge)) {
        return Some("a predicated destination must be among the rows read".into());
    }
    if c.predicated && row.w != row.b {
        return Some("a predicated destination must be read on port B".into());
    }
    if row.merge && !c.predicated {
        return Some("a merge read without a predicated write".into());
    }
    None
}
