//! What the elaborator must refuse, with the instance path, the signal and the rule.

use rust_hdl_core::ast;
use rust_hdl_core::prelude::Block;

use bitline::error::Error;
use bitline::kernel::elaborate::elaborate;
use bitline::kernel::prelude::*;

/// The block is refused at this path and signal, by a rule that says this.
#[track_caller]
pub(super) fn refused(block: &dyn Block, path: &str, signal: &str, rule: &str) {
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
pub(super) use block;

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

/// A row as rust-hdl's structures take it: with a cast to its constant width, which is 0.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
struct Held(Row);

impl From<Held> for Bits<0> {
    fn from(_: Held) -> Bits<0> {
        Bits::default()
    }
}

impl Synth for Held {
    const BITS: usize = Row::BITS;

    fn descriptor() -> TypeDescriptor {
        Row::descriptor()
    }

    fn vcd(self) -> VCDValue {
        self.0.vcd()
    }

    fn verilog(self) -> VerilogLiteral {
        self.0.verilog()
    }
}

/// Its second field lies behind one whose width is set at run time.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
struct Labelled {
    held: Held,
    label: Bits<4>,
}

block!(RunTimeField { a: Signal<In, Bits<4>>, y: Signal<Out, Labelled> }
#[hdl_gen] fn update(&mut self) {
    self.y.next.label = self.a.val();
});

block!(RunTimeFieldInside { a: Signal<In, Bits<4>>, y: Signal<Out, Bits<4>>, inner: RunTimeField }
#[hdl_gen] fn update(&mut self) {
    self.inner.a.next = self.a.val();
    self.y.next = self.inner.y.val().label;
});

#[test]
fn structures_have_fixed_widths() {
    let _widths = Widths::keep().set::<Row>(8);
    refused(&RunTimeField::default(), "top", "y", "width is set at run time");
    refused(&RunTimeFieldInside::default(), "top.inner", "y", "width is set at run time");
}

bundle! {
    /// What its name keeps out of Verilog.
    pub QuietSink "QuietSource", QuietSource "QuietSink" {
        /// As the block's own.
        In a: Bits<8>,
    }
}

block!(NamesakePorts { a: Signal<In, Bits<8>>, from_: QuietSink, y: Signal<Out, Bits<8>> }
#[hdl_gen] fn update(&mut self) {
    self.y.next = self.a.val() + self.from_.a.val();
});

#[test]
fn ports_of_one_name() {
    refused(&NamesakePorts::default(), "top", "from_$a", "another port's name");
}

block!(LoopThroughChild { a: Signal<In, Bits<8>>, y: Signal<Out, Bits<8>>, inner: Inner, other: Inner }
#[hdl_gen] fn update(&mut self) {
    self.inner.a.next = self.other.y.val() ^ self.a.val();
    self.other.a.next = self.inner.y.val();
    self.y.next = self.other.y.val();
});

#[test]
fn combinational_loops() {
    refused(&LoopThroughChild::default(), "top", "inner_a", "combinational loop");
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
