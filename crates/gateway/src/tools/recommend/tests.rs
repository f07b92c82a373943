use tidegate_catalog::{OfferKind, RecommendationReason};
use tidegate_store::Skills;

use super::{MAX_TOKENS, Recommended, RecommendedServer, triggered};
use crate::tokens;
use crate::tools::recommended::cut;
use crate::tools::suggestions::Fitting;

fn server(name: &str, line: &str) -> RecommendedServer {
    let fitting = Fitting {
        kind: OfferKind::Server,
        name: name.to_owned(),
        tool: "run_soql_query".to_owned(),
        line: line.to_owned(),
        reason: RecommendationReason::Named,
    };
    RecommendedServer::new(fitting, ["npx", "-y", "@a/b@1.0"].map(str::to_owned).into())
}

fn recommended(line: &str) -> Recommended {
    let servers = ["salesforce", "other", "third"].map(|name| server(name, line)).into();
    let mut recommended = Recommended { servers, ..Recommended::default() };
    recommended.add_skill("leads", line);
    recommended.add_skill("leads", line);
    recommended
}

#[test]
fn it_is_told_in_a_few_lines() {
    let mut recommended = recommended("Runs a query.");
    recommended.servers.truncate(1);
    assert_eq!(
        recommended.to_string(),
        "Not configured, named in the query; only the user can add it:\n\
         salesforce: run_soql_query  Runs a query. (npx -y @a/b@1.0)\n\
         Skills, read with load_skill:\n\
         leads  Runs a query.\n"
    );
    assert_eq!(Recommended::default().to_string(), "");
}

#[test]
fn it_never_costs_more_than_its_share() {
    let line = "Runs a query over everything that was ever sold to anybody, with filters, joins.";
    let all = recommended(line);
    let within = |most: usize| all.clone().within(most);
    assert!(tokens::count(&all.to_string()) > MAX_TOKENS);
    for most in [0, 10, 30, 50, 80, MAX_TOKENS] {
        let cost = tokens::count(&within(most).to_string());
        assert!(cost <= most, "{most}: {cost}");
    }
    assert!(within(20).is_empty());
    // All of them without texts, rather than some of them with texts.
    let told = within(MAX_TOKENS);
    assert_eq!((told.servers.len(), told.skills.len()), (3, 1));
    assert!(told.servers.iter().all(|server| server.text.is_empty()));
    let fewer = within(60);
    assert!(!fewer.is_empty() && fewer.servers.len() < 3, "{fewer}");
}

#[test]
fn texts_of_strangers_have_one_line_and_nothing_hidden() {
    let told = server("a", "one\ntwo \u{1b}[2J\u{202e}\u{e0041}");
    assert_eq!(told.text, "one two");
    assert_eq!(cut(&"ä".repeat(100), 9), "ääää…");
}

#[test]
fn a_trigger_of_several_words_tells_of_its_skill() {
    let state = tempfile::tempdir().unwrap();
    let skills = Skills::new(state.path()).list().unwrap().skills;
    let told = |query: &str| triggered(&skills, query).count();
    assert_eq!(told("Which tool reads a sheet?"), 1);
    assert_eq!(told("find a toolbox"), 0);
    assert_eq!(told(""), 0);
}
