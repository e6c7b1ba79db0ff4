//! Masks without a stack: in which blocks only some threads take part, in which order blocks run, and who waits.
//!
//! A branch on a value that varies may send threads to both sides. What is reached from it before its immediate
//! post-dominator is *masked*: the block has a mask row M, and threads that go there are put into M. From an unmasked
//! block the masked ones behind it run in the order of the layout, each on the threads of its M; threads for a header
//! that has run already are fetched by a jump back behind the last block of its loop. Then all threads have come to the
//! first unmasked post-dominator, and it runs. Between unmasked blocks the program jumps as a thread does. A block in
//! which others would wait for threads is masked, too.
//!
//! Where a branch in a masked block does not vary, all active threads go the same way, and need no mask to tell who
//! they are. So masked blocks make *regions*: the first one has a row M, and the others are entered by jumps from
//! within, as threads would jump, because no other way leads there and no branch on the way varies. Loops whose turns
//! are the same for all threads that are there have no words for masks then, and one turn can begin while windows are
//! still at work on the one before. Who leaves a region waits where he goes, and the program goes on behind its last
//! block.
//!
//! Who may wait where while a block runs is not argued but computed, along the jumps that are emitted.

use fixedbitset::FixedBitSet;

use super::Rule;
use crate::error::{Error, Result};
use crate::flow::dominators::Dominators;
use crate::flow::graph::Graph;
use crate::flow::loops::{self, Loop};
use crate::flow::{Successors, layout, reached, reversed};
use crate::ptx::ast::Module;

/// What the graph of a kernel says, whatever varies.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Successors of blocks.
    pub successors: Successors,
    /// Loops, inner ones first.
    pub loops: Vec<Loop>,
    /// Blocks in their order.
    pub order: Vec<usize>,
    /// The place of each block in it.
    pub place: Vec<usize>,
    post: Dominators,
}

impl Shape {
    /// That of a kernel.
    ///
    /// # Errors
    ///
    /// Loops with two ways in.
    pub fn of(module: &Module, graph: &Graph) -> Result<Shape> {
        let successors = graph.successors();
        let dominators = Dominators::of(&successors, 0);
        let loops = loops::natural(&successors, &dominators).map_err(|(_, to)| {
            let reason = "a loop with two ways in has no words: structure the kernel, or compile it with -O1";
            Error::source(&module.origin, graph.blocks[to].place, reason)
        })?;
        let post = Dominators::of(&reversed(&successors), graph.exit());
        let order = layout::order(&successors, &loops);
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, block)| place[*block] = at);
        Ok(Shape { successors, loops, order, place, post })
    }

    /// The outermost loop of a block.
    pub fn outermost(&self, block: usize) -> Option<&Loop> {
        self.loops.iter().rfind(|one| one.inside[block])
    }
}

/// Which blocks are masked, and how they follow each other.
#[derive(Clone, Debug)]
pub struct Masks {
    /// Blocks in which only some threads may take part.
    pub masked: Vec<bool>,
    /// Where the program goes behind a masked block: the next one, or where all threads meet.
    pub next: Vec<usize>,
    /// Headers that may have threads behind a masked block, inner ones first.
    pub repeats: Vec<Vec<usize>>,
    /// The first block of the region that a block is in; itself in all that are in none.
    pub first_of: Vec<usize>,
    /// The last block of that region.
    pub last_of: Vec<usize>,
    /// Where threads may wait while a block runs; the exit does not count.
    pub waits: Vec<FixedBitSet>,
}

