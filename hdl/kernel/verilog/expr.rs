//! Expressions as Verilog text. Each printed operand has exactly the width and sign of its node, whatever stands around
//! it.

use std::collections::{HashMap, HashSet};

use super::text::{constant, part, zero};
use crate::netlist::{Binary, Driver, ExprId, ExprKind, Module, NetId, Unary};

/// A wire that a part of an expression needs, because Verilog can index names only, or because its text would be
/// repeated.
#[derive(Clone, Debug)]
pub(super) struct Temporary {
    pub name: String,
    pub width: u32,
    pub value: String,
    /// Which of its bits are read.
    read: Vec<bool>,
}

/// Something that has a name in the module.
#[derive(Clone, Copy, Debug)]
pub(super) enum Named {
    Net(NetId),
    Temporary(usize),
}

/// Prints the expressions of one module.
pub(super) struct Printer<'a> {
    pub(super) m: &'a Module,
    inlined: Vec<bool>,
    names: Vec<String>,
    taken: HashSet<String>,
    /// What is being printed: temporaries are named after it.
    context: String,
    temporaries: Vec<Temporary>,
    /// Temporaries in the order in which they can be declared.
    order: Vec<usize>,
    by_expr: HashMap<ExprId, usize>,
    uses: Vec<u32>,
    /// For every net, which of its bits have been printed.
    read: Vec<Vec<bool>>,
    genvar: Option<String>,
}

/// Nodes of an expression up to which repeating its text is better than naming it.
const REPEATABLE: usize = 5;

impl<'a> Printer<'a> {
    pub(super) fn new(m: &'a Module, inlined: Vec<bool>) -> Printer<'a> {
        let mut uses = vec![0u32; m.exprs.len()];
        for operand in m.exprs.iter().flat_map(|e| e.kind.operands()).chain(m.roots()) {
            uses[operand.0 as usize] += 1;
        }
        let known = crate::check::bits_read(m);
        let names: Vec<String> = (m.nets.iter().enumerate())
            .map(|(index, net)| {
                let id = NetId(index as u32);
                let output = m.ports.iter().any(|p| p.net == id);
                let from_instance = matches!(net.driver, Driver::Instance(..) | Driver::Memory(..));
                let idle = from_instance && !known.contains_key(&id) && !output;
                // A net between two instances is read without an expression.
                let passes = m.instances.iter().filter(|i| i.connections.contains(&id)).count() > 1;
                if idle && !passes && !net.name.contains("unused") {
                    format!("unused_{}", net.name)
                } else {
                    net.name.clone()
                }
            })
            .collect();
        let taken = (names.iter().chain(m.memories.iter().map(|x| &x.name)).chain(m.instances.iter().map(|x| &x.name)))
            .cloned()
            .chain(["clk".to_string(), "rst".to_string()])
            .collect();
        Printer {
            m,
            inlined,
            names,
            taken,
            context: String::new(),
            temporaries: vec![],
            order: vec![],
            by_expr: HashMap::new(),
            uses,
            read: m.nets.iter().map(|net| vec![false; net.width as usize]).collect(),
            genvar: None,
        }
    }

    /// Says what is printed next.
    pub(super) fn set_context(&mut self, context: &str) {
        self.context = context.into();
    }

    /// A name that nothing in the module has.
    pub(super) fn unique(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_string();
        let mut count = 1;
        while !self.taken.insert(name.clone()) {
            count += 1;
            name = format!("{wanted}_{count}");
        }
        name
    }

    /// The module's variable for generated rows, and whether it has been declared.
    pub(super) fn genvar(&mut self) -> (String, bool) {
        if let Some(name) = &self.genvar {
            return (name.clone(), true);
        }
        let name = self.unique("row");
        self.genvar = Some(name.clone());
        (name, false)
    }

    /// A net's name where it is declared or driven.
    pub(super) fn net_name(&self, id: NetId) -> String {
        self.names[id.0 as usize].clone()
    }

    /// A net where it is used: its name, or the constant or net that it stands for.
    pub(super) fn net(&mut self, id: NetId) -> String {
        if !self.inlined[id.0 as usize] {
            return self.whole(Named::Net(id));
        }
        let Driver::Expr(e) = self.m.net(id).driver else { unreachable!("only expressions are inlined") };
        self.operand(e)
    }

    /// Bits of nets that were never printed.
    pub(super) fn idle_bits(&self, id: NetId) -> Vec<(u32, u32)> {
        gaps(&self.read[id.0 as usize])
    }

    /// Temporaries in the order in which they are needed.
    pub(super) fn temporaries(&self) -> impl Iterator<Item = &Temporary> {
        self.order.iter().map(|&at| &self.temporaries[at])
    }

    /// An expression that stands alone: as the value of an assignment or a condition.
    pub(super) fn full(&mut self, e: ExprId) -> String {
        // A whole value is printed in place, even if it is used elsewhere too.
        if self.is_named(e) { self.operand(e) } else { self.structure(e) }
    }

    pub(super) fn is_named(&self, e: ExprId) -> bool {
        self.by_expr.contains_key(&e) || (self.uses[e.0 as usize] > 1 && self.size(e, REPEATABLE + 1) > REPEATABLE)
    }

    /// Number of nodes, counted up to a limit.
    fn size(&self, e: ExprId, limit: usize) -> usize {
        let mut count = 1;
        for operand in self.m.expr(e).kind.operands() {
            if count >= limit {
                break;
            }
            count += self.size(operand, limit - count);
        }
        count
    }

    /// An expression as an operand: in parentheses unless it is a name, a constant or a concatenation.
    pub(super) fn operand(&mut self, e: ExprId) -> String {
        if self.is_named(e) {
            let named = self.temporary(e);
            return self.whole(named);
        }
        let text = self.structure(e);
        let is_name = text.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_' || c == b'\'');
        let atomic = match &self.m.expr(e).kind {
            ExprKind::Slice(..) | ExprKind::Extend(_) | ExprKind::Replace(..) | ExprKind::Select(..) => true,
            ExprKind::Reinterpret(_) | ExprKind::Unary(Unary::Not, _) => true,
            _ => is_name,
        };
        if atomic { text } else { format!("({text})") }
    }

