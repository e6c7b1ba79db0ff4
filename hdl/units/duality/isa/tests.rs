//! Tests of words, assembler, disassembler and files: round trips of random words, damaged texts and files, and an
//! example of every rule.

mod random;

use random::{Random, legal_words, params};

use super::assemble::assemble;
use super::codes::{Condition, Kind, Trap};
use super::disassemble::{disassemble, statement};
use super::field::*;
use super::legal::Rules;
use super::program::Program;
use super::word::Word;
use crate::array::isa::Opcode;
use crate::duality::params::DualityParams;

fn program(words: Vec<Word>) -> Program {
    let lines = (4..).take(words.len()).collect();
    Program { name: "random".into(), arrays: 4, specials: Vec::new(), words, lines }
}

#[test]
fn duality_random_words_round_trip_through_text() {
    let (params, seed) = (params(), 11);
    println!("seed {seed}");
    let rules = Rules::new(&params, 4);
    let mut random = Random::new(seed);
    let mut seen = std::collections::HashSet::new();
    let mut crossing = [0; 2];
    for _ in 0..12 {
        let mut words = legal_words(&mut random, &rules, 700);
        let own = words.iter().filter(|word| word.kind() == Ok(Kind::Memory) && word.crosses());
        own.for_each(|word| crossing[usize::from(word.reduces())] += 1);
        seen.extend(words.iter().filter(|word| word.kind() == Ok(Kind::Compute)).map(|word| word.get(OPCODE)));
        // A loop of random length with jumps of every kind in it, and one behind it.
        let (begin, end) = (random.below(100), 150 + random.below(200));
        for condition in Condition::ALL {
            let looped = *condition == Condition::Loop;
            let at = if looped { begin } else { begin + 1 + random.below(end - begin - 1) };
            let target = if looped { end } else { begin + 1 + random.below(end - begin - 1) };
            let target = if random.below(4) == 0 && !looped { end + random.below(9) } else { target };
            let mut word = Word::new(Kind::Jump).with(CONDITION, condition.code()).with(TARGET, target);
            if matches!(condition, Condition::Any | Condition::None) {
                word = word.with(SLOT, random.below(4)).with(A, random.below(512));
            } else if matches!(condition, Condition::Zero | Condition::NotZero) {
                word = word.with(A, random.below(32));
            }
            words[at as usize] = word.with(WAIT, random.below(32));
        }
        words.push(Word::new(Kind::End));
        let program = program(words);
        program.check(&params).expect("legal words");
        let text = disassemble(&program, &params).expect("legal words");
        let again = assemble(&text, "random.dcs", &params).unwrap_or_else(|error| panic!("{error}\n{text}"));
        for (pc, (one, other)) in program.words.iter().zip(&again.words).enumerate() {
            assert_eq!(one, other, "word {pc}: {}", statement(*one, &rules).expect("it is legal"));
        }
        assert_eq!(again.words.len(), program.words.len());
        let bytes = again.to_bytes(&params);
        assert_eq!(Program::from_bytes(&bytes, "random.dcp", &params).expect("its own file"), again);
    }
    assert!(crossing.iter().all(|&count| count > 50), "shuffles and reductions: {crossing:?}");
    let all = Opcode::ALL.iter().filter(|&&opcode| super::compute::has(opcode));
    let missing: Vec<_> = all.filter(|opcode| !seen.contains(&opcode.code())).collect();
    assert!(missing.is_empty(), "operations that no random word had: {missing:?}");
}

/// Words of any bits: an error or a meaning, which the text has as well; never a panic.
#[test]
fn duality_any_bits_are_an_error_or_a_word() {
    let (params, seed) = (params(), 12);
    println!("seed {seed}");
    let rules = Rules::new(&params, 4);
    let mut random = Random::new(seed);
    let base = legal_words(&mut random, &rules, 400);
    let (mut legal, mut errors) = (0, std::collections::HashSet::new());
    for turn in 0..40_000 {
        let word = match turn % 3 {
            0 => random.word(),
            1 => Word(random.one(&base).0 ^ 1 << random.below(128)),
            _ => Word(random.one(&base).0 ^ u128::from(random.next() & 0xff) << (8 * random.below(16))),
        };
        match rules.check(word) {
            Ok(Kind::Jump) => {}
            Ok(_) if turn % 9 == 0 => {
                let text = statement(word, &rules).expect("it is legal");
                let again = assemble(&format!("{text}\nend"), "one.dcs", &params);
                let again = again.unwrap_or_else(|error| panic!("{error}: {text}"));
                assert_eq!(again.words[0], word, "{text}");
                legal += 1;
            }
            Ok(_) => legal += 1,
            Err(illegal) => {
                assert!(!illegal.field.is_empty() && !illegal.rule.is_empty());
                errors.insert(illegal.code);
            }
        }
    }
    assert!(legal > 1000 && errors.len() >= 10, "{legal} legal, {errors:?}");
}

