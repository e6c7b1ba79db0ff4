//! Rows: leaves whose paths differ in one number.

use std::collections::HashMap;

use super::super::graph::{Graph, Leaf, Op};

/// Most lanes of a row.
const MOST: usize = 1024;

/// A path with one number left out, and what leaves of a row must have in common: width, and whether a clock edge
/// changes them.
type Key = (String, String, u32, bool);

/// Where the numbers of a path are.
fn numbers(path: &str) -> Vec<(usize, usize)> {
    let bytes = path.as_bytes();
    let (mut all, mut at) = (vec![], 0);
    while at < bytes.len() {
        let from = at;
        while at < bytes.len() && bytes[at].is_ascii_digit() {
            at += 1;
        }
        // Longer ones are no indices.
        if (1..=9).contains(&(at - from)) {
            all.push((from, at));
        }
        at += usize::from(at == from);
    }
    all
}

/// The rows of a design: leaves in the order of their numbers. Of several numbers in a path, the one counts that makes
/// the longest row.
pub(super) fn rows(g: &Graph, fewest: usize) -> Vec<Vec<Leaf>> {
    let mut clocked = vec![false; g.leaves.len()];
    g.updates.iter().for_each(|u| clocked[u.leaf.0 as usize] = true);
    let narrow = (0..g.leaves.len()).filter(|&leaf| g.leaves[leaf] <= 64);
    let all = narrow.map(|leaf| (leaf, &*g.names[leaf], g.leaves[leaf], clocked[leaf]));
    series(all, fewest).into_iter().map(|row| row.into_iter().map(|leaf| Leaf(leaf as u32)).collect()).collect()
}

/// Rows of stores: those into memories of a row.
pub(super) fn stores(g: &Graph, fewest: usize) -> Vec<Vec<usize>> {
    let storage = |store: usize| &g.storages[g.stores[store].memory];
    let narrow = (0..g.stores.len()).filter(|&store| storage(store).width <= 64);
    series(narrow.map(|store| (store, &*storage(store).name, storage(store).width, true)), fewest)
}

/// Things, each with its path and with what those of a row must have in common, as rows.
fn series<'a>(things: impl Iterator<Item = (usize, &'a str, u32, bool)>, fewest: usize) -> Vec<Vec<usize>> {
    let keys = |path: &str, width: u32, clocked: bool| {
        let key = |(from, to): (usize, usize)| {
            let number: usize = path[from..to].parse().unwrap_or_default();
            let key: Key = (path[..from].into(), path[to..].into(), width, clocked);
            (key, number)
        };
        numbers(path).into_iter().map(key).collect::<Vec<_>>()
    };
    let all: Vec<(usize, Vec<(Key, usize)>)> =
        things.map(|(thing, path, width, clocked)| (thing, keys(path, width, clocked))).collect();
    let mut sizes: HashMap<&Key, usize> = HashMap::new();
    all.iter().flat_map(|(_, keys)| keys).for_each(|(key, _)| *sizes.entry(key).or_default() += 1);
    let mut rows: HashMap<&Key, Vec<(usize, usize)>> = HashMap::new();
    for (thing, keys) in &all {
        let longest = keys.iter().rev().max_by_key(|(key, _)| sizes[key]);
        if let Some((key, number)) = longest {
            rows.entry(key).or_default().push((*number, *thing));
        }
    }
    let mut rows: Vec<Vec<(usize, usize)>> =
        rows.into_values().filter(|row| (fewest..=MOST).contains(&row.len())).collect();
    rows.iter_mut().for_each(|row| row.sort_unstable());
    // The longest first, then in the order of the design.
    rows.sort_by_key(|row| (std::cmp::Reverse(row.len()), row[0].1));
    rows.into_iter().map(|row| row.into_iter().map(|(_, thing)| thing).collect()).collect()
}

/// Whether most leaves of a row take their values in the same way.
pub(super) fn alike(g: &Graph, row: &[Leaf]) -> bool {
    let mut next = vec![None; g.leaves.len()];
    g.updates.iter().for_each(|u| next[u.leaf.0 as usize] = Some(u.next));
    let mut counts: HashMap<Option<(u64, u32)>, usize> = HashMap::new();
    for leaf in row {
        let kind = next[leaf.0 as usize].map(|id| (kind(&g.node(id).op), g.node(id).width));
        *counts.entry(kind).or_default() += 1;
    }
    counts.values().any(|&count| count * 4 >= row.len() * 3)
}

/// A number for each kind of operation.
pub(super) fn kind(op: &Op) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    std::mem::discriminant(op).hash(&mut hasher);
    hasher.finish()
}
