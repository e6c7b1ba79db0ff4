//! Plans: the cases of a regression in a fixed order, and shards of them.
//!
//! A plan follows from its [`Request`] alone, so that every machine makes the same one; its hash, and that of the
//! designs' parameters, show that it did.

use std::collections::BTreeSet;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::campaigns::{CAMPAIGNS, Campaign};
use super::case::Case;
use super::choice::Choice;
use crate::data::output::write_files;
use crate::emit::list::any_of;
use crate::emit::manifest::hexadecimal;
use crate::error::{Error, Result};
use crate::regmap::fnv1a;

/// Number of the format of plans and results files.
pub const FORMAT: u32 = 1;
/// Cases that a plan may have.
pub const MOST_CASES: u64 = 1_000_000;

/// What is to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Campaigns, or units: all of theirs; the usual ones if empty.
    pub campaigns: Vec<String>,
    /// Presets, or `all`; the smallest of each unit if empty.
    pub presets: Vec<String>,
    /// Engines; the native one if empty.
    pub engines: Vec<String>,
    /// First seed.
    pub seed: u64,
    /// Number of seeds.
    pub seeds: u64,
    /// Size of each case; the campaign's usual one if none.
    pub size: Option<u64>,
}

/// What results must agree on to belong together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// [`FORMAT`].
    pub format: u32,
    /// The sources that the program was built from.
    pub commit: String,
    /// Hash of the parameters of all designs of the plan.
    pub parameters: String,
    /// Hash of the plan's cases.
    pub plan: String,
    /// What the plan follows from.
    pub request: Request,
}

/// The cases of a regression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// What its results will say.
    pub header: Header,
    /// Cases by their number.
    pub cases: Vec<Case>,
}

/// One of several parts of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 1.
    pub index: u32,
    /// How many there are.
    pub count: u32,
}

impl Shard {
    /// The whole plan.
    pub const WHOLE: Shard = Shard { index: 1, count: 1 };

    /// Whether a case belongs to it: every n-th one, so that shards have some of everything.
    pub fn has(self, case: &Case) -> bool {
        case.number % self.count as usize == self.index as usize - 1
    }
}

impl FromStr for Shard {
    type Err = Error;

    fn from_str(text: &str) -> Result<Shard> {
        let parts = text.split_once('/').and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
        match parts {
            Some((index, count)) if (1..=count).contains(&index) => Ok(Shard { index, count }),
            _ => Err(Error::parameter("shard", text, "must be i/n with 1 ≤ i ≤ n, such as 3/8")),
        }
    }
}

impl Request {
    /// Campaigns by their place in the list.
    fn chosen(&self) -> Result<Vec<&'static Campaign>> {
        if self.campaigns.is_empty() {
            return Ok(CAMPAIGNS.iter().filter(|campaign| campaign.usual).collect());
        }
        let mut names = BTreeSet::new();
        for name in &self.campaigns {
            names.extend(Campaign::named(name)?.into_iter().map(|campaign| campaign.name));
        }
        Ok(CAMPAIGNS.iter().filter(|campaign| names.contains(campaign.name)).collect())
    }

    fn engines(&self) -> Result<Vec<Choice>> {
        let named: Vec<Choice> = self.engines.iter().map(|name| Choice::named(name)).collect::<Result<_>>()?;
        if named.is_empty() {
            return Ok(vec![Choice::Native]);
        }
        Ok(Choice::ALL.into_iter().filter(|choice| named.contains(choice)).collect())
    }

    /// The presets of a campaign that were asked for.
    fn presets(&self, campaign: &Campaign) -> Vec<&'static str> {
        let all = (campaign.subject.presets)();
        match self.presets.is_empty() {
            true => all.into_iter().take(1).collect(),
            false if self.presets.iter().any(|name| name == "all") => all,
            false => all.into_iter().filter(|&preset| self.presets.iter().any(|name| name == preset)).collect(),
        }
    }

    /// Every preset must belong to a campaign that was chosen.
    fn check_presets(&self, campaigns: &[&Campaign]) -> Result<()> {
        let mut known: Vec<&str> = Vec::new();
        for preset in campaigns.iter().flat_map(|campaign| (campaign.subject.presets)()) {
            if !known.contains(&preset) {
                known.push(preset);
            }
        }
        known.push("all");
        match self.presets.iter().find(|name| !known.contains(&name.as_str())) {
            Some(name) => Err(Error::parameter("preset", name, format!("must be {}", any_of(&known)))),
            None => Ok(()),
        }
    }

    fn check_size(&self, campaigns: &[&Campaign]) -> Result<()> {
        let Some(size) = self.size else { return Ok(()) };
        match campaigns.iter().find(|campaign| !(1..=campaign.largest).contains(&size)) {
            Some(Campaign { name, largest, counted, .. }) => {
                Err(Error::parameter("size", size, format!("must be 1 to {largest} {counted} for {name}")))
            }
            None => Ok(()),
        }
    }
}

