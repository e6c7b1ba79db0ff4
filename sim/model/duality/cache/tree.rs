//! Tree-PLRU of a set: nodes as the hardware keeps them, walked from the root.

/// The nodes: bit n is node n, whose halves are nodes 2n + 1 and 2n + 2; 1 where the right half is older.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tree(u64);

impl Tree {
    /// The nodes.
    pub fn bits(self) -> u64 {
        self.0
    }

    /// A way is used: every node above it points away from it.
    pub fn touch(&mut self, way: usize, leaves: usize) {
        let mut node = way + leaves - 1;
        while node > 0 {
            let above = (node - 1) / 2;
            let left = node % 2 == 1;
            self.0 = self.0 & !(1 << above) | u64::from(left) << above;
            node = above;
        }
    }

    /// The way to which the nodes point among those of the mask, of which there must be one.
    pub fn oldest(self, serving: u32, leaves: usize) -> usize {
        let (mut node, mut from, mut size) = (0, 0, leaves);
        while size > 1 {
            size /= 2;
            let some = |from: usize| u64::from(serving) >> from & ((1 << size) - 1) != 0;
            let right = self.0 >> node & 1 == 1 && some(from + size) || !some(from);
            node = 2 * node + 1 + usize::from(right);
            from += if right { size } else { 0 };
        }
        from
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_ways_are_used_in_turn() {
        let mut tree = Tree::default();
        let order: Vec<usize> = (0..8)
            .map(|_| {
                let way = tree.oldest(15, 4);
                tree.touch(way, 4);
                way
            })
            .collect();
        assert_eq!(order, [0, 2, 1, 3, 0, 2, 1, 3]);
        // Of ways 1 and 3 the other one, whatever 0 and 2 are.
        for last in [1, 3] {
            tree.touch(last, 4);
            tree.touch(last - 1, 4);
            tree.touch(last, 4);
            assert_eq!(tree.oldest(0b1010, 4), 4 - last);
        }
        assert_eq!(Tree(7).oldest(1, 4), 0);
    }
}
