//! Bundles: names of their signals, ends joined and handed on, bundles in registers.

use super::{four_ways, netlist};
use bitline::kernel::prelude::*;
use bitline::sim::oracle::oracle;

bundle! {
    /// A sample on its way.
    pub SampleSink "SampleSource", SampleSource "SampleSink", registers SampleStage {
        In valid: Bit; /// There is one.
        In low, high: Bits<6>; /// Its halves.
    }

    /// A mark that goes with it.
    pub MarkSink "MarkSource", MarkSource "MarkSink", pipes MarkStage {
        In mark: Bits<3>; /// The mark.
    }
}

hdl_block! {
    /// Two stages, of which the second counts what leaves.
    pub Stages {
        In clock: Domain; /// Clock and reset.
        In advance: Bit; /// The stages move.
        Bus in__: SampleSink; /// What comes in.
        Bus mark_in__: MarkSink; /// Its mark.
        Bus own_: SampleSource; /// What leaves.
        Bus mark_: MarkSource; /// Its mark.
        Out count: Bits<4>; /// How many have left.
    } inside {
        Child first, second: SampleStage;
        Child marks: MarkStage;
        Register left: Bits<4>;
    }
}

impl Logic for Stages {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, first, second, marks);
        dff_setup!(self, clock, left);
        SampleSource::join(&mut self.first.q, &mut self.first.d);
        SampleSource::join(&mut self.second.q, &mut self.second.d);
        MarkSink::link(&mut self.mark_in__, &mut self.marks.d);
        MarkSource::link(&mut self.mark_, &mut self.marks.q);
        if self.advance.val() {
            SampleSink::link(&mut self.in__, &mut self.first.d);
            SampleSource::join(&mut self.first.q, &mut self.second.d);
            self.second.d.low.next = self.first.q.low.val() + 1;
            if self.second.q.valid.val() {
                self.left.d.next = self.left.q.val() + 1;
            }
        }
        SampleSource::link(&mut self.own_, &mut self.second.q);
        self.count.next = self.left.q.val();
    }

    described! { "stages", "Bundles in registers." }
}

#[test]
fn bundles_in_registers() {
    four_ways(oracle!(Stages::default(), clock; advance, in__.valid, in__.low, in__.high, mark_in__.mark), 51);
}

#[test]
fn names_of_ports_and_registers() {
    let netlist = netlist(&Stages::default());
    let top = netlist.top();
    let ports: Vec<&str> = top.ports.iter().map(|port| top.net(port.net).name.as_str()).collect();
    assert_eq!(
        ports,
        ["advance", "in_valid", "in_low", "in_high", "mark_in_mark", "valid", "low", "high", "mark", "count"]
    );
    let registers: Vec<(&str, bool)> =
        top.registers.iter().map(|r| (top.net(r.net).name.as_str(), r.reset.is_some())).collect();
    assert!(registers.contains(&("first_low", true)) && registers.contains(&("marks_mark", false)), "{registers:?}");
}
