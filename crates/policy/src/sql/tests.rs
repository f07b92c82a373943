//! Statements of every dialect with their labels: what they do, and which verbs they have.

use tidegate_model::Effect;

use super::{Evidence, MAX_BYTES, SqlText};

mod forms;

const VERBS: &[&str] = &[
    "drop", "delete", "truncate", "update", "insert", "replace", "alter", "merge", "grant",
    "revoke", "attach",
];

fn has_verb(text: &str) -> bool {
    let verbs: Vec<String> = VERBS.iter().map(|verb| (*verb).to_owned()).collect();
    SqlText::new(text).has_verb(&verbs)
}

fn effect(text: &str, evidence: Evidence) -> Option<Effect> {
    SqlText::new(text).effect(evidence).map(|found| found.effect)
}

/// Statements that destroy something, by the dialect that executes them.
const DESTROYING: &[(&str, &[&str])] = &[
    (
        "any",
        &[
            "DELETE FROM t",
            "delete from t where id = 1",
            "DROP TABLE t",
            "drop table if exists t",
            "TRUNCATE TABLE t",
            "UPDATE t SET a = 1",
            "UPDATE t SET a = 1 WHERE id = 2",
            "ALTER TABLE t DROP COLUMN c",
            "alter table t rename to u",
            "/**/DROP TABLE t",
            "  -- harmless\n drop table t",
            "select 1;drop table t",
            "SELECT 1;;;\n\nDELETE FROM t;",
            "BEGIN; DELETE FROM t; COMMIT",
            "WITH x AS (SELECT 1) DELETE FROM t",
            "EXPLAIN ANALYZE DELETE FROM t",
            "MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN DELETE",
            "CREATE OR REPLACE VIEW v AS SELECT 1",
            "INSERT INTO t VALUES (1) ON CONFLICT (id) DO UPDATE SET a = 1",
            "GRANT ALL ON t TO bob",
            "REVOKE SELECT ON t FROM bob",
            "DROP\u{1}TABLE t",
            "DROP\u{a0}TABLE t",
            "DROP\u{200b} TABLE t",
            "\u{feff}DROP TABLE t",
            "dRoP/* x */TaBlE t",
            "DELETE\nFROM\nt",
            "it's; drop table t",
        ],
    ),
    (
        "sqlite",
        &[
            "WITH x AS (SELECT 1 AS [a'b]) DELETE FROM t WHERE 'x' = 'x'",
            "SELECT 1 AS \"a'b\"; DELETE FROM t; --'",
            "SELECT 1 AS `a'b`; DROP TABLE t --'",
            "REPLACE INTO t VALUES (1)",
            "INSERT OR REPLACE INTO t VALUES (1)",
            "UPDATE OR IGNORE t SET a = 1",
            "ATTACH DATABASE '/etc/x.db' AS x",
            "attach 'x.db' as x",
            "PRAGMA writable_schema = 1",
            "PRAGMA main.writable_schema(ON)",
            "VACUUM INTO '/tmp/x.db'",
            "VACUUM main INTO '/tmp/x.db'",
            "SELECT load_extension('x.so')",
            "SELECT writefile('a', 'b')",
            "DELETE FROM [order]",
            "DELETE FROM 't'",
            "UPDATE 't' SET a = 1",
            "WITH x AS (SELECT 1) UPDATE 't' SET a = 1",
            ".shell rm x",
            ".import x t",
            "DELETE FROM main.t",
            "CREATE TRIGGER x AFTER INSERT ON t BEGIN DELETE FROM u; END",
        ],
    ),
    (
        "postgresql",
        &[
            "select $$'$$; drop table t; --'",
            "select $a$ ' $a$; drop table t",
            "do $$ begin drop table t; end $$",
            "DO LANGUAGE plpgsql $body$begin delete from t; end$body$",
            "with d as (delete from t returning *) select * from d",
            "WITH u AS (UPDATE t SET a = 1 RETURNING *) SELECT * FROM u",
            "EXPLAIN (ANALYZE, BUFFERS) DELETE FROM t",
            "/* /* */ ' */ DELETE FROM t -- '",
            r"SELECT E'\''; DROP TABLE t; --'",
            r"SELECT U&'d\0061t'; DROP TABLE t",
            "COPY t TO PROGRAM 'rm -rf /'",
            "COPY (SELECT 1) TO '/tmp/x'",
            "COPY t FROM PROGRAM 'curl x'",
            "SELECT pg_terminate_backend(1)",
            "SELECT pg_catalog.pg_terminate_backend(pid) FROM pg_stat_activity",
            "SELECT lo_unlink(1)",
            "SELECT lo_export(1, '/tmp/x')",
            "SELECT setval('s', 1)",
            "SELECT dblink_exec('host=x', 'DROP TABLE t')",
            "SELECT query_to_xml('delete from t returning *', true, true, '')",
            "PREPARE p AS DELETE FROM t WHERE id = $1",
            "EXECUTE p(1)",
            "TRUNCATE t RESTART IDENTITY CASCADE",
            "TRUNCATE a, b",
            "DROP OWNED BY bob",
            "REASSIGN OWNED BY a TO b",
            "ALTER SYSTEM SET x = 1",
            "CALL purge_all()",
            "CREATE FUNCTION f() RETURNS void LANGUAGE sql AS 'delete from t'",
            "CREATE OR REPLACE FUNCTION f() RETURNS int LANGUAGE sql AS $$ select 1 $$",
            "DELETE FROM ONLY t",
            "SELECT 'drop table t' \\gexec",
            "\\! rm x",
            "\\copy t from program 'x'",
            "select 1 -- '\n; drop table t; -- '",
        ],
    ),
    (
        "mysql",
        &[
            "/*!50000DROP*/ TABLE t",
            "/*!DROP TABLE t*/",
            "/*M! DROP */ TABLE t",
            "/*M!100100 delete from t */",
            r"select 'a\'; -- '; drop table t; -- '",
            "select 1 # ' \n; drop table t; -- '",
            "select 1--1; drop table t",
            "# don't\ndrop table t",
            "DELETE a FROM a JOIN b ON a.id = b.id",
            "DELETE QUICK FROM t",
            "UPDATE LOW_PRIORITY t SET a = 1",
            "INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = 2",
            "REPLACE t SET a = 1",
            "RENAME TABLE a TO b",
            "SELECT 1 INTO OUTFILE '/tmp/x'",
            "SELECT 1 INTO DUMPFILE '/tmp/x'",
            "LOAD DATA INFILE 'x' REPLACE INTO TABLE t",
            "SET GLOBAL general_log = 1",
            "SET PASSWORD = 'x'",
            "KILL 5",
            "PURGE BINARY LOGS TO 'x'",
            "RESET MASTER",
            "PREPARE s FROM 'drop table t'",
            "CALL p()",
            "DROP TABLE t -- ",
            "SELECT $$ ; DROP TABLE t; -- $$",
            "SHUTDOWN",
        ],
    ),
    (
        "mssql",
        &[
            "SET NOCOUNT ON DELETE FROM t",
            "SET NOCOUNT ON DELETE t",
            "set nocount on update t set a = 1",
            "select 1drop table t",
            "select 1eDROP TABLE t",
            "SELECT 1.DROP TABLE t",
            "SELECT $DROP TABLE t",
            "SELECT 'a'DROP TABLE t",
            "SELECT 1 AS [a'b]DROP TABLE t --'",
            "SELECT [a]]'b] DROP TABLE t --'",
            "SELECT a FROM t DELETE FROM u",
            "SELECT a FROM t WHERE b = 1 DELETE u",
            "SELECT * FROM t ORDER BY a DESC TRUNCATE TABLE u",
            "DELETE TOP (5) FROM t",
            "SELECT 1 AS after DELETE FROM t",
            "SELECT 1 AS limit DROP TABLE t",
            "SELECT a FROM t using UPDATE t SET a = 1",
            "DELETE limit",
            "WHILE 1 = 1 DELETE TOP (1) t",
            "IF @x IS NULL DELETE t ELSE DROP TABLE t",
            "BEGIN TRY DELETE t END TRY",
            "PRINT 'x' TRUNCATE TABLE t",
            "SELECT * FROM (DELETE t OUTPUT deleted.*) AS x",
            ";WITH x AS (SELECT 1 a) DELETE x",
            "DELETE [t]",
            "DELETE ..t",
            "DELETE @t",
            "EXEC('DR' + 'OP TABLE t')",
            "EXEC sp_executesql N'DROP TABLE t'",
            "EXECUTE master..xp_cmdshell 'dir'",
            "xp_cmdshell 'dir'",
            "sp_executesql N'delete from t'",
            "GO\nDROP TABLE t",
            "IF 1 = 1 DROP TABLE t",
            "IF 1 = 1 BEGIN DELETE FROM t END",
            "CREATE PROCEDURE p AS DELETE FROM t",
            "label:DROP TABLE t",
            "DENY SELECT ON t TO bob",
            "BACKUP DATABASE d TO DISK = 'x'",
            "RESTORE DATABASE d FROM DISK = 'x'",
            "DBCC CHECKDB",
            "SELECT * FROM OPENROWSET('x', 'y', 'DELETE FROM t')",
            "MERGE t USING s ON t.a = s.a WHEN MATCHED THEN UPDATE SET a = 1;",
            "UPDATE STATISTICS t",
        ],
    ),
    (
        "oracle",
        &[
            "select q'[']' from dual; drop table t; --'",
            "select nq'!'!' from dual; delete from t; --'",
            "BEGIN EXECUTE IMMEDIATE 'DR' || 'OP TABLE t'; END;",
            "SELECT 1 FROM dual\n/\nDROP TABLE t",
            "DELETE t WHERE a = 1",
            "DELETE (SELECT * FROM t)",
            "UPDATE (SELECT a FROM t) SET a = 1",
            "BEGIN dbms_scheduler.create_job('x'); END;",
            "BEGIN utl_file.fremove('D', 'x'); END;",
            "PURGE RECYCLEBIN",
        ],
    ),
    (
        "duckdb",
        &[
            "COPY t TO 'x.parquet'",
            "CREATE OR REPLACE TABLE t AS SELECT 1",
            "ATTACH 'x.db'",
            "INSTALL httpfs",
            "LOAD httpfs",
            "EXPORT DATABASE 'x'",
            "IMPORT DATABASE 'x'",
            "DELETE FROM t USING u WHERE t.a = u.a",
        ],
    ),
    (
        "clickhouse",
        &[
            "ALTER TABLE t DELETE WHERE a = 1",
            "ALTER TABLE t UPDATE a = 1 WHERE b = 2",
            "DETACH TABLE t PERMANENTLY",
            "EXCHANGE TABLES a AND b",
            "SYSTEM DROP MARK CACHE",
            "SYSTEM SHUTDOWN",
            r"SELECT 'a\'; -- '; DROP TABLE t",
            "OPTIMIZE TABLE t FINAL; DROP TABLE t",
        ],
    ),
    (
        "bigquery",
        &[
            "SELECT r'\\'; DROP TABLE t; --'",
            "SELECT '''a'b'''; DROP TABLE t",
            "SELECT \"a'b\"; DELETE FROM t WHERE true; --'",
            "DELETE FROM `p.d.t` WHERE true",
            "CREATE OR REPLACE TABLE d.t AS SELECT 1",
            "EXECUTE IMMEDIATE 'DELETE FROM t WHERE true'",
            "MERGE d.t USING d.s ON FALSE WHEN NOT MATCHED BY SOURCE THEN DELETE",
        ],
    ),
    ("cypher", &["MATCH (n) DETACH DELETE n"]),
];

