//! The suites, and running one or all of them.

use clap::ValueEnum;

use crate::report::{Amount, Figure, Report};
use crate::setup::Setup;
use crate::{
    arguments, crowd, deadline, decision, discovery, echo, engines, fair, hello, privacy, python,
    search, start, types, validation,
};

/// What to measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Suite {
    /// A program that does nothing: cold and warm, against a plain process start
    Hello,
    /// 100 calls of a program, against a direct client
    Echo,
    /// New workers on all cores, a burst of runs, and 1,000 waiting programs
    Crowd,
    /// Honest runs beside hostile programs for a minute, against the same runs alone
    Fair,
    /// Start to first answered tools/list with 20 configured servers
    Start,
    /// Generating typed APIs, and checking a program against them
    Types,
    /// Checking a call's arguments, against parsing them
    Arguments,
    /// One decision with 200 rules, against the goal
    Decision,
    /// Validating a program of 200 lines in both languages, against the goal
    Validation,
    /// Finding and replacing personal data, against the goals
    Privacy,
    /// A start and a long computation in Deno and Node, against QuickJS
    Engines,
    /// Starts and work of programs in Python, against plain Python
    Python,
    /// Finding tools among thousands, by words and by meaning, and indexing them
    Search,
    /// The cost of finding all tools of a job, in tokens
    Discovery,
    /// How late runs end that resist their deadline, against the promised limit
    Deadline,
}

/// Measures one suite, or all of them in their order.
pub async fn run(only: Option<Suite>, setup: &Setup<'_>) -> anyhow::Result<Report> {
    let mut report = Report::default();
    for suite in Suite::value_variants() {
        if only.is_none_or(|only| only == *suite) {
            let (figures, amounts) = measure(*suite, setup).await?;
            report.figures.extend(figures);
            report.amounts.extend(amounts);
        }
    }
    Ok(report)
}

async fn measure(suite: Suite, setup: &Setup<'_>) -> anyhow::Result<(Vec<Figure>, Vec<Amount>)> {
    let figures = match suite {
        Suite::Hello => hello::measure(setup).await?,
        Suite::Echo => echo::measure(setup).await?,
        Suite::Crowd => return crowd::measure(setup).await,
        Suite::Fair => return fair::measure(setup).await,
        Suite::Start => start::measure(setup)?,
        Suite::Types => types::measure(setup).await?,
        Suite::Arguments => arguments::measure()?,
        Suite::Decision => decision::measure()?,
        Suite::Validation => validation::measure()?,
        Suite::Privacy => privacy::measure()?,
        Suite::Engines => engines::measure(setup).await?,
        Suite::Python => python::measure(setup).await?,
        Suite::Search => return search::measure(),
        Suite::Discovery => return Ok((Vec::new(), discovery::measure()?)),
        Suite::Deadline => deadline::measure(setup).await?,
    };
    Ok((figures, Vec::new()))
}
