//! What random kernels in C do, by plain numbers.

use super::c::{ARRAY, CALLS, CASTS, Expression, INPUT, Kernel, Op, Statement, VARIABLES};

/// Iterations of all loops of a thread after which it counts as without an end.
const STEPS: u64 = 20_000;

type Function = fn(u32, u32) -> u32;

fn short(a: u32) -> f32 {
    f32::from(a as i16)
}

/// What the functions of the prelude do, in the order of [`CALLS`](super::c::CALLS).
const FUNCTIONS: [Function; CALLS.len()] = [
    |a, b| a / (b | 1),
    |a, b| a % (b | 1),
    |a, b| (a as i32).wrapping_div(((b & 0x7fff) + 1) as i32) as u32,
    |a, b| (a as i32).wrapping_rem(((b & 0x7fff) + 1) as i32) as u32,
    |a, b| a << (b & 31),
    |a, b| a >> (b & 31),
    |a, b| ((a as i32) >> (b & 31)) as u32,
    |a, b| ((u64::from(a) * u64::from(b)) >> 32) as u32,
    |a, b| ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32,
    |a, b| ((u64::from(a) << 32 | u64::from(b)).wrapping_add(0x1_2345_6789) >> 16) as u32,
    |a, b| (short(a) + short(b) * 0.5) as i32 as u32,
    |a, b| (short(a) * short(b) * 0.25) as i32 as u32,
    |a, b| (short(a) / if short(b) == 0.0 { 3.0 } else { short(b) } * 64.0) as i32 as u32,
    |a, b| u32::from(short(a) < short(b) * 1.5),
];

impl Kernel {
    /// What `blocks` of `threads` threads leave in `out`; nothing if one does not come to an end soon.
    pub fn result(&self, input: &[u32], blocks: u32, threads: u32) -> Option<Vec<u32>> {
        let mut out = Vec::new();
        for block in 0..blocks {
            let mut all: Vec<Thread<'_>> = (0..threads).map(|t| Thread::new(block * threads + t, input)).collect();
            for thread in &mut all {
                thread.block(&self.first);
            }
            if let Some((value, from)) = &self.exchange {
                let shared: Vec<u32> = all.iter().map(|thread| thread.value(value)).collect();
                all.iter_mut().for_each(|thread| {
                    let from = thread.value(from) % threads;
                    thread.variables[0] ^= shared[from as usize];
                });
            }
            for mut thread in all {
                let ended = thread.block(&self.then);
                if thread.steps > STEPS {
                    return None;
                }
                out.extend((0..VARIABLES).map(|at| match ended {
                    End::Return if at == 0 => 4711,
                    End::Return => 0,
                    _ => thread.variables[at] ^ thread.array[at],
                }));
            }
        }
        Some(out)
    }
}

/// How statements end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    On,
    Break,
    Continue,
    Return,
}

struct Thread<'i> {
    me: u32,
    input: &'i [u32],
    variables: [u32; VARIABLES],
    array: [u32; ARRAY],
    counters: [u32; 8],
    steps: u64,
}

impl Thread<'_> {
    fn new(me: u32, input: &[u32]) -> Thread<'_> {
        let variables = std::array::from_fn(|at| me.wrapping_mul(at as u32 + 1).wrapping_add(at as u32));
        let array = std::array::from_fn(|at| me.wrapping_add(at as u32));
        Thread { me, input, variables, array, counters: [0; 8], steps: 0 }
    }

    fn value(&self, expression: &Expression) -> u32 {
        let of = |part: &Expression| self.value(part);
        match expression {
            Expression::Number(number) => *number,
            Expression::Variable(at) => self.variables[*at],
            Expression::Counter(at) => self.counters[*at],
            Expression::Thread => self.me,
            Expression::Input(at) => self.input[of(at) as usize & (INPUT - 1)],
            Expression::Element(at) => self.array[of(at) as usize & (ARRAY - 1)],
            Expression::Cast(to, value) => {
                let (_, bits, signed) = CASTS[*to];
                let up = of(value) << (32 - bits);
                if signed { ((up as i32) >> (32 - bits)) as u32 } else { up >> (32 - bits) }
            }
            Expression::Choice(parts) => of(&parts[if of(&parts[0]) != 0 { 1 } else { 2 }]),
            Expression::Binary(op, a, b) => {
                let (a, b) = (of(a), of(b));
                match op {
                    Op::Add => a.wrapping_add(b),
                    Op::Sub => a.wrapping_sub(b),
                    Op::Mul => a.wrapping_mul(b),
                    Op::And => a & b,
                    Op::Or => a | b,
                    Op::Xor => a ^ b,
                    Op::Ltu => u32::from(a < b),
                    Op::Lts => u32::from((a as i32) < b as i32),
                    Op::Eq => u32::from(a == b),
                    Op::Call(at) => FUNCTIONS[*at](a, b),
                }
            }
        }
    }

    fn block(&mut self, statements: &[Statement]) -> End {
        for statement in statements {
            let end = self.statement(statement);
            if end != End::On {
                return end;
            }
        }
        End::On
    }

    fn statement(&mut self, statement: &Statement) -> End {
        let when =
            |thread: &Self, condition: &Expression, end| if thread.value(condition) != 0 { end } else { End::On };
        match statement {
            Statement::Set(at, value) => self.variables[*at] = self.value(value),
            Statement::Store(at, value) => self.array[self.value(at) as usize & (ARRAY - 1)] = self.value(value),
            Statement::Bump(to, at, by) => {
                let (at, by) = (self.value(at) as usize & (ARRAY - 1), self.value(by));
                let old = self.array[at];
                self.array[at] = old.wrapping_mul(3).wrapping_add(by);
                self.variables[*to] = old;
            }
            Statement::If(condition, then, otherwise) => {
                let chosen = if self.value(condition) != 0 { then } else { otherwise };
                return self.block(chosen);
            }
            Statement::Loop(number, count, _, body) => {
                // A loop in a switch may have the name of one around it.
                let outer = self.counters[*number];
                for i in 0..self.value(count) & 7 {
                    self.counters[*number] = i;
                    self.steps += 1;
                    match self.block(body) {
                        End::Return => return End::Return,
                        End::Break => break,
                        _ if self.steps > STEPS => break,
                        _ => {}
                    }
                }
                self.counters[*number] = outer;
            }
            Statement::Break(condition) => return when(self, condition, End::Break),
            Statement::Continue(condition) => return when(self, condition, End::Continue),
            Statement::Switch(on, cases) => {
                if let Some(case) = cases.get(self.value(on) as usize & 3) {
                    return self.block(case);
                }
            }
            Statement::Return(condition) => return when(self, condition, End::Return),
        }
        End::On
    }
}
