//! What a model takes from the hardware where its block's contract leaves the time of something free: the model then
//! follows the hardware's handshakes and judges what they do. A table names the nets ([`Tap`], the macro `seen!`);
//! [`Rules`] say what the hardware may do in a cycle, and how long it may put off what it has to do.

use std::fmt::Debug;

use crate::state::Path;

/// Nets of the hardware in the order in which a table passes them.
pub trait Source {
    /// The lowest 64 bits of the net with this path.
    fn low(&mut self, at: &Path<'_>) -> u64;

    /// All bits of it.
    fn all(&mut self, at: &Path<'_>) -> Vec<u64>;
}

/// What can be taken from nets.
pub trait Tap {
    /// Takes the value of a net, or of the nets whose names begin with this one.
    fn tap(&mut self, at: &Path<'_>, from: &mut dyn Source);
}

macro_rules! narrow {
    ($($type:ty)+) => {$(
        impl Tap for $type {
            fn tap(&mut self, at: &Path<'_>, from: &mut dyn Source) {
                *self = from.low(at) as $type;
            }
        }
    )+};
}

narrow!(u8 u16 u32 u64);

impl Tap for bool {
    fn tap(&mut self, at: &Path<'_>, from: &mut dyn Source) {
        *self = from.low(at) == 1;
    }
}

impl Tap for Vec<u64> {
    fn tap(&mut self, at: &Path<'_>, from: &mut dyn Source) {
        *self = from.all(at);
    }
}

/// Structs of what is taken from the hardware in a cycle: `field: Type = "path";`, each with its text; a field that has
/// a table itself is taken from the nets whose names begin with its path, which ends with a dot or an underscore.
macro_rules! seen {
    ($(
        $(#[$text:meta])*
        $name:ident { $($(#[$about:meta])* $field:ident: $type:ty = $path:literal;)+ }
    )+) => {$(
        $(#[$text])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct $name { $($(#[$about])* pub $field: $type,)+ }

        impl $crate::seen::Tap for $name {
            fn tap(&mut self, at: &$crate::state::Path<'_>, from: &mut dyn $crate::seen::Source) {
                $($crate::seen::Tap::tap(&mut self.$field, &at.prefix($path), from);)+
            }
        }
    )+};
}

/// A rule that the hardware has broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken(pub String);

/// What the hardware is held to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// What the hardware puts off, and for how many cycles it has.
    late: Vec<(&'static str, u32)>,
    broken: Option<Broken>,
}

impl Rules {
    /// The first rule that was broken since this was last asked.
    pub fn broken(&mut self) -> Option<Broken> {
        self.broken.take()
    }

    /// Nothing is put off any more.
    pub fn forget(&mut self) {
        self.late.clear();
    }

    /// Something must hold.
    pub fn holds(&mut self, rule: &'static str, holds: bool) {
        if !holds {
            self.broken.get_or_insert_with(|| Broken(rule.to_string()));
        }
    }

    /// Something must be this.
    pub fn same<T: Debug + PartialEq>(&mut self, what: &'static str, expected: &T, actual: &T) {
        if expected != actual {
            self.broken.get_or_insert_with(|| Broken(format!("{what}: {actual:?}, must be {expected:?}")));
        }
    }

    /// Something happens in this cycle if `does`. It must not unless it `may`; if it may, it must within so many cycles
    /// after this one, in which it may all the time.
    pub fn moves(&mut self, what: &'static str, may: bool, does: bool, within: u32) {
        let waits = may && !does;
        self.holds(what, may || !does);
        match self.late.iter().position(|late| late.0 == what) {
            Some(at) if waits => {
                self.late[at].1 += 1;
                let late = self.late[at].1;
                self.holds(what, late <= within);
            }
            Some(at) => _ = self.late.swap_remove(at),
            None if waits => {
                self.late.push((what, 1));
                self.holds(what, within > 0);
            }
            None => {}
        }
    }
}
