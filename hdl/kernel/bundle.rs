//! Bundles: buses as interface types, one for each end, joined or handed on in one line, and registers for all their
//! signals.

/// Makes the two ends of a bus from one list of signals, with directions as the first end sees them:
///
/// ```
/// use bitline_kernel::prelude::*;
///
/// bundle! {
///     /// Words that are offered, at the end that takes them.
///     pub Sink "Source", Source "Sink" <T: Packed> {
///         /// A word is offered.
///         In valid: Bit,
///         /// The word.
///         In data: T,
///         /// It is taken if offered.
///         Out ready: Bit,
///     }
/// }
/// # fn main() {}
/// ```
///
/// The text behind each name is the other's, which rust-hdl's attribute wants as a string. A block has an end as a
/// field; in `#[hdl_gen]`, `Source::<T>::join(&mut self.a.source, &mut self.b.sink)` joins two children's ends, and
/// `Sink::<T>::link(&mut self.sink, &mut self.a.sink)` hands a port on to a child's of the same type. In Verilog a
/// signal is called `field_signal`, in the order of the list (see [`flat`](crate::names::flat) for names that end in
/// underscores); those of an array of signals, `In data: [T; 3]` or `In data: [T; LANES]`, have their numbers behind.
/// `Part name: Near | Far,` in the list is a bundle in the bundle, with its type for each end.
///
/// A signal's text may also follow it, several of one kind sharing it: `In low, high: T; /// Bounds.` A bundle of
/// inputs may have a third type: `registers Stage` or `pipes Stage`, with or without reset, is a child with a clock, a
/// sink `d` and a source `q`, which become registers of the block. `Source::join(&mut self.stage.q, &mut self.stage.d)`
/// keeps what it holds, as `dff_setup!` does for a register.
#[macro_export]
macro_rules! bundle {
    ($(
        $(#[$meta:meta])*
        pub $near:ident $far_text:tt, $far:ident $near_text:tt $(, $keeps:ident $stage:ident)?
            $(<$($of:ident: $bound:path),+>)? { $($signals:tt)+ }
    )+) => {$(
        $crate::bundle_stage! {
            [$($keeps $stage)?] {$(<$($of: $bound),+>)?} {$(<$($of),+>)?} $near $far $($signals)+
        }
        $crate::bundle_end! { {$(#[$meta])*} $near $far_text {$(<$($of: $bound),+>)?} same {} $($signals)+ }
        $crate::bundle_end! {
            {#[doc = "The other end of the same bus."]}
            $far $near_text {$(<$($of: $bound),+>)?} other {} $($signals)+
        }
    )+};
}
pub use crate::bundle;

/// One end of a bundle: takes its signals one by one, turned around for the other end, since derives take no macros as
/// types.
#[macro_export]
#[doc(hidden)]
macro_rules! bundle_end {
    ({$(#[$meta:meta])*} $name:ident $joins:tt {$($of:tt)*} $end:ident {$($done:tt)*}) => {
        $(#[$meta])*
        #[derive(LogicInterface, Default)]
        #[join = $joins]
        pub struct $name $($of)* { $($done)* }
    };
    ($meta:tt $name:ident $joins:tt $of:tt same {$($done:tt)*}
        $(#[$doc:meta])* $direction:ident $signal:ident: [$type:ty; $n:tt], $($rest:tt)*) => {
        $crate::bundle_end! {
            $meta $name $joins $of same {$($done)* $(#[$doc])*
            pub $signal: Array<Signal<$direction, $type>, $n>,} $($rest)*
        }
    };
    ($meta:tt $name:ident $joins:tt $of:tt other {$($done:tt)*}
        $(#[$doc:meta])* In $signal:ident: [$type:ty; $n:tt], $($rest:tt)*) => {
        $crate::bundle_end! {
            $meta $name $joins $of other {$($done)* $(#[$doc])*
            pub $signal: Array<Signal<Out, $type>, $n>,} $($rest)*
        }
    };
    ($meta:tt $name:ident $joins:tt $of:tt other {$($done:tt)*}
        $(#[$doc:meta])* Out $signal:ident: [$type:ty; $n:tt], $($rest:tt)*) => {
        $crate::bundle_end! {
            $meta $name $joins $of other {$($done)* $(#[$doc])*
            pub $signal: Array<Signal<In, $type>, $n>,} $($rest)*
        }
    };
    ($meta:tt $name:ident $joins:tt $of:tt same {$($done:tt)*}
        $(#[$doc:meta])* Part $part:ident: $near:ty | $far:ty, $($rest:tt)*) => {
        $crate::bundle_end! { $meta $name $joins $of same {$($done)* $(#[$doc])* pub $part: $near,} $($rest)* }
    };
    ($meta:tt $name:ident $joins:tt $of:tt other {$($done:tt)*}
        $(#[$doc:meta])* Part $part:ident: $near:ty | $far:ty, $($rest:tt)*) => {
        $crate::bundle_end! { $meta $name $joins $of other {$($done)* $(#[$doc])* pub $part: $far,} $($rest)* }
    };
    ($meta:tt $name:ident $joins:tt $of:tt same {$($done:tt)*}
        $direction:ident $($signal:ident),+: $type:ty; #[$doc:meta] $($rest:tt)*) => {
        $crate::bundle_end! {
            $meta $name $joins $of same {$($done)* $(#[$doc] pub $signal: Signal<$direction, $type>,)+} $($rest)*
        }
    };
    ($meta:tt $name:ident $joins:tt $of:tt other {$($done:tt)*}
        In $($signal:ident),+: $type:ty; #[$doc:meta] $($rest:tt)*) => {
        $crate::bundle_end! {
            $meta $name $joins $of other {$($done)* $(#[$doc] pub $signal: Signal<Out, $type>,)+} $($rest)*
        }
    };
    ($meta:tt $name:ident $joins:tt $of:tt other {$($done:tt)*}
        Out $($signal:ident),+: $type:ty; #[$doc:meta] $($rest:tt)*) => {
        $crate::bundle_end! {
            $meta $name $joins $of other {$($done)* $(#[$doc] pub $signal: Signal<In, $type>,)+} $($rest)*
        }
    };
    ($meta:tt $name:ident $joins:tt $of:tt same {$($done:tt)*}
        $(#[$doc:meta])* $direction:ident $signal:ident: $type:ty, $($rest:tt)*) => {
        $crate::bundle_end! {
            $meta $name $joins $of same {$($done)* $(#[$doc])*
            pub $signal: Signal<$direction, $type>,} $($rest)*
        }
    };
    ($meta:tt $name:ident $joins:tt $of:tt other {$($done:tt)*}
        $(#[$doc:meta])* In $signal:ident: $type:ty, $($rest:tt)*) => {
        $crate::bundle_end! {
            $meta $name $joins $of other {$($done)* $(#[$doc])*
            pub $signal: Signal<Out, $type>,} $($rest)*
        }
    };
    ($meta:tt $name:ident $joins:tt $of:tt other {$($done:tt)*}
        $(#[$doc:meta])* Out $signal:ident: $type:ty, $($rest:tt)*) => {
        $crate::bundle_end! {
            $meta $name $joins $of other {$($done)* $(#[$doc])*
            pub $signal: Signal<In, $type>,} $($rest)*
        }
    };
}

/// The registers of a bundle.
#[macro_export]
#[doc(hidden)]
macro_rules! bundle_stage {
    ([] $($rest:tt)+) => {};
    ([registers $stage:ident] $($rest:tt)+) => { $crate::bundle_stage! { true, $stage $($rest)+ } };
    ([pipes $stage:ident] $($rest:tt)+) => { $crate::bundle_stage! { false, $stage $($rest)+ } };
    (
        $reset:literal, $stage:ident {$($of:tt)*} {$($with:tt)*} $near:ident $far:ident
        $(In $($signal:ident),+: $type:ty; #[$doc:meta])+
    ) => {
        /// The signals of the bundle in registers.
        #[derive(LogicBlock, Default)]
        pub struct $stage $($of)* {
            /// Clock and reset.
            pub clock: Signal<In, Domain>,
            /// Next values.
            pub d: $near $($with)*,
            /// Values; with reset, 0 after it.
            pub q: $far $($with)*,
            _edge: $crate::reg::Edge,
        }

        impl $($of)* Logic for $stage $($with)* {
            fn update(&mut self) {
                if self._edge.rising(self.clock.val()) {
                    let resets = $reset && self.clock.val().rst;
                    $($(self.q.$signal.next = if resets { <$type>::default() } else { self.d.$signal.val() };)+)+
                }
            }

            fn connect(&mut self) {
                $($(self.q.$signal.connect();)+)+
            }

            fn hdl(&self) -> ast::Verilog {
                $crate::reg::stage($reset)
            }
        }
    };
}
