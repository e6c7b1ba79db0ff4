//! Block diagram of a top: its instances and groups of ports as boxes, what they exchange as lines, drawn from the
//! netlist.
//!
//! Columns follow the distance from what starts things: slaves' buses and inputs on the left. A line joins two boxes
//! that are connected in either direction, also through logic and registers of the top itself; arrows say which, and
//! the number counts bits. A legend says so, too.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;

use super::interface::Interface;
use super::labels::{Curve, Labels};
use crate::kernel::netlist::{Direction, Driver, ExprId, ExprKind, Instance, Module, NetId, Netlist, Read};

const BOX: (usize, usize) = (200, 26);
const LINE: usize = 15;
const GAP: (usize, usize) = (110, 26);
const MARGIN: usize = 20;
/// Height of the legend.
const LEGEND: usize = 34;
/// Parts of a box that are named; more are counted.
const NAMED: usize = 8;

/// Colour and radius of a box for ports, and of one for a block.
const PORT: (&str, usize) = ("#eef4ea", 10);
const BLOCK: (&str, usize) = ("#eaf0f7", 2);

/// A box.
struct Node {
    title: String,
    lines: Vec<String>,
    port: bool,
}

/// The diagram as SVG. `origin` goes into a comment.
pub(super) fn svg(netlist: &Netlist, title: &str, origin: &str) -> String {
    let top = netlist.top();
    let graph = Graph::of(netlist);
    let columns = graph.columns();
    let places = graph.places(&columns);
    let width = MARGIN * 2 + columns.len() * (BOX.0 + GAP.0);
    let bottom = places.iter().map(|p| p.y + p.height).max().unwrap_or(0);
    let height = bottom + MARGIN + LEGEND;
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- {origin} -->\n<svg xmlns=\"http://www.w3.org/2000/svg\" \
         width=\"{width}\" \
         height=\"{height}\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <title>{title}</title>\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n\
         <defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
         orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\" fill=\"#456\"/></marker>\n<marker id=\"back\" viewBox=\"0 0 8 \
         8\" \
         refX=\"0\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\"><path d=\"M8 0 L0 4 L8 8 z\" \
         fill=\"#456\"/></marker></defs>\n\
         <text x=\"{MARGIN}\" y=\"24\" font-size=\"15\" font-weight=\"bold\">{}: {}</text>\n",
        top.name, title
    );
    let mut labels = Labels::default();
    for Place { x, y, height } in &places {
        labels.block([*x, *y, x + BOX.0, y + height].map(|side| side as i64));
    }
    // Lines first: their labels may lie on other lines, and not under them.
    let lines: Vec<_> = graph
        .edges
        .iter()
        .map(|(&(a, b), bits)| edge(&mut text, (&places[a], graph.end(a, b)), (&places[b], graph.end(b, a)), *bits))
        .collect();
    lines.iter().for_each(|(curve, label)| labels.write(&mut text, curve, label));
    for (node, place) in graph.nodes.iter().zip(&places) {
        draw(&mut text, node, place);
    }
    legend(&mut text, bottom + MARGIN);
    text + "</svg>\n"
}

/// What shapes and numbers mean.
fn legend(text: &mut String, y: usize) {
    let swatch = |x: usize, fill: &str, radius: usize, what: &str| {
        format!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"22\" height=\"13\" rx=\"{radius}\" fill=\"{fill}\" \
             stroke=\"#456\"/>\n<text x=\"{}\" y=\"{}\" font-size=\"10\" fill=\"#345\">{what}</text>\n",
            x + 28,
            y + 10
        )
    };
    *text += &swatch(MARGIN, PORT.0, 6, "ports of the top");
    *text += &swatch(MARGIN + 130, BLOCK.0, BLOCK.1, "block: instance, module, · what is inside");
    let numbers = "32 / 8: bits from left to right (from top to bottom), and back; one number: bits along the arrow";
    let _ =
        writeln!(text, "<text x=\"{MARGIN}\" y=\"{}\" font-size=\"10\" fill=\"#345\">{numbers}</text>", y + LEGEND - 6);
}

/// Where a box is.
struct Place {
    x: usize,
    y: usize,
    height: usize,
}

struct Graph {
    nodes: Vec<Node>,
    /// Bits from the first box to the second, and back; the first has the lower number.
    edges: BTreeMap<(usize, usize), (u32, u32)>,
    /// Boxes of the first column.
    starts: Vec<usize>,
}

