//! The tables of configuration keys against the readers of configuration files: which keys there are, what each takes,
//! what the presets have.

use bitline::array::presets;
use bitline::ccs::CcsGeometry;
use bitline::compute_cache::CacheGeometry;
use bitline::duality::DualityParams;
use bitline::error::{Error, Result};
use bitline::system::SystemParams;
use serde_json::Value;

use super::{read, root};

/// A reader: the text of a file, to the parameters as JSON.
type Reader = fn(&str) -> Result<Value>;

fn json(params: &impl serde::Serialize) -> Value {
    serde_json::to_value(params).expect("plain values")
}

fn array(text: &str) -> Result<Value> {
    presets::parse(text, "f", "f").map(|params| json(&params))
}

fn cache(text: &str) -> Result<Value> {
    CacheGeometry::parse(text, "f", "f").map(|geometry| json(&geometry))
}

fn ccs(text: &str) -> Result<Value> {
    CcsGeometry::parse(text, "f", "f").map(|geometry| json(&geometry))
}

fn duality(text: &str) -> Result<Value> {
    DualityParams::parse(text, "f", "f").map(|params| json(&params))
}

fn board(text: &str) -> Result<Value> {
    let params = SystemParams::parse(text, "f", "f")?;
    params.check()?;
    let mut values = json(&params);
    // A file has the unit and its memory as two keys.
    let duality = values["duality"].take();
    values["duality"] = duality["unit"].clone();
    values["duality_memory_words"] = duality["memory_words"].clone();
    Ok(values)
}

/// A key's row: its name, type and values, and what each preset has.
struct Row {
    key: String,
    kind: String,
    values: String,
    presets: Vec<String>,
}

