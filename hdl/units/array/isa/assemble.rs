//! Micro-programs ─▶ ROM words. Loops become flow words, row addresses become base registers; rows that drive a latch
//! two ways, or that this hardware cannot run, are refused.

use crate::array::isa::linear::Linear;
use crate::array::isa::operation::{Context, row_fault};
use crate::array::isa::program::{Count, Item, Program};
use crate::array::isa::row::{Address, Index, Operand, Report, Row, StrideAction};
use crate::array::isa::uop::{CarryAction, HoldAction, PredicateAction, Second, TagAction, X};
use crate::array::isa::word::{BASES, COUNT_REGISTERS, COUNTS, IndexCode, Kind, XLoad, YLoad, control, flow};

/// One row with its place in the flow.
#[derive(Clone, Debug)]
pub struct Word {
    /// The row.
    pub row: Row,
    /// What decides where it leads.
    pub kind: Kind,
    /// Rows back to the inner loop's head.
    pub back: u8,
    /// The row is the head of an inner loop.
    pub head: bool,
    /// Target, relative to the program's first row.
    pub target: usize,
    /// X when the row is left.
    pub x: Option<Count>,
    /// Y when the row is left.
    pub y: Option<Count>,
    /// The command ends when the row is left.
    pub end: bool,
}

/// A program with its loops resolved.
#[derive(Clone, Debug)]
pub struct Assembled {
    /// Rows in ROM order.
    pub words: Vec<Word>,
    /// X at the start.
    pub x: Option<Count>,
    /// Y at the start.
    pub y: Option<Count>,
    /// Base registers: operand and offset of each.
    pub bases: Vec<Address>,
    /// Count registers.
    pub counts: Vec<Linear>,
    /// The source.
    pub program: Program,
}

/// What must be in X and Y when a piece of program is entered.
#[derive(Clone, Copy, Default)]
struct Entry {
    x: Option<Count>,
    y: Option<Count>,
}

/// Lowers `program` for the given hardware.
///
/// # Panics
/// If the program is wrong: a test assembles all micro-programs of this crate, and those of the library's user are
/// assembled when they are registered.
pub fn assemble(program: &Program, cx: Context) -> Assembled {
    let mut words = Vec::new();
    let entry = lower(&program.body, Entry::default(), &mut words, program.name);
    mark_end(&program.body, &mut words);
    // The first base registers are the operands' first rows: setup writes them for every command.
    let bases = Operand::ALL.map(Operand::j).to_vec();
    let mut assembled = Assembled { words, x: entry.x, y: entry.y, bases, counts: vec![], program: program.clone() };
    for index in 0..assembled.words.len() {
        let row = assembled.words[index].row;
        if let Some(fault) = row_fault(&row, cx).or_else(|| conflict(&row)) {
            panic!("{}, row {index}: {fault}", program.name);
        }
        // The constant ROM answers a cycle late.
        let moved = |row: &Row| row.point.is_some() || row.take;
        let follows = assembled.words.get(index + 1).is_some_and(|next| next.row.take);
        assert!(!moved(&row) || !follows, "{}, row {index}: the next row takes a constant", program.name);
        let plain = assembled.words[index].kind == Kind::Next;
        assert!(row.point.is_none() || plain, "{}, row {index}: its target is a row's", program.name);
        // So is n less a stride that has changed.
        if matches!(row.stride, StrideAction::Halve | StrideAction::Up) {
            let word = &assembled.words[index];
            let again = matches!(word.kind, Kind::Outer | Kind::InnerOuter).then_some(word.target);
            for next in [Some(index + 1), again].into_iter().flatten().filter_map(|at| assembled.words.get(at)) {
                let counts = matches!(next.kind, Kind::Next | Kind::AnySkip) && next.x == Some(Count::StrideRest);
                assert!(!counts, "{}, row {index}: the next row counts by a stride that is late", program.name);
            }
        }
        // The wired-OR is known when the command's last write is done, and the next command clears T.
        let late = index + 2 >= assembled.words.len() && row.report != Report::None;
        assert!(!late, "{}, row {index}: two rows follow a row that reports", program.name);
        for address in [row.a, row.b, row.w].into_iter().flatten() {
            assembled.base(address);
        }
        for count in [assembled.words[index].x, assembled.words[index].y].into_iter().flatten() {
            assembled.count(count);
        }
    }
    assembled
}

/// The rows of a program with their places in the flow, not asked whether any hardware can run them.
pub(crate) fn words(program: &Program) -> Vec<Word> {
    let mut words = Vec::new();
    lower(&program.body, Entry::default(), &mut words, program.name);
    mark_end(&program.body, &mut words);
    words
}

