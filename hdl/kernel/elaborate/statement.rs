//! Statements: assignments in order, conditions, matches, unrolled loops.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;
use rust_hdl_core::ast::{
    VerilogBlock, VerilogBlockOrConditional as Otherwise, VerilogConditional, VerilogExpression as Ast, VerilogLink,
    VerilogLinkDetails, VerilogLoop, VerilogMatch, VerilogStatement as Statement,
};

use super::expr::{Wanted, ast_text};
use super::module::{Frame, SignalId};
use super::walk::Scope;
use crate::build::ones;
use crate::error::Result;
use crate::netlist::{Binary, ExprId, Unary};

/// What a signal holds at some point of the update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Held {
    /// A value.
    Value(ExprId),
    /// A value of which only some bits are assigned so far: those that are 1 in the pattern.
    Parts(ExprId, BigUint),
    /// A value on some paths, nothing on others.
    Partly,
}

/// Assignments so far, innermost condition last.
#[derive(Debug, Default)]
pub(super) struct Environment {
    layers: Vec<BTreeMap<SignalId, Held>>,
}

impl Environment {
    pub(super) fn new() -> Environment {
        Environment { layers: vec![BTreeMap::new()] }
    }

    pub(super) fn get(&self, signal: SignalId) -> Option<Held> {
        self.layers.iter().rev().find_map(|layer| layer.get(&signal)).cloned()
    }

    fn set(&mut self, signal: SignalId, held: Held) {
        self.layers.last_mut().expect("there is a layer").insert(signal, held);
    }

    fn push(&mut self) {
        self.layers.push(BTreeMap::new());
    }

    fn pop(&mut self) -> BTreeMap<SignalId, Held> {
        self.layers.pop().expect("layers are balanced")
    }

    /// The final assignments.
    pub(super) fn finish(mut self) -> BTreeMap<SignalId, Held> {
        self.pop()
    }
}

/// A value, of which some bits are assigned.
fn held(value: ExprId, assigned: BigUint, width: u32) -> Held {
    if assigned == ones(width) { Held::Value(value) } else { Held::Parts(value, assigned) }
}

impl<'a> Frame<'a> {
    pub(super) fn block(&mut self, block: &VerilogBlock) -> Result<()> {
        block.iter().try_for_each(|statement| {
            let result = self.statement(statement);
            // The next statements of a dead branch mention signals too.
            if self.dead { Ok(()) } else { result }
        })
    }

    fn statement(&mut self, statement: &Statement) -> Result<()> {
        match statement {
            Statement::Assignment(target, value) => self.assignment(target, value),
            Statement::SliceAssignment { base, width, offset, replacement } => {
                self.slice_assignment(base, *width as u32, offset, replacement)
            }
            Statement::If(conditional) => self.conditional(conditional),
            Statement::Match(m) => self.matching(m),
            Statement::Loop(l) => self.unrolled(l),
            Statement::Macro(block) => self.block(block),
            Statement::Comment(_) => Ok(()),
            Statement::Link(links) => links.iter().try_for_each(|link| self.link(link)),
        }
    }

    fn target(&mut self, target: &Ast) -> Result<SignalId> {
        match target {
            Ast::Signal(name) => self.assignable(name),
            other => self.fail(ast_text(other), "cannot be assigned".to_string()),
        }
    }

    fn assignment(&mut self, target: &Ast, value: &Ast) -> Result<()> {
        if let (Ast::Signal(target), Ast::Signal(source)) = (target, value)
            && self.domain_assignment(target, source)?
        {
            return Ok(());
        }
        if let (Ast::Signal(target), Ast::Signal(source)) = (target, value)
            && self.element(target, 0)?.is_some()
        {
            return self.array_assignment(target, source);
        }
        let signal = self.target(target)?;
        let wanted = self.type_of_signal(signal);
        let value = self.typed(value, wanted)?;
        self.environment.set(signal, Held::Value(value));
        Ok(())
    }

    /// An assignment whose target is an array without index: one for each element, from the same element of the source
    /// if that is an array.
    fn array_assignment(&mut self, target: &str, source: &str) -> Result<()> {
        for i in 0.. {
            let Some(element) = self.element(target, i)? else { break };
            let value = self.element(source, i)?.unwrap_or_else(|| source.to_string());
            self.assignment(&Ast::Signal(element), &Ast::Signal(value))?;
        }
        Ok(())
    }

