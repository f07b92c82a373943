//! Keys and tokens with a documented format.
//!
//! In: the start of a word that may be a key. Out: its end. The formats are those that vendors
//! document: a prefix, and a number of characters after it.

use std::sync::LazyLock;

use crate::byte_class::{CLASS, DIGIT, LOWER, UPPER, WORD, byte_at, byte_before, class_before};
use crate::byte_pairs::BytePairs;

/// A format: its prefix, which bytes may follow, and how many.
struct Form {
    prefix: &'static str,
    follow: fn(u8) -> bool,
    least: usize,
    most: usize,
}

const fn form(prefix: &'static str, follow: fn(u8) -> bool, least: usize, most: usize) -> Form {
    Form { prefix, follow, least, most }
}

fn alnum(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}
fn base64url(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}
fn dotted(byte: u8) -> bool {
    base64url(byte) || byte == b'.'
}
fn upper(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}
fn hex(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
}
pub(crate) fn base64(byte: u8) -> bool {
    base64url(byte) || matches!(byte, b'+' | b'/' | b'=' | b'.')
}

/// Limit for long tokens, whose length is not known.
const LONG: usize = 4096;

#[rustfmt::skip]
const FORMS: &[Form] = &[
    // Amazon
    form("AKIA", upper, 16, 16), form("ASIA", upper, 16, 16), form("ABIA", upper, 16, 16),
    form("ACCA", upper, 16, 16), form("A3T", upper, 17, 17), form("AROA", upper, 16, 17),
    form("AIDA", upper, 16, 17),
    // GitHub, GitLab
    form("ghp_", alnum, 30, 255), form("gho_", alnum, 30, 255), form("ghu_", alnum, 30, 255),
    form("ghs_", dotted, 30, 600), form("ghr_", alnum, 30, 255),
    form("github_pat_", base64url, 22, 255), form("glpat-", dotted, 20, 255),
    form("gldt-", base64url, 20, 255), form("glrt-", dotted, 20, 255),
    form("glptt-", base64url, 20, 255), form("glcbt-", base64url, 20, 255),
    form("glft-", base64url, 20, 255), form("GR1348941", base64url, 20, 60),
    // Slack, Stripe, Square, Shopify
    form("xoxb-", base64url, 16, 255), form("xoxp-", base64url, 16, 255),
    form("xoxa-", base64url, 16, 255), form("xoxr-", base64url, 16, 255),
    form("xoxs-", base64url, 16, 255), form("xoxe-", base64url, 16, 255),
    form("xoxe.", dotted, 16, 300), form("xoxc-", base64url, 16, 255),
    form("xoxd-", base64, 16, 400), form("xapp-", base64url, 16, 255),
    form("sk_live_", alnum, 10, 255), form("sk_test_", alnum, 10, 255),
    form("rk_live_", alnum, 10, 255), form("rk_test_", alnum, 10, 255),
    form("pk_live_", alnum, 10, 255), form("pk_test_", alnum, 10, 255),
    form("whsec_", base64, 16, 255), form("sq0atp-", base64url, 22, 60),
    form("sq0csp-", base64url, 40, 60), form("EAAA", base64url, 56, 70),
    form("shpat_", hex, 32, 32), form("shpss_", hex, 32, 32), form("shpca_", hex, 32, 32),
    form("shppa_", hex, 32, 32),
    // Google, OpenAI, Anthropic, other models
    form("AIza", base64url, 30, 40), form("ya29.", base64url, 20, 400),
    form("GOCSPX-", base64url, 20, 40), form("1//0", base64url, 30, 200),
    form("sk-ant-", base64url, 20, 255), form("sk-proj-", base64url, 20, 255),
    form("sk-svcacct-", base64url, 20, 255), form("sk-admin-", base64url, 20, 255),
    form("sk-or-", base64url, 20, 255), form("sk-", base64url, 20, 255), form("hf_", alnum, 20, 80),
    form("gsk_", alnum, 30, 80), form("xai-", alnum, 30, 120), form("r8_", alnum, 30, 50),
    form("pplx-", alnum, 30, 80), form("AQ.", base64url, 40, 200), form("tvly-", base64url, 20, 80),
    form("fw_", alnum, 20, 60), form("lsv2_", base64url, 30, 80), form("jina_", base64url, 30, 100),
    // Packages and clouds
    form("npm_", alnum, 30, 60), form("pypi-", base64url, 16, 300),
    form("pypi-AgEIcHlwaS5vcmc", base64url, 16, 300), form("rubygems_", hex, 40, 60),
    form("dckr_pat_", base64url, 20, 60), form("dckr_oat_", base64url, 20, 60),
    form("cio", base64url, 32, 32), form("nuget_", alnum, 30, 60), form("oy2", alnum, 43, 43),
    form("dop_v1_", hex, 60, 70), form("doo_v1_", hex, 60, 70), form("dor_v1_", hex, 60, 70),
    form("dapi", hex, 32, 34), form("HRKU-", base64url, 30, 70), form("vercel_", alnum, 20, 60),
    form("nfp_", alnum, 36, 60), form("FlyV1 ", base64, 40, LONG), form("fo1_", base64url, 40, 60),
    form("rnd_", alnum, 28, 50), form("sbp_", hex, 40, 50), form("sb_secret_", base64url, 20, 60),
    form("supabase_", base64url, 20, 80), form("pscale_tkn_", base64url, 32, 60),
    form("pscale_pw_", base64url, 32, 60), form("hvs.", base64url, 20, 300),
    form("hvb.", base64url, 20, 300), form("atlasv1.", base64url, 40, 100),
    form("pul-", hex, 40, 40), form("tfp_", base64url, 40, 70),
    form("AGE-SECRET-KEY-1", upper, 58, 58),
    // Mail, messages, telephony
    form("SG.", dotted, 40, 80), form("key-", hex, 32, 32), form("SK", hex, 32, 32),
    form("AC", hex, 32, 32), form("xkeysib-", base64url, 60, 100), form("re_", base64url, 20, 50),
    form("mailchimp_", alnum, 20, 60), form("pmk_", alnum, 20, 60),
    // Work tools
    form("lin_api_", alnum, 30, 60), form("secret_", alnum, 40, 60), form("ntn_", alnum, 40, 60),
    form("figd_", base64url, 30, 60), form("PMAK-", base64url, 50, 70),
    form("glsa_", base64url, 36, 60), form("glc_", base64, 30, 400),
    form("eyJrIjoi", base64, 30, 400), form("NRAK-", upper, 24, 32), form("NRAL-", alnum, 24, 40),
    form("sntrys_", base64, 40, 400), form("sntryu_", hex, 60, 70), form("ATATT3", base64, 60, 400),
    form("ATCTT3", base64, 60, 400), form("ATBB", alnum, 24, 40), form("dt0c01.", dotted, 80, 120),
    form("pat-na1-", base64url, 30, 50), form("pat-eu1-", base64url, 30, 50),
    form("shippo_live_", hex, 40, 40), form("EZAK", alnum, 54, 54),
    form("doppler_", base64url, 30, 80), form("dp.pt.", alnum, 40, 50),
    form("dp.st.", dotted, 40, 80), form("sgp_", base64url, 40, 90),
    form("sk_prod_", alnum, 20, 80), form("ops_eyJ", base64, 100, LONG),
    form("phc_", alnum, 40, 50), form("phx_", alnum, 40, 50), form("airtable_", alnum, 20, 60),
    form("LTAI", alnum, 16, 24), form("AKID", alnum, 32, 40), form("cfpat-", base64url, 40, 50),
    form("CFPAT-", base64url, 40, 50), form("v1.0-", hex, 100, 200), form("T1RLA", alnum, 30, 60),
    form("sl.", base64url, 130, 200), form("bkua_", hex, 40, 40),
    form("circleci_", base64url, 20, 80), form("CCIPAT_", base64url, 40, 80),
    form("waka_", base64url, 30, 50), form("pnu_", alnum, 36, 36),
    form("duffel_live_", base64url, 40, 50), form("rdme_", alnum, 60, 80),
    form("API-", upper, 26, 32),
];

