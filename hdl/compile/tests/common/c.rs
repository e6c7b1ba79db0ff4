//! Random kernels in C. Nothing in them is undefined, so that a compiler may do with them whatever it likes, and must
//! end with the numbers of `c_judge.rs`.

use std::fmt::Write as _;

use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Words that a kernel may read.
pub const INPUT: usize = 64;
/// Words that each thread writes.
pub const OUTPUT: usize = VARIABLES;

pub const VARIABLES: usize = 5;
/// Elements of each thread's own array.
pub const ARRAY: usize = 8;
/// What kernels need: CUDA's words without its headers, and functions whose results C defines for all operands.
pub const PRELUDE: &str = "\
typedef unsigned u32;
#define GLOBAL extern \"C\" __attribute__((global))
#define DEVICE static __attribute__((device))
#define tid __nvvm_read_ptx_sreg_tid_x()
#define ntid __nvvm_read_ptx_sreg_ntid_x()
#define ctaid __nvvm_read_ptx_sreg_ctaid_x()
DEVICE u32 divu(u32 a, u32 b) { return a / (b | 1); }
DEVICE u32 remu(u32 a, u32 b) { return a % (b | 1); }
DEVICE u32 divs(u32 a, u32 b) { return (u32)((int)a / (int)((b & 0x7fff) + 1)); }
DEVICE u32 rems(u32 a, u32 b) { return (u32)((int)a % (int)((b & 0x7fff) + 1)); }
DEVICE u32 shl(u32 a, u32 b) { return a << (b & 31); }
DEVICE u32 shr(u32 a, u32 b) { return a >> (b & 31); }
DEVICE u32 sar(u32 a, u32 b) { return (u32)((int)a >> (b & 31)); }
DEVICE u32 mulhi(u32 a, u32 b) { return (u32)((unsigned long long)a * b >> 32); }
DEVICE u32 mulhs(u32 a, u32 b) { return (u32)(((long long)(int)a * (int)b) >> 32); }
DEVICE u32 wide(u32 a, u32 b) {
    unsigned long long w = ((unsigned long long)a << 32 | b) + 0x123456789ull;
    return (u32)(w >> 16);
}
DEVICE u32 fadd(u32 a, u32 b) { float x = (short)a, y = (short)b; return (u32)(int)(x + y * 0.5f); }
DEVICE u32 fmul(u32 a, u32 b) { float x = (short)a, y = (short)b; return (u32)(int)(x * y * 0.25f); }
DEVICE u32 fdiv(u32 a, u32 b) {
    float x = (short)a, y = (short)b;
    return (u32)(int)(x / (y == 0.0f ? 3.0f : y) * 64.0f);
}
DEVICE u32 flt(u32 a, u32 b) { float x = (short)a, y = (short)b; return x < y * 1.5f; }
DEVICE u32 bump(u32 *p, u32 by) { u32 old = *p; *p = old * 3 + by; return old; }
";

#[derive(Clone, Copy, Debug)]
pub enum Op {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    Ltu,
    Lts,
    Eq,
    /// A function of the prelude.
    Call(usize),
}

/// Functions of the prelude.
pub const CALLS: [&str; 14] =
    ["divu", "remu", "divs", "rems", "shl", "shr", "sar", "mulhi", "mulhs", "wide", "fadd", "fmul", "fdiv", "flt"];

const INFIX: [(Op, &str); 9] = [
    (Op::Add, "+"),
    (Op::Sub, "-"),
    (Op::Mul, "*"),
    (Op::And, "&"),
    (Op::Or, "|"),
    (Op::Xor, "^"),
    (Op::Ltu, "<"),
    (Op::Lts, "<"),
    (Op::Eq, "=="),
];

/// Casts to narrow types and back: name, bits, whether signed.
pub const CASTS: [(&str, u32, bool); 4] =
    [("unsigned char", 8, false), ("signed char", 8, true), ("unsigned short", 16, false), ("short", 16, true)];

#[derive(Clone, Debug)]
pub enum Expression {
    Number(u32),
    Variable(usize),
    Counter(usize),
    Thread,
    Input(Box<Expression>),
    Element(Box<Expression>),
    Binary(Op, Box<Expression>, Box<Expression>),
    Cast(usize, Box<Expression>),
    Choice(Box<[Expression; 3]>),
}