    /// Name of an element's signal, where the name of an array's lacks the index; none for what is no array's, or has
    /// no such element.
    fn element(&self, name: &str, i: usize) -> Result<Option<String>> {
        let full = self.resolved(name)?;
        if self.by_name.contains_key(&full) {
            return Ok(None);
        }
        let is_clock = |name: &str| self.clocks.contains_key(name);
        let ends = full.match_indices('$').map(|(at, _)| at).chain([full.len()]);
        let mut names = ends.map(|at| format!("{}${i}{}", &full[..at], &full[at..]));
        Ok(names.find(|name| self.by_name.contains_key(name) || is_clock(name)))
    }

    fn slice_assignment(&mut self, base: &Ast, width: u32, offset: &Ast, replacement: &Ast) -> Result<()> {
        let signal = self.target(base)?;
        let wanted = self.type_of_signal(signal);
        let part = self.typed(replacement, Wanted { width, signed: false })?;
        let (old, assigned) = match self.environment.get(signal) {
            Some(Held::Value(old)) => (old, ones(wanted.width)),
            Some(Held::Parts(old, assigned)) => (old, assigned),
            Some(Held::Partly) => {
                return self.fail(
                    ast_text(base),
                    "a part is assigned where only some paths have assigned the whole (latch)".into(),
                );
            }
            None => (self.build.constant(BigUint::default(), wanted.width, wanted.signed), BigUint::default()),
        };
        let at = self.typed(offset, Wanted { width: 32, signed: false })?;
        let Some(low) = self.build.value(at).and_then(|v| u32::try_from(v).ok()) else {
            return self.fail(ast_text(base), "a part at a variable position is assigned".to_string());
        };
        if low + width > wanted.width {
            return self.fail(ast_text(base), format!("bits {low} to {} of {}", low + width - 1, wanted.width));
        }
        let value = self.build.replace(old, part, low);
        let assigned = assigned | (ones(width) << low);
        self.environment.set(signal, held(value, assigned, wanted.width));
        Ok(())
    }

    fn link(&mut self, link: &VerilogLink) -> Result<()> {
        let names = |d: &VerilogLinkDetails| {
            let join = |side: &str| format!("{side}{}", d.my_name);
            (join(&d.owner_name), join(&d.other_name))
        };
        let (target, source) = match link {
            VerilogLink::Forward(d) => {
                let (owner, other) = names(d);
                (other, owner)
            }
            VerilogLink::Backward(d) => names(d),
            VerilogLink::Bidirectional(d) => {
                return self.fail(d.owner_name.clone(), "bidirectional links are not supported".to_string());
            }
        };
        self.assignment(&Ast::Signal(target), &Ast::Signal(source))
    }

    fn conditional(&mut self, conditional: &VerilogConditional) -> Result<()> {
        let condition = self.typed(&conditional.test, Wanted { width: 1, signed: false })?;
        let known = self.build.value(condition).map(|v| *v != BigUint::default());
        let not = self.build.unary(Unary::Not, condition);
        let arm = (conditional, (0, "then"), condition);
        let then = self.branch(known == Some(false), arm, |this| this.block(&conditional.then))?;
        let arm = (conditional, (1, "else"), not);
        let otherwise = self.branch(known == Some(true), arm, |this| match &conditional.otherwise {
            Otherwise::Block(block) => this.block(block),
            Otherwise::Conditional(statement) => this.statement(statement),
            Otherwise::None => Ok(()),
        })?;
        self.merge(condition, then, otherwise);
        Ok(())
    }