const TEXT: &str = "\
.name sample   # two loops
.arrays 4
.reg x 0 32
.reg y 0 32
.reg p 0 1
.reg z 123:40:32
.mask m
.scalar count 3
.const four 4
.special tid.x x
    s.set    %count 10
    loop done
again:
    ld.global.s16 y [x + four] if=active
    add      y y{0:31} 5 if=p
    lt.s     p x y.s
    move     z y wait=1m
    mul.skip z@1 z@1{0:8}<<2 9
    mask.taken m p
    mask.enter m
    atom.add.global.32 z@2 [%count - 8] z@2
    fadd.f32 z@3 z@3 1.5 round=zero flush=both
    s.sub    %count %count 1
    jump.any m again
    jump.not_zero %count again
done:
    st.shared.8 [x] y{0:8}
    ld.global.32 y [x{0:20}<<2 + %count + 4]
    ld.spill y [7]
    shuffle  y [x{0:5} + %count - 1] y segment=32 if=p
    shuffle  z@1 [17] z@1
    reduce.min.s y y segment=8 unless=p
    end 2
";

#[test]
fn duality_a_text_says_what_it_says() {
    let params = params();
    let program = assemble(TEXT, "sample.dcs", &params).expect("it is legal");
    let rules = Rules::new(&params, 4);
    let texts: Vec<String> = program.words.iter().map(|&word| statement(word, &rules).expect("legal")).collect();
    assert_eq!(
        texts,
        [
            "s.set %3 10",
            "loop w14",
            "ld.global.s16 0:34:32 [0:2:32 + 4] if=active",
            "add 0:34:32 0:34:31 0x5 scratch=73 if=0:66:1",
            "lt.s 0:66:1 0:2:32 0:34:32.s",
            "move 123:40:32 0:34:32 wait=1m",
            "mul.skip 1:40:32 1:40:8<<2 0x9 scratch=73",
            "mask.taken 0:72:1 0:66:1",
            "mask.enter 0:72:1",
            "atom.add.global.32 2:40:32 [%3 - 8] 2:40:32",
            "fadd.f32 3:40:32 3:40:32 0x3fc00000 scratch=73 round=zero flush=both",
            "s.sub %3 %3 1",
            "jump.any 0:72:1 w2",
            "jump.not_zero %3 w2",
            "st.shared.8 [0:2:32] 0:34:8",
            "ld.global.32 0:34:32 [0:2:20<<2 + %3 + 4]",
            "ld.spill 0:34:32 [7]",
            "shuffle 0:34:32 [0:2:5 + %3 - 1] 0:34:32 segment=32 if=0:66:1",
            "shuffle 1:40:32 [17] 1:40:32 segment=256",
            "reduce.min.s 0:34:32 0:34:32 segment=8 unless=0:66:1",
            "end 2",
        ]
    );
    assert_eq!((program.lines[0], program.lines[2], program.lines[17]), (11, 14, 30));
}

/// Every byte of a file changed in three ways, and every length: an error that says what is wrong.
#[test]
fn duality_a_damaged_file_is_an_error() {
    let params = params();
    let bytes = assemble(TEXT, "sample.dcs", &params).expect("it is legal").to_bytes(&params);
    for at in 0..bytes.len() {
        for change in [1, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] ^= change;
            let error = Program::from_bytes(&damaged, "sample.dcp", &params).expect_err("it was changed").to_string();
            assert!(error.starts_with("sample.dcp: "), "byte {at}: {error}");
        }
        assert!(Program::from_bytes(&bytes[..at], "sample.dcp", &params).is_err(), "{at} bytes");
    }
    let other = DualityParams::preset("tiny").expect("it is there");
    let error = Program::from_bytes(&bytes, "sample.dcp", &other).expect_err("another design").to_string();
    assert!(error.contains("was made for a design with hash") && error.contains("tiny"), "{error}");
}

