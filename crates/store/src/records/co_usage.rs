//! Which tools were used in the same run, read from the recorded runs.
//!
//! Out: the tools of the newest programs that succeeded, by run. Limited in runs and in
//! calls, since it is read again whenever runs have ended.

use rusqlite::{Connection, params};
use tidegate_model::ToolRef;

use crate::StoreError;

/// Runs to read. Chosen: habits change.
const RUNS: u32 = 500;
/// Calls to read, over all of these runs. Chosen; one run can have ten thousand.
const CALLS: u32 = 20_000;
/// A run with more calls than this is skipped, so that others have room. Chosen.
const CALLS_OF_RUN: u32 = 2_000;

/// The tools that each of the newest successful runs called successfully.
pub(super) fn tools_of_runs(connection: &Connection) -> Result<Vec<Vec<ToolRef>>, StoreError> {
    let mut query = connection.prepare(
        "WITH newest AS (
             SELECT id, tool_calls, started_at_ms FROM runs
             WHERE outcome = 'succeeded' AND tool_calls BETWEEN 2 AND ?1
             ORDER BY started_at_ms DESC LIMIT ?2
         ), counted AS (
             SELECT id, sum(tool_calls) OVER (ORDER BY started_at_ms DESC, id) AS calls FROM newest
         )
         SELECT DISTINCT calls.run_id, calls.server, calls.tool
         FROM counted JOIN calls ON calls.run_id = counted.id
         WHERE counted.calls <= ?3 AND calls.outcome = 'succeeded'
         ORDER BY calls.run_id, calls.server, calls.tool",
    )?;
    let mut rows = query.query(params![CALLS_OF_RUN, RUNS, CALLS])?;
    let (mut runs, mut last): (Vec<Vec<ToolRef>>, _) = (Vec::new(), String::new());
    while let Some(row) = rows.next()? {
        let run: String = row.get(0)?;
        if run != last {
            runs.push(Vec::new());
            last = run;
        }
        let tool = ToolRef::new(row.get::<_, String>(1)?, row.get::<_, String>(2)?);
        if let Some(tools) = runs.last_mut() {
            tools.push(tool);
        }
    }
    Ok(runs)
}