impl Plan {
    /// The plan of a request; `commit` names the sources that the program was built from.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a campaign, preset or engine that there is not, and for sizes that cannot be.
    pub fn new(request: &Request, commit: &str) -> Result<Plan> {
        let campaigns = request.chosen()?;
        let engines = request.engines()?;
        request.check_presets(&campaigns)?;
        request.check_size(&campaigns)?;
        if request.seeds == 0 || request.seed.checked_add(request.seeds - 1).is_none() {
            return Err(Error::parameter("seeds", request.seeds, "must be at least 1, and the last one below 2^64"));
        }
        let suites: u64 = campaigns.iter().map(|campaign| request.presets(campaign).len() as u64).sum();
        if suites.saturating_mul(engines.len() as u64).saturating_mul(request.seeds) > MOST_CASES {
            return Err(Error::parameter("seeds", request.seeds, format!("more than {MOST_CASES} cases altogether")));
        }
        let mut cases = Vec::new();
        let mut parameters = BTreeSet::new();
        for campaign in campaigns {
            for preset in request.presets(campaign) {
                let hash = hexadecimal((campaign.subject.hash)(preset)?);
                parameters.insert(format!("{} {preset} {hash}\n", campaign.subject.name));
                for engine in &engines {
                    for seed in request.seed..=request.seed + (request.seeds - 1) {
                        cases.push(Case {
                            number: cases.len(),
                            campaign: campaign.name.into(),
                            preset: preset.into(),
                            engine: engine.name().into(),
                            seed,
                            size: request.size.unwrap_or(campaign.size.div_ceil(engine.share())),
                        });
                    }
                }
            }
        }
        let text = serde_json::to_vec(&cases).expect("numbers and strings always serialise");
        let parameters: String = parameters.into_iter().collect();
        let header = Header {
            format: FORMAT,
            commit: commit.into(),
            parameters: hexadecimal(fnv1a(parameters.as_bytes())),
            plan: hexadecimal(fnv1a(&text)),
            request: request.clone(),
        };
        Ok(Plan { header, cases })
    }

    /// Writes the plan as a file: its header as JSON.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(&self.header).expect("numbers and strings always serialise") + "\n";
        write_files(&[(path.into(), text.into_bytes())])
    }

    /// The plan that a file holds, made anew by this program.
    ///
    /// # Errors
    /// [`Error::File`] if the file cannot be read or is no plan, or one of another commit or other parameters.
    pub fn read(path: &Path, commit: &str) -> Result<Plan> {
        let text = std::fs::read_to_string(path).map_err(|e| Error::file(path, e))?;
        let header: Header =
            serde_json::from_str(&text).map_err(|e| Error::file(path, format!("is no plan of a regression: {e}")))?;
        Plan::of(&header, path, commit)
    }

    /// The plan that a header tells of, made anew by this program.
    ///
    /// # Errors
    /// [`Error::File`] with what differs.
    pub fn of(header: &Header, path: &Path, commit: &str) -> Result<Plan> {
        header.check_origin(path, FORMAT, commit)?;
        let plan = Plan::new(&header.request, commit).map_err(|e| Error::file(path, e))?;
        plan.header.agrees(header, path)?;
        Ok(plan)
    }

    /// The unit's campaign behind a case.
    ///
    /// # Panics
    /// If the case is of no plan.
    pub fn campaign(case: &Case) -> &'static Campaign {
        CAMPAIGNS.iter().find(|campaign| campaign.name == case.campaign).expect("plans name campaigns of the list")
    }
}

impl Header {
    fn check_origin(&self, path: &Path, format: u32, commit: &str) -> Result<()> {
        if self.format != format {
            let reason = format!("has format {}, and this program reads and writes {format}", self.format);
            return Err(Error::file(path, reason));
        }
        if self.commit != commit {
            let reason =
                format!("is of commit {}, and this program of {commit}: they do not belong together", self.commit);
            return Err(Error::file(path, reason));
        }
        Ok(())
    }

    /// Whether another header, read from `path`, is that of the same plan.
    ///
    /// # Errors
    /// [`Error::File`] with what differs.
    pub fn agrees(&self, other: &Header, path: &Path) -> Result<()> {
        other.check_origin(path, self.format, &self.commit)?;
        for (what, own, found) in
            [("another plan", &self.plan, &other.plan), ("other parameters", &self.parameters, &other.parameters)]
        {
            if own != found {
                let reason = format!(
                    "is of {what} (hash {found}, here {own}): campaigns, presets, engines, seeds, sizes and the \
                     designs' parameters must be the same"
                );
                return Err(Error::file(path, reason));
            }
        }
        Ok(())
    }
}