/// The formats by their first byte.
static BY_FIRST: LazyLock<Vec<Vec<&'static Form>>> = LazyLock::new(|| {
    (0..=u8::MAX)
        .map(|first| {
            FORMS.iter().filter(|form| form.prefix.as_bytes().first() == Some(&first)).collect()
        })
        .collect()
});
static STARTS: BytePairs = starts();

const fn starts() -> BytePairs {
    let mut pairs = BytePairs::new().with(b'e', b'y');
    let mut index = 0;
    while index < FORMS.len() {
        let bytes = FORMS[index].prefix.as_bytes();
        pairs = pairs.with(bytes[0], bytes[1]);
        index += 1;
    }
    pairs
}

/// The end of the secret that begins at `start`, which is the start of a word.
pub(crate) fn by_prefix(bytes: &[u8], start: usize) -> Option<usize> {
    if !STARTS.may(byte_at(bytes, start), byte_at(bytes, start + 1)) {
        return None;
    }
    let before = byte_before(bytes, start);
    if class_before(bytes, start) & WORD != 0
        || (before == b'-'
            && start >= 2
            && CLASS[usize::from(byte_at(bytes, start - 2))] & WORD != 0)
    {
        return None;
    }
    let rest = bytes.get(start..)?;
    if rest.starts_with(b"eyJ")
        && let Some(end) = jwt(rest)
    {
        return Some(start + end);
    }
    BY_FIRST
        .get(usize::from(byte_at(bytes, start)))?
        .iter()
        // Comparing one byte first avoids most calls.
        .filter(|form| form.prefix.as_bytes().get(1) == rest.get(1))
        .filter(|form| rest.starts_with(form.prefix.as_bytes()))
        .filter_map(|form| {
            let tail = rest.get(form.prefix.len()..)?;
            let mut length =
                tail.iter().take(form.most + 1).take_while(|byte| (form.follow)(**byte)).count();
            while length > 0 && tail.get(length - 1).is_some_and(|b| matches!(b, b'.' | b'-')) {
                length -= 1;
            }
            let clean = tail.get(length).is_none_or(|byte| CLASS[usize::from(*byte)] & WORD == 0);
            let body = tail.get(..length)?;
            (length >= form.least
                && length <= form.most
                && clean
                && mixed(body)
                && (form.prefix.len() > 3 || random(body)))
            .then_some(start + form.prefix.len() + length)
        })
        .max()
}

