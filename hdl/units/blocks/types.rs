//! Types that several blocks share.

use crate::kernel::prelude::*;
use crate::params::ROW_ADDRESS_BITS;

/// A row's number. Memories take the low bits that they need.
pub type RowAddress = Bits<ROW_ADDRESS_BITS>;

/// A bit for each row that an address can name.
pub type RowSelect = Word<{ 1 << ROW_ADDRESS_BITS }, { (1 << ROW_ADDRESS_BITS) / 64 }>;