/// Two values for one thing in one cycle.
fn conflict(row: &Row) -> Option<String> {
    let c = &row.column;
    if row.load && (row.flip_out || c.predicated) {
        return Some("a loaded row can be neither complemented nor predicated".into());
    }
    if (row.write_on_exit || row.flip_out) && row.w.is_none() && c.t == TagAction::Hold {
        return Some("a condition on a result that nobody takes".into());
    }
    let loads = matches!(c.c, CarryAction::Load | CarryAction::Last);
    if c.next != Default::default() && !loads && c.h != HoldAction::Load {
        return Some("a next value that neither C nor H takes".into());
    }
    let takes_upper = c.second == Second::Pass && c.p == PredicateAction::A;
    let counts = c.x == X::ReverseXorH && c.second == Second::Top;
    if c.x.chooses() && c.second != Second::Off && !takes_upper && !counts {
        return Some("a row that chooses among eight leaves nothing to the second adder".into());
    }
    if c.gathers && (row.flip_x || row.steer_x) {
        return Some("a row gathers, and the complement of its operand x may be a code that chooses".into());
    }
    if c.gathers && !matches!(c.x, X::A | X::NotA | X::Zero | X::H | X::NotH) {
        return Some("a row gathers, and its operand x has no code for that".into());
    }
    if c.alone && (c.x.chooses() || c.gathers || c.second != Second::Off) {
        return Some("a row adds alone, and has something for the second adder".into());
    }
    if c.x.chooses() && (row.flip_x || row.steer_x) {
        return Some("the complement of a choice among eight is no code".into());
    }
    if c.h == HoldAction::Lost && !c.x.chooses() {
        return Some("nothing is lost where no row chooses among eight".into());
    }
    if row.take && (row.key_shift > 0 || row.steer_x || row.steer_y || row.keyed) {
        return Some("a constant taken in a cycle that uses the key".into());
    }
    if row.key_shift > 2 {
        return Some("the key moves by at most 2".into());
    }
    None
}

fn lower(items: &[Item], next: Entry, words: &mut Vec<Word>, name: &str) -> Entry {
    for (position, item) in items.iter().enumerate() {
        let following = items.get(position + 1).map_or(next, entry);
        lower_item(item, following, words, name);
    }
    items.first().map_or(next, entry)
}

/// What an item needs in X and Y.
fn entry(item: &Item) -> Entry {
    match item {
        Item::Once(_) | Item::WhileKey { .. } | Item::IfAnyTag(..) => Entry::default(),
        Item::Each(count, _) => Entry { x: Some(*count), y: None },
        Item::Outer(count, body) => Entry { x: entry(&body[0]).x, y: Some(*count) },
    }
}

fn plain(row: Row, next: Entry) -> Word {
    Word { row, kind: Kind::Next, back: 0, head: false, target: 0, x: next.x, y: next.y, end: false }
}

/// One load serves both ways out of a row: they must agree, or one must not care.
fn either(one: Option<Count>, other: Option<Count>, name: &str) -> Option<Count> {
    match (one, other) {
        (Some(a), Some(b)) if a != b => {
            panic!("{name}: a row leads to loops of {a:?} and of {b:?}")
        }
        (a, b) => a.or(b),
    }
}

fn lower_item(item: &Item, next: Entry, words: &mut Vec<Word>, name: &str) {
    match item {
        Item::Once(row) => words.push(plain(*row, next)),
        Item::Each(_, rows) => {
            let (last, first) = rows.split_last().expect("a loop has rows");
            words.extend(first.iter().map(|&row| plain(row, Entry::default())));
            let back = u8::try_from(first.len()).expect("inner loops are short");
            words.push(Word { kind: Kind::Inner, back, ..plain(*last, next) });
            let head = words.len() - rows.len();
            words[head].head = true;
        }
        Item::Outer(_, body) => {
            let head = words.len();
            let again = entry(&body[0]);
            lower(body, Entry { x: either(again.x, next.x, name), y: None }, words, name);
            let last = words.last_mut().expect("a loop has rows");
            last.kind = match last.kind {
                Kind::Next => Kind::Outer,
                Kind::Inner => Kind::InnerOuter,
                other => panic!("{name}: an outer loop cannot end with {other:?}"),
            };
            last.target = head;
            last.y = next.y;
        }
        Item::WhileKey { enter, body, again } => {
            let at = words.len();
            let into = Entry { x: either(entry(&body[0]).x, next.x, name), y: next.y };
            words.push(Word { kind: Kind::KeySkip, ..plain(*enter, into) });
            lower(body, Entry::default(), words, name);
            words.push(Word { kind: Kind::KeyLoop, target: at + 1, ..plain(*again, into) });
            words[at].target = words.len();
        }
        Item::IfAnyTag(row, body) => {
            let at = words.len();
            let first = entry(&body[0]);
            let into = Entry { x: either(first.x, next.x, name), y: either(first.y, next.y, name) };
            words.push(Word { kind: Kind::AnySkip, ..plain(*row, into) });
            lower(body, next, words, name);
            words[at].target = words.len();
        }
    }
}

