//! Functions and their calls: kernels whose functions clang has left as such do what those do in which clang has put
//! them, by the interpreter and as words; and what is refused of calls.

use bitline_compile::launch::{Buffer, Plan};
use bitline_compile::ptx::ast::Module;
use bitline_compile::ptx::parse;
use bitline_compile::words::Words;
use bitline_units::duality::DualityParams;
use pretty_assertions::assert_eq;

/// A file of `tests/calls`.
fn module(name: &str) -> Module {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/calls/").to_string() + name;
    let text = std::fs::read_to_string(path).expect("the file is there");
    parse(name, &text).unwrap_or_else(|error| panic!("{error}"))
}

const KERNELS: [&str; 7] = ["returns", "pairs", "structs", "pointers", "barriers", "matches", "computed"];

/// Two blocks of 20 threads, random numbers in, n = 5.
fn plan(kernel: &str) -> Plan {
    let arguments = ["random:s32:40:20", "zero:s32:40", "s32:5"].map(|text| text.parse().expect("an argument"));
    Plan { grid: [2, 1, 1], block: [20, 1, 1], arguments: arguments.to_vec(), ..Plan::new(kernel) }
}

fn out(buffers: &[Option<Buffer>]) -> Vec<u64> {
    buffers[1].as_ref().expect("a buffer").bits().collect()
}

fn interpreted(file: &str, kernel: &str) -> Vec<u64> {
    let outcome = plan(kernel).interpret(&module(file), &mut |_, _| ());
    out(&outcome.unwrap_or_else(|error| panic!("{file}, {kernel}: {error}")).buffers)
}

const CALLED: [&str; 3] = ["called.ptx", "called64.ptx", "unoptimized.ptx"];

#[test]
fn called_functions_do_what_inlined_ones_do() {
    for kernel in KERNELS {
        let expected = interpreted("inlined.ptx", kernel);
        assert!(expected.iter().any(|word| *word != expected[0]), "{kernel}");
        for file in CALLED {
            assert_eq!(interpreted(file, kernel), expected, "{file}, {kernel}");
        }
    }
}

#[test]
fn called_functions_run_as_words() {
    let params = roomy();
    for kernel in KERNELS {
        let expected = interpreted("inlined.ptx", kernel);
        for file in CALLED {
            // What clang has not optimised is long: the plain translation is enough.
            let words = Words { checked: true, tries: 2, simple: file == "unoptimized.ptx", ..Words::new(&params) };
            let ran = plan(kernel).words(&module(file), &words);
            let ran = ran.unwrap_or_else(|error| panic!("{file}, {kernel}: {error}"));
            assert_eq!(out(&ran.buffers), expected, "{file}, {kernel}");
            // A place that is computed; a pointer that lies beside what it points to, in what clang has left in memory.
            let framed = kernel == "computed" || (file, kernel) == ("unoptimized.ptx", "matches");
            assert_eq!(ran.compiled.frame > 0, framed, "{file}, {kernel}");
        }
    }
}

/// Rows and a ring in which every kernel has room.
fn roomy() -> DualityParams {
    DualityParams { rows: 512, ring: 512, columns: 32, ..DualityParams::preset("tiny").expect("a preset") }
}

/// Functions, and a kernel that stores %r9 of every thread, in which %r1 is the thread's number.
fn text(functions: &str, body: &str) -> String {
    format!(
        ".version 6.0\n.target sm_50\n.address_size 32\n{functions}\n\
         .visible .entry k(.param .u32 d)\n{{\n.reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<99>; .reg .b64 %rd<9>;\n\
         .reg .f32 %f<9>;\nld.param.u32 %r90, [d]; mov.u32 %r1, %tid.x; shl.b32 %r91, %r1, 2; \
         add.s32 %r92, %r90, %r91;\n\
         mov.b32 %r9, 0;\n{body}\nst.global.u32 [%r92], %r9; ret;\n}}"
    )
}

