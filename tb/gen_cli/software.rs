//! Headers and drivers in C: compilers take them without a warning, and they stage what the encoder in Rust says.

use std::fs;

use bitline::isa::Opcode;
use bitline::isa::format::{FORMATS, Mode};
use bitline::isa::transfer::Transfer;
use bitline::sim::external::tool::{require, run};
use pretty_assertions::assert_eq;

use super::{good, scratch};

#[test]
fn the_c_header_compiles_and_stages_commands() {
    if require("cc").is_none() {
        return;
    }
    let folder = scratch();
    good(folder.path(), &["--target", "generic", "--preset", "default", "--out", "out"]);
    let program = r#"
        #include <string.h>
        #include "bitline.h"
        int main(void) {
            static uint32_t memory[BITLINE_SIZE / 4];
            struct bitline_command c;
            memset(&c, 0, sizeof c);
            c.opcode = BITLINE_OP_MUL_S; c.set = BITLINE_SET_SKIP; c.width = 64; c.second = 127;
            c.a = 1; c.b = 1023; c.d = 3; c.e = 4; c.s = 5; c.key = 0x0123456789abcdefu;
            if (bitline_push(memory, &c) != 0) return 1;
            if (memory[BITLINE_COMMAND / 4] != (36u | 1u << 8 | 64u << 16 | 127u << 24)) return 2;
            if (memory[BITLINE_COMMAND_AB / 4] != (1u | 1023u << 16)) return 3;
            if (memory[BITLINE_COMMAND_DE / 4] != (3u | 4u << 16) || memory[BITLINE_COMMAND_S / 4] != 5) return 4;
            if (memory[BITLINE_KEY_LOW / 4] != 0x89abcdefu || memory[BITLINE_KEY_HIGH / 4] != 0x01234567u) return 5;
            if (memory[BITLINE_PUSH / 4] != 1) return 6;
            memory[BITLINE_PUSH / 4] = 0;
            c.b = 1024;
            if (bitline_push(memory, &c) != -1 || memory[BITLINE_PUSH / 4] != 0) return 7;
            c.b = 0; c.width = 128;
            if (bitline_push(memory, &c) != -1) return 8;
            if (bitline_present(memory)) return 9;
            memcpy(memory, "BTLN", 4);
            if (!bitline_present(memory) || bitline_matches(memory)) return 10;
            memory[BITLINE_HASH_LOW / 4] = BITLINE_DESIGN_HASH_LOW_HASH;
            memory[BITLINE_HASH_HIGH / 4] = BITLINE_DESIGN_HASH_HIGH_HASH;
            if (!bitline_matches(memory)) return 11;
            memory[BITLINE_STATUS / 4] = 5u << 8;
            if (bitline_busy(memory) || bitline_free(memory) != 5) return 12;
            memory[BITLINE_ERROR / 4] = 3u << 8 | BITLINE_ERR_OVERLAP;
            if (bitline_error(memory) != BITLINE_ERR_OVERLAP) return 13;
            memory[BITLINE_CONTROL / 4] = BITLINE_CONTROL_DONE_ENABLE_MASK;
            bitline_clear_error(memory);
            if (memory[BITLINE_CONTROL / 4] != 0x101u) return 14;
            memory[BITLINE_CYCLES_LOW / 4] = 7; memory[BITLINE_CYCLES_HIGH / 4] = 1;
            if (bitline_cycles(memory) != 0x100000007u) return 15;
            if (BITLINE_DESIGN_GEOMETRY_ROWS != 512 || 1u << BITLINE_DESIGN_GEOMETRY_LOG2_COLUMNS != 256) return 16;
            return 0;
        }"#;
    fs::write(folder.path().join("main.c"), program).unwrap();
    let strict = ["-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror", "-Iout/software", "main.c", "-o", "main"];
    for language in [["-std=c99", "-xc"], ["-std=c++11", "-xc++"]] {
        run("cc", &[&language[..], &strict[..]].concat(), folder.path()).unwrap();
        run("./main", &[], folder.path()).unwrap();
    }
}