/// Statements that read, or only add.
const HONEST: &[&str] = &[
    "SELECT * FROM t",
    "select 'drop table t'",
    "SELECT 'it''s a DELETE FROM t'",
    "select \"delete\" from `drop`",
    "SELECT [delete], [drop table] FROM t",
    "SELECT deleted_at, updated_at, drop_count FROM t WHERE is_deleted = 0",
    "SELECT update_count FROM t",
    "select dropped, deletes, updates from inserts",
    "select 1 -- drop table t",
    "select /* delete from t */ 1",
    "select /* it's */ 1 /* drop table t */",
    "SELECT replace(name, 'a', 'b'), truncate(x, 2) FROM t",
    "SELECT REPLACE (name, 'drop', '') FROM t",
    "SELECT insert('abc', 1, 2, 'x')",
    "SELECT t.delete, t.update FROM t",
    "SELECT delete FROM t",
    "SELECT a, delete FROM t",
    "SELECT count(update) FROM t",
    "SELECT a AS update, b AS drop FROM t",
    "SELECT * FROM t WHERE action = 'delete' OR action = 'DROP TABLE'",
    "SELECT * FROM t WHERE action IN ('insert', 'update', 'delete')",
    "SELECT * FROM t WHERE delete = 1 AND update = 2",
    "SELECT * FROM t ORDER BY update DESC",
    "SELECT * FROM log WHERE message LIKE '%drop table%'",
    "SELECT * FROM t FOR UPDATE",
    "SELECT * FROM t FOR UPDATE OF t SKIP LOCKED",
    "SELECT * FROM t FOR NO KEY UPDATE NOWAIT",
    "SELECT $$drop table t$$",
    "SELECT q'[drop table t]' FROM dual",
    "SELECT E'\\'drop table t'",
    "SELECT 'C:\\temp\\' AS path, 'drop' AS word",
    "SELECT CASE WHEN a = 1 THEN 'delete' ELSE 'update' END FROM t",
    "WITH deleted AS (SELECT * FROM t WHERE deleted = 1) SELECT count(*) FROM deleted",
    "WITH x AS (SELECT 1) SELECT * FROM x",
    "EXPLAIN SELECT * FROM t",
    "EXPLAIN ANALYZE SELECT * FROM t WHERE x = 'delete from t'",
    "SHOW TABLES",
    "SHOW CREATE TABLE t",
    "DESCRIBE t",
    "PRAGMA table_info(t)",
    "PRAGMA main.table_info('t')",
    "PRAGMA foreign_key_list(t)",
    "PRAGMA user_version",
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    "SELECT table_name FROM information_schema.tables",
    "SELECT grantee, privilege_type FROM information_schema.role_table_grants",
    "SELECT json_remove(x, '$.a'), json_replace(x, '$.b', 1) FROM t",
    "SELECT array_remove(x, 1), overlay(a placing b from 1) FROM t",
    "VALUES (1, 'drop'), (2, 'delete')",
    "SET search_path TO app",
    "USE app",
    "",
    "select * except (dropped) replace (a as b) from t",
    "SELECT * FROM t WHERE note = 'don''t delete; drop table t'",
    "SELECT N'drop table t' AS a",
    "SELECT \"drop table t; --\" FROM t",
    "SELECT regexp_replace(a, '[drop]', '') FROM t",
    "SELECT updated, load, call_count FROM calls",
    "SELECT a FROM t -- it's fine; drop table t",
    "SELECT exec, call, kill, load FROM t WHERE exec = 1 ORDER BY call",
    "SELECT count(*) call FROM t",
    "SELECT 1 exec FROM t",
    "SELECT * FROM t, delete d JOIN update u ON u.id = d.id",
    "SELECT * FROM merge AS grant WHERE grant.id = 1",
    "SHOW GRANTS",
    "SELECT * FROM t WHERE a LIKE '10\\%' ESCAPE '\\'",
    "SELECT * FROM t WHERE path = 'C:\\new\\drop table'",
    ".tables",
    "TABLE t",
];

