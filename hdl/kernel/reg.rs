//! Clock domain and registers.

use rust_hdl_core::ast;
use rust_hdl_core::prelude::*;

use super::netlist::Primitive;
use super::packed::Packed;

/// A clock and its synchronous, active-high reset, in one signal. In Verilog it becomes the ports `clk` and `rst`.
///
/// Blocks hand it on with `clock!(self, clock, child)` and to registers with `dff_setup!(self, clock, register)`, which
/// also makes the register keep its value unless `d` is assigned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Domain {
    /// The clock; registers change at its rising edge.
    pub clk: bool,
    /// The reset.
    pub rst: bool,
}

/// Name of [`Domain`]'s type descriptor.
pub const DOMAIN: &str = "bitline::Domain";

impl Synth for Domain {
    const BITS: usize = 2;

    fn descriptor() -> TypeDescriptor {
        TypeDescriptor { name: DOMAIN.into(), kind: TypeKind::Bits(2) }
    }

    fn vcd(self) -> VCDValue {
        self.clk.vcd()
    }

    fn verilog(self) -> VerilogLiteral {
        (u64::from(self.rst) << 1 | u64::from(self.clk)).into()
    }
}

/// Finds the rising edge of a domain's clock in successive updates.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Edge(bool);

impl Edge {
    #[doc(hidden)]
    pub fn rising(&mut self, domain: Domain) -> bool {
        let rising = domain.clk && !self.0;
        self.0 = domain.clk;
        rising
    }
}

/// A register: at the rising edge q takes d, or the reset value while `rst` is 1. Holds architectural state.
#[derive(LogicBlock)]
pub struct Register<T: Packed> {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// Next value.
    pub d: Signal<In, T>,
    /// Value; after reset the reset value.
    pub q: Signal<Out, T>,
    _reset: T,
    _edge: Edge,
}

impl<T: Packed> Register<T> {
    /// A register with this reset value.
    pub fn new(reset: T) -> Self {
        Register {
            clock: Signal::default(),
            d: Signal::default(),
            q: Signal::default(),
            _reset: reset,
            _edge: Edge::default(),
        }
    }
}

impl<T: Packed> Default for Register<T> {
    fn default() -> Self {
        Register::new(T::default())
    }
}

impl<T: Packed> Logic for Register<T> {
    fn update(&mut self) {
        if self._edge.rising(self.clock.val()) {
            self.q.next = if self.clock.val().rst { self._reset } else { self.d.val() };
        }
    }

    fn connect(&mut self) {
        self.q.connect();
    }

    fn hdl(&self) -> ast::Verilog {
        Primitive::Register { reset: Some(hex(&self._reset)) }.to_hdl()
    }
}

/// A register without reset, for data in a pipeline: its value at power-up is undefined.
#[derive(LogicBlock)]
pub struct Pipe<T: Packed> {
    /// Clock; the reset is not used.
    pub clock: Signal<In, Domain>,
    /// Next value.
    pub d: Signal<In, T>,
    /// Value.
    pub q: Signal<Out, T>,
    _edge: Edge,
}

impl<T: Packed> Default for Pipe<T> {
    fn default() -> Self {
        Pipe { clock: Signal::default(), d: Signal::default(), q: Signal::default(), _edge: Edge::default() }
    }
}

impl<T: Packed> Logic for Pipe<T> {
    fn update(&mut self) {
        if self._edge.rising(self.clock.val()) {
            self.q.next = self.d.val();
        }
    }

    fn connect(&mut self) {
        self.q.connect();
    }

    fn hdl(&self) -> ast::Verilog {
        Primitive::Register { reset: None }.to_hdl()
    }
}

/// What a stage of [`bundle!`](crate::bundle!) answers as its `hdl`.
#[doc(hidden)]
pub fn stage(reset: bool) -> ast::Verilog {
    Primitive::Stage { reset }.to_hdl()
}

/// What `dff_setup!` sets up: a register, or an array of them.
pub trait SetUp {
    /// Hands the clock on; the value stays unless a next one is assigned.
    fn set_up(&mut self, clock: Domain);
}

macro_rules! set_up {
    ($($register:ident),+) => {$(
        impl<T: Packed> SetUp for $register<T> {
            fn set_up(&mut self, clock: Domain) {
                self.clock.next = clock;
                self.d.next = self.q.val();
            }
        }
    )+};
}

set_up!(Register, Pipe);

/// Hands the clock to registers, and to arrays of them, and lets each keep its value unless `d` is assigned:
/// `dff_setup!(self, clock, count, state)`. In a loop, an array's register is `lanes[i]`. (`#[hdl_gen]` knows the macro
/// by this name, which rust-hdl's widgets gave it.)
#[macro_export]
macro_rules! dff_setup {
    ($this:ident, $clock:ident, $($register:ident $([$at:expr])?),+ $(,)?) => {
        $($crate::reg::SetUp::set_up(&mut $this.$register$([$at])?, $this.$clock.val());)+
    };
}
pub use crate::dff_setup;

/// A value's bit pattern as hexadecimal digits.
pub(crate) fn hex<T: Packed>(value: &T) -> String {
    let mut limbs = vec![0; T::width().div_ceil(64)];
    value.limbs_into(&mut limbs);
    let digit = |limb: u64, at: u32| char::from(b"0123456789abcdef"[(limb >> (4 * at)) as usize % 16]);
    limbs.into_iter().rev().flat_map(|limb| (0..16).rev().map(move |at| digit(limb, at))).collect()
}
