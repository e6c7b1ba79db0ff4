//! Writes checks: of a product in an address a predicate that goes with it, of what has 64 bits its upper half. Threads
//! that come to an access with a wrong address keep in mind that it is, each line by itself, and stop at the end or
//! before another `trap`: what they read and write until then is nobody's any more, and no branch has to part them from
//! the others on the way. They stop at once where what they read may keep them in a loop, and where some threads end
//! before others come to a barrier.

use super::base;
use super::held::held;
use super::made::{Check, Made};
use super::nodes::{Last, Nodes};
use super::seen::{Seen, looked_at};
use super::sources::written;
use crate::optimize::steps::{Steps, number, read};
use crate::optimize::{TRAP_OF_ACCESS, TRAP_OF_ACCESSES, fresh, replaced};
use crate::ptx::ast::{Guard, Instruction, Kernel, Operand, RegisterId};
use crate::ptx::table::Opcode;
use crate::ptx::types::{Type, Word, Words};

/// Lines of accesses that are told apart; the last one stands for all that follow.
const LINES: usize = 8;

/// Writes the checks of a kernel.
pub(super) fn put(kernel: &mut Kernel, found: &Nodes) {
    if found.last.iter().all(Option::is_none) {
        return;
    }
    let wrong = predicates(kernel, found);
    let at = |register: RegisterId| wrong.get(register.0 as usize).copied().flatten();
    let based = |kernel: &Kernel, place: usize| {
        let product = found.last[place] == Some(Last::Product);
        base(kernel, &kernel.body[place]).map(|base| base.0).filter(|_| product)
    };
    let registers: Vec<RegisterId> =
        (0..wrong.len() as u32).map(RegisterId).filter(|register| at(*register).is_some()).collect();
    let looks = |place: usize| based(kernel, place);
    let early = looked_at(kernel, &registers, looks);
    let seen = Seen::of(kernel, &registers, looks, |at| early[at], |at| looks(at).into_iter().collect());
    let held = held(kernel, found);
    let all_at_once = some_end_before(kernel);
    // A register is looked at where it is written for all accesses at it.
    let mut at_once = vec![all_at_once; kernel.registers.len()];
    for (it, _) in kernel.body.iter().zip(held).filter(|one| one.1) {
        base(kernel, it).into_iter().for_each(|base| at_once[base.0.0 as usize] = true);
    }
    let mut stops = Stops { kernel, at_once, sites: Vec::new(), lines: Vec::new(), shared: None };
    let mut all = Vec::new();
    for (place, it) in stops.kernel.body.clone().into_iter().enumerate() {
        let accessed = base(stops.kernel, &it).map(|base| base.0);
        let mut before = match (found.last[place], accessed) {
            (Some(Last::Product), Some(register)) if !seen.has(place, register) => {
                at(register).map(|wrong| stops.told(&it, place, (register, wrong))).unwrap_or_default()
            }
            (Some(Last::Upper), Some(register)) => {
                let mut steps = Steps::alone(stops.kernel, Instruction { guard: None, ..it.clone() }, None);
                let wrong = steps.beyond(&Operand::Register(register));
                let mut before = steps.steps;
                before.extend(stops.told(&it, place, (register, wrong)));
                before
            }
            _ => Vec::new(),
        };
        let own = written(&found.flow, &it).and_then(|register| Some((register, at(register)?)));
        let Some((register, own)) = own else {
            before.push(it);
            all.push(before);
            continue;
        };
        let mut steps = Steps::alone(stops.kernel, Instruction { guard: None, ..it.clone() }, None);
        let part = |register: Option<RegisterId>| register.and_then(at).map(Operand::Register);
        let parts: Vec<Operand> = match found.made[place] {
            Made::Sure => Vec::new(),
            Made::Product(check) => vec![steps.checked(&check)],
            Made::From(from) => part(Some(from)).into_iter().collect(),
            Made::Either([first, second]) => {
                let chosen = [(first, false), (second, true)]
                    .map(|(one, other)| part(one).map(|part| steps.both(&part, &it.operands[3], other)));
                chosen.into_iter().flatten().collect()
            }
        };
        steps.steps.push(it.clone());
        steps.like.guard = it.guard;
        steps.any(&Operand::Register(own), &parts);
        before.append(&mut steps.steps);
        if early[place] {
            let access = (place..stops.kernel.body.len()).find(|at| based(stops.kernel, *at) == Some(register));
            let access = access.map_or(it, |at| stops.kernel.body[at].clone());
            before.extend(stops.told(&Instruction { guard: None, ..access }, place, (register, own)));
        }
        all.push(before);
    }
    let Stops { sites, lines, shared, .. } = stops;
    end(kernel, all, (sites, lines, shared));
}

