//! Codes: lists of what a field of the control word may say.

/// Bits of the largest of some codes, at least one.
pub const fn bits(codes: &[u64]) -> usize {
    let (mut at, mut all) = (0, 1);
    while at < codes.len() {
        all |= codes[at];
        at += 1;
    }
    (u64::BITS - all.leading_zeros()) as usize
}

/// Declares a list of codes, the first being the default, and a constant for each, for use inside hardware
/// descriptions. Behind a code: `if AndNor`, the kind of columns without which it means nothing, and
/// `reads Hold Delay`, the latches besides C and T that it asks for.
#[doc(hidden)]
#[macro_export]
macro_rules! code {
    ($(#[$doc:meta])* $name:ident {
        $(
            $(#[$vdoc:meta])*
            $variant:ident = $value:literal => $const:ident $(if $columns:ident)? $(reads $($latch:ident)+)?
        ),+ $(,)?
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum $name { #[default] $($(#[$vdoc])* $variant = $value),+ }
        impl $name {
            /// Every code, in the order of the encoding.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];
            /// Bits of the encoding: as many as the largest code has.
            pub const WIDTH: usize = $crate::code::bits(&[$($value),+]);
            /// The constants by their names.
            pub const CONSTANTS: &'static [(&'static str, u64)] = &[$((stringify!($const), $value)),+];
            /// The code's encoding.
            #[inline]
            pub const fn code(self) -> u64 { self as u64 }
            /// The code with this encoding.
            #[inline]
            pub fn from_code(code: u64) -> Option<$name> {
                match code { $($value => Some($name::$variant),)+ _ => None }
            }
            /// The kind of columns without which it means nothing.
            #[allow(clippy::match_single_binding)] // No code need have one.
            pub fn columns(self) -> Option<$crate::params::Columns> {
                match self {
                    $($($name::$variant => Some($crate::params::Columns::$columns),)?)+
                    #[allow(unreachable_patterns)] // Every code may have a kind of its own.
                    _ => None,
                }
            }
            /// Whether it reads a latch; C and T are not asked for, since every column has them.
            #[allow(unused_variables, clippy::match_single_binding)] // No code need read one.
            pub fn reads(self, latch: Latch) -> bool {
                match self {
                    $($($name::$variant => [$(Latch::$latch),+].contains(&latch),)?)+
                    #[allow(unreachable_patterns)] // Every code may read a latch.
                    _ => false,
                }
            }
        }
        $($(#[$vdoc])* pub const $const: u64 = $value;)+
    };
}
#[doc(hidden)]
pub use code;
