//! Types that several blocks share.

use crate::array::params::ROW_ADDRESS_BITS;
use crate::kernel::prelude::*;

/// A row's number. Memories take the low bits that they need.
pub type RowAddress = Bits<ROW_ADDRESS_BITS>;

/// A bit for each row that an address can name.
pub type RowSelect = Word<{ 1 << ROW_ADDRESS_BITS }, { (1 << ROW_ADDRESS_BITS) / 64 }>;
