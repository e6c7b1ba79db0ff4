//! A stand-in for a compute unit with many lanes: an ALU, masks, three products a lane, alignment, and a tree over all
//! lanes.

use super::design::Design;
use super::random::compare;
use crate::Native;
use crate::kernel::flat::Flat;
use crate::kernel::netlist::{Binary as B, ExprId, NetId, Unary};

/// A unit, the inputs of its lanes, and those that control it.
struct Unit {
    d: Design,
    lanes: Vec<[NetId; 3]>,
    control: Vec<NetId>,
}

impl Unit {
    fn input(&mut self, path: &str, width: u32) -> (NetId, ExprId) {
        let (net, e) = self.d.input(width);
        self.d.flat.nets[net.0 as usize].path = path.into();
        (net, e)
    }

    fn bit(&mut self, path: &str) -> ExprId {
        self.field(path, 1)
    }

    fn field(&mut self, path: &str, width: u32) -> ExprId {
        let (net, e) = self.input(path, width);
        self.control.push(net);
        e
    }

    /// A register that takes a value.
    fn delay(&mut self, path: String, value: ExprId) -> ExprId {
        let (number, e) = self.d.register(self.d.width(value), Some(0));
        self.d.flat.nets[self.d.flat.registers[number].net.0 as usize].path = path;
        self.d.set(number, value);
        e
    }

    /// The first of these whose number the selector is; the last for all other numbers.
    fn choose(&mut self, selector: ExprId, values: &[ExprId]) -> ExprId {
        let (&last, rest) = values.split_last().expect("there is something to choose from");
        let width = self.d.width(selector);
        rest.iter().enumerate().rev().fold(last, |other, (i, &value)| {
            let number = self.d.constant(i as u64, width);
            let this = self.d.binary(B::Eq, selector, number);
            self.d.mux(this, value, other)
        })
    }

    fn op(&mut self, op: B, a: ExprId, b: ExprId) -> ExprId {
        self.d.binary(op, a, b)
    }

    fn not(&mut self, a: ExprId) -> ExprId {
        self.d.unary(Unary::Not, a)
    }

    /// All bits of a word where a bit is 1.
    fn spread(&mut self, bit: ExprId, value: ExprId) -> ExprId {
        let zero = self.d.constant(0u8, self.d.width(value));
        self.d.mux(bit, value, zero)
    }
}

