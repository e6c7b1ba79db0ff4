//! Schedules of the example kernels against the shortest there are, which a solver proves; and the solver against all
//! schedules of small pieces.
//!
//! `scripts/figures.sh cuda-exact` puts the table into the manual.

mod all;
mod solver;

use crate::common::launches::{LAUNCHES, Launch, plan, preset};
use bitline_compile::words::{Executed, Piece, Value, Words, Work};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use solver::{least, scheduled, shortest};

/// The kernels of `scripts/figures.sh cuda`.
const KERNELS: [(&str, &str); 13] = [
    ("vecadd", "vecadd"),
    ("nn", "nn"),
    ("histogram", "histogram"),
    ("gameoflife", "generation"),
    ("pathfinder", "pathfinder"),
    ("gaussian", "multipliers"),
    ("gaussian", "eliminate"),
    ("backprop", "layer"),
    ("backprop", "adjust"),
    ("hotspot", "hotspot"),
    ("blackscholes", "blackscholes"),
    ("matvec", "matvec"),
    ("matmul", "matmul"),
];

/// Most words of pieces whose shortest schedule is looked for: all in the table, few in each test run.
const MOST: usize = 13;
const FEW: usize = 9;
/// States of the solver, some 70,000 a second, after which a piece of the table, and of a test run, is left without a
/// proof.
const STATES: u64 = 4_000_000;
const FEW_STATES: u64 = 50_000;

/// Launches of these kernels.
fn launches() -> impl Iterator<Item = &'static Launch> {
    let of = |one: &(&str, &str)| {
        LAUNCHES.iter().find(|launch| launch.0.strip_suffix(".ptx") == Some(one.0) && launch.1 == one.1)
    };
    KERNELS.iter().map(move |one| of(one).expect("a launch"))
}

/// The pieces of a launch with so many arrays a thread, on `cb`, and how often each is executed.
fn pieces(launch: &Launch, arrays: usize) -> Vec<(Piece, u64)> {
    let params = preset("cb");
    let words = Words { arrays: Some(arrays), ..Words::new(&params) };
    let (module, plan) = (crate::common::module(launch.0), plan(launch));
    let mut executed = Executed::default();
    let ran = plan.words_on(&module, &words, &mut |compiled, launch, memory| {
        words.run_watched(&module, compiled, launch, memory, plan.limit, &mut executed)
    });
    let pieces = ran.unwrap_or_else(|error| panic!("{error}")).compiled.pieces;
    let times = |piece: &Piece| executed.words.get(piece.first).copied().unwrap_or(0);
    let worked = pieces.into_iter().filter(|piece| !piece.words.is_empty());
    worked.map(|piece| (piece.clone(), times(&piece))).collect()
}

/// Cycles of all words one after the other: what one array takes, in whatever order.
fn serial(piece: &Piece) -> u64 {
    piece.words.iter().map(|word| word.cycles).sum()
}

/// A piece whose moves take no word.
fn without_moves(piece: &Piece) -> Piece {
    let values = piece.values.iter().map(|value| Value { everywhere: true, ..value.clone() }).collect();
    Piece { values, ..piece.clone() }
}

/// A piece whose words of memory take no time.
fn without_memory(piece: &Piece) -> Piece {
    let cycles = |word: &Work| if word.memory { 0 } else { word.cycles };
    let words = piece.words.iter().map(|word| Work { cycles: cycles(word), ..word.clone() }).collect();
    Piece { words, ..piece.clone() }
}

/// A random piece with so many words.
fn random(random: &mut ChaCha8Rng, words: usize) -> Piece {
    let mut piece = Piece::default();
    let mut accesses = Vec::new();
    for at in 0..words {
        let value = |random: &mut ChaCha8Rng, piece: &mut Piece| {
            let first = piece.values.iter().filter(|value| value.everywhere).count() + at;
            if piece.values.is_empty() || piece.values.len() < first + 2 && random.random_ratio(1, 3) {
                piece.values.push(Value { moving: random.random_range(4..10), everywhere: random.random_ratio(1, 5) });
                return piece.values.len() - 1;
            }
            random.random_range(0..piece.values.len())
        };
        let memory = random.random_ratio(1, 3);
        let sources = [1, 1, 2, 2, 0][random.random_range(0..5)];
        let mut sources: Vec<usize> = (0..sources).map(|_| value(random, &mut piece)).collect();
        sources.sort_unstable();
        sources.dedup();
        let address = (memory && random.random_ratio(2, 3)).then(|| value(random, &mut piece));
        let behind = if memory && random.random_bool(0.5) { accesses.clone() } else { Vec::new() };
        accesses.extend(memory.then_some(at));
        let result = random.random_ratio(5, 6).then(|| {
            piece.values.push(Value { moving: random.random_range(4..10), everywhere: false });
            piece.values.len() - 1
        });
        let cycles = random.random_range(1..16);
        piece.words.push(Work { cycles, memory, behind, sources, address, result });
    }
    piece
}