#[derive(Clone, Debug)]
pub enum Statement {
    Set(usize, Expression),
    Store(Expression, Expression),
    /// `variable = bump(&array[…], …)`: a pointer into the array is handed on.
    Bump(usize, Expression, Expression),
    If(Expression, Vec<Statement>, Vec<Statement>),
    /// Number of the counter, how often at most, whether `while` stands for `for`.
    Loop(usize, Expression, bool, Vec<Statement>),
    Break(Expression),
    Continue(Expression),
    Switch(Expression, Vec<Vec<Statement>>),
    Return(Expression),
}

/// A kernel.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub first: Vec<Statement>,
    /// What goes to a neighbour by shared memory, and which one, if any does.
    pub exchange: Option<(Expression, Expression)>,
    pub then: Vec<Statement>,
}

/// Makes kernels.
pub struct Maker<'r> {
    pub random: &'r mut ChaCha8Rng,
    counters: usize,
    /// `return` may stand here.
    returns: bool,
}

impl<'r> Maker<'r> {
    pub fn new(random: &'r mut ChaCha8Rng) -> Maker<'r> {
        Maker { random, counters: 0, returns: false }
    }

    pub fn kernel(&mut self) -> Kernel {
        let first = self.block(3, 0);
        let exchange = self.random.random_bool(0.4).then(|| (self.expression(2), self.expression(2)));
        self.returns = true;
        let then = self.block(3, 0);
        Kernel { first, exchange, then }
    }

    fn leaf(&mut self) -> Expression {
        match self.random.random_range(0..10) {
            0..=1 => {
                let bits = self.random.random_range(0..32);
                Expression::Number(self.random.random::<u32>() >> bits)
            }
            2 => Expression::Thread,
            3 if self.counters > 0 => Expression::Counter(self.random.random_range(0..self.counters)),
            _ => Expression::Variable(self.random.random_range(0..VARIABLES)),
        }
    }

    fn expression(&mut self, depth: u32) -> Expression {
        if depth == 0 {
            return self.leaf();
        }
        let part = |maker: &mut Self| Box::new(maker.expression(depth - 1));
        match self.random.random_range(0..20) {
            0..=2 => self.leaf(),
            3..=4 => Expression::Input(part(self)),
            5..=6 => Expression::Element(part(self)),
            7 => Expression::Cast(self.random.random_range(0..CASTS.len()), part(self)),
            8 => Expression::Choice(Box::new([*part(self), *part(self), *part(self)])),
            9..=12 => Expression::Binary(Op::Call(self.random.random_range(0..CALLS.len())), part(self), part(self)),
            _ => Expression::Binary(INFIX[self.random.random_range(0..INFIX.len())].0, part(self), part(self)),
        }
    }

    fn block(&mut self, most: usize, depth: u32) -> Vec<Statement> {
        (0..self.random.random_range(1..=most)).map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: u32) -> Statement {
        let plain = depth >= 3;
        match self.random.random_range(0..if plain { 8 } else { 14 }) {
            0..=3 => Statement::Set(self.random.random_range(0..VARIABLES), self.expression(3)),
            4..=5 => Statement::Store(self.expression(2), self.expression(2)),
            6 => Statement::Bump(self.random.random_range(0..VARIABLES), self.expression(1), self.expression(1)),
            7 => match self.random.random_range(0..3) {
                0 if self.counters > 0 => Statement::Break(self.expression(2)),
                1 if self.counters > 0 => Statement::Continue(self.expression(2)),
                _ if self.returns && self.random.random_bool(0.3) => Statement::Return(self.expression(2)),
                _ => Statement::Set(self.random.random_range(0..VARIABLES), self.expression(2)),
            },
            8..=10 => {
                let otherwise = if self.random.random() { self.block(2, depth + 1) } else { Vec::new() };
                Statement::If(self.expression(2), self.block(3, depth + 1), otherwise)
            }
            11..=12 => {
                let count = self.expression(1);
                let number = self.counters;
                self.counters += 1;
                let body = self.block(3, depth + 1);
                self.counters -= 1;
                Statement::Loop(number, count, self.random.random(), body)
            }
            _ => {
                // `break` in a switch would end the switch.
                let counters = std::mem::take(&mut self.counters);
                let cases = (0..self.random.random_range(2..=4)).map(|_| self.block(2, depth + 1)).collect();
                self.counters = counters;
                Statement::Switch(self.expression(2), cases)
            }
        }
    }
}

impl Expression {
    fn text(&self) -> String {
        match self {
            Expression::Number(number) => format!("{number}u"),
            Expression::Variable(at) => format!("v{at}"),
            Expression::Counter(at) => format!("i{at}"),
            Expression::Thread => "me".into(),
            Expression::Input(at) => format!("in[({}) & {}]", at.text(), INPUT - 1),
            Expression::Element(at) => format!("own[({}) & {}]", at.text(), ARRAY - 1),
            Expression::Cast(to, value) => format!("(u32)({})({})", CASTS[*to].0, value.text()),
            Expression::Choice(parts) => {
                format!("({} ? {} : {})", parts[0].text(), parts[1].text(), parts[2].text())
            }
            Expression::Binary(Op::Call(at), a, b) => format!("{}({}, {})", CALLS[*at], a.text(), b.text()),
            Expression::Binary(Op::Lts, a, b) => format!("(u32)((int)({}) < (int)({}))", a.text(), b.text()),
            Expression::Binary(op, a, b) => {
                let found = INFIX.iter().find(|(known, _)| std::mem::discriminant(known) == std::mem::discriminant(op));
                let (_, sign) = found.expect("it is an operator");
                format!("(u32)({} {sign} {})", a.text(), b.text())
            }
        }
    }
}

fn write_block(statements: &[Statement], text: &mut String) {
    for statement in statements {
        write_statement(statement, text);
    }
}

fn write_statement(statement: &Statement, text: &mut String) {
    let _ = match statement {
        Statement::Set(at, value) => writeln!(text, "v{at} = {};", value.text()),
        Statement::Store(at, value) => writeln!(text, "own[({}) & {}] = {};", at.text(), ARRAY - 1, value.text()),
        Statement::Bump(to, at, by) => {
            writeln!(text, "v{to} = bump(&own[({}) & {}], {});", at.text(), ARRAY - 1, by.text())
        }
        Statement::If(condition, then, otherwise) => {
            let _ = writeln!(text, "if ({}) {{", condition.text());
            write_block(then, text);
            let _ = writeln!(text, "}} else {{");
            write_block(otherwise, text);
            writeln!(text, "}}")
        }
        Statement::Loop(number, count, is_while, body) => {
            let _ = write!(text, "{{ u32 n{number} = ({}) & 7; ", count.text());
            let _ = match is_while {
                true => writeln!(text, "u32 i{number} = ~0u; while (++i{number} < n{number}) {{"),
                false => writeln!(text, "for (u32 i{number} = 0; i{number} < n{number}; i{number}++) {{"),
            };
            write_block(body, text);
            writeln!(text, "}} }}")
        }
        Statement::Break(condition) => writeln!(text, "if ({}) break;", condition.text()),
        Statement::Continue(condition) => writeln!(text, "if ({}) continue;", condition.text()),
        Statement::Switch(on, cases) => {
            let _ = writeln!(text, "switch (({}) & 3) {{", on.text());
            for (number, case) in cases.iter().enumerate() {
                let _ = writeln!(text, "case {number}: {{");
                write_block(case, text);
                let _ = writeln!(text, "break; }}");
            }
            writeln!(text, "}}")
        }
        Statement::Return(condition) => {
            writeln!(text, "if ({}) {{ out[{OUTPUT} * me] = 4711u; return; }}", condition.text())
        }
    };
}

impl Kernel {
    /// Its text, behind [`PRELUDE`]. `out` begins with zeros.
    pub fn text(&self, name: &str) -> String {
        let mut text = format!("GLOBAL void {name}(const u32 *in, u32 *out) {{\nu32 me = ctaid * ntid + tid;\n");
        (0..VARIABLES).for_each(|at| _ = writeln!(text, "u32 v{at} = me * {}u + {at}u;", at + 1));
        let _ = writeln!(text, "u32 own[{ARRAY}];\nfor (u32 i = 0; i < {ARRAY}; i++) own[i] = me + i;");
        if self.exchange.is_some() {
            let _ = writeln!(text, "static __attribute__((shared)) u32 shared[32];");
        }
        write_blocks(&self.first, &mut text);
        if let Some((value, from)) = &self.exchange {
            let _ = writeln!(text, "shared[tid] = {}; __syncthreads();", value.text());
            let _ = writeln!(text, "v0 ^= shared[({}) % ntid];", from.text());
        }
        write_blocks(&self.then, &mut text);
        (0..VARIABLES).for_each(|at| _ = writeln!(text, "out[{OUTPUT} * me + {at}] = v{at} ^ own[{at}];"));
        text + "}\n"
    }
}

/// Statements of the kernel itself, in a scope of their own.
fn write_blocks(statements: &[Statement], text: &mut String) {
    text.push_str("{\n");
    write_block(statements, text);
    text.push_str("}\n");
}
