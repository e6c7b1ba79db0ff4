//! Programs of several launches, one behind the other, and kernels that belong together.

use super::{as_f32, f, floats, number, run, same};

/// By tiles as by rows: each element loses the same products in the same order.
#[test]
fn lud() {
    let size = 32_usize;
    let mut found = floats(70, size * size);
    (0..size).for_each(|at| found[at * size + at] += 40.0);
    let mut a = found.clone();
    for first in (0..size).step_by(8) {
        let left = ((size - first) / 8 - 1) as u32;
        let one = [8, 1, 1];
        let kernels = [
            ("diagonal", [1, 1, 1], one),
            ("beside", [left, 1, 1], one),
            ("below", [left, 1, 1], one),
            ("inside", [left, left, 1], [8, 4, 1]),
        ];
        for (kernel, grid, block) in kernels.into_iter().filter(|kernel| kernel.1[0] > 0) {
            let arguments = vec![f(&found), number(size as i32), number(first as i32)];
            found = as_f32(&run("lud.ptx", kernel, grid, block, arguments), 0);
        }
    }
    for t in 0..size {
        for row in t + 1..size {
            a[row * size + t] /= a[t * size + t];
            (t + 1..size).for_each(|column| a[row * size + column] -= a[row * size + t] * a[t * size + column]);
        }
    }
    same(&found, &a);
}