/// A design with floating point has its formats and modes in the header; one without has not.
#[test]
fn the_c_header_has_formats_and_modes() {
    if require("cc").is_none() {
        return;
    }
    let folder = scratch();
    let config = "base = \"tiny\"\nrows = 256\nfloat = true\nexception_flags = true\n";
    fs::write(folder.path().join("float.toml"), config).unwrap();
    good(folder.path(), &["--target", "generic", "--config", "float.toml", "--out", "out"]);
    let (mut checks, mut modes) = (String::new(), String::new());
    for (i, format) in FORMATS.into_iter().enumerate() {
        let name = format.name.to_uppercase();
        checks += &format!(
            "c.width = BITLINE_FORMAT_{name}_N; c.second = BITLINE_FORMAT_{name}_M;
             if (bitline_push(memory, &c) != 0) return {i}1;
             if (memory[BITLINE_COMMAND / 4] != ({}u | {}u << 16 | {}u << 24)) return {i}2;\n",
            Opcode::FAdd.code(),
            format.n(),
            format.m()
        );
    }
    for (i, mode) in Mode::all().enumerate() {
        let round = mode.rounding.name().to_uppercase();
        let flush = |on: bool, what: &str| if on { format!(" + BITLINE_FLUSH_{what}") } else { String::new() };
        modes += &format!(
            "if (BITLINE_ROUND_{round}{}{} != {}) return 10{i};\n",
            flush(mode.flush_operands, "OPERANDS"),
            flush(mode.flush_results, "RESULTS"),
            mode.key()
        );
    }
    let program = format!(
        "#include <string.h>
        #include \"bitline.h\"
        int main(void) {{
            static uint32_t memory[BITLINE_SIZE / 4];
            struct bitline_command c;
            memset(&c, 0, sizeof c);
            c.opcode = BITLINE_OP_FADD;
            {checks}
            {modes}
            memory[BITLINE_FLAGS / 4] = BITLINE_FLAGS_INEXACT_MASK | BITLINE_FLAGS_LAST_MASK;
            if (bitline_take_flags(memory) != BITLINE_FLAGS_INEXACT_MASK) return 200;
            return 0;
        }}"
    );
    fs::write(folder.path().join("main.c"), program).unwrap();
    let rest = ["-Iout/software", "main.c", "-o", "main"];
    assert_eq!(run("cc", &[&STRICT[..], &rest[..]].concat(), folder.path()).unwrap().trim(), "");
    run("./main", &[], folder.path()).unwrap();
    good(folder.path(), &["--target", "generic", "--preset", "tiny", "--out", "tiny"]);
    let header = fs::read_to_string(folder.path().join("tiny/software/bitline.h")).unwrap();
    assert!(!header.contains("BITLINE_FORMAT") && !header.contains("BITLINE_ROUND"));
}

/// Nothing that a compiler could say is left to say.
const STRICT: [&str; 6] = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion"];

