//! The 1,000 leads of the demo's CRM. All people and companies are invented;
//! domains end in `.example`, which nobody can own (RFC 2606).

use serde::{Deserialize, Serialize};

use super::calendar::{TODAY, date, instant};
use super::lead_words::{
    COMPANY_KINDS, COMPANY_NAMES, COUNTRIES, FIRST_NAMES, LAST_NAMES, NOTE_SLOTS, NOTES, OWNERS,
};
use super::random::Random;
use super::transcript::CUSTOMER;

/// Number of leads.
pub(crate) const COUNT: usize = 1_000;

/// The lead of the customer in the transcript.
const CUSTOMER_NUMBER: usize = 417;

/// A possible customer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Lead {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) company: String,
    pub(crate) email: String,
    pub(crate) phone: String,
    pub(crate) domain: String,
    pub(crate) country: &'static str,
    pub(crate) status: Status,
    pub(crate) value_cents: u64,
    pub(crate) owner: String,
    pub(crate) created_at: String,
    pub(crate) last_contact: Option<String>,
    pub(crate) notes: Vec<String>,
}

/// The stage of a lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    New,
    Contacted,
    Qualified,
    Lost,
    Won,
}

impl Lead {
    /// The number within the id.
    pub(crate) fn number(&self) -> usize {
        self.id.trim_start_matches("L-").parse().unwrap_or(0)
    }
}

/// All leads, in the order of their ids.
pub(crate) fn leads() -> Vec<Lead> {
    let mut random = Random::new(0x0c12_a001);
    (1..=COUNT).map(|number| lead(number, &mut random)).collect()
}

/// The lead of the customer in the transcript.
pub(crate) fn customer_id() -> String {
    id(CUSTOMER_NUMBER)
}

fn id(number: usize) -> String {
    format!("L-{number:04}")
}

fn lead(number: usize, random: &mut Random) -> Lead {
    let (first, last) = (random.pick(&FIRST_NAMES), random.pick(&LAST_NAMES));
    let mut company = format!("{} {}", random.pick(&COMPANY_NAMES), random.pick(&COMPANY_KINDS));
    let mut status = random.pick(&STATUSES);
    if number == CUSTOMER_NUMBER {
        company = CUSTOMER.to_owned();
        status = Status::Qualified;
    }
    let domain = format!("{}.example", company.to_lowercase().replace(' ', "-"));
    let (country, prefix) = random.pick_early(&COUNTRIES);
    let created = random.below(TODAY - 30);
    let contacted = status != Status::New;
    Lead {
        id: id(number),
        name: format!("{first} {last}"),
        email: format!("{}.{}@{domain}", first.to_lowercase(), last.to_lowercase()),
        // Numbers with 555-01 are reserved for fiction.
        phone: format!("{prefix} {} 555 01{:02}", random.between(201, 989), random.below(100)),
        domain,
        company,
        country,
        status,
        value_cents: u64::try_from(random.between(12, 960)).unwrap_or(0) * 25_000,
        owner: random.pick_early(&OWNERS).to_owned(),
        created_at: instant(created, random.between(7 * 3_600, 19 * 3_600)),
        last_contact: contacted.then(|| date(created + random.below(TODAY - created))),
        notes: (0..random.below(3)).map(|_| note(random)).collect(),
    }
}

fn note(random: &mut Random) -> String {
    let template = random.pick(&NOTES);
    random.fill(template, NOTE_SLOTS)
}

const STATUSES: [Status; 10] = [
    Status::New,
    Status::New,
    Status::New,
    Status::Contacted,
    Status::Contacted,
    Status::Contacted,
    Status::Qualified,
    Status::Qualified,
    Status::Lost,
    Status::Won,
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::random::fingerprint;
    use super::super::transcript::CUSTOMER;
    use super::{COUNT, customer_id, leads};

    #[test]
    fn there_are_1_000_leads_with_ids_that_rise() {
        let numbers: Vec<usize> = leads().iter().map(super::Lead::number).collect();
        assert_eq!(numbers, (1..=COUNT).collect::<Vec<_>>());
    }

    #[test]
    fn exactly_one_lead_is_the_customer_of_the_transcript() {
        let ids: Vec<String> = leads()
            .into_iter()
            .filter(|lead| lead.company == CUSTOMER)
            .map(|lead| lead.id)
            .collect();
        assert_eq!(ids, [customer_id()]);
    }

    #[test]
    fn every_country_has_leads() {
        let countries: HashSet<&str> = leads().iter().map(|lead| lead.country).collect();
        assert_eq!(countries.len(), 16);
    }

    #[test]
    fn the_leads_never_change() {
        assert_eq!(fingerprint(&serde_json::to_vec(&leads()).unwrap()), 13_640_771_726_937_198_573);
    }
}
