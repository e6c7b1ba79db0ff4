//! Model of what counts steps in the unit.

/// The block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flight {
    /// Steps in the lanes.
    pub steps: u32,
    /// Rows of a reduction in lanes and tree.
    pub reductions: u32,
}

impl Flight {
    /// Something is in the unit, or goes there.
    pub fn flying(&self, issue: bool) -> bool {
        issue || self.steps > 0 || self.reductions > 0
    }

    /// A step is in the lanes, or goes there.
    pub fn stepping(&self, issue: bool) -> bool {
        issue || self.steps > 0
    }

    /// A clock cycle: a step goes to the unit, a reduction's row ends with it; a step leaves the lanes, a result the
    /// tree.
    pub fn step(&mut self, issue: bool, ends: bool, retire: bool, result: bool) {
        self.steps = self.steps + u32::from(issue) - u32::from(retire);
        self.reductions = self.reductions + u32::from(issue && ends) - u32::from(result);
    }
}
