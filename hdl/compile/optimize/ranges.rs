//! Addresses of 64 bits, of which words use the lower half, are looked at where they may be none.
//!
//! Memory is below [`MOST`], so that of an address whose lower half is not below it, memory tells. What is left are
//! addresses whose lower half is one, while the upper half is not 0. From the launch, constants and elements of memory
//! follow bounds, and for most addresses that there are none such. For the others a predicate says whether it is one:
//! from the few bits that a product loses, where the address is that and something near memory, or else from the upper
//! half, up to which everything is computed then. What is on the way to an address may be any number of 64 bits.
//!
//! A pointer that counts in a loop is where memory has been, if each turn has an access there, and no sum of its with
//! something below 2 GiB is anything else than it seems. What parameters are taken for, launches have to keep to
//! ([`Kernel::lower`]).

mod apart;
mod checks;
mod conditions;
mod flow;
mod held;
mod integers;
mod made;
mod nodes;
mod range;
mod seen;
mod sources;

use bitline_units::duality::isa::codes::GENERIC_SHARED;
use range::Range;

use crate::optimize::Given;
use crate::ptx::ast::{Base, Instruction, Kernel, Operand, RegisterId};
use crate::ptx::lower::MOST;
use crate::ptx::table::Opcode;
use crate::ptx::types::{Class, Type};

/// Bytes below the first buffer, and in an access behind its address.
const MARGIN: i128 = 1 << 16;
/// Addresses that are wrong in their lower half, too, if they are wrong.
const TELLING: Range = Range::between(MOST as i128 - (1 << 32) + MARGIN, (1 << 32) - 1);
/// Where the window of shared memory begins among generic addresses, and ends.
const WINDOWS: i128 = GENERIC_SHARED as i128;
const WINDOWS_END: i128 = WINDOWS + (1 << 20);
/// The same of generic addresses.
const TELLING_GENERIC: Range = Range::between(WINDOWS_END - (1 << 32) + MARGIN, (1 << 32) - 1);

/// Puts checks before accesses.
pub fn run(kernel: &mut Kernel, given: Given<'_>) {
    let Given { sizes, numbers, all, .. } = given;
    if given.address_bits == 64 {
        apart::named(kernel);
    }
    let wide = |it: &Instruction| base(kernel, it).is_some();
    if !kernel.body.iter().any(wide) {
        return;
    }
    let found = loop {
        let found = nodes::Nodes::of(integers::Known { kernel, sizes, numbers, whole: all });
        if !found.apart.contains(&true) {
            break found;
        }
        apart::take(kernel, &found.apart);
    };
    kernel.lower.clone_from(&found.parameters);
    checks::put(kernel, &found);
}

/// The 64-bit register that an access begins at, and the bytes from there.
fn base(kernel: &Kernel, it: &Instruction) -> Option<(RegisterId, i64)> {
    use Opcode::{Atom, Ld, Ldu, Red, St};
    let accesses = matches!(it.opcode, Ld | Ldu | St | Atom | Red);
    let operand = it.operands.iter().find_map(|operand| match operand {
        Operand::Memory { base: Base::Register(register), offset } => Some((*register, *offset)),
        _ => None,
    });
    operand.filter(|(register, _)| accesses && whole(kernel.registers[register.0 as usize].ty))
}

fn whole(ty: Type) -> bool {
    ty.bits() == 64 && ty.class() != Class::Float
}

