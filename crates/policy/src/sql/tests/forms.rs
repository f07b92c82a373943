//! Statements in forms that hide what they do, and honest ones beside them.

use tidegate_model::Effect;

use super::{ADDING, DESTROYING, HONEST, effect};
use crate::sql::{Evidence, MAX_BYTES, SqlText};

fn has(text: &str, verb: &str) -> bool {
    SqlText::new(text).has_verb(&[verb.to_owned()])
}

#[test]
fn executed_comments_hide_no_verb() {
    for (verb, text) in [
        ("delete", "/*!DELETE FROM t WHERE '*/'='*/'*/ -- '"),
        ("delete", "/*M!DELETE FROM t WHERE '*/'='*/'*/ -- '"),
        ("delete", "/*!50000DELETE FROM t WHERE '*/'='*/'*/ # '"),
        ("delete", "/*m!100100 DELETE FROM t WHERE \"*/\"=\"*/\"*/ # '\""),
        ("drop", "/*M! ' */ DROP TABLE t # '"),
        ("drop", "/*!99999 /* */ ' */ DROP TABLE t # '"),
        ("drop", "/*! DROP TABLE t"),
        ("drop", "/*!50000 SELECT 1 */; /*!80000 ' */ DROP TABLE t # '"),
        ("drop", "/*! SELECT '/* ' */; DROP TABLE t -- */ '"),
        ("drop", "/*! -- */ '\n DROP TABLE t */ -- '"),
        ("truncate", "SELECT 1 /*!; TRUNCATE t; SELECT '*/', 'x"),
    ] {
        assert!(has(text, verb), "{text}");
        assert_eq!(effect(text, Evidence::Named), Some(Effect::Destructive), "{text}");
    }
    for text in ["SELECT /*! SQL_NO_CACHE */ a FROM t", "SELECT /*+ MAX_EXECUTION_TIME(9) */ 1"] {
        assert!(!has(text, "drop"), "{text}");
        assert_eq!(effect(text, Evidence::Certain), None, "{text}");
    }
}

#[test]
fn invisible_characters_hide_no_verb() {
    for text in ["DR\u{200b}OP TABLE t", "D\u{1}ROP TABLE t", "DR\u{ad}OP\u{2060} TABLE t"] {
        assert!(has(text, "drop"), "{text}");
        assert_eq!(effect(text, Evidence::Named), Some(Effect::Destructive), "{text}");
    }
}

/// Statements whose verb adds in other forms, or that have no verb at all.
const UNKNOWN_FORMS: &[&str] = &[
    "ALTER TABLE t ADD COLUMN c INT, ENGINE=BLACKHOLE",
    "ALTER TABLE t ADD COLUMN c INT, DISABLE ROW LEVEL SECURITY",
    "ALTER TABLE t ADD COLUMN c INT, CLEAR COLUMN d",
    "ALTER TABLE t ADD COLUMN c INT, FORCE",
    "ALTER TABLE t ADD COLUMN c INT REMOVE PARTITIONING",
    "INSERT INTO ft(ft) VALUES('delete-all')",
    "INSERT INTO \"ft\"(\"ft\") VALUES('delete-all')",
    "INSERT INTO main.ft(a, FT) VALUES('x', ?)",
    "INSERT INTO ft AS x (ft) VALUES('delete-all')",
    "INSERT INTO ft AS x (ft, rowid, body) VALUES('delete', 1, 'hello')",
    "WITH q AS (SELECT 'delete-all' v) INSERT INTO main.ft AS z (ft) SELECT v FROM q",
    "INSERT INTO ft(ft) SELECT 'delete' || '-all'",
    "INSERT INTO FUNCTION file('x.csv') SELECT 1",
    "INSERT INTO t REPLACE WHERE a = 1 SELECT * FROM u",
    "BEGIN wipe_all; END;",
    "BEGIN app.wipe(1); END;",
    "COPY INTO @s FROM t OVERWRITE=TRUE",
    "COPY INTO 's3://x/y' FROM t",
    "VACUUM t RETAIN 0 HOURS",
    "RM @~/x",
    "REMOVE @~/x",
    "SET @@GLOBAL.read_only=0",
    "SET time_zone = '+00:00', @@global.read_only = 0",
    "SET session_replication_role = replica",
    "SET SESSION TRANSACTION READ WRITE",
    "SET ROLE admin",
    "CREATE ALIAS x AS 'code'",
    "CREATE USER bob PASSWORD 'x'",
    "CREATE FUNCTION f() RETURNS int AS '/tmp/x.so' LANGUAGE C",
    "CREATE RULE r AS ON INSERT TO t DO INSTEAD NOTHING",
    "OPTIMIZE TABLE t FINAL DEDUPLICATE",
    "SELECT cron.schedule('a','* * * * *','DELETE FROM t')",
    "SELECT add_job($$ TRUNCATE t $$)",
    "SELECT f(coalesce('x', 'DROP TABLE t'))",
];

