//! Listeners, answers of a resolver, and an egress that keeps its records.

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::io::Write;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use tidegate_model::{Clock, Connection, HostLists, Network, NetworkMode, RunId};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::client::{Egress, Response};
use crate::error::EgressError;
use crate::request::Request;
use crate::resolve::{Addresses, Resolve};

/// An allow list, with 127.0.0.1 opened.
pub(super) fn network(allow: &[&str]) -> Network {
    Network {
        mode: NetworkMode::Allowlist,
        allow: allow.iter().map(|rule| rule.parse().unwrap()).collect(),
        allow_private: vec!["127.0.0.1/32".parse().unwrap()],
        ..Network::default()
    }
}

/// A resolver with prepared answers: one set after the other, the last for ever.
pub(super) struct Answers {
    by_name: Mutex<HashMap<String, VecDeque<Vec<IpAddr>>>>,
    others: Vec<IpAddr>,
    asked: AtomicUsize,
}

impl Answers {
    pub(super) fn all(address: &str) -> Arc<Self> {
        Self::of(&[], address)
    }

    pub(super) fn of(sets: &[(&str, &[&[&str]])], others: &str) -> Arc<Self> {
        let parse = |set: &&[&str]| set.iter().map(|text| text.parse().unwrap()).collect();
        let by_name =
            sets.iter().map(|(name, sets)| ((*name).to_owned(), sets.iter().map(parse).collect()));
        Arc::new(Self {
            by_name: Mutex::new(by_name.collect()),
            others: vec![others.parse().unwrap()],
            asked: AtomicUsize::new(0),
        })
    }
}

impl Resolve for Answers {
    fn resolve<'a>(&'a self, name: &'a str) -> Addresses<'a> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let mut by_name = self.by_name.lock().unwrap();
        let found = match by_name.get_mut(name) {
            Some(sets) if sets.len() > 1 => sets.pop_front().unwrap(),
            Some(sets) => sets.front().cloned().unwrap_or_default(),
            None => self.others.clone(),
        };
        Box::pin(async { Ok(found) })
    }
}

/// A clock that does not move: the start of every connection that is recorded.
pub(super) fn clock() -> Clock {
    Clock::manual(SystemTime::UNIX_EPOCH + Duration::from_secs(1))
}

pub(super) struct Bench {
    pub(super) egress: Arc<Egress>,
    answers: Arc<Answers>,
    records: Arc<Mutex<Vec<Connection>>>,
}

impl Bench {
    pub(super) fn new(network: Network, answers: Arc<Answers>) -> Self {
        let resolver: Arc<dyn Resolve> = Arc::<Answers>::clone(&answers);
        let egress = Arc::new(Egress::with_resolver(network, resolver, clock()).unwrap());
        Self { egress, answers, records: Arc::default() }
    }

    pub(super) async fn fetch(&self, request: Request) -> Result<Response, EgressError> {
        self.fetch_owned(request).await
    }

    pub(super) async fn get(&self, url: &str) -> Result<Response, EgressError> {
        self.get_owned(url.to_owned()).await
    }

    pub(super) fn get_owned(
        &self,
        url: String,
    ) -> impl Future<Output = Result<Response, EgressError>> + Send + use<> {
        self.fetch_owned(Request { url, method: "GET".into(), ..Request::default() })
    }

    fn fetch_owned(
        &self,
        request: Request,
    ) -> impl Future<Output = Result<Response, EgressError>> + Send + use<> {
        let (egress, records) = (Arc::clone(&self.egress), Arc::clone(&self.records));
        async move {
            let record = |connection| records.lock().unwrap().push(connection);
            egress.fetch(&RunId("r1".into()), request, &[], &record).await
        }
    }

    /// A request of a run whose profile has lists of hosts.
    pub(super) async fn get_within(
        &self,
        lists: &HostLists,
        url: String,
    ) -> Result<Response, EgressError> {
        let record = |connection| self.records.lock().unwrap().push(connection);
        let request = Request { url, method: "GET".into(), ..Request::default() };
        self.egress.fetch(&RunId("r1".into()), request, &[lists], &record).await
    }

    pub(super) fn records(&self) -> Vec<Connection> {
        self.records.lock().unwrap().clone()
    }

    pub(super) fn lookups(&self) -> usize {
        self.answers.asked.load(Ordering::SeqCst)
    }
}

/// A plain HTTP server that answers with what a function makes of the path, and
/// closes.
pub(super) struct Server {
    port: u16,
    seen: Arc<Mutex<Vec<String>>>,
    open: Arc<AtomicUsize>,
}

impl Server {
    pub(super) async fn start(answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Self {
        Self::at("127.0.0.1:0", answer).await
    }

    pub(super) async fn at(
        address: &str,
        answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static,
    ) -> Self {
        let answer = Arc::new(answer);
        Self::serve(address, move |mut stream, request| {
            let answer = Arc::clone(&answer);
            async move {
                let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
                let _ = stream.write_all(&answer(&path)).await;
                let _ = stream.shutdown().await;
            }
        })
        .await
    }

    /// One byte of the body after the other, for ever.
    pub(super) async fn drip() -> Self {
        Self::serve("127.0.0.1:0", |mut stream, _| async move {
            let mut next: &[u8] = b"HTTP/1.1 200 OK\r\n\r\n";
            while stream.write_all(next).await.is_ok() {
                next = b"x";
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        })
        .await
    }

    async fn serve<F>(
        address: &str,
        respond: impl Fn(TcpStream, String) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind(address).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (seen, open) = (Arc::<Mutex<Vec<String>>>::default(), Arc::<AtomicUsize>::default());
        let (log, count) = (Arc::clone(&seen), Arc::clone(&open));
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::SeqCst);
                let request = read_request(&mut stream).await;
                log.lock().unwrap().push(request.clone());
                let (responding, count) = (respond(stream, request), Arc::clone(&count));
                tokio::spawn(async move {
                    responding.await;
                    count.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        Self { port, seen, open }
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    pub(super) fn url(&self, host: &str, path: &str) -> String {
        format!("http://{host}:{}{path}", self.port)
    }

    pub(super) fn rule(&self, host: &str) -> String {
        format!("{host}:{}", self.port)
    }

    /// What was received, request by request.
    pub(super) fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }

    pub(super) async fn until_closed(&self) {
        while self.open.load(Ordering::SeqCst) > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

async fn read_request(stream: &mut TcpStream) -> String {
    let mut received = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&received).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
                return text;
            }
        }
        if stream.read_buf(&mut received).await.unwrap_or(0) == 0 {
            return text;
        }
    }
}

pub(super) fn ok(body: &str) -> Vec<u8> {
    let head =
        format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    [head.as_bytes(), body.as_bytes()].concat()
}

pub(super) fn ok_with(headers: &str, body: &str) -> Vec<u8> {
    let plain = String::from_utf8(ok(body)).unwrap();
    plain.replace("OK\r\n", &format!("OK\r\n{headers}\r\n")).into_bytes()
}

pub(super) fn redirect_to(status: u16, location: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status} There\r\nLocation: {location}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        .into_bytes()
}

pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
