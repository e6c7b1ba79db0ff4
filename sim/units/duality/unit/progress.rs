//! How many blocks of a launch are done, while the whole unit is at work: by nets of the design. No register is read
//! for it, so that the unit is asked for nothing that it would not be asked for else.

use super::UnitMachine;
use crate::engine::{Engine, Lookup};
use crate::kernel::netlist::NetId;
use crate::model::duality::Launch;
use crate::units::duality::machine::Heard;

/// Looks at the status between two at the nets, which may have to be computed.
const EVERY: u64 = 64;

/// Who hears of it, and by which nets it is known.
pub(super) struct Told {
    heard: Heard,
    /// Waves that were dealt.
    dealt: NetId,
    /// Control blocks in which one is under way, a bit each.
    works: NetId,
    looks: u64,
    ended: u64,
}

impl<E: Engine> UnitMachine<E> {
    /// Who hears from now on how many blocks of a launch are done, whenever waves have ended.
    ///
    /// # Panics
    /// If the design has no front.
    pub fn on_progress(&mut self, heard: Heard) {
        let design = self.engine.design();
        let [dealt, works] = ["front.dispatch.number", "front.works"]
            .map(|path| design.find_net(path).unwrap_or_else(|| panic!("a unit has no {path}")));
        self.progress = Some(Told { heard, dealt, works, looks: 0, ended: 0 });
    }

    /// A launch begins.
    pub(super) fn progress_begins(&mut self) {
        if let Some(told) = &mut self.progress {
            (told.looks, told.ended) = (0, 0);
        }
    }

    /// Tells what is new, now and then; `at_once`: blocks of a wave.
    pub(super) fn look_at_progress(&mut self, launch: &Launch, at_once: u64) {
        let Some(told) = &mut self.progress else { return };
        told.looks += 1;
        if !told.looks.is_multiple_of(EVERY) {
            return;
        }
        let engine = &mut self.engine;
        let [dealt, works] = [told.dealt, told.works].map(|net| engine.low(net));
        let ended = dealt.saturating_sub(works.count_ones().into());
        if ended > told.ended {
            told.ended = ended;
            let total = launch.ctas();
            (told.heard)((ended * at_once).min(total), total);
        }
    }

    /// All are done.
    pub(super) fn progress_ends(&mut self, launch: &Launch) {
        if let Some(told) = &mut self.progress {
            let total = launch.ctas();
            (told.heard)(total, total);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use bitline_units::duality::DualityParams;
    use bitline_units::duality::isa::assemble::assemble;

    use super::super::How;
    use super::*;
    use crate::units::duality::kernels::KERNELS;
    use crate::units::duality::machine::Mode;

    /// Whoever hears how far a launch is changes nothing of it, on one control block and on two: cycles, counters and
    /// memory are the same, and the blocks that are done become more until they are all.
    #[test]
    fn duality_blocks_are_told_as_they_end() {
        for preset in ["tiny", "pair"] {
            let params = DualityParams::preset(preset).expect("a preset");
            let kernel = KERNELS.iter().find(|kernel| kernel.name == "gaussian").expect("a kernel");
            let task = kernel.task(&params, 1);
            let program = assemble(kernel.text, kernel.name, &params).expect("a program");
            let how = How { mode: Mode::Decoupled, host_fed: false, latency: 20, stalls: true };
            let ran = |heard: Option<Heard>| {
                let mut machine = UnitMachine::native(&params, 1).expect("legal");
                heard.into_iter().for_each(|heard| machine.on_progress(heard));
                let mut memory = task.memory.clone();
                let run = |launch| machine.run(&program, launch, &mut memory, how).expect("it runs");
                let found: Vec<_> = task.launches.iter().map(run).collect();
                (found, memory)
            };
            let told = Arc::new(Mutex::new(Vec::new()));
            let hears = Arc::clone(&told);
            let heard = ran(Some(Box::new(move |done, total| hears.lock().expect("alone").push((done, total)))));
            assert_eq!(heard, ran(None), "{preset}");
            let told = told.lock().expect("alone");
            let launches: Vec<&[(u64, u64)]> = told.split_inclusive(|(done, total)| done == total).collect();
            assert_eq!(launches.len(), task.launches.len(), "{told:?}");
            let at_once = |launch: &Launch| params.threads(program.arrays) as u64 / launch.cta();
            for (told, launch) in launches.iter().zip(&task.launches) {
                assert!(
                    told.is_sorted_by(|a, b| a.0 < b.0) && told.iter().all(|one| one.1 == launch.ctas()),
                    "{told:?}"
                );
                let (last, before) = told.split_last().expect("it ends");
                assert_eq!(last.0, launch.ctas());
                assert!(before.iter().all(|one| one.0.is_multiple_of(at_once(launch))), "{told:?}");
            }
            assert!(told.len() > task.launches.len(), "{preset}: {told:?}");
        }
    }
}