/// Every byte of a text replaced, every line dropped: an error with line and column, or a program; never a panic.
#[test]
fn duality_a_damaged_text_is_an_error_or_a_program() {
    let (params, seed) = (params(), 13);
    println!("seed {seed}");
    let mut random = Random::new(seed);
    let looked = |text: &str| match assemble(text, "sample.dcs", &params) {
        Ok(program) => program.check(&params).expect("what is assembled is legal"),
        Err(error) => {
            let error = error.to_string();
            assert!(error.starts_with("sample.dcs, line ") && error.contains(": column "), "{error}");
        }
    };
    for at in 0..TEXT.len() {
        for _ in 0..2 {
            let mut bytes = TEXT.as_bytes().to_vec();
            bytes[at] = 1 + random.below(127) as u8;
            looked(std::str::from_utf8(&bytes).expect("seven bits"));
        }
    }
    let lines: Vec<&str> = TEXT.lines().collect();
    for at in 0..lines.len() {
        let rest: Vec<&str> = lines.iter().enumerate().filter(|(line, _)| *line != at).map(|(_, text)| *text).collect();
        looked(&rest.join("\n"));
    }
}

/// A rule each: the statement that breaks it, where, and the message.
#[test]
fn duality_messages_name_place_value_and_rule() {
    let params = params();
    let cases: &[(&str, usize, &str)] = &[
        ("frob x y", 1, "\"frob\": must be move, ld, st"),
        ("fadd x x x", 1, "fadd needs a format"),
        ("add.f32 x x x", 1, "add is for integers"),
        ("add x x q", 9, "\"q\" is no register, number or scalar register"),
        ("add x y", 8, "the second source is missing"),
        ("add x x x x", 11, "the statement has no more operands"),
        ("add x x 0:500:32", 1, "b = 500: rows 500 to 531: the array has 512 rows"),
        ("add x x 1:40:32", 9, "is not in array 0"),
        ("add z x x", 5, "is in several arrays"),
        ("add 0:0:32 x x", 1, "d = 0: rows 0 and 1 hold the launch mask"),
        ("add 0:3:32 x x", 1, "opcode = add: a = rows 2 to 33 and d = rows 3 to 34 must not overlap"),
        ("add x x{0:8} x scratch=20", 1, "s = 20: rows 20 to 51 are scratch, and shared with d"),
        ("add x x 4294967296", 9, "immediate = 4294967296: must be"),
        ("mul x x x", 1, "width_a = 32: the operation takes at most 16 rows"),
        ("shl x x 0", 1, ""),
        ("shl x x y n=0", 1, "n = 0: must be 1 to 64"),
        ("fadd.f64 0:300:64 0:300:64 1:64", 28, "must be 1 to 32"),
        ("add x x x wait=7", 11, "wait = \"7\": must be digits 0 to 3 and m"),
        ("add x x x color=7", 11, "must be wait, if, unless"),
        ("move z y if=active", 10, "means nothing here"),
        ("select x x y p if=p", 1, "predicate = where: select has an operand e"),
        ("dot 0:300:70 x y if=active", 1, "predicate = active: dot adds to what d holds"),
        ("move x y", 1, "targets = 0b0001: must name arrays of the 4, at least one, and not the source's own"),
        ("ld.const.32 x [y", 17, "\"]\" is missing"),
        ("st.const.32 [y] x", 1, "space = const: st does not work there"),
        ("atom.add.global.16 x [y] x", 1, "element = 16: atom.add does not work on 16 bits"),
        ("atom.add.global.64 x [y] x", 1, "width = 32: atom.add works on all 64 bits"),
        ("ld.global.32 x [0:300:40]", 1, "width_a = 40: addresses have at most 32 bits"),
        ("ld.global.32 x [y<<1]", 1, "scale = 1: addresses have at most 32 bits, and 32 are in rows"),
        ("ld.global.32 x [y{0:9}<<4]", 17, "addresses are shifted by at most 3 and not signed"),
        ("shuffle x [y{0:5}<<1] x", 1, "scale = 1: threads are counted one by one"),
        ("ld.bank.32 x [y]", 1, "\"bank\": must be one of global, shared, generic, const, spill"),
        ("shuffle.32 x [y] x", 1, "must be shuffle, or reduce with a name behind"),
        ("shuffle x [y{0:5}] y{0:8}", 20, "all data are in one array, and have as many rows"),
        ("shuffle x [y{0:5}] 1:40:32", 20, "all data are in one array, and have as many rows"),
        ("shuffle x [0:300:40] y", 1, "width_a = 40: addresses have at most 32 bits"),
        ("reduce.exch x y", 1, "\"exch\": must be one of add, min, min.s, max, max.s, and, or, xor"),
        ("reduce.add x [y] x", 14, "\"[\" is no register"),
        ("reduce.add x y segment=24", 16, "segment = 24: must be a power of two of at most 256 threads"),
        ("reduce.add x y segment=512", 16, "segment = 512: must be 0 to 256"),
        ("add x x y segment=8", 11, "\"segment=8\" means nothing here"),
        ("s.add %32 %0 1", 7, "scalar register = 32: must be 0 to 31"),
        ("s.frob %1 1", 1, "must be one of set, add"),
        ("mask.enter launch", 1, "a = 0: rows 0 and 1 hold"),
        ("mask.taken m x", 14, "must be a single row, not 32"),
        ("jump nowhere", 6, "\"nowhere\" is no label"),
        ("back: jump back", 7, "target = 0: a jump back must be in a loop"),
        ("loop next\nnext:", 1, "target = 1: a loop that begins at word 0 ends before word 2"),
        ("add x x 0:500:32{20:4}", 9, "row = 520: must be 0 to 511"),
        ("end 256", 5, "code = 256: must be 0 to 255"),
    ];
    for (text, column, message) in cases {
        let all = format!(".reg x 0 32\n.reg y 0 32\n.reg p 0 1\n.reg z 12:100:32\n.mask m\n{text}\nend");
        match assemble(&all, "f.dcs", &params) {
            Ok(_) => assert!(message.is_empty(), "{text}: nothing was wrong"),
            Err(error) => {
                let error = error.to_string();
                assert!(!message.is_empty() && error.contains(message), "{text}: {error}");
                assert!(error.starts_with(&format!("f.dcs, line 6: column {column}: ")), "{text}: {error}");
            }
        }
    }
}