#[test]
fn what_is_not_known_to_add_is_the_strictest() {
    let is_missed = |text: &&&str| effect(text, Evidence::Named) != Some(Effect::Destructive);
    assert_eq!(UNKNOWN_FORMS.iter().filter(is_missed).collect::<Vec<_>>(), Vec::<&&str>::new());
    assert!(has("SELECT cron.schedule('a','* * * * *','DELETE FROM t')", "delete"));
    assert!(!has("SELECT notify('please drop by')", "drop"));
}

#[test]
fn a_procedure_that_is_run_by_its_name_counts_where_a_text_is_sql() {
    for text in
        ["dbo.usp_wipe", "usp_wipe", "[dbo].[usp_wipe] 1", "usp_wipe @a = 1", "select 1; wipe"]
    {
        assert_eq!(effect(text, Evidence::Certain), Some(Effect::Destructive), "{text}");
        assert_eq!(effect(text, Evidence::Possible), None, "{text}");
    }
    for text in ["BEGIN NULL; wipe_all; END;", "IF 1 = 1 wipe", "SELECT 1\nGO\ndbo.usp_wipe"] {
        assert_eq!(effect(text, Evidence::Certain), Some(Effect::Destructive), "{text}");
    }
    let missed: Vec<_> = DESTROYING
        .iter()
        .flat_map(|(_, texts)| texts.iter())
        .filter(|text| effect(text, Evidence::Certain) != Some(Effect::Destructive))
        .collect();
    assert_eq!(missed, Vec::<&&str>::new());
}

#[test]
fn complete_statements_count_where_a_text_may_be_prose() {
    let long = format!("DELETE FROM users /*{}*/", "x".repeat(MAX_BYTES));
    for text in [
        "TRUNCATE users",
        "TRUNCATE ONLY users, orders",
        "DELETE FROM ONLY users",
        "DELETE FROM users AS u WHERE 1=1",
        "DELETE FROM users u",
        "DELETE a FROM a JOIN b ON a.i = b.i",
        "DELETE TOP (9) FROM t",
        "UPDATE a JOIN b ON a.i=b.i SET a.x=0",
        "UPDATE ONLY t AS x SET a = 1",
        "CALL db.wipe()",
        "EXEC dbo.wipe",
        "EXEC wipe_all",
        "RENAME TABLE a TO b",
        "SET GLOBAL read_only = 0",
        "DELETE FROM users; SELECT 'x",
        "MERGE t USING s ON t.a = s.a WHEN MATCHED THEN DELETE",
        &long,
    ] {
        let shown = &text[..text.len().min(60)];
        assert_eq!(effect(text, Evidence::Possible), Some(Effect::Destructive), "{shown}");
    }
    // Data beside what is executed may be long.
    assert_eq!(effect(&long, Evidence::Beside), None);
    assert_eq!(effect("DELETE FROM users; SELECT 'x", Evidence::Beside), Some(Effect::Destructive));
}