/// Marks the rows after which nothing follows.
fn mark_end(body: &[Item], words: &mut [Word]) {
    let len = words.len();
    words[len - 1].end = true;
    assert!(!matches!(body.last(), Some(Item::IfAnyTag(..))), "a row follows a branch: the last row ends the command");
    if matches!(body.last(), Some(Item::WhileKey { .. })) {
        for word in words.iter_mut().filter(|w| w.target == len) {
            word.end = true;
            word.target = 0;
        }
    }
}

impl Assembled {
    /// The base register for `address`, allotted on first use.
    fn base(&mut self, address: Address) -> usize {
        let base = Address { index: Index::J, ..address };
        let position = self.bases.iter().position(|&b| b == base).unwrap_or_else(|| {
            self.bases.push(base);
            self.bases.len() - 1
        });
        assert!(position < BASES, "{}: more than {BASES} base registers", self.program.name);
        position
    }

    /// The count register for `count`, if it needs one. Of what depends on the widths [`Assembled::cycles`] sees
    /// whether it is at least 1.
    fn count(&mut self, count: Count) -> Option<usize> {
        let Count::Linear(linear) = count else {
            return None;
        };
        let constant = linear == Linear { constant: linear.constant, shift: linear.shift, ..Linear::default() };
        assert!(!constant || linear.value(0, 0) > 0, "{}: a loop of {linear} passes", self.program.name);
        let position = self.counts.iter().position(|&c| c == linear).unwrap_or_else(|| {
            self.counts.push(linear);
            self.counts.len() - 1
        });
        assert!(position < COUNTS, "{}: more than {COUNTS} count registers", self.program.name);
        Some(position)
    }

    /// X at the start as a linear expression.
    pub fn first_x(&self) -> Linear {
        let stride = self.program.stride;
        match self.x {
            None => Linear::constant(1),
            Some(Count::Linear(linear)) => linear,
            Some(Count::Triangle) => self.program.z,
            Some(Count::Stride) => stride,
            Some(Count::HalfStride) => stride.half(),
            Some(other) => panic!("{}: cannot start with a loop of {other:?}", self.program.name),
        }
    }

    /// Y at the start as a linear expression.
    pub fn first_y(&self) -> Linear {
        match self.y {
            None => Linear::constant(1),
            Some(Count::Linear(linear)) => linear,
            Some(other) => panic!("{}: cannot start with an outer loop of {other:?}", self.program.name),
        }
    }

    /// What each row reports, by its code.
    pub fn reports(&self) -> Vec<u64> {
        self.words.iter().map(|word| word.row.report as u64).collect()
    }

    /// Flow and control words, with targets moved to the program's place in the ROM.
    pub fn encode(&self, origin: usize) -> Vec<(u128, u128)> {
        self.words.iter().map(|word| (self.flow_word(word, origin), self.control_word(&word.row))).collect()
    }

    /// Number of the count register that holds a count.
    fn count_register(&self, linear: Linear) -> u64 {
        self.counts.iter().position(|&c| c == linear).expect("every count was allotted") as u64
    }

    fn x_code(&self, count: Option<Count>, stride: StrideAction) -> u64 {
        let load = match (count, stride) {
            (None, _) => XLoad::Keep,
            (Some(Count::Linear(linear)), _) => return COUNT_REGISTERS + self.count_register(linear),
            (Some(Count::Triangle), _) => XLoad::Triangle,
            (Some(Count::StrideRest), StrideAction::Hold) => XLoad::Rest,
            (Some(Count::StrideRest), StrideAction::Double) => XLoad::RestDoubled,
            (Some(Count::Stride), StrideAction::Hold) => XLoad::Stride,
            (Some(Count::StrideLessOne), StrideAction::Hold) => XLoad::StrideLessOne,
            (Some(Count::HalfStride), StrideAction::Halve) => XLoad::QuarterStride,
            (Some(Count::Width), _) => XLoad::Width,
            (Some(other), _) => panic!("{}: no {other:?} for an inner loop after {stride:?}", self.program.name),
        };
        load as u64
    }

