//! The shortest of all schedules of a small piece, by trying every one of them.

use bitline_compile::words::{Piece, Step};

use super::solver::{Search, State};

/// Its cycles.
pub fn shortest(piece: &Piece, arrays: usize) -> u64 {
    // One array can do everything, in the order of the text.
    let mut best = piece.words.iter().map(|word| word.cycles).sum();
    extend(&Search::new(piece, arrays), piece, arrays, State::new(piece, arrays), &mut Vec::new(), &mut best);
    best
}

/// Tries whatever may come behind these steps.
fn extend(search: &Search<'_>, piece: &Piece, arrays: usize, state: State, steps: &mut Vec<Step>, best: &mut u64) {
    if state.end() >= *best {
        return;
    }
    if search.ends(&state) {
        *best = state.end();
        return;
    }
    let words = (0..piece.words.len()).filter(|word| !state.does(*word)).flat_map(|word| {
        let places = (0..arrays).flat_map(move |array| (0..arrays).map(move |address| (array, address)));
        places.map(move |(array, address)| Step::Word { word, array, address })
    });
    // Nothing is moved where it is, or if nobody is to read it.
    let wanted = |value: &usize| {
        let coming = piece.words.iter().enumerate().filter(|word| !state.does(word.0));
        let mut values = coming.flat_map(|(_, word)| word.sources.iter().chain(&word.address));
        !piece.values[*value].everywhere && values.any(|one| one == value)
    };
    let moves = (0..piece.values.len()).filter(wanted).flat_map(|value| {
        let sets = (0..arrays).flat_map(move |from| (1..1_u8 << arrays).map(move |to| (from, to)));
        sets.map(move |(from, to)| Step::Move { value, from, to })
    });
    let again = |step: &Step| match step {
        Step::Move { value, to, .. } => steps.iter().any(|before| match before {
            Step::Move { value: moved, from, to: targets } => moved == value && (targets | 1 << from) & to != 0,
            Step::Word { word, array, .. } => piece.words[*word].result == Some(*value) && to >> array & 1 == 1,
        }),
        Step::Word { .. } => false,
    };
    let next: Vec<Step> = words.chain(moves).filter(|step| !again(step)).collect();
    for step in next {
        if let Some(next) = search.next(&state, step) {
            steps.push(step);
            extend(search, piece, arrays, next, steps, best);
            steps.pop();
        }
    }
}
