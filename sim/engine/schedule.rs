//! The order of a clock edge's tasks: each after those that it needs, and as few changes of context as can be had
//! cheaply.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use super::action::Action;
use super::context::{Contexts, ROOT};
use super::graph::Graph;
use super::native::loops::lanes;
use super::plan::Task;

/// Orders tasks.
pub(super) fn schedule(g: &Graph, tasks: &[Task], contexts: &Contexts) -> Vec<usize> {
    let mut s = Scheduler::new(g, tasks, contexts);
    s.visit(ROOT);
    assert_eq!(s.order.len(), tasks.len(), "tasks wait for each other");
    s.order
}

fn task_lanes(g: &Graph, task: &Task) -> u32 {
    match task.action {
        Action::Compute(id) => lanes(g, id).unwrap_or(0),
        _ => 0,
    }
}

/// The places of contexts in an order in which each comes right before all that are below it.
fn places(contexts: &Contexts) -> Vec<Range<usize>> {
    let mut children = vec![vec![]; contexts.all.len()];
    for (at, context) in contexts.all.iter().enumerate().skip(ROOT + 1) {
        children[context.parent].push(at);
    }
    let mut places = vec![0..0; contexts.all.len()];
    let (mut next, mut open) = (0, vec![(ROOT, false)]);
    while let Some((at, done)) = open.pop() {
        if done {
            places[at].end = next;
            continue;
        }
        places[at].start = next;
        next += 1;
        open.push((at, true));
        open.extend(children[at].iter().map(|&child| (child, false)));
    }
    places
}

struct Scheduler<'a> {
    tasks: &'a [Task],
    contexts: &'a Contexts,
    users: Vec<Vec<usize>>,
    /// Tasks that each task waits for.
    waits: Vec<usize>,
    /// Tasks that can be done, by context.
    ready: Vec<Vec<usize>>,
    /// Contexts that have any, by their place in an order in which a context comes right before all that are below it.
    entries: BTreeMap<usize, usize>,
    /// The places of each context and of all that are below it.
    places: Vec<Range<usize>>,
    /// What a look ahead has found of each task: the number of the look, and how many tasks it waits for then.
    looked: Vec<(usize, usize)>,
    /// Looks so far.
    looks: usize,
    /// Tasks not done in and below each context.
    pending: Vec<usize>,
    /// Dependencies from outside that are not there yet.
    outside: Vec<usize>,
    children: Vec<Vec<usize>>,
    order: Vec<usize>,
    /// Lanes of each task's node, if a loop can compute it; else 0.
    lanes: Vec<u32>,
    /// Lanes of the last task.
    last: u32,
}

