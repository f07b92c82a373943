//! Every hop is judged from its beginning.

use tidegate_model::{HostLists, NetworkRule, Verdict};

use super::support::{Answers, Bench, Server, network, ok, redirect_to};
use crate::error::{EgressError, EgressErrorKind};
use crate::request::Request;

#[tokio::test]
async fn a_chain_is_followed_and_each_hop_recorded() {
    let server = Server::start(|path| match path {
        "/1" => redirect_to(301, "/2"),
        "/2" => redirect_to(307, "/3?x"),
        _ => ok("there"),
    })
    .await;
    let bench = Bench::new(network(&[&server.rule("a.test")]), Answers::all("127.0.0.1"));
    let response = bench.get(&server.url("a.test", "/1")).await.unwrap();
    assert_eq!((response.redirected, response.body), (true, b"there".to_vec()));
    assert_eq!(response.url, server.url("a.test", "/3?x"));
    let statuses: Vec<_> = bench.records().iter().map(|record| record.status).collect();
    assert_eq!(statuses, [Some(301), Some(307), Some(200)]);
    assert_eq!(bench.lookups(), 3);
}

#[tokio::test]
async fn a_redirect_out_of_what_is_allowed_is_refused_at_its_hop() {
    let inside = Server::at("127.0.0.2:0", |_| ok("secret")).await;
    let other = Server::start(|_| ok("other port")).await;
    let ports = (inside.port(), other.port());
    let server = Server::start(move |path| {
        redirect_to(
            302,
            &match path {
                "/address" => format!("http://127.0.0.2:{}/", ports.0),
                "/name" => format!("http://inside.test:{}/", ports.0),
                "/host" => format!("http://other.test:{}/", ports.1),
                "/port" => format!("http://a.test:{}/", ports.1),
                "/file" => "file:///etc/passwd".into(),
                "/user" => "http://a.test@evil.test/".into(),
                "/metadata" => "http://169.254.169.254/latest".into(),
                _ => "//0x7f.2/".into(),
            },
        )
    })
    .await;
    let inside_rule = inside.rule("inside.test");
    let sets: &[(&str, &[&[&str]])] = &[("inside.test", &[&["127.0.0.2"]])];
    let bench = Bench::new(
        network(&[&server.rule("a.test"), &inside_rule]),
        Answers::of(sets, "127.0.0.1"),
    );
    for path in ["/address", "/name", "/host", "/port", "/file", "/user", "/metadata", "/odd"] {
        let error = bench.get(&server.url("a.test", path)).await.unwrap_err();
        assert!(matches!(error, EgressError::AfterRedirect { .. }), "{path}: {error}");
        assert_eq!(error.kind(), EgressErrorKind::Denied, "{path}");
        let verdicts: Vec<_> =
            bench.records().iter().rev().take(2).map(|record| record.verdict).collect();
        assert_eq!(verdicts, [Verdict::Denied, Verdict::Allowed], "{path}");
    }
    assert_eq!((inside.seen().len(), other.seen().len()), (0, 0));
}

#[tokio::test]
async fn redirects_without_end_are_cut_after_ten() {
    let server = Server::start(|path| {
        let n: u32 = path[1..].parse().unwrap();
        if n == 0 { ok("there") } else { redirect_to(302, &format!("/{}", n - 1)) }
    })
    .await;
    let bench = Bench::new(network(&[&server.rule("a.test")]), Answers::all("127.0.0.1"));
    assert_eq!(bench.get(&server.url("a.test", "/10")).await.unwrap().body, b"there");
    let error = bench.get(&server.url("a.test", "/11")).await.unwrap_err();
    assert_eq!(error.to_string(), "more than 10 redirects");
    assert_eq!(error.kind(), EgressErrorKind::Limited);
}

#[tokio::test]
async fn credentials_stay_with_their_origin() {
    let other = Server::start(|_| ok("other")).await;
    let location = other.url("a.test", "/");
    let server = Server::start(move |path| {
        redirect_to(307, if path == "/out" { &location } else { "/out" })
    })
    .await;
    let bench = Bench::new(
        network(&[&server.rule("a.test"), &other.rule("a.test")]),
        Answers::all("127.0.0.1"),
    );
    let headers = [("Authorization", "key"), ("Cookie", "id"), ("X-Own", "1")];
    let request = Request {
        url: server.url("a.test", "/"),
        method: "POST".into(),
        headers: headers.map(|(name, value)| (name.into(), value.into())).to_vec(),
        body: Some(b"body".to_vec()),
        ..Request::default()
    };
    bench.fetch(request).await.unwrap();
    let has = |request: &str| {
        ["authorization: key", "cookie: id", "x-own: 1"].map(|line| request.contains(line))
    };
    let seen: Vec<_> = server.seen().iter().map(|request| has(request)).collect();
    assert_eq!(seen, [[true; 3], [true; 3]]);
    assert_eq!(has(&other.seen()[0]), [false, false, true]);
    assert!(other.seen()[0].ends_with("\r\n\r\nbody"));
}

#[tokio::test]
async fn lists_of_a_profile_narrow_every_hop() {
    let other = Server::start(|_| ok("other")).await;
    let location = other.url("b.test", "/");
    let server = Server::start(move |path| match path {
        "/out" => redirect_to(302, &location),
        _ => ok("here"),
    })
    .await;
    let network = network(&[&server.rule("a.test"), &other.rule("b.test")]);
    let bench = Bench::new(network, Answers::all("127.0.0.1"));
    let [own, out] = ["/", "/out"].map(|path| server.url("a.test", path));
    let lists = |allow: Option<Vec<NetworkRule>>, deny: &[&str]| HostLists {
        profile: "p".into(),
        allow,
        deny: deny.iter().map(|rule| rule.parse().unwrap()).collect(),
    };
    let refused = "the profile `p` does not allow `b.test`";
    let only = lists(Some(vec![server.rule("a.test").parse().unwrap()]), &[]);
    for lists in [only, lists(None, &["b.test"])] {
        assert_eq!(bench.get_within(&lists, own.clone()).await.unwrap().body, b"here");
        let error = bench.get_within(&lists, out.clone()).await.unwrap_err();
        assert_eq!(error.to_string(), format!("after a redirect: {refused}"));
    }
    // A list never allows what the network refuses.
    let wide = lists(Some(vec!["c.test".parse().unwrap()]), &[]);
    let error = bench.get_within(&wide, server.url("c.test", "/")).await.unwrap_err();
    assert_eq!(error.kind(), EgressErrorKind::Denied);
    assert!(other.seen().is_empty());
}
