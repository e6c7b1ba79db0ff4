//! What the elaborator must refuse, with the instance path, the signal and the rule.

use rust_hdl::core::ast::{self, Verilog};
use rust_hdl::prelude::Block;

use crate::error::Error;
use crate::kernel::elaborate::elaborate;
use crate::kernel::prelude::*;

/// The block is refused at this path and signal, by a rule that says this.
#[track_caller]
fn refused(block: &dyn Block, path: &str, signal: &str, rule: &str) {
    match elaborate(block) {
        Ok(_) => panic!("accepted, but {signal} should be refused: {rule}"),
        Err(Error::Netlist { path: p, signal: s, rule: r }) => {
            assert!(p == path && s.contains(signal) && r.contains(rule), "{p}: {s}: {r}");
        }
        Err(other) => panic!("{other}"),
    }
}

/// A block of inputs `a`, `b`, output `y` and what else is given, around one update function.
macro_rules! block {
    ($name:ident { $($field:ident: $type:ty),* $(,)? } $($update:tt)*) => {
        #[derive(LogicBlock, Default)]
        pub(super) struct $name {
            $($field: $type,)*
        }

        impl Logic for $name {
            $($update)*

            fn timing(&self) -> Vec<TimingInfo> {
                describe(stringify!($name).to_lowercase(), "Refused.", constants![])
            }
        }
    };
}

block!(Inner { a: Signal<In, Bits<8>>, y: Signal<Out, Bits<8>> }
#[hdl_gen] fn update(&mut self) {
    self.y.next = self.a.val() + 1;
});

block!(InnerClocked { clock: Signal<In, Domain>, a: Signal<In, Bits<8>>, y: Signal<Out, Bits<8>>, r: Register<Bits<8>> }
#[hdl_gen] fn update(&mut self) {
    dff_setup!(self, clock, r);
    self.r.d.next = self.a.val();
    self.y.next = self.r.q.val();
});

block!(UndrivenOutput { a: Signal<In, Bits<8>>, y: Signal<Out, Bits<8>>, z: Signal<Out, Bits<8>> }
#[hdl_gen] fn update(&mut self) {
    self.y.next = self.a.val();
});

block!(UndrivenLocal { y: Signal<Out, Bits<8>>, floating: Signal<Local, Bits<8>> }
#[hdl_gen] fn update(&mut self) {
    self.y.next = self.floating.val();
});

block!(UndrivenChild { y: Signal<Out, Bits<8>>, inner: Inner }
#[hdl_gen] fn update(&mut self) {
    self.y.next = self.inner.y.val();
});

block!(UndrivenClock { a: Signal<In, Bits<8>>, y: Signal<Out, Bits<8>>, inner: InnerClocked }
#[hdl_gen] fn update(&mut self) {
    self.inner.a.next = self.a.val();
    self.y.next = self.inner.y.val();
});

#[test]
fn undriven() {
    refused(&UndrivenOutput::default(), "top", "z", "not driven");
    refused(&UndrivenLocal::default(), "top", "floating", "not driven");
    refused(&UndrivenChild::default(), "top", "inner.a", "not driven");
    refused(&UndrivenClock::default(), "top", "inner.clock", "not driven");
}

block!(DrivesInput { a: Signal<In, Bits<8>>, y: Signal<Out, Bits<8>> }
#[hdl_gen] fn update(&mut self) {
    self.a.next = 1.into();
    self.y.next = self.a.val();
});

block!(DrivesChildOutput { a: Signal<In, Bits<8>>, y: Signal<Out, Bits<8>>, inner: Inner }
#[hdl_gen] fn update(&mut self) {
    self.inner.a.next = self.a.val();
    self.inner.y.next = self.a.val();
    self.y.next = self.inner.y.val();
});

#[test]
fn driven_twice() {
    refused(&DrivesInput::default(), "top", "a", "driven from inside");
    refused(&DrivesChildOutput::default(), "top", "inner.y", "driven from outside");
}