impl Graph {
    fn of(netlist: &Netlist) -> Graph {
        let top = netlist.top();
        let mut graph = Graph { nodes: vec![], edges: BTreeMap::new(), starts: vec![] };
        // Instances of a vector are one box.
        let mut boxes: BTreeMap<String, usize> = BTreeMap::new();
        let of_instance: Vec<usize> = (top.instances.iter())
            .map(|instance| {
                let twin =
                    |other: &&Instance| other.module == instance.module && stem(&other.name) == stem(&instance.name);
                let several = top.instances.iter().filter(twin).count() > 1;
                let key = if several { stem(&instance.name) } else { &instance.name };
                *boxes.entry(key.into()).or_insert_with(|| {
                    let lines = parts(netlist, netlist.module(instance.module));
                    graph.nodes.push(Node { title: key.trim_end_matches('_').into(), lines, port: false });
                    graph.nodes.len() - 1
                })
            })
            .collect();
        let of_port = graph.ports(top);
        let tracer = Tracer { top, of_instance: &of_instance, of_port: &of_port };
        for (i, instance) in top.instances.iter().enumerate() {
            for (port, &net) in netlist.module(instance.module).ports.iter().zip(&instance.connections) {
                if port.direction == Direction::Input {
                    graph.connect(&tracer, net, of_instance[i], top.net(net).width);
                }
            }
        }
        for port in top.ports.iter().filter(|p| p.direction == Direction::Output) {
            graph.connect(&tracer, port.net, of_port[&port.net], top.net(port.net).width);
        }
        graph
    }

    /// Boxes for the top's ports: one for each bus, one for other inputs, one for other outputs.
    fn ports(&mut self, top: &Module) -> BTreeMap<NetId, usize> {
        let interface = Interface::of(top);
        let mut groups: Vec<(String, Vec<String>, bool)> = Vec::new();
        for bus in &interface.buses {
            groups.push((bus.name.clone(), vec![format!("{} signals", bus.pins.len())], !bus.master));
        }
        let bus_of = |name: &str| interface.buses.iter().position(|bus| bus.pins.iter().any(|p| p.name == name));
        let mut found = BTreeMap::new();
        let mut boxes: BTreeMap<usize, usize> = BTreeMap::new();
        for port in &top.ports {
            let net = top.net(port.net);
            let input = port.direction == Direction::Input;
            let group = bus_of(&net.name).unwrap_or_else(|| {
                let title = if input { "inputs" } else { "outputs" };
                let at = groups.iter().position(|g| g.0 == title).unwrap_or_else(|| {
                    groups.push((title.into(), vec![], input));
                    groups.len() - 1
                });
                groups[at].1.push(net.name.clone());
                at
            });
            let node = *boxes.entry(group).or_insert_with(|| {
                self.nodes.push(Node { title: String::new(), lines: vec![], port: true });
                self.nodes.len() - 1
            });
            found.insert(port.net, node);
        }
        for (group, node) in boxes {
            let (title, lines, start) = groups[group].clone();
            self.nodes[node].title = title;
            self.nodes[node].lines = shortened(lines);
            if start {
                self.starts.push(node);
            }
        }
        found
    }

    fn connect(&mut self, tracer: &Tracer<'_>, net: NetId, to: usize, bits: u32) {
        for from in tracer.sources(net) {
            if from != to {
                let edge = self.edges.entry((from.min(to), from.max(to))).or_default();
                let way = if from < to { &mut edge.0 } else { &mut edge.1 };
                *way += bits;
            }
        }
    }

    /// Boxes by their distance from the starts. What no line reaches comes last.
    fn columns(&self) -> Vec<Vec<usize>> {
        let mut distance: Vec<Option<usize>> = vec![None; self.nodes.len()];
        let mut open: VecDeque<usize> = self.starts.iter().copied().collect();
        self.starts.iter().for_each(|&start| distance[start] = Some(0));
        while let Some(node) = open.pop_front() {
            let next = distance[node].map(|d| d + 1);
            let touching =
                self.edges.keys().filter_map(|&(a, b)| if a == node { Some(b) } else { (b == node).then_some(a) });
            for other in touching {
                if distance[other].is_none() {
                    distance[other] = next;
                    open.push_back(other);
                }
            }
        }
        let last = distance.iter().flatten().max().copied().unwrap_or(0);
        let mut columns = vec![Vec::new(); last + 1];
        for (node, distance) in distance.iter().enumerate() {
            columns[distance.unwrap_or(last)].push(node);
        }
        columns
    }

    /// Which of a box's lines the one to another is, and how many there are.
    fn end(&self, node: usize, other: usize) -> (usize, usize) {
        let of_node = |&&(a, b): &&(usize, usize)| a == node || b == node;
        let ends: Vec<&(usize, usize)> = self.edges.keys().filter(of_node).collect();
        let at = ends.iter().position(|&&(a, b)| a == other || b == other).unwrap_or(0);
        (at, ends.len())
    }

    fn places(&self, columns: &[Vec<usize>]) -> Vec<Place> {
        let mut places: Vec<Place> = self.nodes.iter().map(|_| Place { x: 0, y: 0, height: 0 }).collect();
        for (column, nodes) in columns.iter().enumerate() {
            let mut y = MARGIN + 30;
            for &node in nodes {
                let height = BOX.1 + LINE * self.nodes[node].lines.len();
                places[node] = Place { x: MARGIN + column * (BOX.0 + GAP.0), y, height };
                y += height + GAP.1;
            }
        }
        places
    }
}

