//! A serial endpoint that lies: replies of any bytes, and good frames with wrong contents. The host ends with a result
//! or an error; where a byte was damaged on its way, it is the right result.

use std::time::Duration;

use bitline::sim::host_link::board::Identity;
use bitline::sim::host_link::double::Double;
use bitline::sim::host_link::transport::InProcess;
use bitline::sim::host_link::{Board, LinkError, Session, Timing, Wire};
use bitline::system::SystemParams;
use bitline::system::protocol::{ARRAY_MEMORY_BASE, Reply, Status};
use proptest::prelude::*;

use super::{Effort, hold};

/// Something that happens to what the board sends.
#[derive(Clone, Debug)]
enum Lie {
    /// The byte is another.
    Byte(u8),
    /// These come before it.
    Noise(Vec<u8>),
    /// It does not come.
    Lost,
    /// A good frame in its place.
    Frame(u8, u8, u16, Vec<u32>),
}

fn lie() -> impl Strategy<Value = Lie> {
    prop_oneof![
        any::<u8>().prop_map(Lie::Byte),
        prop::collection::vec(any::<u8>(), 1..40).prop_map(Lie::Noise),
        Just(Lie::Lost),
        (any::<u8>(), 0u8..12, any::<u16>(), prop::collection::vec(any::<u32>(), 0..12))
            .prop_map(|(status, tag, count, words)| Lie::Frame(status, tag, count, words)),
    ]
}

/// A board whose bytes are replaced, at bytes counted from the first.
struct Liar {
    inner: Double,
    lies: Vec<(usize, Lie)>,
    /// Bytes that it has sent.
    sent: usize,
}

impl Wire for Liar {
    fn name(&self) -> String {
        "liar".into()
    }

    fn baud(&self) -> u32 {
        self.inner.baud()
    }

    fn send(&mut self, bytes: &[u8]) {
        self.inner.send(bytes);
    }

    fn unsent(&self) -> usize {
        self.inner.unsent()
    }

    fn pass(&mut self, bits: u64, received: &mut Vec<u8>) {
        let mut honest = Vec::new();
        self.inner.pass(bits, &mut honest);
        for byte in honest {
            match self.lies.iter().find(|(at, _)| *at == self.sent).map(|(_, lie)| lie) {
                None => received.push(byte),
                Some(Lie::Byte(other)) => received.push(*other),
                Some(Lie::Noise(noise)) => received.extend(noise.iter().chain([&byte])),
                Some(Lie::Lost) => {}
                Some(Lie::Frame(status, tag, count, words)) => {
                    let status = Status::ALL[usize::from(status % 8)];
                    received.extend(Reply { status, tag: *tag, count: *count, words: words.clone() }.encode());
                }
            }
            self.sent += 1;
        }
    }

    fn now(&self) -> u64 {
        self.inner.now()
    }
}

fn params() -> SystemParams {
    SystemParams { timeout_bits: 1024, baud: 20_000_000, ..SystemParams::preset("tiny").expect("named") }
}

#[test]
fn an_endpoint_that_lies() {
    let params = params();
    let answer = Duration::from_millis(20);
    let strategy = prop::collection::vec((0usize..240, lie()), 0..6);
    let (right, failed) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    hold(Effort { cases: 6000 }, &strategy, |lies| {
        // A byte that is damaged is always noticed; a frame that is right in itself can say anything, and more damage
        // than a checksum is made for is noticed nearly always.
        let certain = matches!(&lies[..], [] | [(_, Lie::Byte(_))]);
        let inner = Double::new(&params, 3).expect("legal");
        let liar = InProcess::new(Liar { inner, lies, sent: 0 });
        let talk = || -> Result<bool, LinkError> {
            let mut board = Board::connect(Box::new(liar), &params, answer)?;
            let bytes: Vec<u8> = (0..25).map(|i| i * 7 + 1).collect();
            board.load(ARRAY_MEMORY_BASE + 8, &bytes, &mut |_, _| {})?;
            board.session.write_once(ARRAY_MEMORY_BASE, &[5, 6], false)?;
            let back = board.store(ARRAY_MEMORY_BASE + 8, bytes.len(), &mut |_, _| {})?;
            let words = board.session.read(ARRAY_MEMORY_BASE, 2)?;
            Ok(back == bytes && words == [5, 6])
        };
        match talk() {
            Ok(good) => {
                prop_assert!(good || !certain, "wrong data from a line that has damaged a byte");
                right.set(right.get() + 1);
            }
            Err(error) => {
                failed.set(failed.get() + 1);
                prop_assert!(!error.to_string().is_empty());
            }
        }
        Ok(())
    });
    assert!(right.get() > 50 && failed.get() > 5, "{} came through, {} did not", right.get(), failed.get());
}

/// An endpoint of random bytes alone: it ends, and nobody takes it for a board.
#[test]
fn an_endpoint_of_noise() {
    struct Noise(Vec<u8>, u64);

    impl Wire for Noise {
        fn name(&self) -> String {
            "noise".into()
        }

        fn baud(&self) -> u32 {
            20_000_000
        }

        fn send(&mut self, _bytes: &[u8]) {}

        fn unsent(&self) -> usize {
            0
        }

        fn pass(&mut self, bits: u64, received: &mut Vec<u8>) {
            self.1 += bits;
            received.extend(self.0.pop());
        }

        fn now(&self) -> u64 {
            self.1
        }
    }

    let params = params();
    hold(Effort { cases: 5000 }, &prop::collection::vec(any::<u8>(), 0..400), |bytes| {
        let noise = InProcess::new(Noise(bytes, 0));
        let mut session = Session::new(Box::new(noise), Timing::of(&params, Duration::from_millis(2)));
        prop_assert!(Identity::of(&mut session).is_err());
        Ok(())
    });
}
