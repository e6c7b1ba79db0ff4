//! Code that finds out which groups are due, and leaves out the others.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData as MemFlags, Value, types};

use super::translate::Translator;
use super::tree::Item;
use crate::context::Condition;
use crate::layout::{CHANGES, DUE, SEEN, Slot, Sources};

/// Words that are compared together.
const TOGETHER: usize = 8;
/// Words on which the same groups depend, from which on they are compared without others.
const ALONE: usize = 3;

impl Translator<'_, '_> {
    /// The groups of these branches that are due; if none is, all are skipped together.
    pub(super) fn due_groups(&mut self, branches: &[Item]) {
        let mask = |item: &Item| match item {
            Item::Branch(Condition::Group(group), _) => 1u64 << group,
            _ => 0,
        };
        let all = branches.iter().fold(0, |all, item| all | mask(item));
        let due = self.b.use_var(self.due);
        let any = self.b.ins().band_imm_s(due, all as i64);
        self.branch(
            any,
            &mut |t| match branches {
                [Item::Branch(_, arms)] => arms.iter().for_each(|(_, items)| t.items(items)),
                _ => {
                    let (first, second) = branches.split_at(branches.len() / 2);
                    t.due_groups(first);
                    t.due_groups(second);
                }
            },
            &mut |_| {},
        );
    }

    /// Looks which groups are due.
    pub(super) fn look(&mut self) {
        let sources = &self.edge.layout.sources;
        let (changes, seen) = (self.load(types::I64, CHANGES), self.load(types::I64, SEEN));
        self.store(changes, SEEN);
        let changed = self.b.ins().icmp(IntCC::NotEqual, changes, seen);
        let (all, none) = (self.number(u64::MAX), self.number(0));
        let all = self.b.ins().select(changed, all, none);
        let before = self.b.use_var(self.due);
        let before = self.b.ins().bor(before, all);
        self.b.def_var(self.due, all);
        let after: Vec<(&Sources, u64)> = sources.iter().filter_map(|s| Some((s, 1u64 << s.after?))).collect();
        if !after.is_empty() {
            self.look_after(before, &after);
        }
        for sources in sources.iter().filter(|s| s.after.is_none()) {
            if sources.rows { self.compare_rows(sources) } else { self.compare(sources) }
        }
        let due = self.b.use_var(self.due);
        self.store(due, DUE);
    }

    /// Compares what changes only when a group was due.
    fn look_after(&mut self, before: Value, after: &[(&Sources, u64)]) {
        let all = after.iter().fold(0, |all, (_, group)| all | group);
        let any = self.b.ins().band_imm_s(before, all as i64);
        self.branch(
            any,
            &mut |t| match after {
                [(sources, _)] if sources.rows => t.compare_rows(sources),
                [(sources, _)] => t.compare(sources),
                _ => {
                    let (first, second) = after.split_at(after.len() / 2);
                    t.look_after(before, first);
                    t.look_after(before, second);
                }
            },
            &mut |_| {},
        );
    }

    /// The same for rows, which are compared as wholes.
    fn compare_rows(&mut self, sources: &Sources) {
        let mut at = 0;
        for run in sources.masks.chunk_by(|a, b| a == b) {
            if run[0] != 0 {
                self.compare_row(sources.first + at, sources.seen + at, run.len() as u32, run[0]);
            }
            at += run.len() as u32;
        }
    }

    /// So many words on which the same groups depend.
    fn compare_row(&mut self, now: Slot, seen: Slot, count: u32, groups: u64) {
        let flags = MemFlags::new().with_notrap();
        let kinds = [types::I64X2, types::I64];
        let differ = kinds.map(|kind| self.b.declare_var(kind));
        let zero = self.number(0);
        let zeros = self.b.ins().splat(types::I64X2, zero);
        differ.into_iter().zip([zeros, zero]).for_each(|(differ, zero)| self.b.def_var(differ, zero));
        let (now, seen) = (self.address(now), self.address(seen));
        self.over_words(count, &mut |t, kind, at| {
            let (now, seen) = (t.b.ins().iadd(now, at), t.b.ins().iadd(seen, at));
            let (new, old) = (t.b.ins().load(kind, flags, now, 0), t.b.ins().load(kind, flags, seen, 0));
            t.b.ins().store(flags, new, seen, 0);
            let differ = differ[usize::from(kind == types::I64)];
            let (own, all) = (t.b.ins().bxor(new, old), t.b.use_var(differ));
            let all = t.b.ins().bor(all, own);
            t.b.def_var(differ, all);
        });
        let [pairs, mut any] = differ.map(|differ| self.b.use_var(differ));
        for lane in 0..2 {
            let own = self.b.ins().extractlane(pairs, lane);
            any = self.b.ins().bor(any, own);
        }
        let changed = self.b.ins().icmp_imm_s(IntCC::NotEqual, any, 0);
        let groups = self.number(groups);
        let groups = self.b.ins().select(changed, groups, zero);
        let due = self.b.use_var(self.due);
        let due = self.b.ins().bor(due, groups);
        self.b.def_var(self.due, due);
    }

