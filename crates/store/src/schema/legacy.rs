//! The tables of `tidegate.db`, the single database of earlier versions, at each of its
//! versions. [`crate::migration`] brings such a file to its last version and then imports
//! its rows; nothing else is written to these tables.

pub(crate) const MIGRATIONS: [&str; 10] = [
    "
    CREATE TABLE runs (
        id              TEXT PRIMARY KEY,
        started_at_ms   INTEGER NOT NULL,
        kind            TEXT NOT NULL,
        language        TEXT,
        source_sha256   TEXT,
        outcome         TEXT NOT NULL,
        error_code      TEXT,
        duration_us     INTEGER NOT NULL,
        tool_calls      INTEGER NOT NULL,
        result_bytes    INTEGER NOT NULL,
        answer_tokens   INTEGER NOT NULL,
        handle          TEXT
    ) STRICT;
    CREATE TABLE calls (
        id              INTEGER PRIMARY KEY,
        run_id          TEXT NOT NULL,
        started_at_ms   INTEGER NOT NULL,
        server          TEXT NOT NULL,
        tool            TEXT NOT NULL,
        outcome         TEXT NOT NULL,
        error_code      TEXT,
        duration_us     INTEGER NOT NULL,
        argument_bytes  INTEGER NOT NULL,
        answer_bytes    INTEGER NOT NULL,
        answer_tokens   INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX calls_by_run ON calls (run_id);
    CREATE INDEX runs_by_time ON runs (started_at_ms);
",
    "
    CREATE TABLE shapes (
        server          TEXT NOT NULL,
        tool            TEXT NOT NULL,
        definition_hash TEXT NOT NULL,
        results         INTEGER NOT NULL,
        shape           TEXT NOT NULL,
        updated_at_ms   INTEGER NOT NULL,
        PRIMARY KEY (server, tool)
    ) STRICT;
",
    "
    CREATE TABLE connections (
        id              INTEGER PRIMARY KEY,
        run_id          TEXT NOT NULL,
        started_at_ms   INTEGER NOT NULL,
        duration_us     INTEGER NOT NULL,
        method          TEXT NOT NULL,
        host            TEXT NOT NULL,
        port            INTEGER NOT NULL,
        address         TEXT,
        verdict         TEXT NOT NULL,
        rule            TEXT NOT NULL,
        bytes_sent      INTEGER NOT NULL,
        bytes_received  INTEGER NOT NULL,
        status          INTEGER,
        alert           TEXT
    ) STRICT;
    CREATE INDEX connections_by_run ON connections (run_id);
    CREATE INDEX connections_by_alert ON connections (alert) WHERE alert IS NOT NULL;
",
    "
    CREATE TABLE commands (
        id              INTEGER PRIMARY KEY,
        run_id          TEXT NOT NULL,
        started_at_ms   INTEGER NOT NULL,
        name            TEXT NOT NULL,
        path            TEXT,
        outcome         TEXT NOT NULL,
        error_code      TEXT,
        exit_code       INTEGER,
        signal          TEXT,
        duration_us     INTEGER NOT NULL,
        arguments       INTEGER NOT NULL,
        argument_bytes  INTEGER NOT NULL,
        input_bytes     INTEGER NOT NULL,
        output_bytes    INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX commands_by_run ON commands (run_id);
",
    "
    CREATE TABLE saved_skills (
        id              INTEGER PRIMARY KEY,
        run_id          TEXT NOT NULL,
        saved_at_ms     INTEGER NOT NULL,
        name            TEXT NOT NULL,
        outcome         TEXT NOT NULL,
        error_code      TEXT,
        replaced        INTEGER NOT NULL,
        language        TEXT NOT NULL,
        code_bytes      INTEGER NOT NULL,
        code_sha256     TEXT NOT NULL
    ) STRICT;
    CREATE INDEX saved_skills_by_run ON saved_skills (run_id);
",
    "
    CREATE TABLE accepted_tools (
        server          TEXT NOT NULL,
        source          TEXT NOT NULL,
        tool            TEXT NOT NULL,
        definition_hash TEXT NOT NULL,
        definition      TEXT NOT NULL,
        accepted_at_ms  INTEGER NOT NULL,
        PRIMARY KEY (server, source, tool)
    ) STRICT;
",
    "
    CREATE TABLE approvals (
        id              TEXT PRIMARY KEY,
        run_id          TEXT NOT NULL,
        kind            TEXT NOT NULL,
        subject_sha256  TEXT NOT NULL,
        title           TEXT NOT NULL,
        details         TEXT NOT NULL,
        created_at_ms   INTEGER NOT NULL,
        expires_at_ms   INTEGER NOT NULL,
        state           TEXT NOT NULL,
        scope           TEXT,
        decided_by      TEXT,
        decided_at_ms   INTEGER
    ) STRICT;
    CREATE INDEX approvals_by_subject ON approvals (subject_sha256);
    CREATE TABLE parked_runs (
        run_id          TEXT PRIMARY KEY,
        expires_at_ms   INTEGER NOT NULL,
        state           TEXT NOT NULL
    ) STRICT;
",
    "
    CREATE TABLE vault (
        session         TEXT NOT NULL,
        data_type       TEXT NOT NULL,
        number          INTEGER NOT NULL,
        nonce           BLOB NOT NULL,
        sealed          BLOB NOT NULL,
        value_hash      BLOB NOT NULL,
        created_at_ms   INTEGER NOT NULL,
        expires_at_ms   INTEGER NOT NULL,
        restores        INTEGER NOT NULL,
        PRIMARY KEY (session, data_type, number)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX vault_by_value ON vault (session, value_hash);
    CREATE INDEX vault_by_end ON vault (expires_at_ms);
    CREATE TABLE vault_numbers (
        session         TEXT NOT NULL,
        data_type       TEXT NOT NULL,
        last            INTEGER NOT NULL,
        expires_at_ms   INTEGER NOT NULL,
        PRIMARY KEY (session, data_type)
    ) STRICT, WITHOUT ROWID;
",
    "
    CREATE TABLE pii_seen (
        server          TEXT NOT NULL,
        tool            TEXT NOT NULL,
        data_type       TEXT NOT NULL,
        count           INTEGER NOT NULL,
        last_seen_ms    INTEGER NOT NULL,
        PRIMARY KEY (server, tool, data_type)
    ) STRICT;
    CREATE TABLE pii_restores (
        id              INTEGER PRIMARY KEY,
        at_ms           INTEGER NOT NULL,
        session         TEXT NOT NULL,
        run_id          TEXT NOT NULL,
        towards         TEXT NOT NULL,
        data_type       TEXT NOT NULL,
        count           INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE alerts (
        id              INTEGER PRIMARY KEY,
        at_ms           INTEGER NOT NULL,
        run_id          TEXT NOT NULL,
        kind            TEXT NOT NULL,
        detail          TEXT NOT NULL
    ) STRICT;
    CREATE INDEX alerts_by_time ON alerts (at_ms);
    ALTER TABLE parked_runs ADD COLUMN sealed BLOB;
",
    "
    ALTER TABLE parked_runs ADD COLUMN owner TEXT NOT NULL DEFAULT '';
    ALTER TABLE parked_runs ADD COLUMN lives_until_ms INTEGER NOT NULL DEFAULT 0;
",
];
