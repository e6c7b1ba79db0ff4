//! Writes checks: a predicate beside each register that may be wrong. Threads that get to an access there keep in mind
//! that it is, each line by itself, and stop at the end: what they read and write until then is nobody's any more, and
//! no branch has to part them from the others on the way.

use super::base;
use super::nodes::{Check, Last, Nodes};
use super::seen::{Seen, looked_at};
use super::sources::written;
use crate::optimize::steps::{Steps, number, read};
use crate::optimize::{fresh, replaced};
use crate::ptx::ast::{Guard, Instruction, Kernel, Operand, RegisterId};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Type, Word, Words};

/// Accesses whose lines are told apart.
const LINES: usize = 4;

/// Writes the checks of a kernel.
pub(super) fn put(kernel: &mut Kernel, found: &Nodes) {
    if found.checks.iter().all(Option::is_none) && found.last.iter().all(Option::is_none) {
        return;
    }
    let wrong = predicates(kernel, found);
    let at = |register: RegisterId| wrong.get(register.0 as usize).copied().flatten();
    let based = |kernel: &Kernel, it: &Instruction| {
        base(kernel, it).map(|base| base.0).filter(|register| at(*register).is_some())
    };
    let registers: Vec<RegisterId> =
        (0..wrong.len() as u32).map(RegisterId).filter(|register| at(*register).is_some()).collect();
    let looks = |it: &Instruction| based(kernel, it);
    let early = looked_at(kernel, &registers, looks);
    let seen = Seen::of(kernel, &registers, looks, |at| early[at], |_, it| looks(it).into_iter().collect());
    // Some would stop at their end while others are still to come to a barrier.
    let barriers = kernel.body.iter().any(|it| matches!(it.opcode, Opcode::Bar | Opcode::Barrier));
    let ends = kernel.body.iter().filter(|it| it.ends()).count() + usize::from(falls(kernel));
    let at_once = barriers && ends > 1;
    let mut stops = Stops { kernel, at_once, sites: Vec::new(), lines: Vec::new() };
    let mut all = Vec::new();
    for (place, it) in stops.kernel.body.clone().into_iter().enumerate() {
        let access = base(stops.kernel, &it).map(|base| base.0).filter(|base| !seen.has(place, *base)).and_then(at);
        let mut before = access.map(|wrong| stops.told(&it, place, wrong)).unwrap_or_default();
        if let (Some(last), Some((register, _))) = (found.last[place], base(stops.kernel, &it)) {
            let mut steps = Steps::alone(stops.kernel, Instruction { guard: None, ..it.clone() }, None);
            let wrong = steps.wrong(last, &Operand::Register(register));
            before.append(&mut steps.steps);
            before.extend(stops.told(&it, place, wrong));
        }
        let Some((register, own)) = written(&found.flow, &it).and_then(|register| Some((register, at(register)?)))
        else {
            // Written as one of several, it has been nobody's sum.
            let mut steps = Steps::alone(stops.kernel, it.clone(), None);
            it.writes().into_iter().filter_map(at).for_each(|own| steps.any(&Operand::Register(own), &[]));
            before.push(it);
            before.append(&mut steps.steps);
            all.push(before);
            continue;
        };
        let mut steps = Steps::alone(stops.kernel, Instruction { guard: None, ..it.clone() }, None);
        let whole = found.whole[place];
        let sources = it.operands[1..].iter().flat_map(Operand::registers).filter(|_| !whole).filter_map(at);
        let mut parts: Vec<Operand> = sources.map(Operand::Register).collect();
        parts.dedup();
        parts.extend(steps.checked(&it, register, found.checks[place].as_ref()));
        steps.like.guard = it.guard;
        steps.any(&Operand::Register(own), &parts);
        before.append(&mut steps.steps);
        if early[place] {
            let access =
                stops.kernel.body[place..].iter().find(|it| based(stops.kernel, it) == Some(register)).cloned();
            before.extend(stops.told(&Instruction { guard: None, ..access.unwrap_or(it) }, place, own));
        }
        all.push(before);
    }
    let Stops { sites, lines, .. } = stops;
    end(kernel, all, (sites, lines));
}

