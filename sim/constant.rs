//! Published constants of estimates, each with its source.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// A constant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Constant {
    /// Its value.
    pub value: f64,
    /// Where it is from.
    pub source: String,
}

/// Reads the constants of an `energy.toml`.
///
/// # Errors
/// [`Error::Tool`] if the text does not have what it must have.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T> {
    toml::from_str(text).map_err(|e| Error::Tool { tool: "energy.toml".into(), reason: e.to_string() })
}