/// Everyday statements, which must go on unasked.
const EVERYDAY: &[&str] = &[
    "WITH a AS (SELECT 1), b AS (SELECT * FROM a) SELECT * FROM b JOIN a USING (x)",
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 9) SELECT sum(n) FROM t",
    "EXPLAIN QUERY PLAN SELECT * FROM users WHERE id = 1",
    "EXPLAIN (ANALYZE, FORMAT JSON) SELECT count(*) FROM users",
    "PRAGMA table_info(users);",
    "SELECT id, name FROM users WHERE created_at > now() - interval '7 days' ORDER BY id LIMIT 10;",
    "SELECT count(*) FILTER (WHERE status = 'deleted') FROM orders GROUP BY 1 HAVING count(*) > 3",
    "SELECT date_trunc('month', created_at) AS m, sum(total) FROM orders GROUP BY m",
    "SELECT * FROM users WHERE name ILIKE '%drop%' AND note <> 'DELETE FROM t'",
    "SELECT coalesce(note, 'DROP TABLE t'), lower('DELETE FROM t') FROM users",
    "SELECT u.*, row_number() OVER (PARTITION BY team ORDER BY score DESC) FROM users u",
    "select top 10 * from dbo.users with (nolock)",
    "DECLARE @x INT = 1; SELECT @x",
    "SET NOCOUNT ON; SELECT 1",
    "SET LOCAL statement_timeout = '5s'; SELECT 1",
    "BEGIN; SELECT 1; COMMIT",
    "BEGIN TRANSACTION READ ONLY; SELECT 1; ROLLBACK;",
    "SHOW COLUMNS FROM users",
    "DESCRIBE users",
    "ANALYZE users",
    "MATCH (n:User) RETURN n LIMIT 5",
    "SELECT json_extract(body, '$.a') FROM t; SELECT 2;",
    "-- the users\nSELECT * FROM users",
    "/* the users */ SELECT * FROM users;",
    "(SELECT 1) UNION (SELECT 2)",
    "SELECT format('%s', name) FROM users",
    "FROM users SELECT id",
];

/// Everyday statements that add.
const EVERYDAY_ADDING: &[&str] = &[
    "INSERT INTO users (id, name) VALUES (1, 'Ann'), (2, 'Bob')",
    "INSERT INTO tag (tag) VALUES ('red')",
    "INSERT INTO \"users\" (\"id\", \"name\") VALUES ($1, $2) RETURNING \"id\"",
    "INSERT INTO log (text) SELECT note FROM notes",
    "CREATE TABLE IF NOT EXISTS users (id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT '')",
    "CREATE TEMP TABLE x AS SELECT 1",
    "CREATE UNIQUE INDEX CONCURRENTLY i ON users (email)",
    "CREATE MATERIALIZED VIEW v AS SELECT 1",
    "ALTER TABLE users ADD COLUMN age INT NOT NULL DEFAULT 0",
    "ALTER TABLE users ADD CONSTRAINT c UNIQUE (a, b)",
    "ALTER TABLE users ADD COLUMN IF NOT EXISTS seen TIMESTAMP WITH TIME ZONE, ADD owner TEXT",
    "ALTER TABLE users ADD FOREIGN KEY (a) REFERENCES t (b)",
    "COPY users (id, name) FROM STDIN",
    "COPY INTO users FROM @stage",
    "VACUUM (ANALYZE) users",
];

#[test]
fn everyday_statements_go_on_unasked() {
    let destroys = |text: &&&str| effect(text, Evidence::Certain) == Some(Effect::Destructive);
    let all = EVERYDAY.iter().chain(EVERYDAY_ADDING).chain(HONEST).chain(ADDING);
    assert_eq!(all.filter(destroys).collect::<Vec<_>>(), Vec::<&&str>::new());
    let verbs = EVERYDAY.iter().filter(|text| super::has_verb(text));
    assert_eq!(verbs.collect::<Vec<_>>(), Vec::<&&str>::new());
    let adds = |text: &&str| effect(text, Evidence::Certain);
    let effects: Vec<_> = EVERYDAY_ADDING.iter().map(adds).collect();
    assert_eq!(effects, vec![Some(Effect::Additive); EVERYDAY_ADDING.len()]);
}

#[test]
fn no_statement_takes_quadratic_time_with_any_evidence() {
    // Quadratic time would be minutes, so a busy machine makes no difference.
    for repeated in [
        "update ",
        "delete from t ",
        "delete a from b ",
        "alter table t add ",
        "alter table t add a,",
        "insert into t(",
        "insert into t(t) values ('a'),",
        "set a,",
        "grant ",
        "/*!x*/",
        "/*!1 ",
        "/*! /*",
        "f('drop table t'",
        "begin x ",
        "copy into t ",
        "a.b.",
        "exec ",
        "f(",
        "; a",
        "merge ",
        "DR\u{200b}OP ",
        "call a.",
        "set a=1,",
        "truncate only ",
        "vacuum ",
    ] {
        let text = repeated.repeat(MAX_BYTES / repeated.len() - 1);
        for evidence in [Evidence::Beside, Evidence::Possible, Evidence::Named, Evidence::Certain] {
            let _ = effect(&text, evidence);
        }
        let _ = has(&text, "drop");
    }
}
