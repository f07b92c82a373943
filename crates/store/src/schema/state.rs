//! The tables of `state.db`, whose rows change.

pub(crate) const MIGRATIONS: [&str; 3] = [
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
    CREATE TABLE accepted_tools (
        server          TEXT NOT NULL,
        source          TEXT NOT NULL,
        tool            TEXT NOT NULL,
        definition_hash TEXT NOT NULL,
        definition      TEXT NOT NULL,
        accepted_at_ms  INTEGER NOT NULL,
        PRIMARY KEY (server, source, tool)
    ) STRICT;
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
        sealed          BLOB NOT NULL,
        owner           TEXT NOT NULL,
        lease_ends_ms   INTEGER NOT NULL
    ) STRICT;
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
    CREATE TABLE imports (
        id              TEXT NOT NULL UNIQUE,
        at_ms           INTEGER NOT NULL
    ) STRICT;
",
    "
    ALTER TABLE approvals ADD COLUMN form_sha256 TEXT NOT NULL DEFAULT '';
",
    "
    ALTER TABLE approvals ADD COLUMN asked_by TEXT NOT NULL DEFAULT '';
    ALTER TABLE approvals ADD COLUMN signature BLOB;
    CREATE TABLE rules_seen (
        path            TEXT PRIMARY KEY,
        sha256          TEXT NOT NULL,
        owner           INTEGER NOT NULL,
        modified_at_ms  INTEGER NOT NULL,
        seen_at_ms      INTEGER NOT NULL,
        before_sha256   TEXT
    ) STRICT;
",
];
