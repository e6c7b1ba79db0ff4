//! Values out of all elements of a vector, computed by the host from the rows that it has read.

use num_bigint::BigInt;

use super::source::Across;
use crate::data::{ElementType, Number};

/// A value, and the first element that holds it where it is an element's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub value: BigInt,
    pub element: Option<usize>,
}

/// A number of any size.
pub(super) fn big(number: Number) -> BigInt {
    let magnitude = BigInt::from(number.magnitude);
    if number.negative { -magnitude } else { magnitude }
}

/// The value of these elements, of which there is at least one.
pub(super) fn value(across: Across, elements: &[u128], kind: ElementType) -> Value {
    let numbers = || elements.iter().map(|&bits| kind.decode(bits));
    // Absolute values of numbers below 0 go the other way.
    let order =
        |&(_, n): &(usize, Number)| (!n.negative, if n.negative { u128::MAX - n.magnitude } else { n.magnitude });
    let of = |(element, number): (usize, Number)| Value { value: big(number), element: Some(element) };
    let none = Value { value: BigInt::ZERO, element: None };
    match across {
        Across::Sum => Value { value: numbers().map(big).sum(), element: None },
        Across::Count => Value { value: elements.iter().filter(|&&bits| bits != 0).count().into(), element: None },
        Across::Min => numbers().enumerate().min_by_key(order).map_or(none, of),
        // Of equal ones the first: the iterator's maximum is the last.
        Across::Max => numbers().enumerate().rev().max_by_key(order).map_or(none, of),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_with_their_first_element() {
        let signed = ElementType { width: 8, signed: true, format: None };
        let unsigned = ElementType { width: 8, signed: false, format: None };
        let elements = [3, 0x80, 7, 0x80, 7, 0, 0xff];
        let of = |across, kind| {
            let found = value(across, &elements, kind);
            (found.value.to_string(), found.element)
        };
        assert_eq!(of(Across::Sum, signed), ("-240".into(), None));
        assert_eq!(of(Across::Sum, unsigned), ("528".into(), None));
        assert_eq!(of(Across::Min, signed), ("-128".into(), Some(1)));
        assert_eq!(of(Across::Max, signed), ("7".into(), Some(2)));
        assert_eq!(of(Across::Min, unsigned), ("0".into(), Some(5)));
        assert_eq!(of(Across::Max, unsigned), ("255".into(), Some(6)));
        assert_eq!(of(Across::Count, signed), ("6".into(), None));
        let wide = ElementType { width: 128, signed: false, format: None };
        assert_eq!(value(Across::Sum, &[u128::MAX; 3], wide).value, BigInt::from(u128::MAX) * 3);
        let most = ElementType { width: 128, signed: true, format: None };
        assert_eq!(value(Across::Min, &[0, 1 << 127], most).element, Some(1));
    }
}
