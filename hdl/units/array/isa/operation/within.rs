//! What of an operation an array of so many rows can reach.

use std::sync::OnceLock;

use super::{Condition, Disjoint, Extent, Operation};
use crate::array::isa::row::Operand;
use crate::array::isa::rows::Rows;

impl Operation {
    /// Without the programs that no command reaches in an array of so many rows: the operands' rows do not fit, or do
    /// not fit beside each other, wherever they are.
    pub fn within(&self, rows: usize) -> Operation {
        let apart = self.sets_apart();
        let fits = |n: u8, m: i32| {
            let needed = |set: &Vec<Rows>| set.iter().map(|rows| rows.value(n.into(), m).max(0)).sum::<i32>();
            apart.iter().all(|set| needed(set) <= rows as i32)
        };
        let seconds = |n: u8| self.seconds(n).unwrap_or((0, 0));
        let (low, high) = self.widths;
        let widths = || (low..=high).filter(|&n| self.check_width(n).is_ok());
        let some = |n: u8| (seconds(n).0..=seconds(n).1).any(|m| fits(n, m));
        let largest = widths().rev().find(|&n| some(n)).unwrap_or(0);
        let mut reached = vec![false; self.variants.len()];
        for n in widths().filter(|&n| n <= largest) {
            let (low, high) = seconds(n);
            for m in (low..=high).filter(|&m| fits(n, m)) {
                for (variant, reached) in self.variants.iter().zip(&mut reached) {
                    if variant.applies(n.into(), m as u32) {
                        *reached = true;
                        if !variant.when.iter().any(Condition::beside_widths) {
                            break;
                        }
                    }
                }
            }
            if reached.iter().all(|&reached| reached) {
                break;
            }
        }
        let mut kept = Operation { largest, needed: OnceLock::new(), ..self.clone() };
        let otherwise = kept.variants.last().is_some_and(|last| last.when.is_empty());
        let mut reached = reached.into_iter();
        kept.variants.retain(|_| reached.next().unwrap_or(true));
        if let Some(last) = kept.variants.last_mut().filter(|_| otherwise) {
            // Who comes so far meets its conditions on widths.
            last.when.retain(Condition::beside_widths);
        }
        kept
    }

    /// Rows of operands of which no two may overlap: all such sets.
    fn sets_apart(&self) -> Vec<Vec<Rows>> {
        let apart = |one: Operand, other: Operand| {
            let pair = |d: &Disjoint| (d.first == one && d.second == other) || (d.first == other && d.second == one);
            self.disjoint.iter().any(|d| pair(d) && !d.same_start)
        };
        let chosen = |subset: u32| {
            let bits = self.extents.iter().enumerate().filter(move |(i, _)| subset >> i & 1 == 1);
            bits.map(|(_, extent)| extent).collect::<Vec<_>>()
        };
        let all_apart = |set: &Vec<&Extent>| {
            set.iter().enumerate().all(|(i, one)| set[..i].iter().all(|other| apart(one.operand, other.operand)))
        };
        let sets = (0..1u32 << self.extents.len()).map(chosen).filter(all_apart);
        sets.map(|set| set.into_iter().map(|extent| extent.rows).collect()).collect()
    }
}