    /// Width of an expression.
    pub(super) fn width(&self, e: ExprId) -> u32 {
        self.m.expr(e).width
    }

    /// An expression under a name, so that it can be indexed.
    pub(super) fn named_text(&mut self, e: ExprId) -> String {
        let named = self.named(e);
        self.whole(named)
    }

    /// An expression under a name, of which only the lowest bits will be indexed.
    pub(super) fn named_low(&mut self, e: ExprId, width: u32) -> String {
        let named = self.named(e);
        self.named_part(named, 0, width.min(self.width(e)));
        match named {
            Named::Net(id) => self.net_name(id),
            Named::Temporary(at) => self.temporaries[at].name.clone(),
        }
    }

    /// The lowest bits of an expression.
    pub(super) fn low_bits(&mut self, e: ExprId, width: u32) -> String {
        if width >= self.width(e) { self.full(e) } else { self.bits(e, 0, width) }
    }

    pub(super) fn whole(&mut self, named: Named) -> String {
        let width = match named {
            Named::Net(id) => self.m.net(id).width,
            Named::Temporary(at) => self.temporaries[at].width,
        };
        self.named_part(named, 0, width)
    }

    /// Text of some bits of something with a name, noted as read.
    fn named_part(&mut self, named: Named, low: u32, width: u32) -> String {
        let (name, total, read) = match named {
            Named::Net(id) => (&self.names[id.0 as usize], self.m.net(id).width, &mut self.read[id.0 as usize]),
            Named::Temporary(at) => {
                let t = &mut self.temporaries[at];
                (&t.name, t.width, &mut t.read)
            }
        };
        read[low as usize..(low + width) as usize].fill(true);
        part(name, total, low, width)
    }

    pub(super) fn add_temporary(&mut self, width: u32, value: String) -> usize {
        let wanted = if self.context.is_empty() { "value".to_string() } else { format!("{}_value", self.context) };
        let name = self.unique(&wanted);
        self.temporaries.push(Temporary { name, width, value, read: vec![false; width as usize] });
        self.order.push(self.temporaries.len() - 1);
        self.temporaries.len() - 1
    }

    /// A name for an expression.
    fn temporary(&mut self, e: ExprId) -> Named {
        if let Some(&at) = self.by_expr.get(&e) {
            return Named::Temporary(at);
        }
        let value = self.structure(e);
        let at = self.add_temporary(self.m.expr(e).width, value);
        self.by_expr.insert(e, at);
        Named::Temporary(at)
    }

    /// Something with a name that has the expression's value.
    fn named(&mut self, e: ExprId) -> Named {
        match self.m.expr(e).kind {
            ExprKind::Net(net) if !self.inlined[net.0 as usize] => Named::Net(net),
            ExprKind::Net(net) => {
                let Driver::Expr(inner) = self.m.net(net).driver else { unreachable!("only expressions are inlined") };
                self.named(inner)
            }
            ExprKind::Reinterpret(inner) => self.named(inner),
            _ => self.temporary(e),
        }
    }

    /// Some bits of an expression.
    pub(super) fn bits(&mut self, e: ExprId, low: u32, width: u32) -> String {
        let named = self.named(e);
        self.named_part(named, low, width)
    }

