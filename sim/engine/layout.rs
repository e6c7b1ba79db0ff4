//! Where values are in the state.

use std::collections::HashMap;

use super::graph::{Graph, Id, Leaf, Op};
use super::groups::Groups;
use super::lanes::each::padded;

/// Number of a word of the state.
pub(crate) type Slot = u32;

/// Where values are in the state.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// Words of the state.
    pub size: usize,
    /// Zeros, as many as the widest word of a memory has.
    pub zeros: Slot,
    constants: Vec<(Slot, Vec<u64>)>,
    known: HashMap<Vec<u64>, Slot>,
    leaves: Vec<Slot>,
    /// Where the bits of a leaf begin in its word; only lanes have neighbours there.
    shifts: Vec<u8>,
    /// Leaves that share their word with others.
    narrow: Vec<bool>,
    /// Values may have lanes.
    rows: bool,
    /// Words before the first line of the processor's memory in a state.
    line: Option<usize>,
    /// Leaves on which nothing depends that is not evaluated in every cycle.
    free: Vec<bool>,
    /// Where the sources are.
    pub sources: Vec<Sources>,
}

/// Sources that are compared with what they were at the same time.
#[derive(Clone, Debug, Default)]
pub(super) struct Sources {
    pub first: Slot,
    /// Last values.
    pub seen: Slot,
    /// Groups that depend on each word.
    pub masks: Vec<u64>,
    /// They are compared after cycles in which this group was due; each time without it.
    pub after: Option<usize>,
    /// They are rows.
    pub rows: bool,
}

/// Words that a state has at least: large ones begin at the same distance from a line of the processor's memory.
pub(super) const LENGTH: usize = 1 << 16;
/// Groups that are due, a bit each.
pub(super) const DUE: Slot = 0;
/// Counts changes from outside, after which every group is due.
pub(super) const CHANGES: Slot = 1;
/// The count of changes at the last cycle.
pub(super) const SEEN: Slot = 2;
/// The bit of what only the outside changes.
const OUTSIDE: usize = 63;

impl Layout {
    /// Sources come first.
    pub fn new(g: &Graph, groups: &Groups) -> Layout {
        let count = g.leaves.len();
        let (leaves, shifts, rows) = (vec![0; count], vec![0; count], g.rows.is_some());
        let narrow = g.parts.iter().map(|part| part.is_some_and(|(row, _)| g.lane_bits[row.0 as usize] < 64)).collect();
        let mut layout = Layout { leaves, shifts, narrow, rows, size: 3, ..Layout::default() };
        let widest = g.storages.iter().map(|s| s.width.div_ceil(64)).max().unwrap_or(0);
        layout.zeros = layout.reserve(widest as usize);
        let mut busy = vec![true; g.leaves.len()];
        // What a group updates changes only when that is due.
        let mut after = vec![Some(OUTSIDE); g.leaves.len()];
        for (update, copy) in g.updates.iter().zip(&groups.copy) {
            after[update.leaf.0 as usize] = copy.or(groups.of[update.next.0 as usize]);
        }
        let leaves = g.nodes.iter().zip(&groups.sources).filter(|(_, mask)| **mask != 0);
        let mut leaves: Vec<(bool, Option<usize>, Leaf, u64)> = leaves
            .filter_map(|(node, &mask)| match node.op {
                Op::Leaf(leaf) => Some((g.is_row(leaf), after[leaf.0 as usize], leaf, mask)),
                _ => None,
            })
            .collect();
        // Words on which the same groups depend lie together, so that they are compared as one.
        leaves.sort_by_key(|&(rows, after, _, mask)| (rows, after, mask));
        let mut sources: Vec<Sources> = vec![];
        for (rows, after, leaf, mask) in leaves {
            let limbs = layout.place(g, leaf);
            busy[leaf.0 as usize] = false;
            let first = layout.leaf(leaf);
            if sources.last().is_none_or(|last| (last.rows, last.after) != (rows, after)) {
                sources.push(Sources { first, after, rows, ..Sources::default() });
            }
            let last = sources.last_mut().expect("there is one");
            // Nothing depends on what is between rows.
            last.masks.resize((first - last.first) as usize, 0);
            last.masks.extend(std::iter::repeat_n(mask, limbs));
        }
        layout.sources = sources;
        layout.free =
            busy.iter().zip(&after).map(|(&busy, after)| busy && after.is_none_or(|a| a == OUTSIDE)).collect();
        let part = |leaf: Leaf| g.parts[leaf.0 as usize];
        for leaf in (0..g.leaves.len() as u32).map(Leaf).filter(|&l| busy[l.0 as usize] && part(l).is_none()) {
            layout.place(g, leaf);
        }
        for leaf in (0..g.leaves.len() as u32).map(Leaf) {
            if let Some((whole, bit)) = g.bits_in_row(leaf) {
                layout.leaves[leaf.0 as usize] = layout.leaf(whole) + bit / 64;
                layout.shifts[leaf.0 as usize] = (bit % 64) as u8;
                layout.free[leaf.0 as usize] = layout.free[whole.0 as usize];
            }
        }
        let mut size = layout.size;
        for sources in &mut layout.sources {
            sources.seen = size as Slot;
            size += sources.masks.len();
        }
        layout.size = size;
        layout
    }

