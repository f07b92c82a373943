//! `fetch`: one request of a program, hop by hop.
//!
//! In: a [`Request`]. Out: a [`Response`] or an [`EgressError`], and a record for each hop.
//! Invariant: all hops share one time limit, so a slowly dripping body costs no more than
//! one that stalls.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, HeaderMap, HeaderValue, USER_AGENT};
use http_body_util::BodyExt;
use hyper::body::{Bytes, Incoming};
use tidegate_model::{Clock, HostLists, Network, RunId};
use tokio::time::{Instant, timeout_at};

use crate::attempt::{Attempt, ConnectionRecorder};
use crate::connect::{Exchange, OutgoingRequest, dial, exchange};
use crate::error::{EgressError, OpenError};
use crate::judge_address::AddressRefusal;
use crate::own::GatewayAddresses;
use crate::rate::RateLimit;
use crate::redirect::{Hop, MAX_REDIRECTS};
use crate::request::{Redirect, Request};
use crate::resolve::{Resolve, SystemResolver, checked_addresses};
use crate::rules::{Denial, Rules};
use crate::target::Target;
use crate::tls::Tls;
use crate::unpack::{BodyProblem, Encoding, MAX_RATIO, Unpacker};
use crate::volume::Volume;

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The URL that answered.
    pub url: String,
    /// Whether it differs from the requested URL.
    pub redirected: bool,
    /// The status code.
    pub status: u16,
    /// The standard phrase for it; the text of the server is not kept.
    pub status_text: &'static str,
    /// Names in lower case and values, in order.
    pub headers: Vec<(String, String)>,
    /// The decompressed body.
    pub body: Vec<u8>,
}

/// The network access of programs.
pub struct Egress {
    rules: Rules,
    resolver: Arc<dyn Resolve>,
    tls: Tls,
    rate: RateLimit,
    volume: Volume,
    own: GatewayAddresses,
    clock: Clock,
}

enum HopOutcome {
    Done(Response),
    Next(Hop),
}

impl Egress {
    /// The network access that a configuration allows.
    pub fn open(network: Network, clock: Clock) -> Result<Self, OpenError> {
        Self::with_resolver(network, Arc::new(SystemResolver), clock)
    }

    /// The same with another resolver.
    pub fn with_resolver(
        network: Network,
        resolver: Arc<dyn Resolve>,
        clock: Clock,
    ) -> Result<Self, OpenError> {
        Ok(Self {
            tls: Tls::open(network.ca_file.as_deref())?,
            rate: RateLimit::new(network.rate_per_minute),
            volume: Volume::new(network.alert_sent, network.alert_received),
            own: GatewayAddresses::default(),
            rules: Rules::new(network),
            resolver,
            clock,
        })
    }

    /// Protects an address on which the gateway listens: no program can connect to it,
    /// whatever the rules say.
    pub fn protect(&self, address: SocketAddr) {
        self.own.add(address);
    }

    /// Makes a request. Each hop is recorded, including one that is refused and one that is
    /// cut off because the future is dropped.
    pub async fn fetch(
        &self,
        run: &RunId,
        request: Request,
        lists: &[&HostLists],
        record: &ConnectionRecorder<'_>,
    ) -> Result<Response, EgressError> {
        let limit = self.rules.network().timeout;
        let deadline = Instant::now() + limit;
        let headers = request.checked_headers();
        let mut hop = Hop {
            target: Target::parse(&request.url),
            method: request.method.to_ascii_uppercase(),
            headers: headers.as_ref().cloned().unwrap_or_default(),
            body: request.body.map(Bytes::from).unwrap_or_default(),
        };
        let mut bad_headers = headers.err();
        for redirects in 0..=MAX_REDIRECTS {
            let begins = (hop.method.as_str(), self.clock.now());
            let mut attempt = Attempt::start(run, begins, &self.volume, record);
            let outcome = match bad_headers.take() {
                Some(problem) => self.aim(&hop, &mut attempt).and(Err(problem.into())),
                None => {
                    let redirects = (redirects, request.redirect);
                    let take_hop = self.take_hop(&hop, lists, redirects, &mut attempt);
                    timeout_at(deadline, take_hop).await.unwrap_or_else(|_| Err(late(&hop, limit)))
                }
            };
            attempt.finish(&outcome);
            match outcome {
                Ok(HopOutcome::Done(response)) => return Ok(response),
                Ok(HopOutcome::Next(next)) => hop = next,
                Err(error) if redirects == 0 => return Err(error),
                Err(error) => return Err(EgressError::AfterRedirect { cause: Box::new(error) }),
            }
        }
        Err(EgressError::Redirects { limit: MAX_REDIRECTS })
    }

