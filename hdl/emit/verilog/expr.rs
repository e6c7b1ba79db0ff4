//! Expressions as Verilog text. Each printed operand has exactly the width and sign of its node, whatever stands around it.

use std::collections::HashMap;

use num_bigint::BigUint;

use crate::kernel::netlist::{Binary, Driver, ExprId, ExprKind, Module, NetId, Unary};

/// Text of a constant: decimal when small, else hexadecimal.
pub(super) fn constant(value: &BigUint, width: u32) -> String {
    if width == 1 {
        return format!("1'b{value}");
    }
    if width <= 4 { format!("{width}'d{value}") } else { format!("{width}'h{value:x}") }
}

/// Bits of a net.
pub(super) fn part(name: &str, net_width: u32, low: u32, width: u32) -> String {
    match (net_width, width) {
        (1, _) => name.to_string(),
        (w, _) if w == width => name.to_string(),
        (_, 1) => format!("{name}[{low}]"),
        _ => format!("{name}[{}:{low}]", low + width - 1),
    }
}

/// Prints the expressions of one module.
pub(super) struct Printer<'a> {
    m: &'a Module,
    inlined: Vec<bool>,
    names: Vec<String>,
    /// Nodes that need a name because they are used several times or sliced.
    temporaries: HashMap<ExprId, String>,
    order: Vec<(String, u32, String)>,
    uses: Vec<u32>,
}

/// Nodes of an expression up to which repeating its text is better than naming it.
const REPEATABLE: usize = 5;