    fn place(&mut self, g: &Graph, leaf: Leaf) -> usize {
        let limbs = g.leaves[leaf.0 as usize].div_ceil(64) as usize;
        self.leaves[leaf.0 as usize] = if g.is_row(leaf) { self.reserve_row(limbs) } else { self.reserve(limbs) };
        limbs
    }

    pub fn reserve(&mut self, limbs: usize) -> Slot {
        let slot = self.size as Slot;
        self.size += limbs;
        slot
    }

    /// A place for a value, which may have lanes.
    pub fn reserve_value(&mut self, limbs: usize) -> Slot {
        if self.rows && limbs > 1 { self.reserve_row(limbs) } else { self.reserve(limbs) }
    }

    /// The same, where a line of the processor's memory begins if the state is where states usually are: vectors across
    /// lines take longer.
    pub fn reserve_row(&mut self, limbs: usize) -> Slot {
        let line = *self.line.get_or_insert_with(|| {
            let state = vec![0u64; LENGTH];
            state.as_ptr().align_offset(64)
        });
        self.size += (line + 8 - self.size % 8) % 8;
        // Loops take whole blocks.
        self.reserve(padded(limbs))
    }

    /// Whether a change of this leaf from outside needs no attention: whatever depends on it is evaluated anyway.
    pub fn free(&self, leaf: Leaf) -> bool {
        self.free[leaf.0 as usize]
    }

    pub fn leaf(&self, leaf: Leaf) -> Slot {
        self.leaves[leaf.0 as usize]
    }

    /// Where the bits of a leaf begin in its word.
    pub fn shift(&self, leaf: Leaf) -> u8 {
        self.shifts[leaf.0 as usize]
    }

    /// Writes the constants.
    pub fn fill(&self, state: &mut [u64]) {
        for (slot, value) in &self.constants {
            state[*slot as usize..][..value.len()].copy_from_slice(value);
        }
    }

    /// The place of a constant.
    pub fn constant(&mut self, value: &[u64]) -> Slot {
        if let Some(&slot) = self.known.get(value) {
            return slot;
        }
        let slot = self.reserve_value(value.len());
        self.known.insert(value.to_vec(), slot);
        self.constants.push((slot, value.to_vec()));
        slot
    }

    /// Whether a leaf has its words for itself.
    pub fn is_alone(&self, leaf: Leaf) -> bool {
        !self.narrow[leaf.0 as usize]
    }

    /// The place of a constant or leaf.
    pub fn fixed(&mut self, g: &Graph, id: Id) -> Option<Slot> {
        match &g.node(id).op {
            Op::Leaf(leaf) => Some(self.leaf(*leaf)),
            Op::Const(value) => Some(self.constant(value)),
            _ => None,
        }
    }
}
