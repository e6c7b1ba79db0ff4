//! The report as a page in one file.

use super::Report;

/// The page's template.
const PAGE: &str = include_str!("../../templates/regress/report.html.tera");

/// The page.
///
/// # Panics
/// If the template is broken, which is a bug of ours.
pub fn html(report: &Report) -> String {
    let mut context = tera::Context::from_serialize(report).expect("a report serialises to a map");
    context.insert("version", env!("CARGO_PKG_VERSION"));
    context.insert("passed", &report.passed());
    context.insert("line", &report.line());
    tera::Tera::one_off(PAGE, &context, true).unwrap_or_else(|e| panic!("the page's template: {e:?}"))
}
