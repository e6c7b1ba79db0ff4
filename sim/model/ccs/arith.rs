//! What the commands of a cache compute system compute, in plain integers. Knows them by name only.

/// The name without its operands: `ADDVV` and `ADDVC` are `ADD`.
fn stem(name: &str) -> &str {
    ["VV", "VC", "V", "C"].iter().find_map(|operands| name.strip_suffix(operands)).unwrap_or(name)
}

/// An element of so many bits as a number.
fn number(x: u32, bits: usize, unsigned: bool) -> i64 {
    let x = i64::from(x);
    if !unsigned && x >> (bits - 1) & 1 == 1 { x - (1 << bits) } else { x }
}

/// The low bits of a number.
fn element(x: i128, bits: usize) -> u32 {
    (x & ((1 << bits) - 1)) as u32
}

/// Result of a mapping command for an element of each vector; `b` is the constant for commands that take one.
///
/// # Panics
/// If no mapping command has this name.
pub fn map(name: &str, unsigned: bool, bits: usize, a: u32, b: u32) -> u32 {
    let (x, y) = (i128::from(number(a, bits, unsigned)), i128::from(number(b, bits, unsigned)));
    let amount = b as usize % bits;
    let plain = i128::from(a);
    let truth = |condition: bool| if condition { -1 } else { 0 };
    let rotated = |left: usize| (plain << left) | (plain >> (bits - left));
    let value = match stem(name) {
        "ADD" => x + y,
        "SUB" => x - y,
        "MUL" => x * y,
        "SLL" | "SLA" => plain << amount,
        "SRL" => plain >> amount,
        "SRA" => i128::from(number(a, bits, false)) >> amount,
        "ROL" => rotated(amount),
        "ROR" => rotated((bits - amount) % bits),
        "AND" => x & y,
        "OR" => x | y,
        "XOR" => x ^ y,
        "NAND" => !(x & y),
        "NOR" => !(x | y),
        "XNOR" => !(x ^ y),
        "LESS" => truth(x < y),
        "GRTR" => truth(x > y),
        "EQU" => truth(x == y),
        "MIN" => x.min(y),
        "MAX" => x.max(y),
        "COPY" => x,
        "NOT" => !x,
        "INIT" => y,
        _ => panic!("{name} maps nothing"),
    };
    element(value, bits)
}

/// Result of a reducing command for elements of both vectors; the second is the constant for commands that take one,
/// and of no meaning for those of one vector.
///
/// # Panics
/// If no reducing command has this name, or if there are no elements.
pub fn reduce(name: &str, unsigned: bool, bits: usize, elements: &[(u32, u32)]) -> u32 {
    let pairs = elements.iter().map(|&(a, b)| (number(a, bits, unsigned), number(b, bits, unsigned)));
    let pairs = pairs.map(|(a, b)| (i128::from(a), i128::from(b)));
    let sum = |f: fn(i128, i128) -> i128| pairs.clone().fold(0, |sum, (a, b)| element(i128::from(sum) + f(a, b), bits));
    let first = |f: fn(i128, i128) -> i128| {
        let all = pairs.clone().map(|(a, _)| a);
        element(all.reduce(f).expect("a reduction has elements"), bits)
    };
    match stem(name) {
        "SUM" => sum(|a, _| a),
        "AND" => first(|a, b| a & b),
        "OR" => first(|a, b| a | b),
        "XOR" => first(|a, b| a ^ b),
        "MIN" => first(i128::min),
        "MAX" => first(i128::max),
        "SSD" => sum(|a, b| (a - b) * (a - b)),
        "SAD" => sum(|a, b| (a - b).abs()),
        "IP" => sum(|a, b| a * b),
        _ => panic!("{name} reduces nothing"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_by_hand() {
        assert_eq!(map("ADDVV", false, 8, 0xff, 2), 1);
        assert_eq!(map("SUBVC", false, 16, 0, 1), 0xffff);
        assert_eq!(map("SRAVV", true, 8, 0x80, 3), 0xf0);
        assert_eq!(map("SRLVV", false, 32, 0x8000_0000, 33), 0x4000_0000);
        assert_eq!(map("ROLVC", false, 8, 0x81, 1), 0x03);
        assert_eq!(map("RORVC", false, 8, 0x81, 8), 0x81);
        assert_eq!((map("LESSVC", false, 8, 0x80, 1), map("LESSVC", true, 8, 0x80, 1)), (0xff, 0));
        assert_eq!(map("NOTV", false, 8, 0x0f, 7), 0xf0);
        assert_eq!((map("MINVV", false, 8, 0x80, 1), map("MINVV", true, 8, 0x80, 1)), (0x80, 1));
        assert_eq!((map("MAXVC", false, 8, 0x80, 1), map("MAXVC", true, 8, 0x80, 1)), (1, 0x80));
        let elements = [(0x80, 1), (5, 3), (0x7f, 0xff)];
        assert_eq!((reduce("MINV", false, 8, &elements), reduce("MINV", true, 8, &elements)), (0x80, 5));
        assert_eq!((reduce("MAXV", false, 8, &elements), reduce("MAXV", true, 8, &elements)), (0x7f, 0x80));
        assert_eq!((reduce("SADVV", false, 8, &elements), reduce("SADVV", true, 8, &elements)), (3, 1));
        assert_eq!(reduce("IPVV", false, 8, &elements), 0x10);
    }
}
