//! Which arms the conditions in a block's update function have, and when each is taken: what branch coverage counts.
//!
//! Arms belong to a module beside its netlist. Their expressions refer to the module's nets, and are no part of the
//! module: what is emitted and compared does not depend on them.

use std::collections::{BTreeMap, HashMap, HashSet};

use num_bigint::BigUint;
use rust_hdl_core::ast::{VerilogBlock, VerilogBlockOrConditional as Otherwise, VerilogStatement as Statement};

use super::build::Builder;
use super::netlist::{Binary, Driver, Expr, ExprId, ExprKind, Module, NetId};

/// An arm of an `if` or a `match`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arm {
    /// Which `if` or `match` of the update function, from 0 in the order of the text.
    pub place: u32,
    /// Which of its arms, in that order; the `else` of an `if` is 1, with or without text.
    pub number: u32,
    /// `then`, `else`, or the pattern.
    pub label: String,
    /// 1 in the cycles in which it is taken; in a loop, for any of its values.
    pub taken: ExprId,
}

/// The arms of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arms {
    /// Source file of the block, from the root of the project.
    pub file: String,
    /// A line inside the block's implementation.
    pub line: u32,
    /// Expressions over the module's nets.
    pub exprs: Vec<Expr>,
    /// The arms that may be taken: parameters decide the others.
    pub list: Vec<Arm>,
}

/// Notes arms while a block is elaborated.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    /// Number of each `if` and `match`, by where its syntax tree lies.
    places: HashMap<usize, u32>,
    /// Condition of the arm under work; none outside of all.
    path: Option<ExprId>,
    taken: BTreeMap<(u32, u32), (String, ExprId)>,
}

/// Where a piece of a syntax tree lies.
fn lies<T>(piece: &T) -> usize {
    std::ptr::from_ref(piece) as usize
}

impl Recorder {
    /// For a block with this update function.
    pub fn new(update: &VerilogBlock) -> Recorder {
        let mut recorder = Recorder::default();
        recorder.block(update);
        recorder
    }

    fn block(&mut self, block: &VerilogBlock) {
        block.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement) {
        let next = self.places.len() as u32;
        match statement {
            Statement::If(conditional) => {
                self.places.insert(lies(conditional), next);
                self.block(&conditional.then);
                match &conditional.otherwise {
                    Otherwise::Block(block) => self.block(block),
                    Otherwise::Conditional(statement) => self.statement(statement),
                    Otherwise::None => {}
                }
            }
            Statement::Match(m) => {
                self.places.insert(lies(m), next);
                m.cases.iter().for_each(|case| self.block(&case.block));
            }
            Statement::Loop(l) => self.block(&l.block),
            Statement::Macro(block) => self.block(block),
            _ => {}
        }
    }

    /// Notes an arm of this piece of the syntax tree, which is taken under this condition where the piece is reached,
    /// and goes inside. Returns what [`Recorder::leave`] takes.
    pub fn enter<T>(
        &mut self,
        piece: &T,
        (number, label): (usize, &str),
        condition: ExprId,
        build: &mut Builder,
    ) -> Option<ExprId> {
        let outer = self.path;
        let taken = outer.map_or(condition, |outer| build.binary(Binary::And, outer, condition));
        self.path = Some(taken);
        // A condition that a parameter decides is no branch.
        if build.value(condition).is_none()
            && let Some(&place) = self.places.get(&lies(piece))
        {
            let all = self.taken.entry((place, number as u32)).or_insert_with(|| (label.to_string(), taken));
            all.1 = build.binary(Binary::Or, all.1, taken);
        }
        outer
    }

    /// Leaves the arm.
    pub fn leave(&mut self, outer: Option<ExprId>) {
        self.path = outer;
    }

    /// The arms, for the module in its final form. `raw` is what it was made of.
    pub fn finish(self, raw: &Module, module: &Module, (file, line): (String, u32)) -> Arms {
        let kept = (0..).map(NetId).zip(&module.nets).map(|(id, net)| (net.name.as_str(), id)).collect();
        let mut carry = Carry { raw, kept, exprs: vec![], done: HashMap::new(), open: HashSet::new() };
        let never = |e: ExprId| matches!(&raw.expr(e).kind, ExprKind::Const(value) if *value == BigUint::ZERO);
        let list = (self.taken.into_iter())
            .filter(|(_, (_, taken))| !never(*taken))
            .filter_map(|((place, number), (label, taken))| {
                Some(Arm { place, number, label, taken: carry.expr(taken)? })
            })
            .collect();
        Arms { file, line, exprs: carry.exprs, list }
    }
}

/// Carries expressions over to a module's final form, where nets that nothing needs are gone.
struct Carry<'a> {
    raw: &'a Module,
    kept: HashMap<&'a str, NetId>,
    exprs: Vec<Expr>,
    done: HashMap<ExprId, Option<ExprId>>,
    /// Nets that are being carried over.
    open: HashSet<NetId>,
}

impl Carry<'_> {
    /// None if it depends on something that is gone.
    fn expr(&mut self, e: ExprId) -> Option<ExprId> {
        if let Some(&done) = self.done.get(&e) {
            return done;
        }
        let expr = self.raw.expr(e);
        let carried = match expr.kind {
            ExprKind::Net(net) => self.net(net),
            ref kind => {
                kind.mapped(&mut |operand| self.expr(operand)).map(|kind| self.push(Expr { kind, ..expr.clone() }))
            }
        };
        self.done.insert(e, carried);
        carried
    }

    fn push(&mut self, expr: Expr) -> ExprId {
        self.exprs.push(expr);
        ExprId(self.exprs.len() as u32 - 1)
    }

    /// A computed net is what computes it: the net itself may have become the input of a register with an enable.
    fn net(&mut self, id: NetId) -> Option<ExprId> {
        let net = self.raw.net(id);
        match net.driver {
            Driver::Expr(e) => {
                let carried = if self.open.insert(id) { self.expr(e) } else { None };
                self.open.remove(&id);
                carried
            }
            _ => {
                let kind = ExprKind::Net(*self.kept.get(net.name.as_str())?);
                Some(self.push(Expr { kind, width: net.width, signed: net.signed }))
            }
        }
    }
}