impl<'a> Printer<'a> {
    pub(super) fn new(m: &'a Module, inlined: Vec<bool>) -> Printer<'a> {
        let mut uses = vec![0u32; m.exprs.len()];
        for operand in m.exprs.iter().flat_map(|e| e.kind.operands()).chain(m.roots()) {
            uses[operand.0 as usize] += 1;
        }
        let read = crate::kernel::check::bits_read(m);
        let names = (m.nets.iter().enumerate())
            .map(|(index, net)| {
                let id = NetId(index as u32);
                let output = m.ports.iter().any(|p| p.net == id);
                let from_instance = matches!(net.driver, Driver::Instance(..) | Driver::Memory(..));
                let idle = from_instance && !read.contains_key(&id) && !output;
                // A net between two instances is read without an expression.
                let passes = m.instances.iter().filter(|i| i.connections.contains(&id)).count() > 1;
                if idle && !passes && !net.name.contains("unused") {
                    format!("unused_{}", net.name)
                } else {
                    net.name.clone()
                }
            })
            .collect();
        Printer { m, inlined, names, temporaries: HashMap::new(), order: vec![], uses }
    }

    pub(super) fn net_name(&self, id: NetId) -> String {
        self.names[id.0 as usize].clone()
    }

    /// A net where it is used: its name, or the constant or net that it stands for.
    pub(super) fn net(&mut self, id: NetId) -> String {
        if !self.inlined[id.0 as usize] {
            return self.net_name(id);
        }
        let Driver::Expr(e) = self.m.net(id).driver else { unreachable!("only expressions are inlined") };
        self.operand(e)
    }

    /// Temporaries in the order in which they are needed.
    pub(super) fn take_temporaries(&mut self) -> Vec<(String, u32, String)> {
        std::mem::take(&mut self.order)
    }

    /// An expression that stands alone: as the value of an assignment or a condition.
    pub(super) fn full(&mut self, e: ExprId) -> String {
        // A whole value is printed in place, even if it is used elsewhere too.
        if self.named(e) { self.operand(e) } else { self.structure(e) }
    }

    fn named(&self, e: ExprId) -> bool {
        self.temporaries.contains_key(&e) || (self.uses[e.0 as usize] > 1 && self.size(e, REPEATABLE + 1) > REPEATABLE)
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
    fn operand(&mut self, e: ExprId) -> String {
        if self.named(e) {
            return self.temporary(e);
        }
        let text = self.structure(e);
        let atomic = match &self.m.expr(e).kind {
            ExprKind::Const(_)
            | ExprKind::Net(_)
            | ExprKind::Slice(..)
            | ExprKind::Extend(_)
            | ExprKind::Replace(..) => true,
            ExprKind::Select(..) => true,
            ExprKind::Reinterpret(_) => !text.contains(' '),
            _ => false,
        };
        if atomic { text } else { format!("({text})") }
    }

    /// Width of an expression.
    pub(super) fn width(&self, e: ExprId) -> u32 {
        self.m.expr(e).width
    }

    /// An expression as an operand.
    pub(super) fn operand_text(&mut self, e: ExprId) -> String {
        self.operand(e)
    }

    /// An expression under a name, so that it can be indexed.
    pub(super) fn named_text(&mut self, e: ExprId) -> String {
        self.sliceable(e)
    }

    /// The lowest bits of an expression.
    pub(super) fn low_bits(&mut self, e: ExprId, width: u32) -> String {
        let old = self.width(e);
        if width >= old {
            return self.full(e);
        }
        let name = self.sliceable(e);
        part(&name, old, 0, width)
    }

    /// A name for an expression.
    fn temporary(&mut self, e: ExprId) -> String {
        if let Some(name) = self.temporaries.get(&e) {
            return name.clone();
        }
        let name = format!("value_{}", self.temporaries.len());
        self.temporaries.insert(e, name.clone());
        let value = self.structure(e);
        self.order.push((name.clone(), self.m.expr(e).width, value));
        name
    }

    /// A named value that can be sliced: its name and the width of what has the name.
    fn sliceable(&mut self, e: ExprId) -> String {
        match self.m.expr(e).kind {
            ExprKind::Net(net) if !self.inlined[net.0 as usize] => self.net_name(net),
            ExprKind::Net(net) => {
                let Driver::Expr(inner) = self.m.net(net).driver else { unreachable!("only expressions are inlined") };
                self.sliceable(inner)
            }
            ExprKind::Reinterpret(inner) => self.sliceable(inner),
            _ => self.temporary(e),
        }
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
            ExprKind::Slice(a, low) => {
                let name = self.sliceable(*a);
                part(&name, m.expr(*a).width, *low, expr.width)
            }
            ExprKind::Select(a, at) => self.select(*a, *at, expr.width),
            ExprKind::Replace(a, with, low) => self.replace(*a, *with, *low),
            ExprKind::ReplaceBit(a, bit, at) => self.replace_bit(*a, *bit, *at),
            ExprKind::Extend(a) => self.extend(*a, expr.width),
            // Signs matter to a few operators only, which ask for them themselves.
            ExprKind::Reinterpret(a) => self.operand(*a),
        }
    }

    fn unary(&mut self, op: Unary, a: ExprId) -> String {
        let width = self.m.expr(a).width;
        let a = self.operand(a);
        match op {
            Unary::Not => format!("~{a}"),
            Unary::Neg => format!("{} - {a}", constant(&BigUint::default(), width)),
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
            let (a, b) = (self.extend(a, wa + wb), self.extend(b, wa + wb));
            return if signed { format!("$signed({a}) * $signed({b})") } else { format!("{a} * {b}") };
        }
        let (a, b) = (self.operand(a), self.operand(b));
        if signed && matches!(op, Binary::Lt | Binary::Le) {
            return format!("$signed({a}) {symbol} $signed({b})");
        }
        format!("{a} {symbol} {b}")
    }

    /// The value with more bits, as a concatenation.
    fn extend(&mut self, a: ExprId, width: u32) -> String {
        let (old, signed) = (self.m.expr(a).width, self.m.expr(a).signed);
        let more = width - old;
        if more == 0 {
            return self.operand(a);
        }
        if !signed {
            let value = self.full(a);
            return format!("{{{}, {value}}}", constant(&BigUint::default(), more));
        }
        let name = self.sliceable(a);
        let sign = part(&name, old, old - 1, 1);
        format!("{{{{{more}{{{sign}}}}}, {name}}}")
    }

    /// Bits from a variable position. The base gets zeros on top so that no position lies outside of it.
    fn select(&mut self, a: ExprId, at: ExprId, width: u32) -> String {
        let (wa, wi) = (self.m.expr(a).width, self.m.expr(at).width);
        let reach = (1u64 << wi.min(31)) - 1 + u64::from(width);
        let index = self.full(at);
        let base = if reach <= u64::from(wa) {
            self.sliceable(a)
        } else {
            let more = u32::try_from(reach - u64::from(wa)).expect("index widths are checked to be small");
            let value = self.full(a);
            let name = format!("padded_{}", self.order.len());
            let text = format!("{{{}, {value}}}", constant(&BigUint::default(), more));
            self.order.push((name.clone(), wa + more, text));
            name
        };
        if width == 1 { format!("{base}[{index}]") } else { format!("{base}[{index} +: {width}]") }
    }

    fn replace(&mut self, a: ExprId, with: ExprId, low: u32) -> String {
        let (wa, ww) = (self.m.expr(a).width, self.m.expr(with).width);
        let piece = |this: &mut Self, low: u32, width: u32| -> Option<String> {
            (width > 0).then(|| match &this.m.expr(a).kind {
                ExprKind::Const(value) => {
                    let mask = (BigUint::from(1u8) << width) - 1u8;
                    constant(&((value >> low) & mask), width)
                }
                _ => {
                    let name = this.sliceable(a);
                    part(&name, wa, low, width)
                }
            })
        };
        let upper = piece(self, low + ww, wa - low - ww);
        let inner = self.full(with);
        let lower = piece(self, 0, low);
        let all: Vec<String> = upper.into_iter().chain([inner]).chain(lower).collect();
        format!("{{{}}}", all.join(", "))
    }

    fn replace_bit(&mut self, a: ExprId, bit: ExprId, at: ExprId) -> String {
        let width = self.m.expr(a).width;
        let one = constant(&BigUint::from(1u8), width);
        let (value, at) = (self.operand(a), self.operand(at));
        let bit = self.extend(bit, width);
        format!("({value} & ~({one} << {at})) | ({bit} << {at})")
    }
}