    fn y_code(&self, count: Option<Count>) -> u64 {
        match count {
            None => YLoad::Keep as u64,
            Some(Count::Linear(linear)) => COUNT_REGISTERS + self.count_register(linear),
            Some(Count::WidthLessTwo) => YLoad::WidthLessTwo as u64,
            Some(Count::WidthLessThree) => YLoad::WidthLessThree as u64,
            Some(other) => panic!("{}: {other:?} cannot count an outer loop", self.program.name),
        }
    }

    fn flow_word(&self, word: &Word, origin: usize) -> u128 {
        use crate::array::isa::row::OffsetAction;
        let row = &word.row;
        let scanned =
            |count: Option<Count>| matches!(count, Some(Count::Width | Count::WidthLessTwo | Count::WidthLessThree));
        let drain = row.keyed || row.i == OffsetAction::Width || scanned(word.x) || scanned(word.y);
        let mut bits = 0;
        flow::KIND.set(&mut bits, word.kind as u64);
        flow::END.set(&mut bits, word.end.into());
        flow::MAY_STOP.set(&mut bits, row.may_stop.into());
        flow::HEAD.set(&mut bits, word.head.into());
        match row.point {
            Some(address) => flow::TARGET.set(&mut bits, address.into()),
            None => flow::TARGET.set(&mut bits, (origin + word.target) as u64),
        }
        flow::X_LOAD.set(&mut bits, self.x_code(word.x, row.stride));
        flow::Y_LOAD.set(&mut bits, self.y_code(word.y));
        flow::Z.set(&mut bits, row.z as u64);
        flow::STRIDE.set(&mut bits, row.stride as u64);
        flow::KEY_SHIFT.set(&mut bits, row.key_shift.into());
        flow::TOKEN.set(&mut bits, row.token as u64);
        flow::DRAIN.set(&mut bits, drain.into());
        flow::KEYED.set(&mut bits, row.keyed.into());
        flow::A_UNLESS_DONE.set(&mut bits, row.a_unless_done.into());
        flow::POINT.set(&mut bits, row.point.is_some().into());
        flow::TAKE.set(&mut bits, row.take.into());
        bits
    }

    fn control_word(&self, row: &Row) -> u128 {
        let mut bits = u128::from(row.column.encode());
        control::MERGE.set(&mut bits, row.merge.into());
        control::MULTI.set(&mut bits, row.multi.code());
        control::A_EN.set(&mut bits, row.a.is_some().into());
        control::B_EN.set(&mut bits, row.b.is_some().into());
        control::W_EN.set(&mut bits, row.w.is_some().into());
        control::W_ON_EXIT.set(&mut bits, row.write_on_exit.into());
        control::FLIP_X.set(&mut bits, row.flip_x.into());
        control::FLIP_Y.set(&mut bits, row.flip_y.into());
        control::FLIP_OUT.set(&mut bits, row.flip_out.into());
        control::STEER_X.set(&mut bits, row.steer_x.into());
        control::STEER_Y.set(&mut bits, row.steer_y.into());
        let ports = [
            (row.a, control::A_BASE, control::A_INDEX, control::A_IMMEDIATE),
            (row.b, control::B_BASE, control::B_INDEX, control::B_IMMEDIATE),
            (row.w, control::W_BASE, control::W_INDEX, control::W_IMMEDIATE),
        ];
        for (address, base, index, immediate) in ports {
            let Some(address) = address else { continue };
            let wanted = Address { index: Index::J, ..address };
            let slot = self.bases.iter().position(|&b| b == wanted).expect("every base was allotted");
            base.set(&mut bits, slot as u64);
            let (code, literal) = match address.index {
                Index::Immediate(literal) => (IndexCode::Immediate, literal),
                Index::J => (IndexCode::J, 0),
                Index::K => (IndexCode::K, 0),
                Index::L => (IndexCode::L, 0),
                Index::I => (IndexCode::I, 0),
            };
            index.set(&mut bits, code as u64);
            immediate.set(&mut bits, literal.into());
        }
        control::J.set(&mut bits, row.j as u64);
        control::J_ZERO.set(&mut bits, row.j_zero.into());
        control::I.set(&mut bits, row.i as u64);
        control::L.set(&mut bits, row.l as u64);
        control::LOAD.set(&mut bits, row.load.into());
        control::STORE.set(&mut bits, row.store.into());
        bits
    }
}