block!(LatchIf { s: Signal<In, Bit>, a: Signal<In, Bits<8>>, y: Signal<Out, Bits<8>> }
#[hdl_gen] fn update(&mut self) {
    if self.s.val() {
        self.y.next = self.a.val();
    }
});

// A match is what is tested.
#[allow(clippy::single_match)]
mod latch_match {
    use super::*;
    block!(LatchMatch { s: Signal<In, Bit>, a: Signal<In, Bits<8>>, y: Signal<Out, Bits<8>>, held: Signal<Local, Bits<8>> }
    #[hdl_gen] fn update(&mut self) {
        match self.s.val() {
            true => self.held.next = self.a.val(),
            _ => {}
        }
        self.y.next = self.held.val();
    });
}
use latch_match::LatchMatch;

block!(LatchSelf { a: Signal<In, Bits<8>>, s: Signal<In, Bit>, y: Signal<Out, Bits<8>>, held: Signal<Local, Bits<8>> }
#[hdl_gen] fn update(&mut self) {
    self.held.next = self.held.val();
    if self.s.val() {
        self.held.next = self.a.val();
    }
    self.y.next = self.held.val();
});

#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
struct Pair {
    low: Bits<4>,
    high: Bits<4>,
}

block!(LatchPart { a: Signal<In, Bits<4>>, y: Signal<Out, Pair> }
#[hdl_gen] fn update(&mut self) {
    self.y.next.low = self.a.val();
});

#[test]
fn latches() {
    refused(&LatchIf::default(), "top", "y", "latch");
    refused(&LatchMatch::default(), "top", "held", "latch");
    refused(&LatchSelf::default(), "top", "held", "keeps its own value");
    refused(&LatchPart::default(), "top", "y", "never assigned");
}

block!(TooWideLiteral { a: Signal<In, Bits<8>>, y: Signal<Out, Bits<8>> }
#[hdl_gen] fn update(&mut self) {
    self.y.next = self.a.val() + 300;
});

block!(BeyondEnd { a: Signal<In, Bits<8>>, y: Signal<Out, Bits<4>> }
#[hdl_gen] fn update(&mut self) {
    self.y.next = self.a.val().get_bits::<4>(5);
});

block!(WidthFromNowhere { a: Signal<In, Signed<8>>, y: Signal<Out, Bit> }
#[hdl_gen] fn update(&mut self) {
    self.y.next = signed_bit_cast::<9, 8>(self.a.val()) < signed_bit_cast::<9, 8>(self.a.val());
});

/// A type that says it is wider than the bits that are assigned to it.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
struct Liar(Bits<8>);

impl From<Bits<8>> for Liar {
    fn from(value: Bits<8>) -> Liar {
        Liar(value)
    }
}

impl Synth for Liar {
    const BITS: usize = 9;

    fn descriptor() -> TypeDescriptor {
        TypeDescriptor { name: "Liar".into(), kind: TypeKind::Bits(9) }
    }

    fn vcd(self) -> VCDValue {
        self.0.vcd()
    }

    fn verilog(self) -> VerilogLiteral {
        self.0.verilog()
    }
}

block!(WidthMismatch { a: Signal<In, Bits<8>>, y: Signal<Out, Liar> }
#[hdl_gen] fn update(&mut self) {
    self.y.next = self.a.val().into();
});

#[test]
fn widths() {
    refused(&TooWideLiteral::default(), "top", "12c", "does not fit 8 bits");
    refused(&BeyondEnd::default(), "top", "a[", "a value of 8 bits");
    refused(&WidthFromNowhere::default(), "top", "a", "takes its width from an assignment");
    refused(&WidthMismatch::default(), "top", "a", "8 bits where 9 are needed");
}

