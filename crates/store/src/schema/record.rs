//! The tables of `record.db`. Rows are only ever inserted: triggers refuse everything
//! else. The oldest make room near the quota (`retention.rs`).

pub(crate) const MIGRATIONS: [&str; 6] = [
    "
    CREATE TABLE run_ends (
        row             INTEGER PRIMARY KEY,
        id              TEXT NOT NULL,
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
    CREATE INDEX run_ends_by_id ON run_ends (id);
    CREATE INDEX run_ends_by_time ON run_ends (started_at_ms);
    CREATE VIEW runs AS SELECT * FROM run_ends AS last
        WHERE NOT EXISTS (SELECT 1 FROM run_ends AS later
                          WHERE later.id = last.id AND later.row > last.row);
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
    CREATE TABLE pii_seen (
        id              INTEGER PRIMARY KEY,
        at_ms           INTEGER NOT NULL,
        server          TEXT NOT NULL,
        tool            TEXT NOT NULL,
        data_type       TEXT NOT NULL,
        count           INTEGER NOT NULL
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
    CREATE TABLE approval_steps (
        id              INTEGER PRIMARY KEY,
        at_ms           INTEGER NOT NULL,
        approval_id     TEXT NOT NULL,
        run_id          TEXT NOT NULL,
        kind            TEXT NOT NULL,
        subject_sha256  TEXT NOT NULL,
        step            TEXT NOT NULL,
        decided_by      TEXT
    ) STRICT;
    CREATE INDEX approval_steps_by_run ON approval_steps (run_id);
    CREATE TABLE imports (
        id              TEXT NOT NULL UNIQUE,
        at_ms           INTEGER NOT NULL
    ) STRICT;
",
    "
    ALTER TABLE approval_steps ADD COLUMN form_sha256 TEXT NOT NULL DEFAULT '';
",
    "
    ALTER TABLE run_ends ADD COLUMN action TEXT;
    CREATE INDEX approval_steps_by_approval ON approval_steps (approval_id);
",
    "
    CREATE TABLE effects (
        id              INTEGER PRIMARY KEY,
        run_id          TEXT NOT NULL,
        at_ms           INTEGER NOT NULL,
        server          TEXT NOT NULL,
        tool            TEXT NOT NULL
    ) STRICT;
    CREATE INDEX effects_by_run ON effects (run_id);
",
    "
    CREATE TABLE stages (
        id              INTEGER PRIMARY KEY,
        run_id          TEXT NOT NULL,
        at_ms           INTEGER NOT NULL,
        stage           TEXT NOT NULL,
        result          TEXT NOT NULL
    ) STRICT;
    CREATE INDEX stages_by_run ON stages (run_id);
",
    "
    CREATE TABLE removed (
        id              INTEGER PRIMARY KEY,
        at_ms           INTEGER NOT NULL,
        rows            INTEGER NOT NULL,
        oldest_ms       INTEGER NOT NULL,
        newest_ms       INTEGER NOT NULL
    ) STRICT;
",
];

/// The tables of the record, whose rows are never changed, and deleted only to make room.
pub(crate) const TABLES: [&str; 13] = [
    "run_ends",
    "stages",
    "calls",
    "effects",
    "connections",
    "commands",
    "saved_skills",
    "pii_seen",
    "pii_restores",
    "alerts",
    "approval_steps",
    "imports",
    "removed",
];