/// The solver against every schedule there is.
#[test]
fn the_shortest_of_all_schedules_is_found() {
    let seed = std::env::var("BITLINE_SEED").map_or(47, |seed| seed.parse().expect("a number"));
    println!("BITLINE_SEED={seed}");
    let pieces = if std::env::var_os("BITLINE_DEEP").is_some() { 3000 } else { 100 };
    let mut source = ChaCha8Rng::seed_from_u64(seed);
    let (mut shorter, mut moved, mut exact) = (0, 0, 0);
    for number in 0..pieces {
        let (arrays, most) = [(2, 3), (3, 3), (4, 2)][number % 3];
        let words = source.random_range(1..=most);
        let piece = random(&mut source, words);
        for piece in [piece.clone(), without_moves(&piece), without_memory(&piece)] {
            let expected = all::shortest(&piece, arrays);
            assert_eq!(shortest(&piece, arrays, u64::MAX, u64::MAX), Some(expected), "{arrays} arrays, {piece:#?}");
            let bounds = [least(&piece, arrays), expected, serial(&piece)];
            assert!(bounds.is_sorted(), "{bounds:?}, {arrays} arrays, {piece:?}");
            let told = piece.least().max(piece.parallel().1);
            assert!(told <= expected, "{told}, {expected}, {arrays} arrays, {piece:?}");
            exact += u64::from(told == expected);
            shorter += u64::from(expected < serial(&piece));
            moved += u64::from(shortest(&without_moves(&piece), arrays, u64::MAX, u64::MAX) < Some(expected));
        }
    }
    assert!(shorter > pieces as u64 / 2 && moved > pieces as u64 / 20, "{shorter}, {moved}");
    // What a report says cannot be beaten often is what there is.
    assert!(exact > pieces as u64, "{exact}");
}

/// No schedule of ours is shorter than the shortest, which is never longer than ours, and steps take what the
/// compiler's clock says.
#[test]
fn schedules_against_the_shortest() {
    let (mut proved, mut reached, mut left) = (0, 0, 0);
    for launch in launches() {
        for arrays in [1, 2, 4] {
            for (piece, _) in pieces(launch, arrays) {
                let ours = scheduled(&piece, arrays, &piece.schedule);
                let ours = ours.unwrap_or_else(|| panic!("{} {}: {piece:#?}", launch.0, launch.1));
                assert!(arrays > 1 || ours == serial(&piece), "{piece:#?}");
                assert!(least(&piece, arrays) <= ours && piece.least() <= ours, "{piece:#?}");
                // The dispatcher takes a cycle for each word, and more for those of the scalar unit.
                let most = ours + 4 * piece.schedule.len() as u64 + 40;
                assert!(ours < piece.cycles && piece.cycles <= most, "{piece:#?}");
                if arrays > 1 && piece.words.len() <= FEW {
                    // A schedule as long as ours has to be found, too.
                    let Some(found) = shortest(&piece, arrays, ours + 1, FEW_STATES) else {
                        left += 1;
                        continue;
                    };
                    assert!(found <= ours, "{found}, {ours}, {piece:#?}");
                    proved += 1;
                    reached += u64::from(found == ours);
                }
            }
        }
    }
    println!("{reached} of {proved} schedules are the shortest, {left} have no proof");
    assert!(proved > 80 && left < proved / 20 && reached > proved / 3 && reached < proved);
}

/// Cycles of all executions of pieces with up to [`MOST`] words.
#[derive(Default)]
struct Sums {
    pieces: usize,
    small: usize,
    /// How often a search was given up, so that less than the shortest is counted: what it cannot be below.
    open: usize,
    /// Of all pieces, one word after the other, and of the small ones.
    all: u64,
    one: u64,
    /// Two arrays: ours and the shortest.
    two: [u64; 2],
    /// Four arrays: ours, the shortest, the shortest if moves took no time.
    four: [u64; 3],
    /// Without words of memory: one array; four, the shortest, and if moves took no time.
    compute: [u64; 3],
    /// The same of all pieces: one array; four, the shortest, or what it cannot be below.
    every: [u64; 2],
}