block!(LoopThroughChild { a: Signal<In, Bits<8>>, y: Signal<Out, Bits<8>>, inner: Inner, other: Inner }
#[hdl_gen] fn update(&mut self) {
    self.inner.a.next = self.other.y.val() ^ self.a.val();
    self.other.a.next = self.inner.y.val();
    self.y.next = self.other.y.val();
});

#[test]
fn combinational_loops() {
    refused(&LoopThroughChild::default(), "top", "other", "combinational loop");
    let Err(error) = elaborate(&LoopThroughChild::default()) else { panic!("accepted") };
    let text = error.to_string();
    for net in ["inner.a", "inner.y", "other.a", "other.y"] {
        assert!(text.contains(net), "{net} is missing in the loop: {text}");
    }
}

block!(UnusedInput { a: Signal<In, Bits<8>>, b: Signal<In, Bit>, y: Signal<Out, Bits<8>> }
#[hdl_gen] fn update(&mut self) {
    self.y.next = self.a.val();
});

block!(UnusedLocal { a: Signal<In, Bits<8>>, idle: Signal<Local, Bits<8>>, y: Signal<Out, Bits<8>> }
#[hdl_gen] fn update(&mut self) {
    self.idle.next = self.a.val() + 1;
    self.y.next = self.a.val();
});

block!(UnusedBits { a: Signal<In, Bits<8>>, y: Signal<Out, Bits<4>> }
#[hdl_gen] fn update(&mut self) {
    self.y.next = self.a.val().get_bits::<4>(3);
});

block!(UnusedChildOutput { a: Signal<In, Bits<8>>, y: Signal<Out, Bits<8>>, inner: Inner }
#[hdl_gen] fn update(&mut self) {
    self.inner.a.next = self.a.val();
    self.y.next = self.a.val();
});

block!(UnusedInside { a: Signal<In, Bits<8>>, y: Signal<Out, Bits<4>>, bits: UnusedBits }
#[hdl_gen] fn update(&mut self) {
    self.bits.a.next = self.a.val();
    self.y.next = self.bits.y.val();
});

#[test]
fn unused() {
    refused(&UnusedInput::default(), "top", "b", "is not used");
    refused(&UnusedLocal::default(), "top", "idle", "is not used");
    refused(&UnusedBits::default(), "top", "a", "bits 0 to 2, 7 are not used");
    refused(&UnusedChildOutput::default(), "top", "inner_y", "is not used");
    refused(&UnusedInside::default(), "top.bits", "a", "bits 0 to 2, 7 are not used");
}

#[derive(LogicBlock)]
struct Generic<const N: usize> {
    a: Signal<In, Bits<8>>,
    y: Signal<Out, Bits<8>>,
    stages: Vec<Signal<Local, Bits<8>>>,
}

impl<const N: usize> Default for Generic<N> {
    fn default() -> Self {
        let stages = (0..N).map(|_| Signal::default()).collect();
        Generic { a: Default::default(), y: Default::default(), stages }
    }
}

impl<const N: usize> Logic for Generic<N> {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..N {
            self.stages[i].next = self.a.val();
        }
        self.y.next = self.stages[N - 1].val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("generic", "Refused.", constants![])
    }
}

const OFFSET: u64 = 3;

block!(UnnamedConstant { a: Signal<In, Bits<8>>, y: Signal<Out, Bits<8>> }
#[hdl_gen] fn update(&mut self) {
    self.y.next = self.a.val() + OFFSET;
});

/// Two of these would print their declaration twice.
#[derive(LogicBlock, Default)]
struct BlackBox {
    a: Signal<In, Bits<8>>,
    y: Signal<Out, Bits<8>>,
}

impl Logic for BlackBox {
    fn update(&mut self) {
        self.y.next = self.a.val();
    }

    fn connect(&mut self) {
        self.y.connect();
    }

    fn hdl(&self) -> ast::Verilog {
        Verilog::Blackbox(ast::BlackBox {
            code: "module box(input [7:0] a, output [7:0] y); endmodule".into(),
            name: "box".into(),
        })
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("black_box", "Refused.", constants![])
    }
}

