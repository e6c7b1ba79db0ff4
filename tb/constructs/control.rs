//! Order of assignments, conditions, matches.

use super::four_ways;
use super::loops::Adder;
use bitline::kernel::prelude::*;
use bitline::sim::oracle::oracle;

#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Mode {
    Idle,
    Load,
    Run,
    Done,
}
packed_enum!(Mode: Idle, Load, Run, Done);

#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Three {
    First,
    Second,
    Third,
}
packed_enum!(Three: First, Second, Third);

/// Outputs and locals read what was assigned last; inputs read their settled value.
#[derive(LogicBlock, Default)]
struct Order {
    a: Signal<In, Bits<8>>,
    b: Signal<In, Bits<8>>,
    local: Signal<Local, Bits<8>>,
    early: Signal<Local, Bits<8>>,
    first: Signal<Out, Bits<8>>,
    second: Signal<Out, Bits<8>>,
    third: Signal<Out, Bits<8>>,
    fourth: Signal<Out, Bits<8>>,
    fifth: Signal<Out, Bits<8>>,
    sixth: Signal<Out, Bits<8>>,
    seventh: Signal<Out, Bits<8>>,
    eighth: Signal<Out, Bits<8>>,
    child: Adder,
}

impl Logic for Order {
    #[hdl_gen]
    fn update(&mut self) {
        self.fifth.next = self.early.val() ^ 1;
        self.local.next = self.a.val() + self.b.val();
        self.first.next = self.local.val() + 1;
        self.local.next = self.local.val() ^ self.a.val();
        self.second.next = self.local.val();
        self.third.next = self.first.val() & self.b.val();
        self.first.next = self.first.val() - self.second.val();
        self.fourth.next = self.sixth.val() + 1;
        self.sixth.next = self.a.val() | self.b.val();
        self.early.next = self.b.val() - self.a.val();
        self.child.a.next = self.a.val();
        self.child.b.next = self.a.val();
        self.seventh.next = self.child.a.val() - self.child.b.val();
        self.child.b.next = self.b.val();
        self.eighth.next = self.child.y.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("order", "Assignments in order.", constants![])
    }
}

#[test]
fn order() {
    four_ways(oracle!(Order::default(); a, b), 11);
}

const THRESHOLD: u64 = 100;

/// Conditions and matches, nested, with and without default.
#[derive(LogicBlock)]
struct Choices {
    mode: Signal<In, Mode>,
    a: Signal<In, Bits<8>>,
    b: Signal<In, Bits<8>>,
    s: Signal<In, Bit>,
    t: Signal<In, Bit>,
    simple: Signal<Out, Bits<8>>,
    chain: Signal<Out, Bits<8>>,
    nested: Signal<Out, Bits<8>>,
    overridden: Signal<Out, Bits<8>>,
    exhaustive: Signal<Out, Bits<8>>,
    defaulted: Signal<Out, Bits<8>>,
    partial: Signal<Out, Bits<8>>,
    inner: Signal<Out, Bits<8>>,
    next_mode: Signal<Out, Mode>,
    is_run: Signal<Out, Bit>,
    through: Signal<Out, Bits<8>>,
    by_bool: Signal<Out, Bits<8>>,
    by_constant: Signal<Out, Bits<8>>,
    several: Signal<Out, Bits<8>>,
    state: Signal<Local, Mode>,
    _flag: bool,
    enabled: Constant<Bit>,
    offset: Constant<Bits<8>>,
}

impl Default for Choices {
    fn default() -> Self {
        Choices {
            mode: Default::default(),
            a: Default::default(),
            b: Default::default(),
            s: Default::default(),
            t: Default::default(),
            simple: Default::default(),
            chain: Default::default(),
            nested: Default::default(),
            overridden: Default::default(),
            exhaustive: Default::default(),
            defaulted: Default::default(),
            partial: Default::default(),
            inner: Default::default(),
            next_mode: Default::default(),
            is_run: Default::default(),
            through: Default::default(),
            by_bool: Default::default(),
            by_constant: Default::default(),
            several: Default::default(),
            state: Default::default(),
            _flag: true,
            enabled: Constant::new(true),
            offset: Constant::new(0x2a.into()),
        }
    }
}