/// Whether some threads may stop at their end while others are still to come to a barrier.
fn some_end_before(kernel: &Kernel) -> bool {
    let barriers = kernel.body.iter().any(|it| matches!(it.opcode, Opcode::Bar | Opcode::Barrier));
    barriers && kernel.body.iter().filter(|it| it.ends()).count() + usize::from(falls(kernel)) > 1
}

/// Puts instructions in place of each, and stops threads whose addresses have been wrong before each way out to which
/// one leads from a site.
fn end(
    kernel: &mut Kernel,
    mut all: Vec<Vec<Instruction>>,
    (sites, lines, shared): (Vec<usize>, Vec<(RegisterId, Instruction)>, Option<RegisterId>),
) {
    if lines.is_empty() {
        replaced(kernel, |at, _| std::mem::take(&mut all[at]));
        return;
    }
    let ways_out = behind(kernel, sites);
    let Some(first) = kernel.body.first().cloned() else { return };
    let mut begin = Steps::alone(kernel, Instruction { guard: None, ..first.clone() }, None);
    lines.iter().for_each(|(register, _)| begin.any(&Operand::Register(*register), &[]));
    let begin = begin.steps;
    let begun = begin.len();
    let end = kernel.body.len();
    // What stops them otherwise may do so because of what they have read.
    let stops = |it: &Instruction| it.ends() || it.opcode == Opcode::Trap;
    let ends: Vec<usize> = (0..end).filter(|at| ways_out[*at] && stops(&kernel.body[*at])).collect();
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
            let what = if shared == Some(*register) { TRAP_OF_ACCESSES } else { TRAP_OF_ACCESS };
            steps.push_with(Opcode::Trap, Words::default(), &[], vec![what], 0);
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
    let again: Vec<usize> = (0..kernel.labels.len()).filter(|label| kernel.labels[*label].1 == 0).collect();
    let behind_all = all.pop().unwrap_or_default();
    replaced(kernel, |at, _| std::mem::take(&mut all[at]));
    kernel.body.extend(behind_all);
    // Who comes back to the first instruction has not come to the kernel anew.
    again.into_iter().for_each(|label| kernel.labels[label].1 = begun);
    kernel.labels.extend(labels);
}

/// Whether threads come to the end of the text.
fn falls(kernel: &Kernel) -> bool {
    kernel.body.last().is_some_and(|it| it.goes_on() || it.guard.is_some())
}

/// Where threads find out that an address is wrong.
struct Stops<'k> {
    kernel: &'k mut Kernel,
    /// Registers at which they do so there, and not at the end.
    at_once: Vec<bool>,
    /// Instructions before which they do.
    sites: Vec<usize>,
    /// For each line a register that says so from there on, and an access.
    lines: Vec<(RegisterId, Instruction)>,
    /// That which stands for several.
    shared: Option<RegisterId>,
}