/// Finds where a net's value comes from.
struct Tracer<'a> {
    top: &'a Module,
    of_instance: &'a [usize],
    of_port: &'a BTreeMap<NetId, usize>,
}

impl Tracer<'_> {
    fn sources(&self, net: NetId) -> BTreeSet<usize> {
        let (mut seen, mut open, mut found) = (BTreeSet::new(), vec![net], BTreeSet::new());
        let mut looked: BTreeSet<ExprId> = BTreeSet::new();
        while let Some(net) = open.pop() {
            if !seen.insert(net) {
                continue;
            }
            let mut roots: Vec<ExprId> = Vec::new();
            match self.top.net(net).driver {
                Driver::Input => found.extend(self.of_port.get(&net)),
                Driver::Instance(instance, _) => {
                    found.insert(self.of_instance[instance]);
                }
                Driver::Expr(expr) => roots.push(expr),
                Driver::Register(register) => {
                    let register = &self.top.registers[register];
                    roots.push(register.next);
                    roots.extend(register.enable);
                }
                Driver::Memory(memory, port) => match self.top.memories[memory].reads[port].1 {
                    Read::Now { address } => roots.push(address),
                    Read::Clocked { address, enable } => roots.extend([address, enable]),
                    Read::And { select } | Read::Nor { select } => roots.push(select),
                },
            }
            while let Some(expr) = roots.pop() {
                if !looked.insert(expr) {
                    continue;
                }
                let kind = &self.top.expr(expr).kind;
                if let ExprKind::Net(net) = *kind {
                    open.push(net);
                }
                roots.extend(kind.operands());
            }
        }
        found
    }
}

/// A name without the number that tells the members of a vector apart.
fn stem(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('_')
}

/// The module's name and what is inside, by module.
fn parts(netlist: &Netlist, module: &Module) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for instance in &module.instances {
        *counts.entry(&netlist.module(instance.module).name).or_default() += 1;
    }
    let inside = counts.into_iter().map(|(name, n)| if n == 1 { name.to_string() } else { format!("{name} × {n}") });
    let mut lines = vec![module.name.clone()];
    lines.extend(shortened(inside.map(|name| format!("· {name}")).collect()));
    lines
}

fn shortened(mut lines: Vec<String>) -> Vec<String> {
    if lines.len() > NAMED {
        let rest = lines.len() - NAMED + 1;
        lines.truncate(NAMED - 1);
        lines.push(format!("· {rest} more"));
    }
    lines
}

fn draw(text: &mut String, node: &Node, place: &Place) {
    let Place { x, y, height } = *place;
    let (fill, radius) = if node.port { PORT } else { BLOCK };
    let _ = writeln!(
        text,
        "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{height}\" rx=\"{radius}\" fill=\"{fill}\" stroke=\"#456\"/>\n\
         <text x=\"{}\" y=\"{}\" font-weight=\"bold\">{}</text>",
        BOX.0,
        x + 8,
        y + 17,
        node.title
    );
    for (i, line) in node.lines.iter().enumerate() {
        let _ = writeln!(
            text,
            "<text x=\"{}\" y=\"{}\" font-size=\"10\" fill=\"#345\">{line}</text>",
            x + 8,
            y + 32 + LINE * i
        );
    }
}

/// A box, and which of its lines this is of how many.
type End<'a> = (&'a Place, (usize, usize));

/// Draws a line; gives its curve and its label.
fn edge(text: &mut String, a: End<'_>, b: End<'_>, (forth, back): (u32, u32)) -> (Curve, String) {
    let (a, b, forth, back) = if a.0.x <= b.0.x { (a, b, forth, back) } else { (b, a, back, forth) };
    // Lines leave a box one below the other.
    let height = |(place, (at, of)): End<'_>| place.y + place.height * (at + 1) / (of + 1);
    let (ya, yb) = (height(a), height(b));
    let (a, b) = (a.0, b.0);
    let from = a.x + BOX.0;
    // Neighbours in a column are joined by a bow on their right.
    let (to, bend) = if a.x == b.x { (from, from + GAP.0 / 2) } else { (b.x, (from + b.x) / 2) };
    let end = if forth > 0 { " marker-end=\"url(#arrow)\"" } else { "" };
    let start = if back > 0 { " marker-start=\"url(#back)\"" } else { "" };
    let label = match (forth, back) {
        (forth, 0) => format!("{forth}"),
        (0, back) => format!("{back}"),
        (forth, back) => format!("{forth} / {back}"),
    };
    let _ = writeln!(
        text,
        "<path d=\"M{from} {ya} C{bend} {ya} {bend} {yb} {to} {yb}\" fill=\"none\" stroke=\"#789\"{start}{end}/>"
    );
    let points = [(from, ya), (bend, ya), (bend, yb), (to, yb)];
    (Curve(points.map(|(x, y)| (x as i64, y as i64))), label)
}