/// The table between the marks, and the presets in its head.
fn table(name: &str) -> (Vec<String>, Vec<Row>) {
    let page = read(&root("docs/configuration.md"));
    let part = page.split(&format!("<!-- keys {name} -->\n")).nth(1).expect("the mark");
    let part = part.split("<!-- end keys -->").next().expect("the mark of its end");
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`').to_string()).collect()
    };
    let lines: Vec<Vec<String>> = part.lines().map(cells).collect();
    let rows = lines[2..].iter().map(|line| Row {
        key: line[0].clone(),
        kind: line[1].clone(),
        values: line[2].clone(),
        presets: line[3..].to_vec(),
    });
    (lines[0][3..].to_vec(), rows.collect())
}

/// The names that a message lists behind `one of`.
fn listed(message: &str) -> Vec<String> {
    let list = message.rsplit("one of ").next().unwrap_or_default();
    let words = list.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    words.filter(|word| !word.is_empty() && *word != "or").map(str::to_string).collect()
}

/// The text of a file that gives one key a value, on top of `roomy`.
fn file(roomy: &str, key: &str, value: &str) -> String {
    let others = roomy.lines().filter(|line| !line.starts_with(key));
    others.map(|line| format!("{line}\n")).collect::<String>() + &format!("{key} = {value}\n")
}

/// The value as a file has it.
fn written(kind: &str, value: &str) -> String {
    match kind {
        "number" | "boolean" => value.into(),
        "list" => format!("[\"{value}\"]"),
        _ => format!("\"{value}\""),
    }
}

fn power(value: &str) -> u64 {
    value.parse().unwrap_or_else(|e| panic!("{value}: {e}"))
}

/// Values that are taken, and values that are refused, by what the table says of them.
fn samples(row: &Row) -> (Vec<String>, Vec<String>) {
    let values = row.values.split(';').next().unwrap_or_default().trim();
    let (of_two, range) = match values.strip_prefix("power of two, ") {
        Some(range) => (true, range),
        None => (false, values),
    };
    if row.kind == "number" && range.contains(" to ") {
        let (low, high) = range.split_once(" to ").expect("a range");
        let low = power(low);
        let Ok(high) = high.parse::<u64>() else {
            // The bound is another key: the least is what can be said.
            return (vec![low.to_string()], vec![(low - 1).to_string()]);
        };
        let (below, above) = if of_two { (low / 2, high * 2) } else { (low - 1, high + 1) };
        let odd = if of_two { vec![(low * 2 + 1).to_string(), (high - 1).to_string()] } else { Vec::new() };
        let refused = [vec![below.to_string(), above.to_string()], odd].concat();
        return (vec![low.to_string(), high.to_string()], refused);
    }
    if row.kind == "number" {
        let taken: Vec<u64> = values.split(", ").map(power).collect();
        let refused = taken.iter().map(|value| value + 1).filter(|value| !taken.contains(value));
        return (taken.iter().map(u64::to_string).collect(), refused.map(|value| value.to_string()).collect());
    }
    if values.starts_with("names") {
        return (Vec::new(), vec!["none_such".into()]);
    }
    let name = values.starts_with("1 to 32") || values.starts_with("letters");
    if name || row.kind == "text or table" {
        return (Vec::new(), if name { vec!["a b".into(), String::new()] } else { vec!["none such".into()] });
    }
    (values.split(", ").map(str::to_string).collect(), vec!["none_such".into()])
}

/// Whether the error is about this key. A value that is fine in itself may break a rule of others.
fn about(error: &Error, key: &str) -> bool {
    error.to_string().contains(key)
}

fn hold(name: &str, of: Reader, roomy: &str) {
    let (names, rows) = table(name);
    // What a file may hold, as the reader itself says.
    let message = of("no_such_key = 1\n").expect_err("it is refused").to_string();
    let known = listed(&message);
    let keys: Vec<&str> = rows.iter().map(|row| &row.key[..]).collect();
    assert!(!known.is_empty() && known.iter().all(|key| keys.contains(&&key[..])), "{name}: {known:?} and {keys:?}");
    assert_eq!(known.len(), keys.len(), "{name}: {known:?} and {keys:?}");
    for row in &rows {
        let (taken, refused) = samples(row);
        for value in &taken {
            let value = written(&row.kind, value);
            let text = file(if row.key == "base" { "" } else { roomy }, &row.key, &value);
            let read = of(&text);
            assert!(read.is_ok(), "{name}: {text}: {}", read.expect_err("it is none"));
        }
        for value in &refused {
            let value = written(&row.kind, value);
            let text = file(if row.key == "base" { "" } else { roomy }, &row.key, &value);
            let error = of(&text).expect_err(&text);
            assert!(about(&error, &row.key) || value.contains("none"), "{name}: {text}: {error}");
        }
        for (preset, shown) in names.iter().zip(&row.presets).filter(|(_, shown)| !shown.is_empty()) {
            let params = of(&format!("base = \"{preset}\"\n")).expect(preset);
            let value = match &params[&row.key] {
                // Designs without a way to memory, without floating point, with radix 2, one read port, without a
                // crossbar or a unit leave the key out; a unit of a board is its preset.
                Value::Null if row.kind == "boolean" => "false".into(),
                Value::Null if row.key == "radix" => "2".into(),
                Value::Null if row.key == "read_ports" => "1".into(),
                Value::Null if row.key == "crossbar" => "0".into(),
                Value::Null => "none".into(),
                Value::Object(unit) => unit["name"].as_str().expect("a name").to_string(),
                Value::Array(list) => {
                    list.iter().map(|item| item.as_str().expect("a name")).collect::<Vec<_>>().join(", ")
                }
                Value::String(text) => text.clone(),
                number => number.to_string(),
            };
            assert_eq!(&value, shown, "{name}: {} of {preset}", row.key);
        }
    }
}

#[test]
fn keys_of_the_array() {
    // Small in everything, and on a memory that takes any number of rows.
    hold("compute-unit", array, "base = \"tiny\"\nmemory = \"behavioural\"\nfloat = true\n");
    assert!(array("base = \"paper\"\nfloat = true\n").is_ok(), "either sensing");
    let odd = array("base = \"default\"\nrows = 100\n").expect_err("no power of two").to_string();
    assert!(odd.contains("power of two"), "{odd}");
    assert!(array("base = \"tiny\"\nlatches = [\"hold\", \"hold\"]\n").is_err());
    assert!(array("base = \"tiny\"\nsets = []\n").is_err());
    // What holds without a base.
    let all = "rows = 32\ncolumns = 8\nsensing = \"two_port\"\nmemory = \"block_ram\"\nlatches = []\nsets = \
               [\"fast\"]\ncommand_fifo = 2\n";
    assert_eq!(array(all).expect("it is whole")["name"], "f");
    for line in all.lines() {
        assert!(array(&all.replace(&format!("{line}\n"), "")).is_err(), "without {line}");
    }
}

#[test]
fn keys_of_the_compute_cache() {
    hold("compute-cache", cache, "base = \"tiny\"\n");
    assert_eq!(cache("").expect("a preset")["banks"], cache("base = \"l2\"\n").expect("a preset")["banks"]);
    assert_eq!(cache("base = \"tiny\"\nbanks = 8\n").expect("as many")["issue"], 8);
    assert!(cache("base = \"tiny\"\nbanks = 4\nissue = 8\n").is_err());
}

#[test]
fn keys_of_the_cache_compute_system() {
    hold("ccs", ccs, "base = \"vc709\"\n");
    assert_eq!(ccs("").expect("a preset")["lanes"], 64);
    assert!(ccs("base = \"tiny\"\nmemory = \"axi512\"\n").is_err());
}

#[test]
fn keys_of_the_duality_cache() {
    hold("duality", duality, "base = \"tiny\"\ncache_ways = 20\n");
    assert_eq!(duality("").expect("a preset")["columns"], 64);
    assert!(duality("base = \"tiny\"\nsets = []\n").is_err());
}

#[test]
fn keys_of_a_board() {
    // A rate that every clock from 10 to 400 MHz has a divisor for.
    hold("board", board, "base = \"duality-tiny\"\nbaud = 9600\n");
    assert!(board("array = \"small\"\n").is_err());
    assert!(board("clock_mhz = 100\nbaud = 25000000\n").is_ok());
    assert!(board("clock_mhz = 100\nbaud = 25000001\n").is_err());
}