impl Sums {
    fn of(launch: &Launch) -> Sums {
        let mut sums = Sums::default();
        let mut open = 0;
        let mut proved = |piece: &Piece, arrays: usize, known: u64| {
            shortest(piece, arrays, known, STATES).unwrap_or_else(|| {
                open += 1;
                least(piece, arrays)
            })
        };
        let ours = |piece: &Piece, arrays: usize| scheduled(piece, arrays, &piece.schedule).expect("it can be done");
        for (piece, times) in pieces(launch, 2).into_iter().filter(|one| one.0.words.len() <= MOST) {
            let own = ours(&piece, 2);
            sums.two[0] += times * own;
            sums.two[1] += times * proved(&piece, 2, own);
        }
        for (piece, times) in pieces(launch, 4) {
            let (own, compute) = (ours(&piece, 4), without_memory(&piece));
            sums.pieces += 1;
            sums.all += times * serial(&piece);
            sums.every[0] += times * serial(&compute);
            if piece.words.len() > MOST {
                sums.every[1] += times * least(&compute, 4);
                continue;
            }
            sums.small += 1;
            sums.one += times * serial(&piece);
            let best = proved(&piece, 4, own);
            let both = [own, best, proved(&without_moves(&piece), 4, best)];
            sums.four.iter_mut().zip(both).for_each(|(sum, cycles)| *sum += times * cycles);
            let own = scheduled(&compute, 4, &piece.schedule).expect("it can be done");
            let best = proved(&compute, 4, own);
            let both = [serial(&compute), best, proved(&without_moves(&compute), 4, best)];
            sums.compute.iter_mut().zip(both).for_each(|(sum, cycles)| *sum += times * cycles);
            sums.every[1] += times * best;
        }
        sums.open = open;
        sums
    }

    /// One array over four: ours, the shortest, without moves; without memory the shortest, without moves; all pieces.
    fn ratios(&self) -> [Option<f64>; 6] {
        let ratio = |one: u64, four: u64| (four > 0).then(|| one as f64 / four as f64);
        let [ours, best, still] = self.four.map(|four| ratio(self.one, four));
        let compute = |at: usize| ratio(self.compute[0], self.compute[at]);
        [ours, best, still, compute(1), compute(2), ratio(self.every[0], self.every[1])]
    }
}

/// The table of the manual; a minute or two.
#[test]
#[ignore = "takes minutes: scripts/figures.sh cuda-exact"]
fn table() {
    println!(
        "| file | kernel | pieces | of up to {MOST} words | searches given up \
         | of all cycles | 1 | 2 | shortest, 2 | 4 | shortest, 4 \
         | no moves | 1 over 4 | shortest | no moves | compute, shortest | no moves | all pieces, at most |"
    );
    println!("|---|---|{}", "--:|".repeat(16));
    let (mut logarithms, mut counts) = ([0.0; 6], [0; 6]);
    let shown = |ratio: Option<f64>| ratio.map_or("–".to_string(), |ratio| format!("{ratio:.2}"));
    for (launch, (file, kernel)) in launches().zip(KERNELS) {
        let sums = Sums::of(launch);
        let ratios = sums.ratios();
        for (at, ratio) in ratios.iter().enumerate() {
            logarithms[at] += ratio.map_or(0.0, f64::ln);
            counts[at] += u64::from(ratio.is_some());
        }
        let share = 100.0 * sums.one as f64 / sums.all as f64;
        let cycles: Vec<String> = [sums.one].iter().chain(&sums.two).chain(&sums.four).map(u64::to_string).collect();
        let (pieces, small, open, cycles) = (sums.pieces, sums.small, sums.open, cycles.join(" | "));
        println!(
            "| {file} | {kernel} | {pieces} | {small} | {open} | {share:.0} % | {cycles} | {} |",
            ratios.map(shown).join(" | ")
        );
    }
    let mean = |at: usize| (logarithms[at] / counts[at] as f64).exp();
    let means: Vec<String> = (0..6).map(|at| shown(Some(mean(at)))).collect();
    println!("| geometric mean |{} {} |", " |".repeat(11), means.join(" | "));
}