    fn structure(&mut self, e: ExprId) -> String {
        let m = self.m;
        let expr = m.expr(e);
        match &expr.kind {
            ExprKind::Const(value) => constant(value, expr.width),
            ExprKind::Net(net) => self.net(*net),
            ExprKind::Unary(op, a) => self.unary(*op, *a),
            ExprKind::Binary(op, a, b) => self.binary(*op, *a, *b),
            ExprKind::Mux(c, a, b) => {
                format!("{} ? {} : {}", self.operand(*c), self.operand(*a), self.operand(*b))
            }
            ExprKind::Slice(a, low) => self.bits(*a, *low, expr.width),
            ExprKind::Select(a, at) => self.select(*a, *at, expr.width),
            ExprKind::Replace(..) => self.concatenation(e),
            ExprKind::ReplaceBit(a, bit, at) => self.replace_bit(*a, *bit, *at),
            ExprKind::Extend(a) if expr_is_signed(m, *a) => self.sign_extended(*a, expr.width),
            ExprKind::Extend(_) => self.concatenation(e),
            // Signs matter to a few operators only, which ask for them themselves.
            ExprKind::Reinterpret(a) => self.operand(*a),
        }
    }

    fn unary(&mut self, op: Unary, a: ExprId) -> String {
        let width = self.m.expr(a).width;
        let a = self.operand(a);
        // A reduction takes a primary: `|~a` is no expression.
        let a = if op != Unary::Not && a.starts_with('~') { format!("({a})") } else { a };
        match op {
            Unary::Not => format!("~{a}"),
            Unary::Neg => format!("{} - {a}", zero(width)),
            Unary::Any => format!("|{a}"),
            Unary::All => format!("&{a}"),
            Unary::Parity => format!("^{a}"),
        }
    }

    fn binary(&mut self, op: Binary, a: ExprId, b: ExprId) -> String {
        let signed = self.m.expr(a).signed;
        let (wa, wb) = (self.m.expr(a).width, self.m.expr(b).width);
        let symbol = match op {
            Binary::And => "&",
            Binary::Or => "|",
            Binary::Xor => "^",
            Binary::Add => "+",
            Binary::Sub => "-",
            Binary::Mul => "*",
            Binary::Eq => "==",
            Binary::Ne => "!=",
            Binary::Lt => "<",
            Binary::Le => "<=",
            Binary::Shl => "<<",
            Binary::Shr => ">>",
        };
        if op == Binary::Mul {
            let (a, b) = (self.extended(a, wa + wb), self.extended(b, wa + wb));
            return if signed { format!("$signed({a}) * $signed({b})") } else { format!("{a} * {b}") };
        }
        let (a, b) = (self.left_operand(op, a), self.operand(b));
        if signed && matches!(op, Binary::Lt | Binary::Le) {
            return format!("$signed({a}) {symbol} $signed({b})");
        }
        format!("{a} {symbol} {b}")
    }

    /// Operators of one kind in a row need no parentheses on the left.
    fn left_operand(&mut self, op: Binary, a: ExprId) -> String {
        let ExprKind::Binary(inner, ..) = self.m.expr(a).kind else { return self.operand(a) };
        let kind = |op| match op {
            Binary::And => 1,
            Binary::Or => 2,
            Binary::Xor => 3,
            Binary::Add | Binary::Sub => 4,
            _ => 0,
        };
        if kind(op) > 0 && kind(op) == kind(inner) { self.full(a) } else { self.operand(a) }
    }

    /// The value with more bits.
    pub(super) fn extended(&mut self, a: ExprId, width: u32) -> String {
        let old = self.m.expr(a).width;
        if width == old {
            return self.operand(a);
        }
        if expr_is_signed(self.m, a) {
            return self.sign_extended(a, width);
        }
        let value = self.full(a);
        format!("{{{}, {value}}}", zero(width - old))
    }

    fn sign_extended(&mut self, a: ExprId, width: u32) -> String {
        let old = self.m.expr(a).width;
        let named = self.named(a);
        let (sign, value) = (self.named_part(named, old - 1, 1), self.whole(named));
        format!("{{{{{}{{{sign}}}}}, {value}}}", width - old)
    }
}

impl Temporary {
    /// Bits that nothing reads: lowest bit and number of bits.
    pub(super) fn idle_bits(&self) -> Vec<(u32, u32)> {
        gaps(&self.read)
    }
}

pub(super) fn expr_is_signed(m: &Module, e: ExprId) -> bool {
    m.expr(e).signed
}

/// Runs of `false`: start and length.
fn gaps(read: &[bool]) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    let mut from = None;
    for at in 0..=read.len() {
        match (at < read.len() && !read[at], from) {
            (true, None) => from = Some(at),
            (false, Some(low)) => {
                found.push((low as u32, (at - low) as u32));
                from = None;
            }
            _ => {}
        }
    }
    found
}