    /// Runs a branch on a layer of its own. A branch that a constant rules out is still read for the signals that it
    /// mentions; what cannot be elaborated there, such as the index `i - 1` guarded by `i > 0`, does no harm.
    fn branch<T>(
        &mut self,
        dead: bool,
        (piece, number, condition): (&T, (usize, &str), ExprId),
        run: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<BTreeMap<SignalId, Held>> {
        self.environment.push();
        let outer = self.dead;
        self.dead |= dead;
        let outside = self.arms.enter(piece, number, condition, &mut self.build);
        let result = run(self);
        self.arms.leave(outside);
        self.dead = outer;
        let layer = self.environment.pop();
        result.map(|()| layer)
    }

    fn merge(&mut self, condition: ExprId, then: BTreeMap<SignalId, Held>, otherwise: BTreeMap<SignalId, Held>) {
        let known = self.build.value(condition).map(|v| *v != BigUint::default());
        if let Some(yes) = known {
            let taken = if yes { then } else { otherwise };
            taken.into_iter().for_each(|(signal, held)| self.environment.set(signal, held));
            return;
        }
        let signals: BTreeSet<SignalId> = then.keys().chain(otherwise.keys()).copied().collect();
        for signal in signals {
            let before = self.environment.get(signal);
            let width = self.type_of_signal(signal).width;
            let side = |layer: &BTreeMap<SignalId, Held>| match layer.get(&signal).or(before.as_ref()) {
                Some(Held::Value(value)) => Some((*value, ones(width))),
                Some(Held::Parts(value, assigned)) => Some((*value, assigned.clone())),
                Some(Held::Partly) | None => None,
            };
            let merged = match (side(&then), side(&otherwise)) {
                (Some((a, in_a)), Some((b, in_b))) => held(self.build.mux(condition, a, b), in_a & in_b, width),
                _ => Held::Partly,
            };
            self.environment.set(signal, merged);
        }
    }

    fn matching(&mut self, m: &VerilogMatch) -> Result<()> {
        let test = match &m.test {
            Ast::Signal(name) => self.typed_signal(name)?,
            other => return self.fail(ast_text(other), "match on a signal's value".to_string()),
        };
        let width = self.build.width(test);
        let mut arms = Vec::new();
        let mut default = None;
        let mut variants = None;
        // None of the arms so far.
        let mut others = self.build.bit(true);
        for (number, case) in m.cases.iter().enumerate() {
            let last = case.condition == "default";
            let condition = match last {
                true => others,
                false => {
                    let (value, of) = self.pattern(&case.condition, width)?;
                    variants = variants.or(of);
                    let constant = self.build.constant(value.into(), width, self.build.signed(test));
                    let condition = self.build.binary(Binary::Eq, test, constant);
                    let not = self.build.unary(Unary::Not, condition);
                    others = self.build.binary(Binary::And, others, not);
                    condition
                }
            };
            let arm = (m, (number, case.condition.as_str()), condition);
            let layer = self.branch(false, arm, |this| this.block(&case.block))?;
            if default.is_some() {
                return self.fail(case.condition.clone(), "follows the default of its match".to_string());
            }
            if last {
                default = Some(layer);
            } else {
                arms.push((condition, layer));
            }
        }
        let all = variants.or_else(|| 1usize.checked_shl(width)).unwrap_or(usize::MAX);
        let mut rest = match default {
            Some(layer) => layer,
            None if arms.len() == all => arms.pop().expect("a match has arms").1,
            None => {
                let rule = format!("match has {} of {all} arms and no default", arms.len());
                return self.fail(ast_text(&m.test), rule);
            }
        };
        while let Some((condition, layer)) = arms.pop() {
            self.environment.push();
            self.merge(condition, layer, rest);
            rest = self.environment.pop();
        }
        rest.into_iter().for_each(|(signal, held)| self.environment.set(signal, held));
        Ok(())
    }

    /// Value and number of variants of a match pattern.
    fn pattern(&mut self, text: &str, width: u32) -> Result<(u64, Option<usize>)> {
        let name = text.replace("::", "$");
        let scope = self.scope;
        let variant = |s: &Scope| s.variants.get(&name).copied();
        if let Some((value, _, count)) = variant(scope).or_else(|| scope.children.iter().find_map(variant)) {
            return Ok((value, Some(count)));
        }
        let value = match text {
            "true" => 1,
            "false" => 0,
            _ => match super::index::evaluate(text, &self.values) {
                Ok(value) if value >= 0 => value as u64,
                _ => return self.fail(text.to_string(), "a match pattern is an enum value or a number".to_string()),
            },
        };
        if width < 64 && value >> width != 0 {
            return self.fail(text.to_string(), format!("a match pattern does not fit {width} bits"));
        }
        Ok((value, None))
    }

    fn unrolled(&mut self, l: &VerilogLoop) -> Result<()> {
        let (from, to) = (l.from.as_usize(), l.to.as_usize());
        if self.values.contains_key(&l.index) {
            return self.fail(l.index.clone(), "a loop variable hides another".to_string());
        }
        if from >= to {
            // An array that this design leaves empty: what its loop reads is not forgotten.
            let mut names = Vec::new();
            super::mention::block(&l.block, &mut |name| names.push(name.to_string()));
            names.iter().for_each(|name| self.mention_dead(name));
        }
        for i in from..to {
            self.values.insert(l.index.clone(), i as i64);
            let result = self.block(&l.block);
            self.values.remove(&l.index);
            result?;
        }
        Ok(())
    }
}