/// A short prefix requires a body that nobody would type: digits and letters of both
/// cases, or hexadecimal.
fn random(body: &[u8]) -> bool {
    let classes = body.iter().fold(0, |all, byte| all | CLASS[usize::from(*byte)]);
    classes & (DIGIT | LOWER | UPPER) == DIGIT | LOWER | UPPER
        || body.iter().all(u8::is_ascii_hexdigit) && classes & DIGIT != 0
}

/// Whether the bytes look random: digits or both cases, unlike a word of a sentence.
fn mixed(body: &[u8]) -> bool {
    let classes = body.iter().fold(0, |all, byte| all | CLASS[usize::from(*byte)]);
    classes & DIGIT != 0 || classes & (LOWER | UPPER) == LOWER | UPPER
}

/// A JSON Web Token: three parts of base64 with dots, or two if it is unsigned.
fn jwt(rest: &[u8]) -> Option<usize> {
    let part = |from: usize| {
        from + rest
            .get(from..)
            .unwrap_or_default()
            .iter()
            .take(LONG * 4)
            .take_while(|b| base64url(**b))
            .count()
    };
    let head = part(0);
    if head < 12 || rest.get(head) != Some(&b'.') {
        return None;
    }
    let body = part(head + 1);
    if body < head + 8 {
        return None;
    }
    if rest.get(body) != Some(&b'.') {
        return (rest.get(head + 1..head + 4) == Some(b"eyJ")).then_some(body);
    }
    Some(part(body + 1))
}
