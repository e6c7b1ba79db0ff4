//! Parts of values as Verilog text: variable positions, and values put together from pieces.

use num_bigint::BigUint;

use super::expr::{Named, Printer, expr_is_signed};
use super::text::{constant, index_bits, zero};
use crate::netlist::{ExprId, ExprKind};

impl Printer<'_> {
    /// Bits from a variable position. The base gets zeros on top so that no position lies outside of it, and positions
    /// beyond its width are cut off.
    pub(super) fn select(&mut self, a: ExprId, at: ExprId, width: u32) -> String {
        let (wa, wi) = (self.m.expr(a).width, self.m.expr(at).width);
        let needed = index_bits(wa as usize);
        let used = needed.min(wi);
        let reach = (1u32 << used) - 1 + width;
        let (base, base_width) = if reach <= wa {
            (self.named_text(a), wa)
        } else {
            let value = self.full(a);
            let padded = self.add_temporary(reach, format!("{{{}, {value}}}", zero(reach - wa)));
            (self.whole(Named::Temporary(padded)), reach)
        };
        let mut index = self.low_bits(at, used);
        let wanted = index_bits(base_width as usize);
        if wanted > used {
            index = format!("{{{}, {index}}}", zero(wanted - used));
        }
        let text = if width == 1 { format!("{base}[{index}]") } else { format!("{base}[{index} +: {width}]") };
        if wi <= needed {
            return text;
        }
        let beyond = self.bits(at, needed, wi - needed);
        format!("((|{beyond}) ? {} : {text})", zero(width))
    }

    /// Replaced and extended values as one concatenation.
    pub(super) fn concatenation(&mut self, e: ExprId) -> String {
        let mut pieces = Vec::new();
        self.pieces(e, 0, self.m.expr(e).width, true, &mut pieces);
        let mut texts: Vec<String> = Vec::new();
        for piece in pieces {
            texts.push(match piece {
                Piece::Constant(value, width) => constant(&value, width),
                Piece::Part(e, low, width) if width == self.m.expr(e).width && low == 0 => self.full(e),
                Piece::Part(e, low, width) => self.bits(e, low, width),
            });
        }
        if texts.len() == 1 { texts.remove(0) } else { format!("{{{}}}", texts.join(", ")) }
    }

    /// Takes bits of an expression apart, the highest first.
    fn pieces(&self, e: ExprId, low: u32, width: u32, top: bool, out: &mut Vec<Piece>) {
        if width == 0 {
            return;
        }
        let expr = self.m.expr(e);
        let end = low + width;
        match &expr.kind {
            _ if !top && self.is_named(e) => out.push(Piece::Part(e, low, width)),
            ExprKind::Replace(a, with, at) => {
                let ww = self.m.expr(*with).width;
                let (from, to) = (low.max(*at), end.min(at + ww));
                if from >= to {
                    return self.pieces(*a, low, width, false, out);
                }
                self.pieces(*a, to, end - to, false, out);
                self.pieces(*with, from - at, to - from, false, out);
                self.pieces(*a, low, from - low, false, out);
            }
            ExprKind::Extend(a) if !expr_is_signed(self.m, *a) => {
                let wa = self.m.expr(*a).width;
                let split = end.min(wa).max(low);
                push_constant(BigUint::default(), end - split, out);
                self.pieces(*a, low, split - low, false, out);
            }
            ExprKind::Const(value) => {
                let mask = (BigUint::from(1u8) << width) - 1u8;
                push_constant((value >> low) & mask, width, out);
            }
            ExprKind::Reinterpret(a) => self.pieces(*a, low, width, false, out),
            ExprKind::Slice(a, at) => self.pieces(*a, low + at, width, false, out),
            _ => out.push(Piece::Part(e, low, width)),
        }
    }

    /// One bit at a variable position replaced; none if the position lies beyond the value.
    pub(super) fn replace_bit(&mut self, a: ExprId, bit: ExprId, at: ExprId) -> String {
        let width = self.m.expr(a).width;
        let one = constant(&BigUint::from(1u8), width);
        let (value, at) = (self.operand(a), self.operand(at));
        let bit = self.extended(bit, width);
        format!("({value} & ~({one} << {at})) | ({bit} << {at})")
    }
}

/// A piece of a concatenation.
enum Piece {
    Constant(BigUint, u32),
    Part(ExprId, u32, u32),
}

/// Adds a constant below the last piece, merged with it if that is one too.
fn push_constant(value: BigUint, width: u32, out: &mut Vec<Piece>) {
    match out.last_mut() {
        _ if width == 0 => {}
        Some(Piece::Constant(upper, total)) => {
            *upper = (&*upper << width) | value;
            *total += width;
        }
        _ => out.push(Piece::Constant(value, width)),
    }
}
