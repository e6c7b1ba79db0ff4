//! Places of values with lanes. Most of them are needed for a few instructions only; where one is no longer needed, the
//! next one goes, so that few places are used, and these stay in the processor's nearest memory.

use std::collections::{HashMap, HashSet};

use super::super::action::Action;
use super::super::graph::{Graph, Id};
use super::super::groups::Groups;
use super::super::plan::{Plan, Task};
use super::each::LARGE;
use crate::layout::Slot;

/// From the first to the last task that has to do with a place.
struct Life {
    first: usize,
    last: usize,
    limbs: usize,
}

/// Puts large values where others were before. Code runs forwards only: what a task late in the order uses does not
/// matter earlier.
pub(crate) fn reuse(g: &Graph, groups: &Groups, plan: &mut Plan, order: &[usize]) {
    // What is not evaluated in every cycle must stay where it is, and so must whatever shares its place.
    let kept = |i: usize| groups.of[i].is_some();
    let fixed: HashSet<Slot> = (0..g.nodes.len()).filter(|&i| kept(i)).filter_map(|i| plan.slots[i]).collect();
    let mut lives: HashMap<Slot, Life> = HashMap::new();
    for (at, &task) in order.iter().enumerate() {
        for (slot, limbs) in places(g, plan, &plan.tasks[task]) {
            if slot >= plan.first && limbs >= LARGE && !fixed.contains(&slot) {
                let life = lives.entry(slot).or_insert(Life { first: at, last: at, limbs });
                life.last = at;
            }
        }
    }
    let mut order: Vec<(Slot, Life)> = lives.into_iter().collect();
    order.sort_unstable_by_key(|(slot, life)| (life.first, *slot));
    let mut moved: HashMap<Slot, Slot> = HashMap::new();
    // Places in use with the last task that uses them, and free ones with their sizes.
    let mut used: Vec<(usize, usize, Slot)> = vec![];
    let mut free: Vec<(usize, Slot)> = vec![];
    for (slot, life) in order {
        used.sort_unstable();
        let done = used.iter().take_while(|(last, ..)| *last < life.first).count();
        free.extend(used.drain(..done).map(|(_, limbs, slot)| (limbs, slot)));
        // The one that was used last.
        let place = match free.iter().rposition(|(limbs, _)| *limbs == life.limbs) {
            Some(at) => free.remove(at).1,
            None => slot,
        };
        used.push((life.last, life.limbs, place));
        moved.insert(slot, place);
    }
    let new = |slot: Slot| moved.get(&slot).copied().unwrap_or(slot);
    plan.slots.iter_mut().flatten().for_each(|slot| *slot = new(*slot));
    for task in &mut plan.tasks {
        if let Action::Move { from, to, .. } = &mut task.action {
            (*from, *to) = (new(*from), new(*to));
        }
    }
}

/// The places that a task reads or writes, with their limbs.
fn places(g: &Graph, plan: &Plan, task: &Task) -> Vec<(Slot, usize)> {
    let place = |id: Id| plan.slots[id.0 as usize].map(|slot| (slot, g.limbs(id)));
    match task.action {
        Action::Compute(id) => {
            let node = g.node(id);
            node.args.iter().copied().chain([id]).filter_map(place).collect()
        }
        Action::Move { from, to, limbs, .. } => vec![(from, limbs), (to, limbs)],
        Action::Store(index) => {
            let s = &g.stores[index];
            [Some(s.enable), Some(s.address), Some(s.data), s.mask].into_iter().flatten().filter_map(place).collect()
        }
        Action::Look | Action::Join => vec![],
    }
}