/// What its 40 threads store, by the interpreter and as words, is what `expected` says.
fn same(functions: &str, body: &str, expected: impl Fn(u32) -> u32) {
    let text = text(functions, body);
    let module = parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    // What has been read is PTX without functions.
    let printed = module.to_string();
    let again = parse("printed", &printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
    assert_eq!(again.without_places(), module.without_places(), "{printed}");
    let plan =
        Plan { block: [40, 1, 1], arguments: vec!["zero:u32:40".parse().expect("an argument")], ..Plan::new("k") };
    let wanted: Vec<u64> = (0..40).map(|thread| expected(thread).into()).collect();
    let bits = |buffers: &[Option<Buffer>]| buffers[0].as_ref().expect("a buffer").bits().collect::<Vec<_>>();
    let outcome = plan.interpret(&module, &mut |_, _| ()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(bits(&outcome.buffers), wanted, "{text}");
    let params = DualityParams { columns: 64, ..roomy() };
    let words = Words { checked: true, tries: 2, ..Words::new(&params) };
    let ran = plan.words(&module, &words).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(bits(&ran.buffers), wanted, "words of {text}");
}

#[test]
fn ways_to_pass_values() {
    let sum = ".func (.param .b32 s) sum(.param .b32 a, .param .b32 b)\n{ .reg .b32 %r<4>;\n\
               ld.param.u32 %r1, [a]; ld.param.u32 %r2, [b]; add.s32 %r3, %r1, %r2; st.param.b32 [s], %r3; ret; }";
    let call = "{ .param .b32 x; .param .b32 y; .param .b32 z; st.param.b32 [x], %r1; st.param.b32 [y], 5;\n\
                call.uni (z), sum, (x, y); ld.param.b32 %r9, [z]; }";
    same(sum, call, |thread| thread + 5);
    // The same names in the next braces, another result.
    same(sum, &format!("{call}\n{}", call.replace("%r1", "%r9")), |thread| thread + 10);
    // Registers, constants and special registers in place of variables, and a result that nobody wants.
    same(sum, "call (%r9), sum, (%r1, 7);\ncall (_), sum, (1, 2);", |thread| thread + 7);
    same(sum, "call (%r9), sum, (%tid.x, %ntid.x);", |thread| thread + 40);
    // One side reads in larger pieces than the other writes, and asks for more alignment.
    let pair = ".func (.reg .b32 %s) pair(.param .align 8 .b8 a[8])\n{ .reg .b32 %x, %y;\n\
                ld.param.v2.u32 {%x, %y}, [a]; sub.s32 %s, %x, %y; }";
    let call = "{ .param .b32 odd; .param .align 4 .b8 a[8]; st.param.b32 [odd], 1; st.param.b32 [a], %r1;\n\
                st.param.b32 [a+4], 3; call (%r9), pair, (a); }";
    same(pair, call, |thread| thread.wrapping_sub(3));
    // A result that is parameter of the next call.
    same(sum, "{ .param .b32 z; call (z), sum, (%r1, 1); call (%r9), sum, (z, z); }", |thread| 2 * thread + 2);
    let registers = ".func (.reg .u32 %s, .reg .pred %odd) f(.reg .b32 %a, .reg .pred %q, .reg .f32 %x, .reg .b16 h)\n\
                     { .reg .b32 t; cvt.rni.u32.f32 t, %x; @%q add.s32 t, t, %a; cvt.u32.u16 %s, h; \
                     add.s32 %s, %s, t;\n\
                     and.b32 t, %s, 1; setp.ne.u32 %odd, t, 0; }";
    let call = "setp.lt.u32 %p1, %r1, 9; call (%r9, %p2), f, (%r1, %p1, 0f40400000, 100); @%p2 add.s32 %r9, %r9, 1000;";
    same(registers, call, |thread| {
        let sum = 103 + if thread < 9 { thread } else { 0 };
        sum + if sum % 2 == 1 { 1000 } else { 0 }
    });
    // Variables for registers.
    let call = "{ .param .b32 v; .param .b32 w; st.param.b32 [v], %r1; mov.pred %p1, 1;\n\
                call (w, %p2), f, (v, %p1, 0f00000000, 0); ld.param.u32 %r9, [w]; }";
    same(registers, call, |thread| thread);
}

#[test]
fn structures_are_put_together_and_taken_apart() {
    // Words written, bytes and the whole read; bytes written, words read; through an address.
    let functions = ".func (.param .align 8 .b8 s[16]) parts(.param .align 8 .b8 a[16])\n{ .reg .b32 %r<9>; \
        .reg .b64 %rd<9>; .reg .b16 %h<9>;\nld.param.u64 %rd1, [a]; ld.param.s8 %r1, [a+5]; ld.param.u16 %h1, [a+2];\n\
        mov.b32 %r2, a; add.u32 %r4, %r2, 8; or.b32 %r3, %r4, 4; ld.param.u8 %h2, [%r3+1]; ld.param.u8 %h3, [%r3+2]; \
        ld.param.s16 %rd2, [a+14];\nadd.s64 %rd1, %rd1, %rd2; st.param.b64 [s], %rd1; st.param.b8 [s+8], %r1; \
        st.param.v2.b8 [s+10], {%h2, %h3};\nst.param.b16 [s+12], %h1; ret; }";
    let body = "{ .param .align 8 .b8 x[16]; .param .align 8 .b8 y[16]; mul.lo.s32 %r2, %r1, 0x01234567;\n\
        st.param.v2.b32 [x], {%r2, %r1}; not.b32 %r3, %r2; st.param.b8 [x+5], %r3; cvt.u64.u32 %rd1, %r3; \
        st.param.b64 [x+8], %rd1; st.param.b16 [x+14], %r2;\ncall (y), parts, (x); ld.param.u32 %r4, [y]; \
        ld.param.u32 %r5, [y+4]; ld.param.u8 %r6, [y+8]; ld.param.u16 %r7, [y+10]; ld.param.u16 %r8, [y+12];\n\
        xor.b32 %r9, %r4, %r5; mad.lo.s32 %r9, %r9, 3, %r6; mad.lo.s32 %r9, %r9, 5, %r7; \
        mad.lo.s32 %r9, %r9, 7, %r8; }";
    same(functions, body, |thread| {
        let x = thread.wrapping_mul(0x0123_4567);
        let bytes = !x;
        let mut a = [0_u8; 16];
        a[..4].copy_from_slice(&x.to_le_bytes());
        a[4..8].copy_from_slice(&thread.to_le_bytes());
        a[5] = bytes as u8;
        a[8..12].copy_from_slice(&bytes.to_le_bytes());
        a[14..].copy_from_slice(&(x as u16).to_le_bytes());
        let whole = u64::from_le_bytes(a[..8].try_into().expect("eight")).wrapping_add(x as i16 as u64);
        let mixed = (whole as u32 ^ (whole >> 32) as u32).wrapping_mul(3).wrapping_add(bytes & 255);
        let mixed = mixed.wrapping_mul(5).wrapping_add(u32::from(a[13]) | u32::from(a[14]) << 8);
        mixed.wrapping_mul(7).wrapping_add(u32::from(a[2]) | u32::from(a[3]) << 8)
    });
}

#[test]
fn ways_through_functions() {
    // Returns under guards, from a loop, and at the end; a function in another; labels of the same names.
    let functions = ".func (.reg .b32 %d) half(.reg .b32 %n);\n\
        .func (.reg .b32 %d) steps(.reg .b32 %n)\n{ .reg .pred %p<3>; .reg .b32 %m;\nmov.b32 %d, 0;\n\
        L: setp.eq.u32 %p1, %n, 0; @%p1 ret;\nadd.s32 %d, %d, 1; call (%n), half, (%n); setp.gt.u32 %p2, %d, 4;\n\
        @!%p2 bra L;\nadd.s32 %d, %d, 100; ret.uni; }\n\
        .func (.reg .b32 %d) half(.reg .b32 %n) { .reg .pred %p; setp.lt.u32 %p, %n, 10; @%p bra L;\n\
        shr.u32 %d, %n, 2; bra M; L: shr.u32 %d, %n, 1; M: }";
    let half = |n: u32| if n < 10 { n / 2 } else { n / 4 };
    let steps = move |mut n: u32| {
        let mut count = 0;
        while n > 0 {
            (n, count) = (half(n), count + 1);
            if count > 4 {
                return count + 100;
            }
        }
        count
    };
    same(functions, "mul.lo.s32 %r2, %r1, %r1; call (%r9), steps, (%r2);", |thread| steps(thread * thread));
    // A return in the middle, without a guard.
    let middle = ".func (.reg .b32 %d) f(.reg .b32 %n) { .reg .pred %p; setp.lt.u32 %p, %n, 10; @%p bra L;\n\
                  mov.b32 %d, 5; ret; L: mov.b32 %d, 6; ret; }";
    same(middle, "call (%r9), f, (%r1);", |thread| if thread < 10 { 6 } else { 5 });
    // Under a guard, which the function's result changes.
    let guarded = "setp.lt.u32 %p1, %r1, 20; mov.b32 %r9, 7; @!%p1 call (%r9), half, (%r1); @%p1 call half2;";
    let two = format!("{functions} .func half2() {{ ret; }}");
    same(&two, guarded, |thread| if thread < 20 { 7 } else { half(thread) });
    // The thread ends in a function.
    let leave = ".func leave(.reg .b32 %n) { .reg .pred %p; setp.gt.u32 %p, %n, 11; @%p exit; ret; }";
    same(leave, "call leave, (%r1); add.s32 %r9, %r1, 1;", |thread| if thread > 11 { 0 } else { thread + 1 });
    // Warps exchange values in a function.
    let warps = ".func (.reg .b32 %d) next(.reg .b32 %a) { .reg .b32 %l; mov.u32 %l, %laneid; xor.b32 %l, %l, 1;\n\
                 shfl.sync.idx.b32 %d, %a, %l, 31, -1; ret; }";
    same(warps, "call (%r9), next, (%r1); call (%r9), next, (%r9); call (%r9), next, (%r9);", |thread| thread ^ 1);
}

/// Lines of errors and of profiles are those of the function.
#[test]
fn lines_are_those_of_the_text() {
    let functions = ".func f(.reg .b32 %a)\n{\n.reg .b32 %r<3>;\n.loc 1 77 3\nld.global.u32 %r1, [%a];\n}";
    let module = parse("k.ptx", &text(functions, "call f, (4);")).expect("PTX");
    let at = module.kernels[0].body.iter().find(|it| it.spelling == "ld.global.u32").expect("it has been copied");
    assert_eq!((at.place.line, at.source), (8, Some((1, 77))));
    let plan = Plan { arguments: vec!["zero:u32:40".parse().expect("an argument")], ..Plan::new("k") };
    let error = plan.interpret(&module, &mut |_, _| ()).expect_err("nothing is there").to_string();
    assert!(error.starts_with("k.ptx, line 8: block (0, 0, 0), thread (0, 0, 0): `ld.global.u32`: "), "{error}");
}

#[test]
fn what_is_refused_of_calls() {
    let f = ".func (.param .b32 r) f(.param .b32 a) { ret; }";
    let s = ".func s(.param .align 4 .b8 a[12]) { ret; }";
    let cases = [
        (
            ".func f() { call f; ret; }",
            "call f;",
            4,
            13,
            "`call`: recursion, f calls f: there is no stack; write a loop",
        ),
        (
            ".func g();\n.func h() { call g; }\n.func g() {\n call h; }\n.func f() { call g; }",
            "call f;",
            5,
            13,
            "`call`: recursion, g calls h calls g: there is no stack",
        ),
        (f, "call (%r9), %r1, (5), p;", 11, 13, "`call`: calls through pointers are refused, since functions"),
        (f, "mov.u32 %r2, f;", 11, 14, "f: calls through pointers are refused"),
        (f, "p: .callprototype ()_ ();", 11, 4, "calls through pointers are refused"),
        (f, "call (%r9), f, (5), p;", 11, 19, "`call`: calls through pointers are refused"),
        (
            ".extern .func (.param .b32 r) vprintf(.param .b32 a, .param .b32 b);",
            "call.uni (%r9), vprintf, (%r1, %r2);",
            11,
            1,
            "`call.uni`: printf needs a host that listens while the kernel runs: leave it out",
        ),
        (".extern .func (.param .b32 r) malloc(.param .b32 a);", "call (%r9), malloc, (8);", 11, 1, "there is no heap"),
        (".extern .func g();", "call g;", 11, 1, "`call`: g has no body in this file: put it into the same .cu"),
        (f, "call g;", 11, 6, "`call`: g is not declared; a function stands before its calls"),
        (f, "call k;", 11, 6, "`call`: k is a kernel; kernels are launched by the host"),
        (f, "call f, (%r1);", 11, 6, "`call`: 0 results, and f has 1"),
        (f, "call (%r2, %r3), f, (%r1);", 11, 18, "`call`: 2 results, and f has 1"),
        (f, "call (%r2), f;", 11, 13, "`call`: 0 parameters, and f has 1"),
        (f, "call (%r2), f, (%r1, %r3);", 11, 13, "`call`: 2 parameters, and f has 1"),
        (f, "call (%r2), f, (%h1);", 11, 17, "`call`: %h1 is .b16, where .b32 is expected"),
        (f, "call (%rd2), f, (%r1), (%r2);", 11, 22, "calls through pointers"),
        (f, "call (%h2), f, (%r1);", 11, 7, "`call`: %h2 is .b16, where .b32 is expected"),
        (f, "call (%r2), f, %r1;", 11, 16, "`call`: expected the parameters in parentheses"),
        (f, "{ .param .b64 w; call (%r2), f, (w); }", 11, 34, "`call`: w has 8 bytes, where a has 4"),
        (f, "{ .param .b32 w; call (w), f, (w); }", 11, 28, "a variable is result and parameter at once; use two"),
        (s, "call s, (%r1);", 11, 10, "`call`: a is 12 bytes in .param, and so is its place"),
        (".func f(.param .b32 a) { st.param.b32 [a], 5; }", "", 4, 26, "`st.param.b32`: a parameter is read only"),
        (f, "st.param.b32 [d], 5;", 11, 1, "`st.param.b32`: a parameter is read only"),
        (f, "{ .param .b32 w; st.param.b32 [w+4], 5; }", 11, 32, "w+4: 4 bytes are not all in its 4"),
        (f, "{ .param .b8 w[8]; st.param.b32 [w], 5; }", 11, 34, "w+0: must be aligned to 4"),
        (f, "{ .param .b32 w; } ld.param.b32 %r1, [w];", 11, 39, "w is not declared in k"),
        (
            ".func f(); .func f(.param .b32 a) { ret; }",
            "",
            4,
            18,
            "f has been declared with other parameters or results",
        ),
        (".func f() { ret; } .func f() { ret; }", "", 4, 26, "the function f stands twice"),
        (".func k() { ret; }", "", 5, 17, "k is a function already"),
        (".func (.reg .b32 a) f(.reg .b32 a) { ret; }", "", 4, 21, "f: a result has the name of a parameter"),
        (".func f(.reg .b8 a) { ret; }", "", 4, 14, ".b8: registers have 16 bits at least"),
        (".func f(.b8 a) { ret; }", "", 4, 9, "expected .param or .reg"),
    ];
    for (functions, body, line, column, message) in cases {
        let text = text(functions, body);
        let error = parse("k.ptx", &text).expect_err(body).to_string();
        let place = format!("k.ptx, line {line}, column {column}: ");
        assert!(error.starts_with(&place) && error.contains(message), "{functions} {body}\n{error}\n{place}{message}");
    }
}

/// Functions that call the one before twice, and functions that call the one before.
#[test]
fn growth_and_depth_have_limits() {
    let chain = |calls: &str, count: usize| {
        let one = |index: usize| {
            let calls = calls.replace('F', &format!("f{index}"));
            format!(".func f{}(.reg .b32 a) {{ {calls} add.s32 a, a, 1; ret; }}\n", index + 1)
        };
        let functions: String = (0..count).map(one).collect();
        let functions = format!(".func f0(.reg .b32 a) {{ add.s32 a, a, 1; ret; }}\n{functions}");
        parse("k.ptx", &text(&functions, &format!("call f{count}, (5);")))
    };
    let error = chain("call F, (a); call F, (a);", 40).expect_err("it is too much").to_string();
    assert!(
        error.contains("`call`: with f14 in it f15 has more than 65536 instructions: call functions in"),
        "{error}"
    );
    let error = chain("call F, (a);", 200).expect_err("it is too deep").to_string();
    assert!(error.contains("`call`: calls within calls: must be at most 128"), "{error}");
    assert!(chain("call F, (a);", 100).is_ok());
}