    /// Makes one hop, from the text of the URL to the body.
    async fn take_hop(
        &self,
        hop: &Hop,
        lists: &[&HostLists],
        (redirects, redirect): (u32, Redirect),
        attempt: &mut Attempt<'_>,
    ) -> Result<HopOutcome, EgressError> {
        let target = self.aim(hop, attempt)?;
        for lists in lists {
            self.rules.judge_lists(lists, &target, &hop.method)?;
        }
        let permitted = self.judge(&target, &hop.method, attempt)?;
        self.check_rate(permitted)?;
        let found = checked_addresses(&target, &self.rules, &self.own, &*self.resolver).await;
        let addresses = found.map_err(|(error, bad)| {
            if let Some(bad) = bad {
                attempt.refuse_address(bad.address, bad.reason);
            }
            error
        })?;
        let (stream, address) = dial(&target, &addresses).await?;
        attempt.at(address.ip());
        let counts = Arc::clone(&attempt.counts);
        let exchange = exchange(&target, stream, counts, &self.tls, message(hop)?).await?;
        attempt.answered(exchange.response.status().as_u16());
        match (hop.after(&target, &exchange.response), redirect) {
            (Some(next), Redirect::Follow) => Ok(HopOutcome::Next(next)),
            (Some(_), Redirect::Error) => Err(EgressError::Redirected { host: target.host_text() }),
            (Some(_), Redirect::Manual) | (None, _) => {
                self.read(&target, redirects > 0, exchange).await.map(HopOutcome::Done)
            }
        }
    }

    fn aim(&self, hop: &Hop, attempt: &mut Attempt<'_>) -> Result<Target, EgressError> {
        let target = hop.target.clone()?;
        attempt.aim(&target);
        // A program that names the address of a metadata service is suspicious, even if it
        // has no network at all.
        if let Some(address) = target.address()
            && let Err(refusal) = self.rules.judge_address(address)
        {
            let reason = match refusal {
                AddressRefusal::NotPublic(class) => class.as_str(),
                AddressRefusal::Listed => "network.deny_addresses",
            };
            attempt.refuse_address(address, reason);
        }
        Ok(target)
    }

    /// Applies the rules. Returns the name under which its requests are counted.
    fn judge(
        &self,
        target: &Target,
        method: &str,
        attempt: &mut Attempt<'_>,
    ) -> Result<String, Denial> {
        let permitted = self.rules.judge(target, method)?;
        attempt.permit(&permitted.rule, &permitted.bucket);
        Ok(permitted.bucket)
    }

    fn check_rate(&self, bucket: String) -> Result<(), EgressError> {
        let per_minute = self.rules.network().rate_per_minute;
        let taken = self.rate.take(&bucket, Instant::now().into_std());
        taken.map_err(|wait| EgressError::Rate { bucket, per_minute, wait })
    }

    async fn read(
        &self,
        target: &Target,
        redirected: bool,
        exchange: Exchange,
    ) -> Result<Response, EgressError> {
        let Exchange { response, driver: _driver } = exchange;
        let (head, body) = response.into_parts();
        let body = self.read_body(target, &head.headers, body).await?;
        Ok(Response {
            url: target.as_str().to_owned(),
            redirected,
            status: head.status.as_u16(),
            status_text: head.status.canonical_reason().unwrap_or_default(),
            headers: head
                .headers
                .iter()
                .map(|(name, value)| (name.to_string(), text(value)))
                .collect(),
            body,
        })
    }

    async fn read_body(
        &self,
        target: &Target,
        headers: &HeaderMap,
        mut body: Incoming,
    ) -> Result<Vec<u8>, EgressError> {
        let host = || target.host_text();
        let limit = self.rules.network().max_bytes;
        let mut encodings = headers.get_all(CONTENT_ENCODING).iter();
        let encoding = match (encodings.next(), encodings.next()) {
            (None, _) => Some(Encoding::Plain),
            (Some(one), None) => Encoding::parse(&text(one)),
            (Some(_), Some(_)) => None,
        };
        let encoding = encoding.ok_or_else(|| EgressError::Encoding { host: host() })?;
        let mut unpacker = Unpacker::new(encoding, limit);
        let problem = |problem| match problem {
            BodyProblem::TooLarge => EgressError::TooLarge { host: host(), limit },
            BodyProblem::Ratio => EgressError::Ratio { host: host(), limit: MAX_RATIO },
            BodyProblem::Corrupt => EgressError::Corrupt { host: host() },
        };
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|source| EgressError::Protocol { host: host(), source })?;
            // Programs do not see trailers.
            if let Some(data) = frame.data_ref() {
                unpacker.push(data).map_err(problem)?;
            }
        }
        unpacker.finish().map_err(problem)
    }
}

fn late(hop: &Hop, limit: Duration) -> EgressError {
    let host = hop.target.as_ref().map(Target::host_text).unwrap_or_default();
    EgressError::Time { host, limit }
}

fn message(hop: &Hop) -> Result<OutgoingRequest, EgressError> {
    let method = http::Method::from_bytes(hop.method.as_bytes());
    let method = method.map_err(|_| Denial::UnknownMethod(hop.method.clone()))?;
    let mut headers = hop.headers.clone();
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip, deflate"));
    headers.entry(ACCEPT).or_insert(HeaderValue::from_static("*/*"));
    let agent = concat!("tidegate/", env!("CARGO_PKG_VERSION"));
    headers.entry(USER_AGENT).or_insert(HeaderValue::from_static(agent));
    Ok(OutgoingRequest { method, headers, body: hop.body.clone() })
}

/// Bytes beyond ASCII are Latin-1 in headers.
fn text(value: &HeaderValue) -> String {
    value.as_bytes().iter().copied().map(char::from).collect()
}

#[cfg(test)]
mod tests;