#[test]
fn duality_loops_lie_in_the_ring() {
    let tiny = DualityParams::preset("tiny").expect("it is there");
    let of = |words: usize| {
        let body = "s.add %1 %1 1\n".repeat(words);
        assemble(&format!("loop out\nagain: {body}jump.not_zero %1 again\nout: end"), "l.dcs", &tiny)
    };
    assert!(of(tiny.ring - 2).is_ok());
    let error = of(tiny.ring - 1).expect_err("too long").to_string();
    assert!(error.contains("the loop has 33 words, the ring 32"), "{error}");
    for (text, wanted) in [
        ("jump in\nloop out\nin: s.set %1 1\ns.set %1 1\nout: end", "leads into the loop that begins at word 1"),
        ("loop a\nloop b\ns.set %1 1\na: s.set %1 1\nb: end", "the loop around it, from word 0 on, ends before word 3"),
        ("loop out\ns.set %1 1\nout: s.set %1 1", "the last word must end the program"),
        ("", "words = 0"),
    ] {
        let error = assemble(text, "l.dcs", &tiny).expect_err(text).to_string();
        assert!(error.contains(wanted), "{text}: {error}");
    }
}

#[test]
fn duality_arrays_of_a_launch_bound_slots() {
    let params = params();
    for (text, wanted) in [
        (".arrays 1\nmove 1:40:4 0:40:4\nend", "targets = 0b0010: must name arrays of the 1"),
        (".arrays 2\nadd 2:40:4 2:40:4 2:40:4\nend", "slot = 2: a thread has 2 arrays"),
        (".arrays 2\nend wait=2", "wait = 0b00100: a thread has 2 arrays"),
    ] {
        let error = assemble(text, "l.dcs", &params).expect_err(text).to_string();
        assert!(error.contains(wanted), "{text}: {error}");
    }
    let whole = DualityParams { float: false, ..params };
    let error = assemble("fneg.f32 0:4:32 0:4:32\nend", "l.dcs", &whole).expect_err("no float").to_string();
    assert!(error.contains("this design has no floating point"), "{error}");
    for (own, text, wanted) in [
        (DualityParams { crossbar: 0, ..whole.clone() }, "reduce.or 0:4:1 0:4:1", "bank: this design has no crossbar"),
        (
            DualityParams { columns: 64, ..whole.clone() },
            "shuffle 0:4:8 [3] 0:4:8 segment=128",
            "of at most 64 threads",
        ),
    ] {
        let error = assemble(&format!("{text}\nend"), "l.dcs", &own).expect_err(text).to_string();
        assert!(error.contains(wanted), "{error}");
    }
    let own = DualityParams { columns: 64, ..whole.clone() };
    let word = assemble("reduce.or 0:4:1 0:4:1 segment=256\nend", "l.dcs", &whole).expect("legal").words[0];
    assert_eq!(Rules::new(&own, 4).check(word).map_err(|illegal| illegal.code), Err(Trap::Width));
    assert_eq!(Rules::new(&whole, 4).check(Word(7)).map_err(|illegal| illegal.code), Err(Trap::Kind));
}
