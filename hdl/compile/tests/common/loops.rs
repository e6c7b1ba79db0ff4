//! Loops of random kernels, and addresses that count in them.

use rand::Rng;

use super::random::{REGISTERS, Random};

impl Random {
    /// A loop of a few turns, by a number that is the same for all threads or by one that is not.
    pub(super) fn repeat(&mut self, depth: usize) {
        let counter = self.loops;
        self.loops += 1;
        let (head, next, out) = (self.label(), self.label(), self.label());
        let limit = if self.random.random_bool(0.5) { "%u1".to_string() } else { self.register() };
        self.line(&format!("mov.b32 %c{counter}, 0; and.b32 %c{}, {limit}, 3;", 16 + counter));
        let walk = self.walks.random_bool(0.4).then(|| self.walk(counter));
        self.line(&format!("{head}:"));
        let early = self.random.random_bool(0.5);
        let test = format!("setp.ge.s32 %p4, %c{counter}, %c{}; @%p4 bra {out};", 16 + counter);
        if early {
            self.line(&test);
        }
        self.around.push((out.clone(), next.clone()));
        let count = self.random.random_range(1..4);
        self.statements(count, depth + 1);
        self.around.pop();
        self.line(&format!("{next}:"));
        self.line(&format!("add.s32 %c{counter}, %c{counter}, 1;"));
        walk.iter().for_each(|step| self.line(step));
        if !early {
            self.line(&test);
        }
        self.line(&format!("bra.uni {head};"));
        self.line(&format!("{out}:"));
    }

    /// An address that counts in a loop, the same for all threads or not, by a step that is the same for all or not;
    /// returns what each turn does with it.
    fn walk(&mut self, counter: usize) -> String {
        let [d, from, by] = [(); 3].map(|()| format!("%r{}", self.walks.random_range(0..REGISTERS)));
        let walk = format!("%w{counter}");
        let (stays, sum) = (format!("%w{}", 12 + counter), format!("%w{}", 24 + counter));
        let begin = match self.walks.random_range(0..3) {
            0 => format!("ld.param.u32 {walk}, [in];"),
            1 => format!("and.b32 %t0, {from}, 7; mad.lo.s32 {walk}, %t0, 4, %t1;"),
            // What it begins with stays.
            _ => format!("and.b32 {stays}, {from}, 12; add.s32 {sum}, {stays}, %t1; mov.b32 {walk}, {sum};"),
        };
        self.line(&begin);
        match self.walks.random_range(0..4) {
            0 => format!("ld.global.u32 {d}, [{walk}+4]; add.s32 {walk}, {walk}, 4;"),
            1 => format!("and.b32 %t0, %u1, 4; add.s32 {walk}, {walk}, %t0; ld.global.u32 {d}, [{walk}];"),
            2 => format!("ld.global.u32 {d}, [{walk}]; and.b32 %t0, {by}, 4; add.s32 {walk}, %t0, {walk};"),
            _ => format!("add.s32 {sum}, {walk}, 8; ld.global.u32 {d}, [{sum}]; add.s32 {walk}, {walk}, 4;"),
        }
    }
}