/// Puts instructions in place of each, and stops threads whose addresses have been wrong before each way out to which
/// one leads from a site.
fn end(
    kernel: &mut Kernel,
    mut all: Vec<Vec<Instruction>>,
    (sites, lines): (Vec<usize>, Vec<(RegisterId, Instruction)>),
) {
    let ways_out = behind(kernel, sites);
    let Some(first) = kernel.body.first().cloned() else { return };
    let mut begin = Steps::alone(kernel, Instruction { guard: None, ..first.clone() }, None);
    lines.iter().for_each(|(register, _)| begin.any(&Operand::Register(*register), &[]));
    let begin = begin.steps;
    let end = kernel.body.len();
    let ends: Vec<usize> = (0..end).filter(|at| ways_out[*at] && kernel.body[*at].ends()).collect();
    let falls = falls(kernel);
    all.push(Vec::new());
    let mut labels = Vec::new();
    for place in ends.into_iter().chain((falls && ways_out[end - 1] || ways_out[end]).then_some(end)) {
        let out = if place < end { all[place].pop() } else { None };
        let first_label = kernel.labels.len() + labels.len();
        let like = out.clone().unwrap_or_else(|| first.clone());
        let mut steps = Steps::alone(kernel, Instruction { guard: None, ..like }, None);
        let passes = out.as_ref().and_then(|it| it.guard);
        if let Some(guard) = passes {
            steps.jump(first_label + 1, Some(Guard { negated: !guard.negated, ..guard }));
        }
        let registers: Vec<Operand> = lines.iter().map(|line| Operand::Register(line.0)).collect();
        if let [_, _, ..] = registers[..] {
            // Where none is wrong one branch is taken, and not one for each line.
            let any = fresh(steps.kernel, Type::Pred);
            steps.any(&Operand::Register(any), &registers);
            steps.jump(first_label, Some(Guard { register: any, negated: true }));
        }
        for (register, like) in &lines {
            steps.push_with(Opcode::Trap, Words::default(), &[], Vec::new(), 0);
            let guard = Some(Guard { register: *register, negated: false });
            if let Some(last) = steps.steps.last_mut() {
                (last.guard, last.place, last.source) = (guard, like.place, like.source);
            }
        }
        let before = all[place].len();
        labels.push((place, before + steps.steps.len()));
        all[place].append(&mut steps.steps);
        all[place].extend(out.map(|it| Instruction { guard: None, ..it }));
        labels.push((place, all[place].len()));
    }
    if let Some(first) = all.first_mut() {
        labels.iter_mut().filter(|label| label.0 == 0).for_each(|label| label.1 += begin.len());
        first.splice(0..0, begin);
    }
    let starts: Vec<usize> = all.iter().scan(0, |at, steps| Some(std::mem::replace(at, *at + steps.len()))).collect();
    let first_label = kernel.labels.len();
    let labels =
        labels.iter().zip(first_label..).map(|((place, at), name)| (format!("%own{name}"), starts[*place] + at));
    let labels: Vec<(String, usize)> = labels.collect();
    let behind_all = all.pop().unwrap_or_default();
    replaced(kernel, |at, _| std::mem::take(&mut all[at]));
    kernel.body.extend(behind_all);
    kernel.labels.extend(labels);
}

/// Whether threads come to the end of the text.
fn falls(kernel: &Kernel) -> bool {
    kernel.body.last().is_some_and(|it| it.goes_on() || it.guard.is_some())
}

/// Where threads find out that an address is wrong.
struct Stops<'k> {
    kernel: &'k mut Kernel,
    /// They stop there, and not at the end.
    at_once: bool,
    /// Instructions before which they do.
    sites: Vec<usize>,
    /// For each line a register that says so from there on, and an access.
    lines: Vec<(RegisterId, Instruction)>,
}

