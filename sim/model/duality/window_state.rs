//! What an issue window is at, from its contract.

/// What a window does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// Nothing: the next word has not begun.
    #[default]
    Ready,
    /// The next of its steps waits for the arrays.
    Works,
    /// A pass runs.
    Runs,
    /// A command is offered to the sequencer.
    Offers,
    /// A command whose result is chosen runs.
    Drains,
    /// A word of several windows waits for the others.
    Meets,
    /// It has begun, and this window receives.
    Receives,
    /// The answer of a look at a row is on its way; so many cycles to go.
    Answers(u8),
}
