//! Words in the names of tools and of their arguments that say what is executed.

/// Words of tools that execute text of some kind.
pub(super) const RUNNING: &[&str] = &[
    "apply",
    "batch",
    "db",
    "database",
    "eval",
    "evaluate",
    "exec",
    "execute",
    "invoke",
    "migrate",
    "migration",
    "migrations",
    "perform",
    "queries",
    "query",
    "raw",
    "run",
    "script",
    "statement",
    "statements",
    "submit",
    "write",
];

/// Words of tools and servers that are about databases.
pub(super) const DATABASES: &[&str] = &[
    "athena",
    "bigquery",
    "clickhouse",
    "cockroach",
    "cockroachdb",
    "database",
    "databases",
    "databricks",
    "db",
    "duckdb",
    "hive",
    "libsql",
    "mariadb",
    "motherduck",
    "mssql",
    "mysql",
    "neon",
    "oracle",
    "pg",
    "plsql",
    "postgres",
    "postgresql",
    "presto",
    "psql",
    "redshift",
    "snowflake",
    "spark",
    "sql",
    "sqlite",
    "sqlserver",
    "supabase",
    "trino",
    "tsql",
    "turso",
];

/// Words of tools that execute commands.
pub(super) const SHELLS: &[&str] = &[
    "bash",
    "cmd",
    "command",
    "commands",
    "console",
    "pwsh",
    "powershell",
    "process",
    "sh",
    "shell",
    "spawn",
    "ssh",
    "subprocess",
    "terminal",
    "zsh",
];

/// Arguments that hold a command line, or the words of a command.
pub(super) const COMMAND_KEYS: &[&str] = &[
    "argv",
    "bash",
    "cmd",
    "cmdline",
    "command",
    "command_line",
    "commandline",
    "commands",
    "shell_command",
];

/// Arguments that hold the words after a command.
pub(super) const ARGUMENT_KEYS: &[&str] =
    &["args", "arguments", "argv", "options", "parameters", "params"];

/// Arguments that accompany what is executed. They count less where there is another one.
pub(super) const SIDE_KEYS: &[&str] = &[
    "args",
    "arguments",
    "bindings",
    "comment",
    "connection",
    "cwd",
    "database",
    "db",
    "description",
    "dir",
    "directory",
    "encoding",
    "env",
    "explanation",
    "format",
    "host",
    "id",
    "intent",
    "label",
    "lang",
    "language",
    "mode",
    "name",
    "note",
    "parameters",
    "params",
    "path",
    "project",
    "purpose",
    "reason",
    "schema",
    "session",
    "session_id",
    "shell",
    "summary",
    "table",
    "timeout",
    "title",
    "type",
    "user",
    "values",
    "variables",
    "workdir",
    "working_directory",
    "workspace",
];

/// Words of tools that execute what they are sent. The other words of [`RUNNING`] are about
/// data as well: `write_file`.
pub(super) const EXECUTING: &[&str] = &[
    "eval",
    "evaluate",
    "exec",
    "execute",
    "invoke",
    "migrate",
    "migration",
    "migrations",
    "queries",
    "query",
    "raw",
    "run",
    "script",
    "sql",
    "statement",
    "statements",
];

/// Arguments that a database executes.
pub(super) const SCRIPT_KEYS: &[&str] =
    &["ddl", "dml", "migration", "migrations", "script", "scripts"];

/// Arguments of a tool that executes SQL, where none says that it holds it.
pub(super) const TEXT_KEYS: &[&str] = &["body", "code", "command", "content", "input", "text"];

/// What the name of an argument consists of that holds SQL. `sql_dialect` does not.
pub(super) const SQL_WORDS: &[&str] = &[
    "code",
    "command",
    "plsql",
    "queries",
    "query",
    "raw",
    "script",
    "sql",
    "statement",
    "statements",
    "string",
    "text",
    "tsql",
];

/// Parts of the names of arguments that hold the words after a command.
pub(super) const ARGUMENT_STEMS: &[&str] =
    &["arg", "flag", "option", "opts", "param", "subcommand", "switch"];

/// Arguments that hold environment variables.
pub(super) const ENVIRONMENT_KEYS: &[&str] =
    &["env", "env_vars", "environ", "environment", "environment_variables", "envs", "envvars"];

/// Environment variables that change only how a command prints.
pub(super) const HARMLESS_VARIABLES: &[&str] = &[
    "CI",
    "CLICOLOR",
    "COLORTERM",
    "COLUMNS",
    "DEBUG",
    "FORCE_COLOR",
    "LANG",
    "LANGUAGE",
    "LINES",
    "NODE_ENV",
    "NO_COLOR",
    "PYTHONIOENCODING",
    "PYTHONUNBUFFERED",
    "PYTHONUTF8",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "TERM",
    "TZ",
];
