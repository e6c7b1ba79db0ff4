//! What nets show in a cycle, for whoever asks: for one of them, or for where the values of some are.

use crate::Kept;
use crate::graph::{Op, digits};
use crate::kernel::netlist::NetId;
use crate::native::Native;
use crate::place::Place;
use crate::probe::OFTEN;
use crate::reference::Values;

/// Nets that are asked for together.
#[derive(Debug, Default)]
pub(super) struct Watched {
    nets: Vec<NetId>,
    /// How often they were asked for, up to [`OFTEN`].
    asked: u32,
    /// Where their values are, as long as code and probe are these.
    places: Vec<Place>,
    made: (u64, u64),
    /// Whether the probe must run for them.
    computed: bool,
    /// How often they were somewhere else.
    version: u64,
}

impl Native {
    /// The value of a net in this cycle, which is computed if need be: hands its limbs on.
    pub(super) fn with_value<T>(&mut self, net: NetId, use_it: impl FnOnce(&[u64]) -> T) -> T {
        let id = self.graph.nets[net.0 as usize];
        match self.graph.node(id).op {
            Op::Const(ref value) => return use_it(value),
            Op::Leaf(leaf) => {
                return use_it(&Place::new(&self.layout, leaf, self.graph.leaves[leaf.0 as usize]).get(&self.state));
            }
            _ => {}
        }
        self.now += u64::from(std::mem::take(&mut self.fresh));
        self.make_probe();
        if let Some(slot) = self.probe.find(id, self.now, &mut self.state, &mut self.words) {
            return use_it(&self.state[slot as usize..][..self.graph.limbs(id)]);
        }
        self.probe.count(id, &self.graph);
        if self.values.1 != self.now {
            self.values = (Values::default(), self.now);
        }
        let mut values = std::mem::take(&mut self.values.0);
        let value = values.net(&self.design, self, net);
        self.values.0 = values;
        use_it(&digits(&value, self.design.net(net).width))
    }

    /// Gives the state the layout's size.
    fn grow(&mut self) {
        let size = self.state.len().max(self.layout.size);
        self.state.resize(size, 0);
        self.layout.fill(&mut self.state);
    }

    /// Makes the code for nets that are asked for often, if there are others now.
    fn make_probe(&mut self) {
        if self.interpreted.is_none() && self.probe.stale(self.now) {
            let made = self.probe.make(&self.graph, &mut self.layout, &self.memories, self.words.len());
            made.unwrap_or_else(|reason| self.do_without(reason));
            self.grow();
        }
    }

    /// Where the values of nets in this cycle are, if they are asked for often.
    pub(super) fn find_shown(&mut self, nets: &[NetId]) -> Option<Kept<'_>> {
        let number = self.watched.iter().position(|watched| watched.nets == nets).unwrap_or_else(|| {
            self.watched.push(Watched { nets: nets.to_vec(), ..Watched::default() });
            self.watched.len() - 1
        });
        let watched = &mut self.watched[number];
        watched.asked += u32::from(watched.asked < OFTEN);
        if watched.asked < OFTEN || self.interpreted.is_some() {
            return None;
        }
        self.now += u64::from(std::mem::take(&mut self.fresh));
        if self.watched[number].made != (self.version, self.probe.makes) {
            self.place_shown(number)?;
        }
        let watched = &self.watched[number];
        if watched.computed {
            self.probe.run(self.now, &mut self.state, &mut self.words);
        }
        Some(Kept { state: &self.state, places: &watched.places, version: watched.version })
    }

    /// Finds the places of watched nets; nothing if there is no code for one of them.
    fn place_shown(&mut self, number: usize) -> Option<()> {
        let nodes = self.watched[number].nets.iter().map(|net| self.graph.nets[net.0 as usize]);
        let nodes: Vec<_> = nodes.collect();
        let computed = |op: &Op| !matches!(op, Op::Leaf(_) | Op::Const(_));
        nodes.iter().filter(|id| computed(&self.graph.node(**id).op)).for_each(|&id| self.probe.want(id, &self.graph));
        self.make_probe();
        let mut places = vec![];
        for &id in &nodes {
            let width = self.graph.node(id).width.max(1);
            places.push(match &self.graph.node(id).op {
                Op::Leaf(leaf) => Place::new(&self.layout, *leaf, self.graph.leaves[leaf.0 as usize]),
                Op::Const(value) => Place::whole(self.layout.constant(value), width),
                _ => Place::whole(self.probe.slot(id)?, width),
            });
        }
        self.grow();
        let watched = &mut self.watched[number];
        watched.computed = nodes.iter().any(|&id| computed(&self.graph.node(id).op));
        (watched.places, watched.made) = (places, (self.version, self.probe.makes));
        watched.version += 1;
        Some(())
    }
}
