//! The far end of a line: a board in simulated time.

/// A board, and the line to it. Time is counted in bits on the line and passes only when it is told to.
pub trait Wire {
    /// What it is, for messages.
    fn name(&self) -> String;

    /// Bits a second.
    fn baud(&self) -> u32;

    /// Puts bytes on the line, behind those that are still on their way.
    fn send(&mut self, bytes: &[u8]);

    /// Bytes on their way to the board.
    fn unsent(&self) -> usize;

    /// Lets so many bits of time pass; bytes that come from the board are appended.
    fn pass(&mut self, bits: u64, received: &mut Vec<u8>);

    /// Bits of time since it was made.
    fn now(&self) -> u64;
}

impl<W: Wire + ?Sized> Wire for Box<W> {
    fn name(&self) -> String {
        (**self).name()
    }

    fn baud(&self) -> u32 {
        (**self).baud()
    }

    fn send(&mut self, bytes: &[u8]) {
        (**self).send(bytes);
    }

    fn unsent(&self) -> usize {
        (**self).unsent()
    }

    fn pass(&mut self, bits: u64, received: &mut Vec<u8>) {
        (**self).pass(bits, received);
    }

    fn now(&self) -> u64 {
        (**self).now()
    }
}