/// A unit with this many lanes, a power of two.
fn unit(count: usize) -> Unit {
    let mut u = Unit { d: Design::default(), lanes: vec![], control: vec![] };
    let f = u.field("f", 3);
    let [cin, kill, mul, shift, right, square, difference] =
        ["cin", "kill", "mul", "shift", "right", "square", "difference"].map(|name| u.bit(name));
    let [rotate, left, arithmetic] = ["rotate", "left", "arithmetic"].map(|name| u.bit(name));
    let compare = u.field("compare", 2);
    let node = u.field("node", 2);
    let zero = u.d.constant(0u8, 32);
    let mut results = vec![];
    for lane in 0..count {
        let at = |name: &str| format!("lanes_{lane}.{name}");
        let (a_net, a_in) = u.input(&at("a_in"), 32);
        let (b_net, b_in) = u.input(&at("b_in"), 32);
        let (m_net, mask) = u.input(&at("mask"), 1);
        u.lanes.push([a_net, b_net, m_net]);
        let (a, b) = (u.delay(at("a"), a_in), u.delay(at("b"), b_in));
        let killed = u.d.mux(kill, zero, a_in);
        let addend = u.delay(at("u"), killed);
        let m = u.delay(at("m"), mask);
        // ALU.
        let (x, and, or) = (u.op(B::Xor, a, b), u.op(B::And, a, b), u.op(B::Or, a, b));
        let (xnor, nand, nor) = (u.not(x), u.not(and), u.not(or));
        let logic = u.choose(f, &[x, xnor, and, or, nand, nor, a, b]);
        let term = u.op(B::Xor, logic, addend);
        let (wide, term, carry) = (u.d.fit(addend, 33, false), u.d.fit(term, 33, false), u.d.fit(cin, 33, false));
        let sum = u.op(B::Add, wide, term);
        let sum = u.op(B::Add, sum, carry);
        let (sa, sb) = (u.d.slice(a, 31, 1), u.d.slice(b, 31, 1));
        let differ = u.op(B::Xor, sa, sb);
        let borrow = u.d.slice(sum, 32, 1);
        let borrow = u.not(borrow);
        let less = u.d.mux(differ, sa, borrow);
        let low = u.d.slice(sum, 0, 32);
        let low = u.spread(m, low);
        let (r, lt) = (u.delay(at("r"), low), u.delay(at("less"), less));
        // One bit for a shift, or half of the factor.
        let amount = u.d.slice(b, 0, 4);
        let amount = u.spread(shift, amount);
        let zero4 = u.d.constant(0u8, 4);
        let negative = u.op(B::Sub, zero4, amount);
        let amount = u.d.mux(right, negative, amount);
        let one = u.d.constant(1u8, 16);
        let place = u.op(B::Shl, one, amount);
        let half = u.d.slice(b, 0, 16);
        let low_half = u.d.mux(mul, half, place);
        let high_half = u.d.slice(b, 16, 16);
        let high_half = u.spread(mul, high_half);
        let (bl, bh) = (u.delay(at("bl"), low_half), u.delay(at("bh"), high_half));
        let bit4 = u.d.slice(b, 4, 1);
        let any = u.d.unary(Unary::Any, amount);
        let any = u.op(B::And, any, right);
        let turned = u.op(B::Xor, bit4, any);
        let five = u.d.slice(b, 0, 5);
        let none = u.d.unary(Unary::Any, five);
        let none = u.not(none);
        let (t4, z) = (u.delay(at("turn"), turned), u.delay(at("none"), none));
        // Products.
        let (l, h) = (u.d.fit(bl, 32, false), u.d.fit(bh, 32, false));
        let sixteen = u.d.constant(16u8, 5);
        let h = u.op(B::Shl, h, sixteen);
        let factor = u.op(B::Or, l, h);
        let minus = u.op(B::And, difference, lt);
        let ones = u.d.constant(0xffff_ffffu32, 32);
        let minus = u.spread(minus, ones);
        let factor = u.op(B::Or, factor, minus);
        let factor = u.d.mux(square, r, factor);
        let (r0, f0) = (u.d.slice(r, 0, 17), u.d.slice(factor, 0, 17));
        let (r1, f1) = (u.d.slice(r, 17, 15), u.d.slice(factor, 17, 15));
        let m0 = u.op(B::Mul, r0, f0);
        let m0 = u.delay(at("m_low"), m0);
        let sign = u.d.slice(r, 31, 1);
        let sign = u.op(B::And, sign, arithmetic);
        let (rb, fl, fh) = (u.delay(at("rb"), r), u.delay(at("fl"), f0), u.delay(at("fh"), f1));
        let top = u.d.fit(sign, 16, false);
        let fifteen = u.d.constant(15u8, 4);
        let top = u.op(B::Shl, top, fifteen);
        let r1 = u.d.fit(r1, 16, false);
        let top = u.op(B::Or, top, r1);
        let top = u.delay(at("top"), top);
        let (top, fl) = (u.d.fit(top, 16, true), u.d.fit(fl, 18, true));
        let m1 = u.op(B::Mul, top, fl);
        let m1 = u.delay(at("m_mid"), m1);
        let rc = u.d.slice(rb, 0, 17);
        let (rc, fhh) = (u.delay(at("rc"), rc), u.delay(at("fhh"), fh));
        let m2 = u.op(B::Mul, rc, fhh);
        let m2 = u.delay(at("m_high"), m2);
        let p0 = u.d.fit(m0, 48, false);
        let p0 = u.delay(at("p_low"), p0);
        let seventeen = u.d.constant(17u8, 5);
        let up = u.op(B::Shr, p0, seventeen);
        let m1 = u.d.fit(m1, 48, true);
        let m1 = u.d.fit(m1, 48, false);
        let p1 = u.op(B::Add, m1, up);
        let l0 = u.d.slice(p0, 0, 17);
        let (p1, l1) = (u.delay(at("p_mid"), p1), u.delay(at("low_a"), l0));
        let m2 = u.d.fit(m2, 48, false);
        let p2 = u.op(B::Add, m2, p1);
        let (p2, l2) = (u.delay(at("p_high"), p2), u.delay(at("low_b"), l1));
        let (p, l) = (u.d.fit(p2, 64, false), u.d.fit(l2, 64, false));
        let p = u.op(B::Shl, p, seventeen);
        let p = u.op(B::Or, p, l);
        // What the output takes.
        let zero32 = u.op(B::Eq, r, zero);
        let either = u.op(B::Or, lt, zero32);
        let greater = u.not(either);
        let flag = u.choose(compare, &[zero32, zero32, lt, greater]);
        let two = u.d.constant(0u8, 2);
        let comparing = u.op(B::Ne, compare, two);
        let c = |u: &mut Unit, value: u8| u.d.constant(value, 3);
        let (c0, c1, c2, c3, c4, c5) =
            (c(&mut u, 0), c(&mut u, 1), c(&mut u, 2), c(&mut u, 3), c(&mut u, 4), c(&mut u, 5));
        let filled = u.d.mux(sign, c5, c4);
        let flagged = u.d.mux(flag, c5, c4);
        let (rl, rh) = (u.d.mux(t4, c2, c3), u.d.mux(t4, c3, c0));
        let (gl, gh) = (u.d.mux(t4, c2, c1), u.d.mux(t4, c2, filled));
        let (ll, lh) = (u.d.mux(t4, c4, c0), u.d.mux(t4, c1, c0));
        let mut halves = vec![];
        for (name, rotated, righted, lefted) in [("k", rl, gl, ll), ("h", rh, gh, lh)] {
            let e = u.d.mux(left, lefted, c0);
            let e = u.d.mux(right, righted, e);
            let e = u.d.mux(rotate, rotated, e);
            let e = u.d.mux(z, c0, e);
            let mut e = u.d.mux(comparing, flagged, e);
            for stage in ["a", "b", "c", "d"] {
                e = u.delay(at(&format!("{name}_{stage}")), e);
            }
            halves.push(e);
        }
        let part = |u: &mut Unit, low: u32| u.d.slice(p, low, 16);
        let (p_0, p_16, p_32) = (part(&mut u, 0), part(&mut u, 16), part(&mut u, 32));
        let (turned_low, turned_high) = (u.op(B::Or, p_0, p_32), u.op(B::Or, p_16, p_32));
        let mut words = vec![];
        for (select, sources) in
            [(halves[0], [p_0, p_32, p_16, turned_low]), (halves[1], [p_16, p_0, p_32, turned_high])]
        {
            let number = u.d.slice(select, 0, 2);
            let chosen = u.choose(number, &sources);
            let fill = u.d.slice(select, 0, 1);
            let (ones, zeros) = (u.d.constant(0xffffu32, 16), u.d.constant(0u8, 16));
            let fill = u.d.mux(fill, ones, zeros);
            let constant = u.d.slice(select, 2, 1);
            let word = u.d.mux(constant, fill, chosen);
            words.push(u.d.fit(word, 32, false));
        }
        let high = u.op(B::Shl, words[1], sixteen);
        let y = u.op(B::Or, words[0], high);
        results.push(u.delay(at("y"), y));
    }
    // The tree.
    let mut level = 0;
    while results.len() > 1 {
        let mut next = vec![];
        for (i, pair) in results.chunks(2).enumerate() {
            let (x, y) = (pair[0], pair[1]);
            let (add, or, xor) = (u.op(B::Add, x, y), u.op(B::Or, x, y), u.op(B::Xor, x, y));
            let less = u.op(B::Lt, x, y);
            let most = u.d.mux(less, y, x);
            let value = u.choose(node, &[add, or, xor, most]);
            next.push(u.delay(format!("levels_{level}.nodes_{i}.value"), value));
        }
        (results, level) = (next, level + 1);
    }
    let (total, own) = u.d.register(32, Some(0));
    let sum = u.op(B::Add, own, results[0]);
    u.d.set(total, sum);
    u
}

fn flat(count: usize) -> Flat {
    unit(count).d.flat
}

#[test]
fn a_unit_with_lanes_agrees_with_the_reference() {
    for lanes in [4, 8, 16] {
        let engine = Native::with_lanes(flat(lanes), 3);
        compare(&flat(lanes), engine, 7 + lanes as u64, 60);
    }
}

/// Nearly all of the unit is evaluated in lanes.
#[test]
fn a_unit_with_64_lanes_has_little_code() {
    let engine = Native::new(flat(64));
    let (each, all) = (engine.lane_count(), engine.statistics().tasks);
    assert!(each > 50 && all < 400, "{each} operations of lanes, {all} tasks");
}
