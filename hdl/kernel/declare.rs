//! Blocks: each port, register, child and wire declared in a line.

/// Declares a block: its ports, and what is inside.
///
/// ```
/// use bitline_kernel::prelude::*;
///
/// hdl_block! {
///     /// Counts.
///     pub Counter {
///         In clock: Domain; /// Clock and reset.
///         In up, down: Bit; /// The count changes by one.
///         Out count: Bits<8>; /// The count.
///     } inside {
///         Register value: Bits<8>; // 0 after reset.
///         Local both: Bit;
///     }
/// }
/// # impl Logic for Counter { fn update(&mut self) {} }
/// # fn main() {}
/// ```
///
/// This is the struct that rust-hdl derives a block from, its fields in this order. A port's text follows it; what is
/// inside is private. The kinds are those of [`kinds`](crate::declare::kinds).
#[macro_export]
macro_rules! hdl_block {
    (
        $(#[$meta:meta])*
        pub $block:ident <$(const $of:ident: $number:ty),+> { $($fields:tt)+ } inside { $($inner:tt)+ }
    ) => {
        $crate::hdl_block! { @ {$(#[$meta])*} $block {<$(const $of: $number),+>} {$($fields)+} {$($inner)+} }
    };
    (
        $(#[$meta:meta])*
        pub $block:ident $(<$($of:ident: $bound:path),+>)? { $($fields:tt)+ } $(inside { $($inner:tt)+ })?
    ) => {
        $crate::hdl_block! { @ {$(#[$meta])*} $block {$(<$($of: $bound),+>)?} {$($fields)+} {$($($inner)+)?} }
    };
    (
        @ {$($meta:tt)*} $block:ident {$($of:tt)*}
        {$($kind:ident $($port:ident),+: $type:ty; #[$doc:meta])+}
        {$($inner_kind:ident $($inner:ident),+: $inner_type:ty;)*}
    ) => {
        $($meta)*
        #[derive(LogicBlock, Default)]
        pub struct $block $($of)* {
            $($(#[$doc] pub $port: $crate::declare::kinds::$kind<$type>,)+)+
            $($($inner: $crate::declare::kinds::$inner_kind<$inner_type>,)+)*
        }
    };
}
pub use crate::hdl_block;

/// What can be declared in a block.
pub mod kinds {
    use rust_hdl_core::direction;
    use rust_hdl_core::prelude::Signal;

    pub use crate::reg::{Pipe, Register};

    /// An input.
    pub type In<T> = Signal<direction::In, T>;
    /// An output.
    pub type Out<T> = Signal<direction::Out, T>;
    /// A wire inside.
    pub type Local<T> = Signal<direction::Local, T>;
    /// One end of a bundle.
    pub type Bus<T> = T;
    /// A block inside, or several.
    pub type Child<T> = T;
    /// A parameter: not hardware. Its name begins with `_`.
    pub type Value<T> = T;
}
