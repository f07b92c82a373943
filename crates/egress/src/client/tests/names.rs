//! Name resolution: every address is checked, once, and the checked one is dialled.

use tidegate_model::{Alert, NetworkMode, Verdict};

use super::support::{Answers, Bench, Server, network, ok};
use crate::error::{EgressError, EgressErrorKind};

#[tokio::test]
async fn an_allowed_name_that_leads_inside_is_refused_on_its_address() {
    for address in [
        "127.0.0.2",
        "10.0.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "::1",
        "::",
        "::ffff:10.0.0.1",
        "64:ff9b::a00:1",
        "2002:7f00:1::",
        "fd00:ec2::254",
        "fe80::1",
    ] {
        let bench = Bench::new(network(&["a.test"]), Answers::all(address));
        let error = bench.get("http://a.test/").await.unwrap_err();
        // The program does not learn which address it was.
        assert_eq!(error.to_string(), "`a.test` resolves to an address that is not public");
        let [record] = bench.records().try_into().unwrap();
        assert_eq!(record.address, Some(address.parse().unwrap()));
        assert_eq!((record.verdict, record.alert), (Verdict::Denied, Some(Alert::DeniedTarget)));
    }
}

#[tokio::test]
async fn a_set_with_one_bad_address_is_refused_as_a_whole() {
    let server = Server::start(|_| ok("hello")).await;
    let sets: &[(&str, &[&[&str]])] = &[
        ("good.test", &[&["127.0.0.1", "127.0.0.1"]]),
        ("last.test", &[&["127.0.0.1", "127.0.0.1", "10.0.0.1"]]),
        ("first.test", &[&["10.0.0.1", "127.0.0.1"]]),
        ("none.test", &[&[]]),
    ];
    let bench = Bench::new(network(&[&server.rule("*.test")]), Answers::of(sets, "127.0.0.1"));
    assert!(bench.get(&server.url("good.test", "/")).await.is_ok());
    for name in ["last.test", "first.test"] {
        let error = bench.get(&server.url(name, "/")).await.unwrap_err();
        assert!(matches!(error, EgressError::NotPublic { .. }), "{error}");
    }
    let error = bench.get(&server.url("none.test", "/")).await.unwrap_err();
    assert_eq!(error.to_string(), "the name `none.test` cannot be resolved");
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn a_name_is_looked_up_once_and_what_was_checked_is_dialled() {
    let good = Server::start(|_| ok("good")).await;
    // The same port on the address that must stay out of reach.
    let bad = Server::at(&format!("127.0.0.2:{}", good.port()), |_| ok("bad")).await;
    let sets: &[(&str, &[&[&str]])] = &[("a.test", &[&["127.0.0.1"], &["127.0.0.2"]])];
    let bench = Bench::new(network(&[&good.rule("a.test")]), Answers::of(sets, "127.0.0.1"));
    assert_eq!(bench.get(&good.url("a.test", "/")).await.unwrap().body, b"good");
    assert_eq!(bench.lookups(), 1);
    // The next request resolves the name again and checks it again.
    let error = bench.get(&good.url("a.test", "/")).await.unwrap_err();
    assert!(matches!(error, EgressError::NotPublic { .. }), "{error}");
    assert_eq!(bench.lookups(), 2);
    assert_eq!(bad.seen(), [""; 0]);
}

#[tokio::test]
async fn an_address_in_any_spelling_is_refused_unless_it_is_opened_and_listed() {
    let server = Server::start(|_| ok("hello")).await;
    let mut wide = network(&[]);
    wide.mode = NetworkMode::Denylist;
    let closed = tidegate_model::Network { allow_private: Vec::new(), ..wide.clone() };
    let (open, closed) = (
        Bench::new(wide, Answers::all("127.0.0.1")),
        Bench::new(closed, Answers::all("127.0.0.1")),
    );
    for host in ["127.0.0.1", "2130706433", "0x7f.1", "0177.0.0.1", "127.1", "[::ffff:127.0.0.1]"] {
        let url = server.url(host, "/");
        let error = closed.get(&url).await.unwrap_err();
        assert!(error.to_string().ends_with("is not a public address"), "{host}: {error}");
        assert_eq!(closed.records().pop().unwrap().alert, Some(Alert::DeniedTarget));
        assert_eq!(open.get(&url).await.unwrap().body, b"hello", "{host}");
    }
    for host in ["[::1]", "[::]", "0.0.0.0", "127.0.0.2", "[64:ff9b::7f00:2]", "[2002:7f00:1::]"] {
        let error = open.get(&server.url(host, "/")).await.unwrap_err();
        assert_eq!(error.kind(), EgressErrorKind::Denied, "{host}");
    }
    assert_eq!((open.lookups(), closed.lookups()), (0, 0));
}

#[tokio::test]
async fn names_and_urls_that_only_look_allowed_are_refused() {
    let server = Server::start(|_| ok("hello")).await;
    let bench = Bench::new(network(&[&server.rule("allowed.test")]), Answers::all("127.0.0.1"));
    let port = server.port();
    for host in ["allowed.test", "ALLOWED.test", "allowed.test."] {
        assert!(bench.get(&server.url(host, "/")).await.is_ok(), "{host}");
    }
    for url in [
        format!("http://allowed.test.evil.test:{port}/"),
        format!("http://evilallowed.test:{port}/"),
        format!("http://аllowed.test:{port}/"),
        format!("http://allowed.test@evil.test:{port}/"),
        format!("http://evil.test:{port}#@allowed.test:{port}/"),
        format!("http://evil.test:{port}\\@allowed.test:{port}/"),
        format!("http://allowed.test:{port}\t/"),
        format!("http://allowed.test:{port}/\r\nHost: evil.test"),
        format!("ftp://allowed.test:{port}/"),
    ] {
        assert_eq!(bench.get(&url).await.unwrap_err().kind(), EgressErrorKind::Denied, "{url}");
    }
    assert_eq!(server.seen().len(), 3);
    // The Host header has the one spelling that was judged.
    for request in server.seen() {
        assert!(request.contains(&format!("\r\nhost: allowed.test:{port}\r\n")), "{request}");
    }
}
