//! Model of what a window does early of the next word that computes, from its contract: six cycles for its shape, and
//! its command, which waits in the sequencer, set up, until its turn comes.

/// What is done early.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Early {
    /// Nothing.
    #[default]
    Nothing,
    /// The word takes shape; so many cycles to go.
    Shapes(u8),
    /// It has its shape, and its command is offered.
    Offers,
    /// The sequencer has the command, and waits.
    Held,
    /// The word has its shape, and no command, or one that was refused.
    Never,
}

/// What it gets in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EarlyInputs {
    /// There is a word to look at, of which nothing is done yet.
    pub waits: bool,
    /// The command that was offered early is accepted.
    pub accepted: bool,
    /// A command is refused.
    pub refused: bool,
    /// The word has ended, or its command's turn has.
    pub ends: bool,
}

impl Early {
    /// Cycles to go in the first one in which a word takes shape.
    const SHAPE: u8 = 4;

    /// Whether the word has its shape in the next cycle.
    pub fn shaped(self) -> bool {
        !matches!(self, Early::Nothing | Early::Shapes(1..))
    }

    /// One clock edge. `commands` says whether the word has a command.
    pub fn step(&mut self, inputs: EarlyInputs, commands: impl FnOnce() -> bool) {
        *self = match *self {
            _ if inputs.ends => Early::Nothing,
            Early::Held if inputs.refused => Early::Never,
            Early::Nothing if inputs.waits => Early::Shapes(Early::SHAPE),
            Early::Shapes(0) if commands() => Early::Offers,
            Early::Shapes(0) => Early::Never,
            Early::Shapes(left) => Early::Shapes(left - 1),
            Early::Offers if inputs.accepted => Early::Held,
            same => same,
        };
    }
}
