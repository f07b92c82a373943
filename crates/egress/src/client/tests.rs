//! Real traffic to listeners of this machine. 127.0.0.1 is opened and stands for
//! the public world; 127.0.0.2 is not and stands for what must stay out of reach.

use std::time::{Duration, Instant};

use tidegate_model::{Alert, Network, Verdict};

use super::{EgressError, Redirect, Request};
use crate::error::EgressErrorKind;
use crate::rules::Denial;
use support::{Answers, Bench, Server, clock, network, ok, ok_with, redirect_to};

mod names;
mod redirects;
mod support;
mod tls;

#[tokio::test]
async fn a_permitted_request_is_answered_and_recorded() {
    let server =
        Server::start(|_| ok_with("X-Own: ä\r\nSet-Cookie: a\r\nSet-Cookie: b", "hello")).await;
    let bench = Bench::new(network(&[&server.rule("a.test")]), Answers::all("127.0.0.1"));
    let request = Request {
        url: server.url("a.test", "/path?q=1#f"),
        method: "post".into(),
        headers: vec![("X-Mine".into(), "1".into())],
        body: Some(b"sent".to_vec()),
        redirect: Redirect::Follow,
    };
    let response = bench.fetch(request).await.unwrap();
    assert_eq!((response.status, response.status_text), (200, "OK"));
    assert_eq!(response.url, server.url("a.test", "/path?q=1#f"));
    assert_eq!(response.body, b"hello");
    let named: Vec<_> =
        response.headers.iter().filter(|(name, _)| name != "content-length").collect();
    let expected =
        [("x-own", "Ã¤"), ("set-cookie", "a"), ("set-cookie", "b"), ("connection", "close")];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(named, expected.iter().collect::<Vec<_>>());
    // Exactly one Host, and it is the host that was judged.
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        server.seen(),
        [format!(
            "POST /path?q=1 HTTP/1.1\r\nx-mine: 1\r\naccept-encoding: gzip, deflate\r\naccept: */*\r\n\
             user-agent: tidegate/{version}\r\nhost: a.test:{}\r\ncontent-length: 4\r\n\r\nsent",
            server.port()
        )]
    );
    let [record] = bench.records().try_into().unwrap();
    assert_eq!((record.method.as_str(), record.host.as_str()), ("POST", "a.test"));
    assert_eq!(record.address, Some("127.0.0.1".parse().unwrap()));
    assert_eq!((record.verdict, record.status), (Verdict::Allowed, Some(200)));
    assert_eq!((record.rule, record.alert), (server.rule("a.test"), None));
    assert_eq!(record.bytes_sent, server.seen()[0].len() as u64);
    assert!(record.bytes_received > 5);
    assert_eq!(record.started_at, clock().now());
}

#[tokio::test]
async fn without_a_configuration_nothing_is_dialled_and_it_is_recorded() {
    let server = Server::start(|_| ok("hello")).await;
    let bench = Bench::new(Network::default(), Answers::all("127.0.0.1"));
    let error = bench.get(&server.url("a.test", "/")).await.unwrap_err();
    assert_eq!(error.to_string(), "programs have no network");
    assert_eq!(bench.lookups(), 0);
    let [record] = bench.records().try_into().unwrap();
    assert_eq!(
        (record.verdict, record.rule.as_str()),
        (Verdict::Denied, "programs have no network")
    );
    assert_eq!((record.host.as_str(), record.alert), ("a.test", None));
    // The address of a metadata service is worth an alert even here.
    bench.get("http://169.254.169.254/latest/meta-data/").await.unwrap_err();
    assert_eq!(bench.records().pop().unwrap().alert, Some(Alert::DeniedTarget));
    assert_eq!(server.seen(), [""; 0]);
}

#[tokio::test]
async fn a_header_that_aims_or_frames_is_refused() {
    let server = Server::start(|_| ok("hello")).await;
    let bench = Bench::new(network(&[&server.rule("a.test")]), Answers::all("127.0.0.1"));
    for name in ["Host", "Transfer-Encoding", "Content-Length", "Connection", "Proxy-Authorization"]
    {
        let headers = vec![(name.into(), "b.test".into())];
        let url = server.url("a.test", "/");
        let request = Request { url, method: "GET".into(), headers, ..Request::default() };
        let error = bench.fetch(request).await.unwrap_err();
        assert_eq!(error.to_string(), format!("the header `{name}` is set by the gateway"));
        assert_eq!(error.kind(), EgressErrorKind::Denied);
    }
    assert_eq!(server.seen(), [""; 0]);
    assert_eq!(bench.records().len(), 5);
    assert!(bench.get(&server.url("a.test", "/")).await.is_ok());
}

