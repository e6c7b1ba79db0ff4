//! Which rows are taken, and where there is room.

/// The rows of an array.
#[derive(Clone, Debug)]
pub struct RowMap {
    rows: usize,
    /// First row, row after the last, and who has them.
    taken: Vec<(usize, usize, String)>,
}

impl RowMap {
    /// An empty array.
    pub fn new(rows: usize) -> RowMap {
        RowMap { rows, taken: Vec::new() }
    }

    /// Takes rows at a fixed place.
    ///
    /// # Errors
    /// The rule broken: rows that do not exist, or are taken.
    pub fn take(&mut self, name: &str, first: usize, count: usize) -> Result<(), String> {
        let Some(end) = first.checked_add(count) else {
            return Err(format!("{name} = row {first}: the array has {} rows", self.rows));
        };
        if end > self.rows {
            let last = end - 1;
            return Err(format!("{name} = rows {first} to {last}: the array has {} rows", self.rows));
        }
        if let Some((low, high, owner)) = self.taken.iter().find(|(low, high, _)| first < *high && *low < end) {
            let (last, other) = (end - 1, high - 1);
            return Err(format!("{name} = rows {first} to {last}: {owner} has rows {low} to {other}"));
        }
        self.taken.push((first, end, name.into()));
        Ok(())
    }

    /// The first of `count` free rows, from row 0 up.
    ///
    /// # Errors
    /// How many rows there are.
    pub fn find(&self, name: &str, count: usize) -> Result<usize, String> {
        let ends = self.taken.iter().map(|t| t.1);
        let fits = |first: usize| {
            let end = first + count;
            end <= self.rows && self.taken.iter().all(|(low, high, _)| first >= *high || *low >= end)
        };
        std::iter::once(0).chain(ends).filter(|&first| fits(first)).min().ok_or_else(|| {
            let used: usize = self.taken.iter().map(|(low, high, _)| high - low).sum();
            format!(
                "{name} = {count} rows: no {count} free rows in succession ({used} of {} rows are taken)",
                self.rows
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_fit() {
        let mut map = RowMap::new(32);
        map.take("b", 8, 8).expect("free");
        assert_eq!(map.find("a", 8), Ok(0));
        assert_eq!(map.find("c", 9), Ok(16));
        map.take("c", 16, 9).expect("free");
        assert_eq!(map.find("d", 8), Ok(0));
        assert_eq!(map.find("e", 9), Err("e = 9 rows: no 9 free rows in succession (17 of 32 rows are taken)".into()));
        assert_eq!(map.take("f", 15, 2), Err("f = rows 15 to 16: b has rows 8 to 15".into()));
        assert_eq!(map.take("g", 30, 3), Err("g = rows 30 to 32: the array has 32 rows".into()));
    }
}