/// Instructions to which a jump leads, or that follow one.
fn starts(kernel: &Kernel) -> Vec<bool> {
    let mut starts = vec![false; kernel.body.len() + 1];
    starts[0] = true;
    kernel.labels.iter().for_each(|label| starts[label.1] = true);
    (0..kernel.body.len()).filter(|at| !kernel.body[*at].goes_on()).for_each(|at| starts[at + 1] = true);
    starts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimize::Sizes;
    use crate::ptx::lower::Lower;
    use crate::ptx::parse;

    /// The kernel with its checks, in blocks of 64 threads, four of them, and with 1000 as its number, or any.
    fn checked(body: &str, number: Option<u32>) -> Kernel {
        let text = format!(
            ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u64 q, \
             .param .u32 n)\n{{ .reg .pred %p<5>; .reg .b32 %r<19>; .reg .b64 %d<19>; .shared .align 4 .b8 own[64];\n\
             ld.param.u64 %d17, [p]; ld.param.u64 %d18, [q]; cvta.to.global.u64 %d0, %d17;\n\
             cvta.to.global.u64 %d1, %d18; ld.param.u32 %r0, [n]; mov.u32 %r1, %tid.x;\n\
             mov.u32 %r2, %ctaid.x; mad.lo.s32 %r3, %r2, 64, %r1;\n{body}\nret; }}"
        );
        let mut kernel = parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}\n{text}")).kernels.remove(0);
        let sizes = Sizes { grid: [4, 1, 1], block: [64, 1, 1] };
        let numbers: Vec<(u64, u32)> = number.map(|number| (16, number)).into_iter().collect();
        run(&mut kernel, Given { address_bits: 64, sizes: Some(&sizes), numbers: &numbers, all: &[] });
        kernel
    }

    fn traps(body: &str, number: Option<u32>) -> usize {
        checked(body, number).body.iter().filter(|it| it.opcode == Opcode::Trap).count()
    }

    #[test]
    fn what_follows_from_the_launch_needs_no_check() {
        let load = "add.s64 %d3, %d0, %d2; ld.global.u32 %r9, [%d3+4];";
        let of = |begin: &str| traps(&format!("{begin} {load}"), None);
        assert_eq!(of("mul.wide.s32 %d2, %r3, 4;"), 0);
        assert_eq!(of("cvt.u64.u32 %d4, %r3; shl.b64 %d2, %d4, 3;"), 0);
        assert_eq!(of("ld.global.u8 %r4, [%d0]; mul.wide.u32 %d2, %r4, 12;"), 0);
        assert_eq!(of("and.b32 %r4, %r0, 1023; mul.wide.s32 %d2, %r4, 4;"), 0);
        assert_eq!(of("cvt.s64.s32 %d2, %r0;"), 0, "as many bytes are never too many");
        assert_eq!(
            traps("ld.global.v2.u64 {%d2, %d3}, [%d0]; ld.global.u32 %r9, [%d3];", None),
            1,
            "a pointer from memory"
        );
        // And what does not.
        for begin in [
            "mul.wide.s32 %d2, %r0, 4;",
            "cvt.u64.u32 %d2, %r0;",
            "ld.global.u32 %r4, [%d0]; mul.wide.s32 %d2, %r4, 4;",
            "ld.global.u64 %d2, [%d0];",
            "mov.b64 %d2, {%r1, %r3};",
            "mul.wide.s32 %d2, %r3, %r0;",
            "mul.wide.s32 %d2, %r3, 100000000;",
            "ld.global.v2.u64 {%d2, %d4}, [%d0];",
            "cvt.s64.s32 %d4, %r0; shl.b64 %d2, %d4, 30;",
            "cvt.s64.s32 %d4, %r0; shl.b64 %d2, %d4, 31;",
            "ld.global.u64 %d4, [%d0]; cvta.to.shared.u64 %d2, %d4;",
        ] {
            assert_eq!(of(begin), 1, "{begin}");
        }
    }

    #[test]
    fn numbers_and_branches_are_known() {
        let load = "mul.wide.s32 %d2, %r4, 4; add.s64 %d3, %d0, %d2; ld.global.u32 %r9, [%d3];";
        let row = format!("mad.lo.s32 %r4, %r3, %r0, %r1; {load}");
        assert_eq!((traps(&row, Some(1000)), traps(&row, Some(100_000_000)), traps(&row, None)), (0, 1, 1));
        let index = "ld.global.u32 %r4, [%d0];";
        let between = "setp.lt.s32 %p1, %r4, 0; setp.ge.s32 %p2, %r4, %r0; or.pred %p3, %p1, %p2;";
        assert_eq!(traps(&format!("{index} {between} @%p3 bra E; {load} E:"), Some(9)), 0);
        assert_eq!(traps(&format!("{index} {between} @!%p3 bra E; {load} E:"), Some(9)), 1, "the other side");
        assert_eq!(traps(&format!("{index} setp.ge.u32 %p1, %r4, 99; @%p1 bra E; {load} E:"), None), 0);
        assert_eq!(traps(&format!("{index} setp.ge.s32 %p1, %r4, 99; @%p1 bra E; {load} E:"), None), 1, "below 0");
        // A predicate is older than those that it was made of.
        let older = "L: ld.global.u32 %r4, [%d0]; setp.lt.u32 %p1, %r4, 99; setp.ge.s32 %p2, %r4, 0; \
                     setp.eq.s32 %p4, %r1, %r4; @%p4 bra S; and.pred %p3, %p1, %p2;\nS: @!%p3 bra E;";
        assert_eq!(traps(&format!("{older} {load} bra L; E:"), None), 1);
        assert_eq!(traps(&format!("{} {load} bra L; E:", older.replace("@%p4 bra S; ", "")), None), 0);
        let some = "mov.u32 %r4, %r0; setp.eq.s32 %p1, %r1, 3; @%p1 mov.u32 %r4, 5;";
        assert_eq!(traps(&format!("{some} {load}"), None), 1, "others have the number still");
        let changed = "setp.ge.u32 %p1, %r4, 99; not.b32 %r4, %r4; @%p1 bra E;";
        assert_eq!(traps(&format!("{index} {changed} {load} E:"), None), 1, "it is another number by then");
    }

    #[test]
    fn loops_are_followed() {
        let access = "st.global.u32 [%d3], %r1;";
        // Counters up to a number, and to the kernel's own.
        let counts = |end: &str| {
            let load = format!("mul.wide.s32 %d2, %r4, 4; add.s64 %d3, %d0, %d2; {access}");
            format!("mov.u32 %r4, 0;\nL: {load} add.s32 %r4, %r4, 4; {end} @%p1 bra L;")
        };
        assert_eq!(traps(&counts("setp.lt.s32 %p1, %r4, 64;"), None), 0);
        assert_eq!(traps(&counts("setp.ne.s32 %p1, %r4, 64;"), None), 0);
        assert_eq!(traps(&counts("setp.ne.s32 %p1, %r4, 63;"), None), 1, "it never is");
        let known = counts("setp.lt.s32 %p1, %r4, %r0;");
        assert_eq!((traps(&known, Some(5000)), traps(&known, None)), (0, 1));
        // Pointers that count: where each turn has an access, memory tells.
        let pointer = |first: &str, second: &str| {
            format!("mov.u64 %d3, %d0;\nL: {first} add.s64 %d3, %d3, 4; {second} setp.lt.s32 %p1, %r0, 9; @%p1 bra L;")
        };
        assert_eq!(traps(&pointer(access, ""), None), 0);
        assert_eq!(traps(&pointer("", access), None), 0);
        assert_eq!(traps(&pointer(&format!("@%p1 {access}"), ""), None), 1, "some turns have none");
        // An offset that counts, of one pointer or of two.
        let offset = "mov.b64 %d2, 0;\nL: add.s64 %d3, %d0, %d2; ld.global.u32 %r4, [%d3]; add.s64 %d4, %d1, %d2; \
                      st.global.u32 [%d4], %r4; add.s64 %d2, %d2, 4; setp.lt.s32 %p1, %r4, 9; @%p1 bra L;";
        assert_eq!(traps(offset, None), 0);
    }

    #[test]
    fn each_line_has_its_own_check() {
        let load =
            |line: usize| format!("@%p1 bra E{line};\nld.global.u32 %r9, [%d3]; add.s64 %d3, %d3, %d2;\nE{line}:");
        let begin = "setp.eq.s32 %p1, %r1, 3; ld.global.u64 %d2, [%d0]; add.s64 %d3, %d0, %d2;\n";
        let of = |count: usize| traps(&format!("{begin}{}", (0..count).map(load).collect::<String>()), None);
        assert_eq!((of(1), of(3), of(8), of(9)), (1, 3, 8, 8));
        const LOOP: [Opcode; 3] = [Opcode::Ld, Opcode::Setp, Opcode::Bra];
        // Where some end before others come to a barrier, they stop at once.
        let barrier = format!("{begin}{}@%p1 ret; bar.sync 0; st.global.u32 [%d0], 1;", load(0));
        let kernel = checked(&barrier, None);
        let place = |opcode: Opcode| kernel.body.iter().position(|it| it.opcode == opcode);
        assert!(place(Opcode::Trap) < place(Opcode::Bar) && traps(&barrier, None) == 1);
        // What every way looks at is looked at when it is made: once, before the loop.
        let kernel = checked(
            "mul.wide.s32 %d2, %r0, 4; add.s64 %d3, %d0, %d2;\nL: ld.global.u32 %r4, [%d3]; \
                              setp.lt.s32 %p1, %r4, 9; @%p1 bra L;",
            None,
        );
        let start = kernel.labels[0].1;
        assert_eq!(kernel.body[start..start + 3].iter().map(|it| it.opcode).collect::<Vec<_>>(), LOOP);
    }

    #[test]
    fn parameters_are_told_apart() {
        let lower = |body: &str| checked(body, None).lower;
        let both = "shl.b64 %d2, %d18, 2; add.s64 %d3, %d0, %d2; st.global.u64 [%d3], %d1;";
        assert_eq!(lower(both), [(0, Lower::Pointer), (8, Lower::Number)]);
        let sum = "add.s64 %d3, %d0, %d18; st.global.u64 [%d3], %d1;";
        assert_eq!(lower(sum), [(0, Lower::Pointer), (8, Lower::Pointer)]);
        assert_eq!(lower("st.global.u64 [%d0], %d1;"), [(0, Lower::Pointer)]);
    }
}