#[tokio::test]
async fn the_gateways_own_port_is_out_of_reach_whatever_is_allowed() {
    let [server, other] =
        [Server::start(|_| ok("own")).await, Server::start(|_| ok("other")).await];
    let rules = [server.rule("a.test"), other.rule("a.test"), "127.0.0.1:*".into()];
    let bench =
        Bench::new(network(&rules.each_ref().map(String::as_str)), Answers::all("127.0.0.1"));
    assert!(bench.get(&server.url("a.test", "/")).await.is_ok());
    bench.egress.protect(format!("0.0.0.0:{}", server.port()).parse().unwrap());
    for host in ["a.test", "127.0.0.1"] {
        let error = bench.get(&server.url(host, "/")).await.unwrap_err();
        assert_eq!(error.to_string(), format!("`{host}` leads to the gateway itself"));
    }
    assert!(bench.get(&other.url("a.test", "/")).await.is_ok());
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn the_rate_is_exact_for_a_parallel_burst() {
    let server = Server::start(|_| ok("hello")).await;
    let settings = Network { rate_per_minute: 5, ..network(&[&server.rule("*.a.test")]) };
    let bench = Bench::new(settings, Answers::all("127.0.0.1"));
    // New names that match one rule share one count.
    let fetches = (0..20).map(|n| bench.get_owned(server.url(&format!("h{n}.a.test"), "/")));
    let mut all = tokio::task::JoinSet::new();
    fetches.for_each(|fetch| {
        all.spawn(fetch);
    });
    let outcomes = all.join_all().await;
    let refused: Vec<_> = outcomes.iter().filter_map(|outcome| outcome.as_ref().err()).collect();
    assert_eq!(refused.len(), 15);
    assert_eq!(refused[0].to_string(), "more than 5 requests to `*.a.test` within a minute");
    assert_eq!(refused[0].kind(), EgressErrorKind::Limited);
    assert_eq!(server.seen().len(), 5);
    let limited = bench.records().into_iter().filter(|record| record.verdict == Verdict::Limited);
    assert_eq!(limited.count(), 15);
}

#[tokio::test]
async fn a_body_may_be_as_long_as_the_cap_and_no_longer() {
    let server = Server::start(|request| match request {
        "/fits" => ok(&"x".repeat(1000)),
        "/endless" => {
            let mut head = b"HTTP/1.1 200 OK\r\n\r\n".to_vec();
            head.extend(vec![b'x'; 1 << 20]);
            head
        }
        _ => ok(&"x".repeat(1001)),
    })
    .await;
    let settings = Network { max_bytes: 1000, ..network(&[&server.rule("a.test")]) };
    let bench = Bench::new(settings, Answers::all("127.0.0.1"));
    assert_eq!(bench.get(&server.url("a.test", "/fits")).await.unwrap().body.len(), 1000);
    for path in ["/more", "/endless"] {
        let error = bench.get(&server.url("a.test", path)).await.unwrap_err();
        assert_eq!(error.to_string(), "the answer of `a.test` has more than 1000 bytes");
        assert_eq!(bench.records().pop().unwrap().verdict, Verdict::Limited);
    }
}

#[tokio::test]
async fn a_gzip_bomb_is_stopped_and_a_packed_body_unpacked() {
    let server = Server::start(|request| {
        let plain = if request == "/bomb" { vec![0; 64 << 20] } else { b"hello".repeat(1000) };
        let packed = support::gzip(&plain);
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
            packed.len()
        );
        [head.into_bytes(), packed].concat()
    })
    .await;
    let settings = Network { max_bytes: 1 << 30, ..network(&[&server.rule("a.test")]) };
    let bench = Bench::new(settings, Answers::all("127.0.0.1"));
    let response = bench.get(&server.url("a.test", "/text")).await.unwrap();
    assert_eq!(response.body, b"hello".repeat(1000));
    let error = bench.get(&server.url("a.test", "/bomb")).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the answer of `a.test` decompresses to more than 200 times its size"
    );
    assert_eq!(error.kind(), EgressErrorKind::Limited);
}

#[tokio::test]
async fn an_encoding_that_was_not_asked_for_is_refused() {
    let server = Server::start(|_| ok_with("Content-Encoding: br", "hello")).await;
    let bench = Bench::new(network(&[&server.rule("a.test")]), Answers::all("127.0.0.1"));
    let error = bench.get(&server.url("a.test", "/")).await.unwrap_err();
    assert!(matches!(error, EgressError::Encoding { .. }), "{error}");
}

#[tokio::test]
async fn a_body_that_drips_ends_with_the_time_for_all() {
    let server = Server::drip().await;
    let settings =
        Network { timeout: Duration::from_millis(600), ..network(&[&server.rule("a.test")]) };
    let bench = Bench::new(settings, Answers::all("127.0.0.1"));
    let started = Instant::now();
    let error = bench.get(&server.url("a.test", "/")).await.unwrap_err();
    assert_eq!(error.to_string(), "no complete answer from `a.test` within 600 ms");
    // Each byte came in time. The bound is wide, for a busy machine.
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    let [record] = bench.records().try_into().unwrap();
    assert_eq!((record.verdict, record.status), (Verdict::Limited, Some(200)));
    assert!(record.bytes_received > 0);
}