impl<'a> Scheduler<'a> {
    fn new(g: &Graph, tasks: &'a [Task], contexts: &'a Contexts) -> Scheduler<'a> {
        let count = contexts.all.len();
        let mut s = Scheduler {
            tasks,
            contexts,
            users: vec![vec![]; tasks.len()],
            waits: tasks.iter().map(|t| t.after.len()).collect(),
            ready: vec![vec![]; count],
            entries: BTreeMap::new(),
            places: places(contexts),
            looked: vec![(0, 0); tasks.len()],
            looks: 0,
            pending: vec![0; count],
            outside: vec![0; count],
            children: vec![vec![]; count],
            order: vec![],
            lanes: tasks.iter().map(|task| task_lanes(g, task)).collect(),
            last: 0,
        };
        for (index, task) in tasks.iter().enumerate().rev() {
            for &before in &task.after {
                s.users[before].push(index);
                s.crossing(before, index, |outside| *outside += 1);
            }
            if task.after.is_empty() {
                s.is_ready(index);
            }
            let mut at = task.context;
            loop {
                s.pending[at] += 1;
                if at == ROOT {
                    break;
                }
                at = contexts.all[at].parent;
            }
        }
        for at in (1..count).filter(|&at| s.pending[at] > 0) {
            s.children[contexts.all[at].parent].push(at);
        }
        // Both arms of a condition next to each other.
        for children in &mut s.children {
            children.sort_by_key(|&at| (contexts.all[at].condition, contexts.all[at].when));
        }
        s
    }

    /// Changes the count of every context that a dependency enters.
    fn crossing(&mut self, from: usize, to: usize, change: impl Fn(&mut usize)) {
        let mut at = self.tasks[to].context;
        let common = self.contexts.common(at, self.tasks[from].context);
        while at != common {
            change(&mut self.outside[at]);
            at = self.contexts.all[at].parent;
        }
    }

    fn visit(&mut self, at: usize) {
        let mut last = None;
        loop {
            if let Some(task) = self.next(at) {
                self.done(task);
                last = None;
                continue;
            }
            let complete = |s: &Self, c: usize| s.pending[c] > 0 && s.outside[c] == 0;
            let twins = |s: &Self, a: usize, b: usize| s.contexts.all[a].condition == s.contexts.all[b].condition;
            let sibling = last.and_then(|last: usize| {
                self.children[at].iter().copied().find(|&c| twins(self, c, last) && complete(self, c))
            });
            let child = sibling
                // If possible, all arms are entered one after the other.
                .or_else(|| {
                    let whole = |c: usize| {
                        let all = &mut self.children[at].iter().filter(|&&other| twins(self, c, other));
                        all.all(|&other| self.outside[other] == 0)
                    };
                    self.children[at].iter().copied().find(|&c| complete(self, c) && whole(c))
                })
                .or_else(|| self.children[at].iter().copied().find(|&c| complete(self, c)))
                // Branches that need something from each other: one of them is entered twice.
                .or_else(|| if self.outside[at] == 0 { self.ready_below(at) } else { None });
            let Some(child) = child else { return };
            self.visit(child);
            last = Some(child);
        }
    }

    /// A task that can be done: one for the loop that was begun; else one without lanes, since others may wait for it,
    /// to come into the same loop. Of several, the one that became ready last: a value is used soon after it was
    /// computed.
    fn next(&mut self, at: usize) -> Option<usize> {
        let (tasks, lanes, ready) = (self.tasks, &self.lanes, &mut self.ready[at]);
        let join = ready.iter().rposition(|&task| matches!(tasks[task].action, Action::Join));
        let same = || ready.iter().rposition(|&task| self.last > 0 && lanes[task] == self.last);
        let plain = || ready.iter().rposition(|&task| lanes[task] == 0);
        let i = join.or_else(same).or_else(plain).or(ready.len().checked_sub(1))?;
        let task = ready.remove(i);
        if ready.is_empty() {
            self.entries.remove(&self.places[at].start);
        }
        if join.is_none() {
            self.last = lanes[task];
        }
        Some(task)
    }

    /// A task can be done.
    fn is_ready(&mut self, task: usize) {
        let context = self.tasks[task].context;
        self.ready[context].push(task);
        self.entries.insert(self.places[context].start, context);
    }

    /// The branch below `at` of which the largest part can be done now.
    fn ready_below(&mut self, at: usize) -> Option<usize> {
        // Of each branch right below, the first that can be entered: what lies deeper comes with it.
        let mut branches: Vec<(usize, usize)> = vec![];
        for &context in self.entries.range(self.places[at].start + 1..self.places[at].end).map(|(_, context)| context) {
            match branches.last_mut() {
                Some((top, first)) if self.places[*top].contains(&self.places[context].start) => {
                    *first = context.min(*first);
                }
                _ => {
                    let mut top = context;
                    while self.contexts.all[top].parent != at {
                        top = self.contexts.all[top].parent;
                    }
                    branches.push((top, context));
                }
            }
        }
        let rated = branches.into_iter().map(|(top, first)| {
            let (reach, pending) = (self.reach(top), self.pending[top].max(1));
            ((1000 * reach / pending, reach, Reverse(first)), first)
        });
        rated.max_by_key(|&(rate, _)| rate).map(|(_, first)| first)
    }

    /// How many tasks could be done in and below a context without leaving it.
    fn reach(&mut self, at: usize) -> usize {
        let places = self.places[at].clone();
        let ready = self.entries.range(places.clone()).map(|(_, &context)| context);
        let mut work: Vec<usize> = ready.flat_map(|context| self.ready[context].iter().copied()).collect();
        let mut count = 0;
        self.looks += 1;
        while let Some(task) = work.pop() {
            count += 1;
            for &user in &self.users[task] {
                if !places.contains(&self.places[self.tasks[user].context].start) {
                    continue;
                }
                let looked = &mut self.looked[user];
                if looked.0 != self.looks {
                    *looked = (self.looks, self.waits[user]);
                }
                looked.1 -= 1;
                if looked.1 == 0 {
                    work.push(user);
                }
            }
        }
        count
    }

    fn done(&mut self, task: usize) {
        self.order.push(task);
        let mut at = self.tasks[task].context;
        loop {
            self.pending[at] -= 1;
            if at == ROOT {
                break;
            }
            at = self.contexts.all[at].parent;
        }
        for user in std::mem::take(&mut self.users[task]) {
            self.crossing(task, user, |outside| *outside -= 1);
            self.waits[user] -= 1;
            if self.waits[user] == 0 {
                self.is_ready(user);
            }
        }
    }
}