impl Logic for Choices {
    #[hdl_gen]
    fn update(&mut self) {
        if self.s.val() {
            self.simple.next = self.a.val();
        } else {
            self.simple.next = self.b.val();
        }
        if self.a.val() == 0 {
            self.chain.next = 1.into();
        } else if self.a.val() < self.b.val() {
            self.chain.next = self.a.val();
        } else if self.s.val() & !self.t.val() {
            self.chain.next = self.b.val();
        } else {
            self.chain.next = bits::<8>(7);
        }
        self.nested.next = self.a.val();
        if self.s.val() {
            if self.t.val() {
                self.nested.next = self.b.val();
            }
            if self.b.val().any() {
                self.nested.next = self.nested.val() + 1;
            } else {
                self.nested.next = self.nested.val() - 1;
            }
        }
        self.overridden.next = self.a.val();
        if self.s.val() {
            self.overridden.next = self.b.val();
        }
        if self.t.val() {
            self.overridden.next = self.overridden.val() ^ 0x55;
        }
        match self.mode.val() {
            Mode::Idle => self.exhaustive.next = self.a.val(),
            Mode::Load => self.exhaustive.next = self.b.val(),
            Mode::Run => {
                self.exhaustive.next = self.a.val() + self.b.val();
            }
            Mode::Done => self.exhaustive.next = 0.into(),
        }
        match self.mode.val() {
            Mode::Run => self.defaulted.next = self.a.val(),
            _ => self.defaulted.next = self.b.val(),
        }
        self.partial.next = self.a.val();
        self.several.next = 1.into();
        match self.mode.val() {
            Mode::Idle => {}
            Mode::Load => {
                self.partial.next = self.b.val();
                self.several.next = self.partial.val() + 1;
            }
            Mode::Run => {
                if self.s.val() {
                    self.partial.next = 3.into();
                }
            }
            Mode::Done => self.several.next = 9.into(),
        }
        self.inner.next = 0.into();
        if self.s.val() {
            match self.mode.val() {
                Mode::Idle => self.inner.next = 1.into(),
                Mode::Load => self.inner.next = 2.into(),
                Mode::Run => match self.t.val() {
                    true => self.inner.next = self.a.val(),
                    false => self.inner.next = self.b.val(),
                },
                Mode::Done => self.inner.next = 4.into(),
            }
        }
        self.state.next = self.mode.val();
        if self.t.val() {
            self.state.next = Mode::Run;
        }
        self.next_mode.next = self.state.val();
        self.is_run.next = self.state.val() == Mode::Run;
        match self.state.val() {
            Mode::Idle => self.through.next = self.a.val(),
            Mode::Load => self.through.next = self.b.val(),
            Mode::Run => self.through.next = 0xf0.into(),
            Mode::Done => self.through.next = 0x0f.into(),
        }
        match self.s.val() {
            true => self.by_bool.next = self.a.val() + THRESHOLD,
            false => self.by_bool.next = self.b.val(),
        }
        if self.enabled.val() {
            self.by_constant.next = self.a.val() + self.offset.val();
        } else {
            self.by_constant.next = self.b.val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("choices", "Conditions and matches.", constants![THRESHOLD])
    }
}

#[test]
fn choices() {
    four_ways(oracle!(Choices::default(); mode, a, b, s, t), 12);
}

/// A state machine with three states: the pattern without a state must never be reached, nor make a latch.
#[derive(LogicBlock, Default)]
struct Machine {
    clock: Signal<In, Domain>,
    go: Signal<In, Bit>,
    busy: Signal<Out, Bit>,
    last: Signal<Out, Bit>,
    state: Register<Three>,
}

impl Logic for Machine {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state);
        self.busy.next = true;
        match self.state.q.val() {
            Three::First => {
                self.busy.next = false;
                if self.go.val() {
                    self.state.d.next = Three::Second;
                }
            }
            Three::Second => self.state.d.next = Three::Third,
            Three::Third => self.state.d.next = Three::First,
        }
        self.last.next = self.state.q.val() == Three::Third;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("machine", "Three states.", constants![])
    }
}

#[test]
fn machine() {
    four_ways(oracle!(Machine::default(), clock; go), 13);
}