#[tokio::test]
async fn too_many_headers_are_no_answer() {
    let answer =
        |count: usize| format!("HTTP/1.1 200 OK\r\n{}\r\n", "a: b\r\n".repeat(count)).into_bytes();
    let server =
        Server::start(move |request| answer(if request == "/many" { 300 } else { 100 })).await;
    let bench = Bench::new(network(&[&server.rule("a.test")]), Answers::all("127.0.0.1"));
    assert_eq!(bench.get(&server.url("a.test", "/few")).await.unwrap().headers.len(), 100);
    let error = bench.get(&server.url("a.test", "/many")).await.unwrap_err();
    assert_eq!(error.to_string(), "`a.test` did not give a valid HTTP answer");
}

#[tokio::test]
async fn a_request_that_nobody_waits_for_is_recorded_as_cut_off() {
    let server = Server::drip().await;
    let bench = Bench::new(network(&[&server.rule("a.test")]), Answers::all("127.0.0.1"));
    let fetch = tokio::spawn(bench.get_owned(server.url("a.test", "/")));
    while server.seen().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    fetch.abort();
    assert!(fetch.await.unwrap_err().is_cancelled());
    let [record] = bench.records().try_into().unwrap();
    assert_eq!(record.verdict, Verdict::CutOff);
    // The connection goes with it: the server cannot write for ever.
    server.until_closed().await;
}

#[tokio::test]
async fn unusual_volume_is_an_alert_on_the_connection_that_went_over() {
    let server = Server::start(|_| ok("hello")).await;
    let settings = Network { alert_sent: 400, ..network(&[&server.rule("a.test")]) };
    let bench = Bench::new(settings, Answers::all("127.0.0.1"));
    for _ in 0..6 {
        bench.get(&server.url("a.test", "/")).await.unwrap();
    }
    let alerts: Vec<_> = bench.records().iter().map(|record| record.alert).collect();
    let each = bench.records()[0].bytes_sent;
    let crossing = usize::try_from(400 / each).unwrap();
    let expected: Vec<_> = (0..6).map(|n| (n == crossing).then_some(Alert::Volume)).collect();
    assert_eq!(alerts, expected);
}

#[tokio::test]
async fn nobody_there_and_no_http_are_failures() {
    let bench = Bench::new(network(&["a.test:1"]), Answers::all("127.0.0.1"));
    let error = bench.get("http://a.test:1/").await.unwrap_err();
    assert_eq!(error.to_string(), "no connection to `a.test`: refused");
    assert_eq!(error.kind(), EgressErrorKind::Failed);
    let server = Server::start(|_| b"SSH-2.0-OpenSSH\r\n\r\n".to_vec()).await;
    let bench = Bench::new(network(&[&server.rule("a.test")]), Answers::all("127.0.0.1"));
    let error = bench.get(&server.url("a.test", "/")).await.unwrap_err();
    assert_eq!(error.to_string(), "`a.test` did not give a valid HTTP answer");
    assert_eq!(bench.records().pop().unwrap().verdict, Verdict::Failed);
}

#[tokio::test]
async fn ports_outside_of_the_rule_are_refused() {
    let server = Server::start(|_| ok("hello")).await;
    let bench = Bench::new(network(&["a.test"]), Answers::all("127.0.0.1"));
    let error = bench.get(&server.url("a.test", "/")).await.unwrap_err();
    assert!(matches!(error, EgressError::Denied(Denial::OtherThanListed { .. })), "{error}");
    for url in ["http://a.test:0/", "http://a.test:65536/"] {
        assert_eq!(bench.get(url).await.unwrap_err().kind(), EgressErrorKind::Denied);
    }
    let connect =
        Request { url: server.url("a.test", "/"), method: "CONNECT".into(), ..Request::default() };
    let error = bench.fetch(connect).await.unwrap_err();
    assert_eq!(error.to_string(), "programs cannot use the method `CONNECT`");
    assert_eq!(server.seen(), [""; 0]);
}

#[tokio::test]
async fn an_answer_to_head_has_no_body_though_it_names_one() {
    let server = Server::start(|_| {
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 500\r\n\r\n".to_vec()
    })
    .await;
    let bench = Bench::new(network(&[&server.rule("a.test")]), Answers::all("127.0.0.1"));
    let request =
        Request { url: server.url("a.test", "/"), method: "HEAD".into(), ..Request::default() };
    let response = bench.fetch(request).await.unwrap();
    assert_eq!((response.status, response.body.len()), (200, 0));
}

#[tokio::test]
async fn a_redirect_can_be_shown_or_refused() {
    let server = Server::start(|_| redirect_to(302, "/there")).await;
    let bench = Bench::new(network(&[&server.rule("a.test")]), Answers::all("127.0.0.1"));
    let with = |redirect| Request {
        url: server.url("a.test", "/"),
        method: "GET".into(),
        redirect,
        ..Request::default()
    };
    let shown = bench.fetch(with(Redirect::Manual)).await.unwrap();
    assert_eq!((shown.status, shown.redirected), (302, false));
    let error = bench.fetch(with(Redirect::Error)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "`a.test` answered with a redirect, and the request has `redirect: \"error\"`"
    );
    assert_eq!(server.seen().len(), 2);
}