impl Stops<'_> {
    /// Keeps in mind for the end that an address is wrong, or stops.
    fn told(&mut self, it: &Instruction, place: usize, wrong: RegisterId) -> Vec<Instruction> {
        if self.at_once {
            let mut steps = Steps::alone(self.kernel, it.clone(), None);
            let register = match steps.like.guard.take() {
                None => wrong,
                Some(Guard { register, negated }) => {
                    let both = fresh(steps.kernel, Type::Pred);
                    let passes = Operand::Predicate { register, negated };
                    let operands = vec![Operand::Register(both), read(&Operand::Register(wrong)), passes];
                    steps.push(Opcode::And, &[], Type::Pred, operands, 1);
                    both
                }
            };
            steps.push_with(Opcode::Trap, Words::default(), &[], Vec::new(), 0);
            if let Some(last) = steps.steps.last_mut() {
                last.guard = Some(Guard { register, negated: false });
            }
            return steps.steps;
        }
        let same = self.lines.iter().find(|line| line.1.place.line == it.place.line);
        let register = match same.or(self.lines.get(LINES - 1)) {
            Some(line) => line.0,
            None => {
                let own = fresh(self.kernel, Type::Pred);
                self.lines.push((own, it.clone()));
                own
            }
        };
        self.sites.push(place);
        let mut steps = Steps::alone(self.kernel, it.clone(), None);
        let own = Operand::Register(register);
        steps.any(&own, &[own.clone(), Operand::Register(wrong)]);
        steps.steps
    }
}

/// Instructions to which a way leads from one of these, or that are these.
fn behind(kernel: &Kernel, from: Vec<usize>) -> Vec<bool> {
    let mut found = vec![false; kernel.body.len() + 1];
    let mut open = from;
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut found[at], true) || at == kernel.body.len() {
            continue;
        }
        let it = &kernel.body[at];
        open.extend(it.target().map(|label| kernel.labels[label].1));
        if it.goes_on() || it.guard.is_some() {
            open.push(at + 1);
        }
    }
    found
}

/// A predicate for each register that may be something else than its lower half.
fn predicates(kernel: &mut Kernel, found: &Nodes) -> Vec<Option<RegisterId>> {
    let mut may = vec![false; kernel.registers.len()];
    loop {
        let before = may.clone();
        for ((it, check), whole) in kernel.body.iter().zip(&found.checks).zip(&found.whole) {
            let Some(register) = written(&found.flow, it).filter(|_| !whole) else { continue };
            let from = it.operands[1..].iter().flat_map(Operand::registers);
            may[register.0 as usize] |=
                check.is_some() || from.into_iter().any(|one| may[one.0 as usize] && found.flow[one.0 as usize]);
        }
        if may == before {
            break;
        }
    }
    may.iter().map(|may| may.then(|| fresh(kernel, Type::Pred))).collect()
}