/// The driver on plain memory in the place of registers: transfers are staged as the encoder in Rust says, bounds end
/// waits, and what does not fit is not pushed.
#[test]
fn the_c_driver_compiles_and_stages_transfers() {
    if require("gcc").is_none() {
        return;
    }
    let folder = scratch();
    good(folder.path(), &["--target", "generic", "--preset", "tiny", "--out", "out"]);
    let transfers = [
        Transfer { store: false, width: 17, row: 300, count: 256, address: 0x1234_5678_9abc_def0, stride: -524_288 },
        Transfer { store: true, width: 64, row: 1023, count: 1, address: u64::MAX, stride: 524_287 },
        Transfer { store: true, width: 1, row: 0, count: 1023, address: 0, stride: 0 },
        Transfer { store: false, width: 8, row: 5, count: 8, address: 3, stride: -1 },
    ];
    let mut checks = String::new();
    for (i, transfer) in (1..).zip(&transfers) {
        let Transfer { store, width, row, count, address, stride } = *transfer;
        let command = transfer.command();
        let (function, opcode) = (if store { "bitline_store" } else { "bitline_load" }, transfer.opcode());
        checks += &format!(
            "memory[BITLINE_PUSH / 4] = 0;
             if ({function}(&unit, {width}, {row}, {count}, {address}u, {stride}) != BITLINE_OK) return {i}0;
             if (memory[BITLINE_COMMAND / 4] != ({opcode}u | {}u << 16)) return {i}1;
             if (memory[BITLINE_COMMAND_AB / 4] != ({}u | {}u << 16)) return {i}2;
             if (memory[BITLINE_COMMAND_DE / 4] != ({}u | {}u << 16) || memory[BITLINE_COMMAND_S / 4] != {}u) return \
             {i}3;
             if (memory[BITLINE_KEY_LOW / 4] != {}u || memory[BITLINE_KEY_HIGH / 4] != {}u) return {i}4;
             if (memory[BITLINE_PUSH / 4] != 1) return {i}5;\n",
            command.width,
            command.a,
            command.b,
            command.d,
            command.e,
            command.s,
            command.key as u32,
            command.key >> 32,
        );
    }
    let program = format!(
        r#"#include <string.h>
        #include "bitline.h"
        static uint32_t memory[BITLINE_SIZE / 4];
        static struct bitline unit;
        int main(void) {{
            struct bitline_fault fault;
            if (bitline_init(&unit, memory, 3) != BITLINE_ABSENT) return 200;
            memcpy(memory, "BTLN", 4);
            memory[BITLINE_HASH_LOW / 4] = BITLINE_DESIGN_HASH_LOW_HASH;
            memory[BITLINE_HASH_HIGH / 4] = BITLINE_DESIGN_HASH_HIGH_HASH;
            memory[BITLINE_STATUS / 4] = BITLINE_STATUS_BUSY_MASK;
            if (bitline_init(&unit, memory, 3) != BITLINE_TIMEOUT) return 201;
            memory[BITLINE_STATUS / 4] = BITLINE_STATUS_TAG_ANY_MASK;
            if (bitline_init(&unit, memory, 3) != BITLINE_OK || !bitline_tag_any(&unit)) return 202;
            {checks}
            memory[BITLINE_PUSH / 4] = 0;
            if (bitline_load(&unit, 65, 0, 1, 0, 0) != BITLINE_UNFIT) return 203;
            if (bitline_load(&unit, 8, 1024, 1, 0, 0) != BITLINE_UNFIT) return 204;
            if (bitline_store(&unit, 8, 1024, 1, 0, 0) != BITLINE_UNFIT) return 205;
            if (bitline_store(&unit, 8, 0, 1024, 0, 0) != BITLINE_UNFIT) return 206;
            if (bitline_load(&unit, 8, 0, 1, 0, 524288) != BITLINE_UNFIT) return 207;
            if (bitline_load(&unit, 8, 0, 1, 0, -524289) != BITLINE_UNFIT) return 208;
            memory[BITLINE_STATUS / 4] = BITLINE_STATUS_QUEUE_FULL_MASK | BITLINE_STATUS_BUSY_MASK;
            if (bitline_load(&unit, 8, 0, 1, 0, 0) != BITLINE_TIMEOUT || bitline_wait(&unit) != BITLINE_TIMEOUT) return 209;
            if (memory[BITLINE_PUSH / 4] != 0) return 210;
            memory[BITLINE_STATUS / 4] = 0;
            if (bitline_wait(&unit) != BITLINE_OK || bitline_take_error(&unit, &fault) != 0) return 211;
            memory[BITLINE_ERROR / 4] = 2u << 8 | BITLINE_ERR_DECODE;
            memory[BITLINE_ERROR_INDEX / 4] = 77;
            memory[BITLINE_ERROR_ADDRESS_LOW / 4] = 0x89abcdefu;
            memory[BITLINE_ERROR_ADDRESS_HIGH / 4] = 0x01234567u;
            if (bitline_wait(&unit) != BITLINE_REFUSED || bitline_take_error(&unit, &fault) != 1) return 212;
            if (fault.code != BITLINE_ERR_DECODE || fault.operand != 2 || fault.index != 77) return 213;
            if (fault.address != 0x0123456789abcdefu) return 214;
            bitline_interrupts(&unit, 1, 0);
            if (memory[BITLINE_CONTROL / 4] != BITLINE_CONTROL_DONE_ENABLE_MASK) return 215;
            memory[BITLINE_INTERRUPT / 4] = BITLINE_INTERRUPT_DONE_MASK;
            if (bitline_take_interrupts(&unit) != BITLINE_INTERRUPT_DONE_MASK) return 216;
            return 0;
        }}"#
    );
    fs::write(folder.path().join("main.c"), program).unwrap();
    let rest = ["-Iout/software", "main.c", "out/software/bitline.c", "-o", "main"];
    assert_eq!(run("gcc", &[&STRICT[..], &rest[..]].concat(), folder.path()).unwrap().trim(), "");
    run("./main", &[], folder.path()).unwrap();
    // C++ programs see the functions as what they are.
    let user = "#include \"bitline.h\"\nint main() \
                { bitline unit; return bitline_init(&unit, nullptr, 1) + bitline_wait(&unit); }\n";
    fs::write(folder.path().join("user.cpp"), user).unwrap();
    let compile = ["-std=c99", "-Iout/software", "-c", "out/software/bitline.c", "-o", "driver.o"];
    run("gcc", &compile, folder.path()).unwrap();
    let link = [
        "-std=c++11",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-pedantic",
        "-Iout/software",
        "user.cpp",
        "driver.o",
        "-o",
        "user",
    ];
    assert_eq!(run("g++", &link, folder.path()).unwrap().trim(), "");
}