/// Statements that add and destroy nothing. As verbs, `insert` counts in them.
const ADDING: &[&str] = &[
    "INSERT INTO t VALUES ('drop table t')",
    "INSERT INTO t (a, deleted_at) VALUES (1, NULL)",
    "INSERT INTO t (delete, update) VALUES (1, 2)",
    "CREATE TABLE t (update INT, do INT, load INT, replace TEXT)",
    "CREATE TABLE t (delete BOOLEAN, kill INT)",
    "CREATE TABLE update (a INT)",
    "INSERT INTO update VALUES (1)",
    "ALTER TABLE t ADD COLUMN updated_at TEXT",
    "ALTER TABLE t ADD c INT, ADD d INT",
    "INSERT INTO t SELECT * FROM u WHERE action = 'delete'",
    "INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING",
    "INSERT OR IGNORE INTO t VALUES (1)",
    "CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, updated_at TEXT)",
    "CREATE TABLE t (a INT REFERENCES s ON DELETE CASCADE ON UPDATE SET NULL)",
    "CREATE TABLE t (a INT REFERENCES s (b) ON UPDATE NO ACTION ON DELETE RESTRICT)",
    "CREATE TABLE t (a TIMESTAMP DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP)",
    "CREATE INDEX i ON t (deleted_at)",
    "CREATE VIEW v AS SELECT deleted_at FROM t",
    "SELECT * INTO backup_of_t FROM t",
    "COPY t FROM STDIN",
    "VACUUM",
    "INSERT INTO error_counts VALUES ('auth', 632), ('billing', 642)",
];