impl Masks {
    /// Those of a kernel in which branches of these blocks vary.
    ///
    /// Where loops with one way in share their beginning, as `continue` makes them, threads may meet in it though
    /// others of them are still on their way through the outer loop: such a block is masked like those around it.
    pub fn of(graph: &Graph, shape: &Shape, varies: &[bool], without: Option<Rule>) -> Masks {
        let count = graph.blocks.len();
        let mut masked = vec![false; count];
        for block in (0..count).filter(|block| varies[*block]) {
            mask(shape, block, shape.post.immediate(block), &mut masked);
        }
        loop {
            let masks = Masks::around(graph, shape, varies, masked, without);
            // Who waits behind the first one may not, once that is masked.
            let mut order = shape.order.iter();
            let open = order.find(|block| !masks.masked[**block] && !masks.waits[**block].is_clear());
            // Without one of these threads wait where they must not.
            let left_out = matches!(without, Some(Rule::Repeats | Rule::Meetings | Rule::Beginnings));
            let Some(open) = open.filter(|_| !left_out) else { return masks };
            masked = masks.masked;
            masked[*open] = true;
            close(shape, graph.exit(), &mut masked);
        }
    }

    /// The same where these blocks are masked.
    fn around(graph: &Graph, shape: &Shape, varies: &[bool], masked: Vec<bool>, without: Option<Rule>) -> Masks {
        let count = masked.len();
        let exit = graph.exit();
        let meeting = |block: usize| shape.post.chain(block).skip(1).find(|other| !masked[*other]).unwrap_or(exit);
        let meets: Vec<usize> = (0..count).map(meeting).collect();
        let [first_of, last_of] = regions(shape, varies, &masked, &meets, without);
        let mut repeats = vec![Vec::new(); count];
        let has_row = |block: usize| masked[block] && first_of[block] == block;
        for one in shape.loops.iter().filter(|one| has_row(one.header) && without != Some(Rule::Repeats)) {
            let own = |block: &usize| one.inside[*block] && masked[*block] && meets[*block] == meets[one.header];
            if let Some(last) = (0..count).filter(own).max_by_key(|block| shape.place[*block]) {
                repeats[last].push(one.header);
            }
        }
        let next = (0..count).map(|block| following(shape, &masked, &meets, block, without)).collect();
        let waits = vec![FixedBitSet::with_capacity(count); count];
        let mut masks = Masks { masked, next, repeats, first_of, last_of, waits };
        masks.wait(graph, shape, varies);
        masks
    }

    /// The masked block that threads run first behind an unmasked one whose branch varies.
    pub fn first(&self, shape: &Shape, block: usize) -> usize {
        let masked = shape.successors[block].iter().copied().filter(|to| self.masked[*to]);
        masked.min_by_key(|to| shape.place[*to]).unwrap_or(self.next[block])
    }

    /// Whether a block has a row of threads that are to run it.
    pub fn has_row(&self, block: usize) -> bool {
        self.masked[block] && self.first_of[block] == block
    }

    /// Whether active threads go from a masked block to another one by a jump, where none of them goes elsewhere.
    pub fn stays(&self, from: usize, to: usize) -> bool {
        self.masked[from] && self.first_of[from] == self.first_of[to]
    }

    /// Computes who waits: along every jump go those who waited before it, and those whom the block has sent away.
    fn wait(&mut self, graph: &Graph, shape: &Shape, varies: &[bool]) {
        let mut changed = true;
        while changed {
            changed = false;
            for block in &shape.order {
                for (to, mut waits) in self.leave(graph, shape, varies, *block) {
                    waits.set(to, false);
                    waits.set(graph.exit(), false);
                    changed |= !waits.is_subset(&self.waits[to]);
                    self.waits[to].union_with(&waits);
                }
            }
        }
    }

