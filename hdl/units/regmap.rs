//! What describes registers: accesses, fields, reset values, and the macro that declares a table of them. Each unit's
//! table makes its decoder, C header, register map and SystemRDL.

/// What software may do with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Reads; writes have no effect.
    ReadOnly,
    /// Reads what was written.
    ReadWrite,
    /// Reads; a 1 written clears the bit.
    WriteOneToClear,
    /// Reads 0; a write has an effect.
    WriteOnly,
}

impl Access {
    /// The name in tables and in SystemRDL.
    pub fn name(self) -> &'static str {
        match self {
            Access::ReadOnly => "ro",
            Access::ReadWrite => "rw",
            Access::WriteOneToClear => "w1c",
            Access::WriteOnly => "wo",
        }
    }
}

/// What a field holds after reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reset {
    /// This value in every design.
    Value(u32),
    /// A constant that says something about the design; the table's own module gives it.
    Design,
}

/// A field of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// Name, unique in the register.
    pub name: &'static str,
    /// Lowest bit.
    pub lsb: usize,
    /// Number of bits.
    pub bits: usize,
    /// What software may do.
    pub access: Access,
    /// After reset.
    pub reset: Reset,
    /// What it means.
    pub doc: &'static str,
}

impl Field {
    /// The field's bits in the register.
    pub const fn mask(&self) -> u32 {
        (((1u64 << self.bits) - 1) << self.lsb) as u32
    }
}

/// A register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Register {
    /// Name, unique.
    pub name: &'static str,
    /// Byte offset.
    pub offset: u64,
    /// What it is for.
    pub doc: &'static str,
    /// Fields, lowest bit first.
    pub fields: &'static [Field],
}

/// Declares the table and, next to it, the offset of every register and the lowest bit of every field as constants. A
/// register may have fields from another list among its own: `with LIST`.
macro_rules! registers {
    ($($(#[doc = $doc:literal])+
        $offset_const:ident $name:literal @ $offset:literal $(with $more:path)? {
        $($(#[doc = $fdoc:literal])+ $lsb_const:ident $field:literal [$lsb:literal +: $bits:expr] $access:ident $reset:expr;)+
    })+) => {
        $(
            #[doc = concat!("Byte offset of `", $name, "`.")]
            pub const $offset_const: u64 = $offset;
            $(
                #[doc = concat!("Lowest bit of `", $field, "` in `", $name, "`.")]
                pub const $lsb_const: usize = $lsb;
            )+
        )+

        /// Every register, in the order of their offsets.
        pub const REGISTERS: &[Register] = &[$(Register {
            name: $name,
            offset: $offset,
            doc: concat!($($doc),+),
            fields: {
                const FIELDS: &[Field] = &[$(Field {
                    name: $field,
                    lsb: $lsb,
                    bits: $bits,
                    access: Access::$access,
                    reset: $reset,
                    doc: concat!($($fdoc),+),
                }),+];
                const MORE: &[Field] = [$($more,)? &[]][0];
                &$crate::regmap::merged::<{ FIELDS.len() + MORE.len() }>(FIELDS, MORE)
            },
        }),+];
    };
}

pub(crate) use registers;

/// Two lists of fields as one, the lowest bit first, as each of them is.
pub const fn merged<const N: usize>(one: &[Field], other: &[Field]) -> [Field; N] {
    let mut fields = [one[0]; N];
    let (mut i, mut j) = (0, 0);
    while i + j < N {
        let first = j == other.len() || (i < one.len() && one[i].lsb < other[j].lsb);
        fields[i + j] = if first { one[i] } else { other[j] };
        if first {
            i += 1;
        } else {
            j += 1;
        }
    }
    fields
}

/// The same in any table.
pub const fn writable_in(table: &[Register], offset: u64) -> u64 {
    let (mut r, mut bits) = (0, 0);
    while r < table.len() {
        let mut f = 0;
        while table[r].offset == offset && f < table[r].fields.len() {
            if matches!(table[r].fields[f].access, Access::ReadWrite) {
                bits |= table[r].fields[f].mask() as u64;
            }
            f += 1;
        }
        r += 1;
    }
    bits
}

/// 64-bit FNV-1a: tells files and configurations apart; no protection against forgery.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