#[test]
fn a_statement_that_destroys_is_found_in_every_dialect() {
    let missed: Vec<String> = DESTROYING
        .iter()
        .flat_map(|(dialect, texts)| texts.iter().map(move |text| (dialect, text)))
        .filter(|(_, text)| effect(text, Evidence::Named) != Some(Effect::Destructive))
        .map(|(dialect, text)| format!("{dialect}: {text}"))
        .collect();
    assert_eq!(missed, Vec::<String>::new());
}

#[test]
fn honest_statements_destroy_nothing_and_have_no_verb() {
    let wrong = |text: &&&str| effect(text, Evidence::Named) == Some(Effect::Destructive);
    let alarms: Vec<&&str> = HONEST.iter().chain(ADDING).filter(wrong).collect();
    assert_eq!(alarms, Vec::<&&str>::new());
    let verbs: Vec<&&str> = HONEST.iter().filter(|text| has_verb(text)).collect();
    assert_eq!(verbs, Vec::<&&str>::new());
}

#[test]
fn statements_that_add_are_seen_as_such() {
    let effects: Vec<_> = ADDING.iter().map(|text| effect(text, Evidence::Named)).collect();
    assert_eq!(effects, vec![Some(Effect::Additive); ADDING.len()]);
}

#[test]
fn a_rule_finds_every_verb_of_statements_that_destroy() {
    let all: Vec<String> = "drop delete truncate update insert replace alter merge grant revoke \
         attach pragma vacuum copy rename load kill purge reset shutdown deny backup restore \
         dbcc install export import detach exchange system set create select reassign remove into call \
         exec execute do"
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    let texts = DESTROYING.iter().flat_map(|(_, texts)| texts.iter());
    let missed: Vec<&&str> = texts.filter(|text| !SqlText::new(text).has_verb(&all)).collect();
    assert_eq!(missed, Vec::<&&str>::new());
}

