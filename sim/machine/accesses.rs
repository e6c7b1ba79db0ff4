//! What a command does to the rows and latches of an array: what an estimate of its energy is made of.

use std::ops::AddAssign;

use crate::isa::uop::*;
use crate::model::compute_array::Issue;
use crate::params::Params;
use bitline_units::each_latch;

/// Accesses of all columns at once: multiply by the columns for single bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accesses {
    /// Rows read, whichever port they are read on; every row that is raised counts where several are.
    pub rows_read: u64,
    /// Rows written; those of which some columns keep what they have count as whole.
    pub rows_written: u64,
    /// Latches of a column that take a value, 0 among them; one that keeps its own does not count.
    pub latch_updates: u64,
}

/// The latches of the table that a control word does not keep.
macro_rules! updates {
    ($({
        #[doc = $doc:literal]
        $name:ident $letter:ident, field $place:literal $field:ident $lsb:ident $width:ident;
        $(parameter $latch:ident $(if $sensing:ident)?, feature $feature:literal;)?
        start $start:ident $(by $clear:ident)?;
        #[doc = $action_doc:literal]
        $action:ident { $($codes:tt)+ }
    })+) => {
        fn first_adder(column: &ColumnControl) -> u64 {
            [$(column.$letter != $action::default()),+].into_iter().map(u64::from).sum()
        }
    };
}
each_latch!(updates);

/// Those of the second adder, which have no actions of their own ([`crate::isa::second`]): K goes with C, M takes what
/// the row says or is cleared with C, G is for rows that park a bit or end a pass; where a row chooses, all three take.
/// E, F, V and U are those of [`gathered`].
fn second_adder(column: &ColumnControl, params: &Params) -> u64 {
    let gathered = gathered(column, params);
    if column.x.chooses() {
        return 3 + gathered;
    }
    let (moves, last) = (column.c != CarryAction::Hold, column.c == CarryAction::Last);
    let empties = moves && (column.c == CarryAction::Zero || column.next != Next::Majority);
    let k = empties || moves && !column.alone;
    let m = params.has(Latch::Predicate) && (last || empties || column.second != Second::Off);
    let g = column.second.parks() || column.second.is_top();
    [k, m, g].into_iter().map(u64::from).sum::<u64>() + gathered
}

/// Those that wait with what was read where a row chooses, and else take note of it, by the second adder's code.
fn gathered(column: &ColumnControl, params: &Params) -> u64 {
    if !(params.has(Latch::Predicate) && params.has(Latch::Hold)) {
        return 0;
    }
    let takes = column.p != PredicateAction::Hold;
    if column.x == X::ReverseXorH {
        // E, F and U count, and V goes on.
        return 4 + u64::from(takes);
    }
    if column.x.chooses() {
        return 3 + u64::from(takes);
    }
    let code = |codes: &[Second]| column.gathers && codes.contains(&column.second);
    // Passes of two bits.
    let two = column.gathers && column.second.complements();
    let e = two || code(&[Second::Off, Second::Park, Second::Top]);
    let f = two || code(&[Second::Off, Second::Top]) || matches!(column.second, Second::Pass | Second::Park);
    let v = two || code(&[Second::Off, Second::Pass, Second::Top]);
    let u = code(&[Second::Off, Second::NotPass, Second::NotPark]) || takes;
    [e, f, v, u].into_iter().map(u64::from).sum()
}

impl Accesses {
    /// Those of one cycle.
    pub fn of(issue: &Issue, params: &Params) -> Accesses {
        let lines = &issue.lines;
        let first = match (lines.a, lines.multi) {
            (None, _) => 0,
            (Some(_), Multi::Off) => 1,
            (Some(_), _) => lines.mask.count_ones().into(),
        };
        let second = if params.radix == 4 { second_adder(&issue.column, params) } else { 0 };
        Accesses {
            rows_read: first + u64::from(lines.b.is_some()),
            rows_written: issue.write.is_some().into(),
            latch_updates: first_adder(&issue.column) + second,
        }
    }
}

impl AddAssign for Accesses {
    fn add_assign(&mut self, other: Accesses) {
        self.rows_read += other.rows_read;
        self.rows_written += other.rows_written;
        self.latch_updates += other.latch_updates;
    }
}