block!(TwoBlackBoxes { a: Signal<In, Bits<8>>, y: Signal<Out, Bits<8>>, first: BlackBox, second: BlackBox }
#[hdl_gen] fn update(&mut self) {
    self.first.a.next = self.a.val();
    self.second.a.next = self.first.y.val();
    self.y.next = self.second.y.val();
});

#[derive(LogicBlock, Default)]
struct Nameless {
    a: Signal<In, Bits<8>>,
    y: Signal<Out, Bits<8>>,
}

impl Logic for Nameless {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.a.val();
    }
}

block!(OwnClock { clock: Signal<In, Domain>, a: Signal<In, Bits<8>>, y: Signal<Out, Bits<8>>, derived: Signal<Local, Domain>, r: Register<Bits<8>> }
#[hdl_gen] fn update(&mut self) {
    self.derived.next = self.clock.val();
    self.r.clock.next = self.derived.val();
    self.r.d.next = self.a.val();
    self.y.next = self.r.q.val();
});

block!(InOutPort { a: Signal<InOut, Bits<8>>, y: Signal<Out, Bits<8>> }
#[hdl_gen] fn update(&mut self) {
    self.y.next = self.a.val();
});

#[derive(LogicBlock)]
struct OneWord {
    a: Signal<In, Bits<1>>,
    y: Signal<Out, Bits<8>>,
    rom: AsyncRom<Bits<8>, Bits<1>>,
}

impl Logic for OneWord {
    #[hdl_gen]
    fn update(&mut self) {
        self.rom.address.next = self.a.val();
        self.y.next = self.rom.data.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("one_word", "Refused.", constants![])
    }
}

#[test]
fn unknown_constructs() {
    refused(&Generic::<4>::default(), "top", "N", "const generics have no value here");
    refused(&UnnamedConstant::default(), "top", "OFFSET", "name them in `describe`");
    refused(&TwoBlackBoxes::default(), "top.first", "block", "hand-written Verilog");
    refused(&Nameless::default(), "top", "block", "no description");
    refused(&OwnClock::default(), "top", "derived", "derived and gated clocks");
    refused(&InOutPort::default(), "top", "a", "bidirectional");
    let one_word = OneWord { a: Default::default(), y: Default::default(), rom: AsyncRom::new(vec![Bits::from(7)]) };
    refused(&one_word, "top", "rom", "at least two");
}

/// A module whose contents depend on a parameter that its name does not tell.
#[derive(LogicBlock)]
struct Stepper {
    a: Signal<In, Bits<8>>,
    y: Signal<Out, Bits<8>>,
    step: Constant<Bits<8>>,
}

impl Stepper {
    fn new(step: u64) -> Stepper {
        Stepper { a: Default::default(), y: Default::default(), step: Constant::new(step.into()) }
    }
}

impl Logic for Stepper {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.a.val() + self.step.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("stepper", "Adds a constant.", constants![])
    }
}

#[derive(LogicBlock)]
struct Steppers {
    a: Signal<In, Bits<8>>,
    y: Signal<Out, Bits<8>>,
    first: Stepper,
    second: Stepper,
}

impl Logic for Steppers {
    #[hdl_gen]
    fn update(&mut self) {
        self.first.a.next = self.a.val();
        self.second.a.next = self.first.y.val();
        self.y.next = self.second.y.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("steppers", "Two.", constants![])
    }
}

#[test]
fn module_names_tell_their_contents() {
    let steppers = |first, second| Steppers {
        a: Default::default(),
        y: Default::default(),
        first: Stepper::new(first),
        second: Stepper::new(second),
    };
    assert_eq!(elaborate(&steppers(3, 3)).unwrap().modules.len(), 2);
    refused(&steppers(3, 4), "top.second", "bl_stepper", "two different structures");
}