impl Stops<'_> {
    /// Keeps in mind for the end that an address is wrong, or stops.
    fn told(
        &mut self,
        it: &Instruction,
        place: usize,
        (register, wrong): (RegisterId, RegisterId),
    ) -> Vec<Instruction> {
        if self.at_once[register.0 as usize] {
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
            steps.push_with(Opcode::Trap, Words::default(), &[], vec![TRAP_OF_ACCESS], 0);
            if let Some(last) = steps.steps.last_mut() {
                last.guard = Some(Guard { register, negated: false });
            }
            return steps.steps;
        }
        let same = self.lines.iter().find(|line| line.1.place.line == it.place.line).map(|line| line.0);
        let last = self.lines.get(LINES - 1).map(|line| line.0);
        if let (None, Some(last)) = (same, last) {
            self.shared = Some(last);
        }
        let register = match same.or(last) {
            Some(register) => register,
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

/// A predicate for each register with a product that some access looks at.
fn predicates(kernel: &mut Kernel, found: &Nodes) -> Vec<Option<RegisterId>> {
    let mut asked = vec![false; kernel.registers.len()];
    for (it, _) in kernel.body.iter().zip(&found.last).filter(|one| *one.1 == Some(Last::Product)) {
        base(kernel, it).into_iter().for_each(|base| asked[base.0.0 as usize] = true);
    }
    loop {
        let before = asked.clone();
        for (it, made) in kernel.body.iter().zip(&found.made) {
            if written(&found.flow, it).is_none_or(|register| !before[register.0 as usize]) {
                continue;
            }
            let parts = match made {
                Made::From(register) => [Some(*register), None],
                Made::Either(either) => *either,
                Made::Sure | Made::Product(_) => [None; 2],
            };
            parts.into_iter().flatten().for_each(|register| asked[register.0 as usize] = true);
        }
        if asked == before {
            break;
        }
    }
    asked.iter().map(|asked| asked.then(|| fresh(kernel, Type::Pred))).collect()
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

    /// Whether one predicate holds and another does, or does not.
    fn both(&mut self, one: &Operand, other: &Operand, negated: bool) -> Operand {
        let other = match *other {
            Operand::Register(register) => Operand::Predicate { register, negated },
            Operand::Predicate { register, negated: own } => Operand::Predicate { register, negated: own != negated },
            ref other => other.clone(),
        };
        let result = Operand::Register(fresh(self.kernel, Type::Pred));
        self.push(Opcode::And, &[], Type::Pred, vec![result.clone(), read(one), other], 1);
        result
    }

    /// A predicate that says whether a product has more than 32 bits with a sign.
    fn checked(&mut self, check: &Check) -> Operand {
        match check {
            Check::Top { of, power, signed } => {
                let low = self.half(&Operand::Register(*of));
                let top = self.of(Opcode::Shr, &[], Type::U32, &[&low, &number(31 - power)]);
                if !signed {
                    return self.of(Opcode::Setp, &[Word::Ne], Type::U32, &[&top, &number(0)]);
                }
                // All ones, and one more, are 0 in so many bits, or 0 and one more are 1: neither has others.
                let more = self.of(Opcode::Add, &[], Type::U32, &[&top, &number(1)]);
                let others = self.of(Opcode::And, &[], Type::B32, &[&more, &number((2 << power) - 2)]);
                self.of(Opcode::Setp, &[Word::Ne], Type::U32, &[&others, &number(0)])
            }
            Check::Between { of, range } => {
                let low = self.half(&Operand::Register(*of));
                let from = self.of(Opcode::Sub, &[], Type::S32, &[&low, &number(range.low as i32 as u32)]);
                let most = number((range.high - range.low) as u32);
                self.of(Opcode::Setp, &[Word::Gt], Type::U32, &[&from, &most])
            }
        }
    }

    /// A predicate that says whether an address has something in its upper half.
    fn beyond(&mut self, address: &Operand) -> RegisterId {
        let upper = self.upper(address);
        let wrong = fresh(self.kernel, Type::Pred);
        self.push(Opcode::Setp, &[Word::Ne], Type::U32, vec![Operand::Register(wrong), upper, number(0)], 1);
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
}
