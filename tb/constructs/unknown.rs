//! Constructs that the elaborator does not know are refused, never guessed at.

use rust_hdl_core::ast::{self, Verilog};

use super::errors::{block, refused};
use bitline::kernel::elaborate::elaborate;
use bitline::kernel::prelude::*;

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