    /// Where the program goes behind a block, and who waits then.
    pub(super) fn leave(
        &self,
        graph: &Graph,
        shape: &Shape,
        varies: &[bool],
        block: usize,
    ) -> Vec<(usize, FixedBitSet)> {
        let mut waits = self.waits[block].clone();
        if !self.masked[block] && !varies[block] {
            // All threads go the same way, or it is the exit.
            return shape.successors[block].iter().map(|to| (*to, waits.clone())).collect();
        }
        let stays = |to: &usize| !varies[block] && self.stays(block, *to);
        let (inside, outside): (Vec<usize>, Vec<usize>) = shape.successors[block].iter().partition(|to| stays(to));
        let mut found: Vec<(usize, FixedBitSet)> = Vec::new();
        for to in inside {
            let mut waits = waits.clone();
            waits.insert(to);
            found.push((to, waits));
        }
        if outside.is_empty() {
            return found;
        }
        waits.extend(outside);
        if !self.masked[block] {
            return vec![(self.first(shape, block), waits)];
        }
        let last = self.last_of[block];
        for header in &self.repeats[last] {
            found.push((*header, waits.clone()));
            waits.set(*header, false);
        }
        if block != graph.exit() {
            found.push((self.next[last], waits));
        }
        found
    }
}

/// Masks what is reached behind a block before threads meet.
fn mask(shape: &Shape, block: usize, meeting: Option<usize>, masked: &mut [bool]) {
    let region = reached(&shape.successors, shape.successors[block].iter().copied(), meeting);
    region.iter().zip(masked).for_each(|(reached, masked)| *masked |= reached);
}

/// Masks what is reached behind masked blocks, until there is no more.
fn close(shape: &Shape, exit: usize, masked: &mut [bool]) {
    let mut before = 0;
    loop {
        let blocks: Vec<usize> = (0..masked.len()).filter(|block| masked[*block]).collect();
        if blocks.len() == before {
            return;
        }
        before = blocks.len();
        for block in blocks {
            let meeting = shape.post.chain(block).skip(1).find(|other| !masked[*other]).unwrap_or(exit);
            mask(shape, block, Some(meeting), masked);
        }
    }
}

/// Regions, as long as they can be in the order of the blocks: the first block of each block's, and the last one. None
/// reaches out of a loop that it begins in, so that threads meet behind loops as they do without regions.
fn regions(shape: &Shape, varies: &[bool], masked: &[bool], meets: &[usize], without: Option<Rule>) -> [Vec<usize>; 2] {
    let before = reversed(&shape.successors);
    let [mut first_of, mut last_of]: [Vec<usize>; 2] = std::array::from_fn(|_| (0..masked.len()).collect());
    let mut at = 0;
    while let Some(&first) = shape.order.get(at) {
        let mut end = at + 1;
        if masked[first] {
            let innermost = shape.loops.iter().find(|one| one.inside[first]);
            let near = |block: &&usize| {
                masked[**block] && meets[**block] == meets[first] && innermost.is_none_or(|one| one.inside[**block])
            };
            end += shape.order[end..].iter().take_while(near).count();
            let enters = |end: usize, from: usize| {
                let others = without != Some(Rule::Entrances) && !(at..end).contains(&shape.place[from]);
                others || varies[from]
            };
            while let Some(cut) = (at + 1..end).find(|place| {
                let block = shape.order[*place];
                before[block].iter().any(|from| enters(end, *from))
            }) {
                end = cut;
            }
        }
        for block in &shape.order[at..end] {
            (first_of[*block], last_of[*block]) = (first, shape.order[end - 1]);
        }
        at = end;
    }
    [first_of, last_of]
}

/// Where the program goes behind a masked block.
fn following(shape: &Shape, masked: &[bool], meets: &[usize], block: usize, without: Option<Rule>) -> usize {
    let (here, meeting) = (shape.place[block], meets[block]);
    if without == Some(Rule::Meetings) {
        return shape.order.get(here + 1).copied().unwrap_or(meeting);
    }
    let until = shape.place[meeting];
    // Where threads meet at a header before, the rest of its loop comes first.
    let inside = shape.loops.iter().rfind(|one| one.header == meeting).map(|one| &one.inside);
    let between = |other: &usize| match until > here {
        true => shape.place[*other] < until,
        false => inside.is_some_and(|inside| inside[*other]),
    };
    let rest = shape.order[here + 1..].iter().copied();
    rest.filter(|other| masked[*other] && meets[*other] == meeting).find(|other| between(other)).unwrap_or(meeting)
}