impl Steps<'_> {
    /// Whether any of these predicates holds.
    fn any(&mut self, result: &Operand, parts: &[Operand]) {
        match parts {
            [] => self.push(Opcode::Mov, &[], Type::Pred, vec![result.clone(), number(0)], 1),
            [one] => self.push(Opcode::Mov, &[], Type::Pred, vec![result.clone(), one.clone()], 1),
            [first, rest @ ..] => {
                let mut so_far = first.clone();
                for (index, part) in rest.iter().enumerate() {
                    let last = index + 1 == rest.len();
                    let to = if last { result.clone() } else { Operand::Register(fresh(self.kernel, Type::Pred)) };
                    self.push(Opcode::Or, &[], Type::Pred, vec![to.clone(), read(&so_far), read(part)], 1);
                    so_far = to;
                }
            }
        }
    }

    /// An instruction with its check, as a predicate that says whether the result is wrong.
    fn checked(&mut self, it: &Instruction, register: RegisterId, check: Option<&Check>) -> Option<Operand> {
        let own = it.clone();
        let result = Operand::Register(register);
        let Some(check) = check else {
            self.steps.push(own);
            return None;
        };
        match check {
            Check::Top { of, power, signed } => {
                let low = self.half(&Operand::Register(*of));
                let top = self.of(Opcode::Shr, &[], Type::U32, &[&low, &number(31 - power)]);
                self.steps.push(own);
                if !signed {
                    return Some(self.of(Opcode::Setp, &[Word::Ne], Type::U32, &[&top, &number(0)]));
                }
                // All ones, and one more, are 0 in so many bits, or 0 and one more are 1: neither has others.
                let more = self.of(Opcode::Add, &[], Type::U32, &[&top, &number(1)]);
                let others = self.of(Opcode::And, &[], Type::B32, &[&more, &number((2 << power) - 2)]);
                Some(self.of(Opcode::Setp, &[Word::Ne], Type::U32, &[&others, &number(0)]))
            }
            Check::Between { of, range } => {
                let low = self.half(&Operand::Register(*of));
                let from = self.of(Opcode::Sub, &[], Type::S32, &[&low, &number(range.low as i32 as u32)]);
                self.steps.push(own);
                let most = number((range.high - range.low) as u32);
                Some(self.of(Opcode::Setp, &[Word::Gt], Type::U32, &[&from, &most]))
            }
            Check::Sum { first, second, minus, signed } => {
                let [a, b] = [first, second].map(|operand| self.top(operand));
                self.steps.push(own);
                let s = self.top(&result);
                let differ = |steps: &mut Self, one: &Operand, other: &Operand| {
                    steps.of(Opcode::Xor, &[], Type::B32, &[one, other])
                };
                // Two numbers with signs: the sum's is that of neither; the difference's is not the first one's where
                // they differ. An address: it has lost or got its highest bit against what the sign says.
                let [one, other] = match (signed, minus) {
                    (true, false) => [differ(self, &a, &s), differ(self, &b, &s)],
                    (true, true) => [differ(self, &a, &b), differ(self, &a, &s)],
                    (false, false) => {
                        let same = differ(self, &s, &b);
                        [differ(self, &a, &b), differ(self, &same, &number(1))]
                    }
                    (false, true) => {
                        let same = differ(self, &a, &b);
                        [differ(self, &same, &number(1)), differ(self, &s, &b)]
                    }
                };
                let both = self.of(Opcode::And, &[], Type::B32, &[&one, &other]);
                Some(self.of(Opcode::Setp, &[Word::Ne], Type::U32, &[&both, &number(0)]))
            }
        }
    }

    /// A predicate that says whether an address is wrong.
    fn wrong(&mut self, last: Last, address: &Operand) -> RegisterId {
        let tells = match last {
            Last::Sign => self.top(address),
            Last::Upper => self.upper(address),
        };
        let wrong = fresh(self.kernel, Type::Pred);
        let operands = vec![Operand::Register(wrong), tells, number(0)];
        self.push(Opcode::Setp, &[Word::Ne], Type::U32, operands, 1);
        wrong
    }

    /// The upper half of a register.
    fn upper(&mut self, operand: &Operand) -> Operand {
        let plain = Words::default();
        let high = self.of_type(Type::B64, Opcode::Shr, plain, &[Type::U64], &[operand, &number(32)]);
        self.of_type(Type::B32, Opcode::Cvt, plain, &[Type::U32, Type::U64], &[&high])
    }

    /// The lower half of a register, or the register that has 32 bits.
    fn half(&mut self, operand: &Operand) -> Operand {
        let wide = |register: &RegisterId| self.kernel.registers[register.0 as usize].ty.bits() == 64;
        match operand {
            Operand::Register(register) if wide(register) => {
                self.of_type(Type::B32, Opcode::Cvt, Words::default(), &[Type::U32, Type::U64], &[operand])
            }
            other => other.clone(),
        }
    }

    /// The highest bit of the lower half.
    fn top(&mut self, operand: &Operand) -> Operand {
        if let Operand::Immediate(bits) = operand {
            return number((*bits as u32) >> 31);
        }
        let low = self.half(operand);
        self.of(Opcode::Shr, &[], Type::U32, &[&low, &number(31)])
    }
}
