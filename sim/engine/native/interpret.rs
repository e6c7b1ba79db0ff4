//! What the engine does where there is no compiler for the processor, or where it refuses a design: it evaluates its
//! state as the reference does, hundreds of times slower, and says so once.

use std::sync::Once;

use super::Native;
use crate::Engine;
use crate::graph::{Op, digits};
use crate::place::Place;
use crate::reference::{Changes, Values, edge};

impl Native {
    /// Why there is no code, if there is none: then every clock edge is evaluated as by [`crate::Reference`].
    pub fn interpreted(&self) -> Option<&str> {
        self.interpreted.as_deref()
    }

    /// From here on, without code.
    pub(super) fn do_without(&mut self, reason: String) {
        static TOLD: Once = Once::new();
        TOLD.call_once(|| {
            eprintln!("native engine: no machine code ({reason}): the reference engine's evaluation, which is slow");
        });
        self.interpreted = Some(reason);
    }

    /// One clock edge.
    pub(super) fn interpret(&mut self, reset: bool) {
        let Changes { registers, ports, words } = edge(&self.design, self, &mut Values::default(), reset);
        for (register, value) in registers {
            let width = self.design.net(self.design.registers[register].net).width;
            self.set_register(register, &digits(&value, width));
        }
        for (net, value) in ports {
            let Op::Leaf(leaf) = self.graph.node(self.graph.nets[net.0 as usize]).op else {
                unreachable!("clocked read ports are leaves")
            };
            let width = self.graph.leaves[leaf.0 as usize];
            Place::new(&self.layout, leaf, width).put(&mut self.state, &digits(&value, width));
        }
        for (memory, word, value) in words {
            self.set_word(memory, word, &digits(&value, self.design.memories[memory].width));
        }
        self.changed();
    }
}