#[test]
fn what_the_text_does_not_show_counts_as_every_verb() {
    let drops = |text: &str| SqlText::new(text).has_verb(&["drop".to_owned()]);
    for text in [
        "EXEC('DR' + 'OP TABLE t')",
        "EXECUTE IMMEDIATE 'DR' || 'OP TABLE t'",
        "EXEC sp_who",
        "CALL anything()",
        "PREPARE s FROM @text",
        "select 'drop",
        "select \"dropped",
    ] {
        assert!(drops(text), "{text}");
    }
    let nested = (0..9).fold("select 1".to_owned(), |body, n| format!("do $a{n}$ {body} $a{n}$"));
    assert!(drops(&format!("{nested}; select 'drop'")));
    let long = format!("select '{}'", "drop ".repeat(MAX_BYTES / 4));
    assert!(drops(&long));
    assert_eq!(effect(&long, Evidence::Named), Some(Effect::Destructive));
    assert!(!drops(&format!("select '{}'", "a ".repeat(MAX_BYTES))));
}

#[test]
fn prose_is_no_statement_unless_the_tool_says_that_it_executes_sql() {
    for text in [
        "Update the readme and delete old files",
        "delete the old rows from the list of things",
        "drop table tennis from the schedule",
        "Call me when you are done",
        "Execute the plan",
        "Grant me a wish",
        "please drop by",
        "do it",
        "Truncate long titles",
        "it's time to delete this",
    ] {
        assert_eq!(effect(text, Evidence::Possible), None, "{text}");
    }
    for text in [
        "DELETE FROM t",
        "delete from t where a = 1;",
        "DROP TABLE IF EXISTS t",
        "select 1; drop table t",
        "UPDATE t SET a = 1 WHERE b = 2",
        "TRUNCATE TABLE t",
        "ALTER TABLE t DROP COLUMN a",
        "with x as (select 1) delete from t",
        "SET NOCOUNT ON DELETE FROM t",
        "replace into t values (1)",
    ] {
        assert_eq!(effect(text, Evidence::Possible), Some(Effect::Destructive), "{text}");
    }
}

#[test]
fn no_text_takes_quadratic_time_or_breaks_the_tokenizer() {
    // Quadratic time would be minutes, so a busy machine makes no difference.
    for opened in [
        r"\'", "/*", "/*!", "'\"`", "--x", "((", "#\\", "$$", "$a$", "q'[", "E'", "[", "1e", "0x",
        "._", "@@", "U&'\\", "'''", "copy ", "do $a$", "\u{1}", "é'", "{{", "b'", "N'", ";",
    ] {
        let text = format!("drop {}", opened.repeat(MAX_BYTES / opened.len() - 8));
        let _ = effect(&text, Evidence::Named);
        let _ = has_verb(&text);
    }
}