    /// Groups whose sources differ from what they were are due. Most of the time none does, which is found out for some
    /// together.
    fn compare(&mut self, sources: &Sources) {
        let mut from = 0;
        for part in parts(&sources.masks) {
            let (now, seen) = (sources.first + from, sources.seen + from);
            from += part.len() as u32;
            let differ = self.differ(now, seen, part.len() as u32);
            self.branch(differ, &mut |t| t.compare_each(now, seen, part), &mut |_| {});
        }
    }

    /// Bits in which so many words differ from what they were.
    fn differ(&mut self, now: Slot, seen: Slot, count: u32) -> Value {
        let mut differ: Option<Value> = None;
        // Word by word: they were just written so, and a processor waits when it reads more at once than was written.
        for i in 0..count {
            let (new, old) = (self.load(types::I64, now + i), self.load(types::I64, seen + i));
            let own = self.b.ins().bxor(new, old);
            differ = Some(differ.map_or(own, |all| self.b.ins().bor(all, own)));
        }
        differ.expect("a part has words")
    }

    /// Some word of a part differs: the same for the words on which the same groups depend.
    fn compare_each(&mut self, now: Slot, seen: Slot, masks: &[u64]) {
        let mut due = self.b.use_var(self.due);
        let mut from = 0;
        for run in masks.chunk_by(|a, b| a == b) {
            let (first, last, count) = (now + from, seen + from, run.len() as u32);
            from += count;
            let groups = self.number(run[0]);
            let groups = if run.len() == masks.len() {
                groups
            } else {
                let differ = self.differ(first, last, count);
                let none = self.number(0);
                self.b.ins().select(differ, groups, none)
            };
            due = self.b.ins().bor(due, groups);
            for i in 0..count {
                let new = self.load(types::I64, first + i);
                self.store(new, last + i);
            }
        }
        self.b.def_var(self.due, due);
    }
}

/// Words that are compared together: as far as possible, the same groups depend on all of them.
fn parts(masks: &[u64]) -> Vec<&[u64]> {
    let (mut parts, mut begin, mut at) = (vec![], 0, 0);
    for run in masks.chunk_by(|a, b| a == b) {
        // A long run is compared alone, and so is what does not fit to what is before it.
        if run.len() >= ALONE || at + run.len() - begin > TOGETHER {
            parts.push(&masks[begin..at]);
            begin = at;
        }
        at += run.len();
        if run.len() >= ALONE {
            parts.extend(run.chunks(TOGETHER));
            begin = at;
        }
    }
    parts.push(&masks[begin..]);
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_same_groups_are_compared_together() {
        let lengths = |masks: &[u64]| parts(masks).into_iter().map(<[u64]>::len).collect::<Vec<_>>();
        assert!(parts(&[]).is_empty());
        assert_eq!(lengths(&[1; 19]), [8, 8, 3]);
        assert_eq!(lengths(&[1, 2, 2, 3, 3, 3, 4]), [3, 3, 1]);
        assert_eq!(lengths(&[1, 1, 2, 2, 3, 3, 4, 5, 5, 6]), [7, 3]);
    }

    #[test]
    fn parts_are_all_words_in_their_order() {
        let masks: Vec<u64> = (0..200u64).map(|i| i * i / 50 % 9).collect();
        assert_eq!(parts(&masks).concat(), masks);
        assert!(parts(&masks).iter().all(|part| (1..=TOGETHER).contains(&part.len())));
    }
}