/// The manual's programs in C.
#[test]
fn examples_in_c_compile() {
    if require("gcc").is_none() {
        return;
    }
    let folder = scratch();
    let manual = include_str!("../../docs/software.md");
    let examples: Vec<&str> = manual.split("```c\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(!examples.is_empty(), "the manual has examples in C");
    good(folder.path(), &["--target", "generic", "--preset", "tiny", "--out", "unit"]);
    good(folder.path(), &["--unit", "compute-cache", "--target", "generic", "--preset", "tiny", "--out", "cache"]);
    good(folder.path(), &["--unit", "ccs", "--target", "generic", "--preset", "tiny", "--out", "ccs"]);
    good(folder.path(), &["--unit", "duality", "--target", "generic", "--preset", "tiny", "--out", "duality"]);
    for example in examples {
        fs::write(folder.path().join("example.c"), example).unwrap();
        let include = ["-Iunit/software", "-Icache/software", "-Iccs/software", "-Iduality/software"];
        let rest = [&include[..], &["-c", "example.c", "-o", "example.o"]].concat();
        assert_eq!(run("gcc", &[&STRICT[..], &rest[..]].concat(), folder.path()).unwrap().trim(), "");
    }
}

/// The compute cache's driver on plain memory in the place of registers.
const CACHE_DRIVEN: &str = r#"
    #include "bitline_cc.h"
    static uint32_t memory[(BITLINE_CC_WINDOW + BITLINE_CC_BYTES) / 4];
    static struct bitline_cc cache;
    static int is(uint32_t opcode, uint32_t grain, uint32_t a, uint32_t b, uint32_t d) {
        const uint32_t operation = opcode << BITLINE_CC_OPERATION_OPCODE_LSB | grain << BITLINE_CC_OPERATION_GRAIN_LSB;
        return memory[BITLINE_CC_OPERATION / 4] == operation && memory[BITLINE_CC_A / 4] == a && memory[BITLINE_CC_B / 4] == b &&
               memory[BITLINE_CC_D / 4] == d && memory[BITLINE_CC_SIZE / 4] == 64;
    }
    int main(void) {
        uint64_t mask = 0;
        uint32_t words[2] = {5, 6};
        if (bitline_cc_init(&cache, memory, 3) != BITLINE_CC_ABSENT) return 1;
        memory[BITLINE_CC_ID / 4] = 0x43435442u;
        if (bitline_cc_matches(memory)) return 2;
        cache.base = memory;
        cache.polls = 3;
        if (cc_buz(&cache, 0, 64) != BITLINE_CC_TIMEOUT) return 3;
        memory[BITLINE_CC_STATUS / 4] = BITLINE_CC_STATUS_READY_MASK;
        if (cc_buz(&cache, 0, 64) != BITLINE_CC_TIMEOUT) return 4;
        memory[BITLINE_CC_STATUS / 4] = BITLINE_CC_STATUS_READY_MASK | BITLINE_CC_STATUS_RESULT_MASK;
        memory[BITLINE_CC_RESULT / 4] = BITLINE_CC_RESULT_VALID_MASK;
        memory[BITLINE_CC_MASK_LOW / 4] = 0x89abcdefu;
        memory[BITLINE_CC_MASK_HIGH / 4] = 0x01234567u;
        if (cc_copy(&cache, 1, 2, 64) != BITLINE_CC_OK || !is(BITLINE_CC_OP_COPY, 0, 1, 0, 2)) return 5;
        if (cc_buz(&cache, 2, 64) != BITLINE_CC_OK || !is(BITLINE_CC_OP_BUZ, 0, 0, 0, 2)) return 6;
        if (cc_and(&cache, 1, 3, 2, 64) != BITLINE_CC_OK || !is(BITLINE_CC_OP_AND, 0, 1, 3, 2)) return 7;
        if (cc_or(&cache, 1, 3, 2, 64) != BITLINE_CC_OK || !is(BITLINE_CC_OP_OR, 0, 1, 3, 2)) return 8;
        if (cc_xor(&cache, 1, 3, 2, 64) != BITLINE_CC_OK || !is(BITLINE_CC_OP_XOR, 0, 1, 3, 2)) return 9;
        if (cc_not(&cache, 1, 2, 64) != BITLINE_CC_OK || !is(BITLINE_CC_OP_NOT, 0, 1, 0, 2)) return 10;
        if (mask != 0 || cc_cmp(&cache, 1, 3, 64, &mask) != BITLINE_CC_OK || !is(BITLINE_CC_OP_CMP, 0, 1, 3, 0)) return 11;
        if (mask != 0x0123456789abcdefu) return 12;
        if (cc_search(&cache, 1, 3, 64, 0) != BITLINE_CC_OK || !is(BITLINE_CC_OP_SEARCH, 0, 1, 3, 0)) return 13;
        if (cc_clmul(&cache, 1, 3, 64, 256, &mask) != BITLINE_CC_OK || !is(BITLINE_CC_OP_CLMUL, 2, 1, 3, 0)) return 14;
        if (cc_clmul(&cache, 1, 3, 64, 32, &mask) != BITLINE_CC_UNFIT) return 15;
        memory[BITLINE_CC_RESULT / 4] = BITLINE_CC_RESULT_VALID_MASK | BITLINE_CC_ERR_SIZE << BITLINE_CC_RESULT_CODE_LSB;
        memory[BITLINE_CC_FAULT / 4] = 7;
        mask = 1;
        if (cc_cmp(&cache, 1, 3, 64, &mask) != BITLINE_CC_REFUSED || mask != 1) return 16;
        if (cache.result.code != BITLINE_CC_ERR_SIZE || cache.result.fault != 7) return 17;
        if (bitline_cc_put(&cache, BITLINE_CC_BYTES - 8, words, 2) != BITLINE_CC_OK) return 18;
        if (memory[(BITLINE_CC_WINDOW + BITLINE_CC_BYTES) / 4 - 1] != 6) return 19;
        if (bitline_cc_put(&cache, BITLINE_CC_BYTES - 4, words, 2) != BITLINE_CC_UNFIT) return 20;
        if (bitline_cc_get(&cache, 2, words, 1) != BITLINE_CC_UNFIT) return 21;
        if (bitline_cc_get(&cache, BITLINE_CC_BYTES + 4, words, 0) != BITLINE_CC_UNFIT) return 22;
        return 0;
    }
"#;

/// The compute cache's header and driver.
#[test]
fn the_cache_s_driver_compiles_and_stages_instructions() {
    if require("gcc").is_none() {
        return;
    }
    let folder = scratch();
    good(folder.path(), &["--target", "generic", "--unit", "compute-cache", "--preset", "l1", "--out", "out"]);
    let out = folder.path().join("out");
    let main = "#include \"software/bitline_cc.h\"\nint main(void) { return bitline_cc_present((void *)0) + \
                (int)bitline_cc_run((void *)0, BITLINE_CC_OP_CMP, 0, 0, 0, 0, 64).mask + (int)bitline_cc_cycles((void \
                *)0); }\n";
    fs::write(out.join("main.c"), main).unwrap();
    for language in [["-std=c99", "-xc"], ["-std=c++11", "-xc++"]] {
        let arguments =
            ["-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", language[0], language[1], "main.c"];
        assert_eq!(run("gcc", &arguments, &out).unwrap().trim(), "");
    }
    fs::write(out.join("driven.c"), CACHE_DRIVEN).unwrap();
    let rest = ["-Isoftware", "driven.c", "software/bitline_cc.c", "-o", "driven"];
    assert_eq!(run("gcc", &[&STRICT[..], &rest[..]].concat(), &out).unwrap().trim(), "");
    run("./driven", &[], &out).unwrap();
}
