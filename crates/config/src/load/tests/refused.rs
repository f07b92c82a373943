//! Files that are refused, each with its whole message.

use super::{json_error, toml_error};

/// The message about a server `a` in JSON, whose keys start at line 2, column 1.
fn server_error(keys: &str) -> String {
    json_error(&format!("{{\"mcpServers\": {{\"a\": {{\n{keys}\n}}}}}}"))
}

fn execution_error(keys: &str) -> String {
    json_error(&format!("{{\"mcpServers\": {{}}, \"mcpCodeExecution\": {{\n{keys}\n}}}}"))
}

#[test]
fn an_unknown_key_names_the_nearest_known_one() {
    assert_eq!(
        toml_error("[servers.git]\ncommand = 'git'\n\ntiemout = 3"),
        "error[config.unknown_key]: unknown key `tiemout` in server `git`\n  \
         at tidegate.toml:4:1\n\
         hint: did you mean `timeout`?"
    );
    assert_eq!(
        server_error("\"conectTimeout\": 1"),
        "error[config.unknown_key]: unknown key `conectTimeout` in server `a`\n  \
         at mcp.json:2:1\n\
         hint: did you mean `connectTimeout` or `timeout`?"
    );
    assert_eq!(
        toml_error("[limits]\nmemroy = 1"),
        "error[config.unknown_key]: unknown key `memroy` in `limits`\n  \
         at tidegate.toml:2:1\n\
         hint: did you mean `memory`?"
    );
    assert_eq!(
        execution_error("\"sandboxmode\": \"process\""),
        "error[config.unknown_key]: unknown key `sandboxmode` in `mcpCodeExecution`\n  \
         at mcp.json:2:1\n\
         hint: did you mean `sandboxMode`?"
    );
}

#[test]
fn an_unknown_key_without_a_near_one_lists_all() {
    assert_eq!(
        toml_error("zzz = 1"),
        "error[config.unknown_key]: unknown key `zzz` at the top level\n  \
         at tidegate.toml:1:1\n\
         hint: known keys are `servers`, `limits`, `checks`, `sandbox`, `python`, `search`, `network`, `profile`, \
         `profiles`, `tools`, `input`, `policy`, `commands`, `approvals`, `risk`, `privacy`"
    );
    assert_eq!(
        execution_error("\"resourceLimits\": {\"gpus\": 1}"),
        "error[config.unknown_key]: unknown key `gpus` in `mcpCodeExecution.resourceLimits`\n  \
         at mcp.json:2:20\n\
         hint: known keys are `memory`, `cpu`, `disk`"
    );
}

#[test]
fn a_key_of_the_other_format_is_unknown() {
    assert_eq!(
        toml_error("[mcpServers.a]\ncommand = 'a'"),
        "error[config.unknown_key]: unknown key `mcpServers` at the top level\n  \
         at tidegate.toml:1:2\n\
         hint: did you mean `servers`?"
    );
    assert_eq!(
        toml_error("[servers.a]\ncommand = 'a'\nautoApprove = []"),
        "error[config.unknown_key]: unknown key `autoApprove` in server `a`\n  \
         at tidegate.toml:3:1\n\
         hint: known keys are `command`, `args`, `env`, `cwd`, `url`, `headers`, `type`, \
         `timeout`, `connect_timeout`, `max_concurrent`, `enabled`"
    );
}

#[test]
fn a_control_character_in_a_key_does_not_reach_the_terminal() {
    assert_eq!(
        toml_error("\"\\u001b[2J\" = 1"),
        "error[config.unknown_key]: unknown key `\\u{1b}[2J` at the top level\n  \
         at tidegate.toml:1:1\n\
         hint: known keys are `servers`, `limits`, `checks`, `sandbox`, `python`, `search`, `network`, `profile`, \
         `profiles`, `tools`, `input`, `policy`, `commands`, `approvals`, `risk`, `privacy`"
    );
}

#[test]
fn a_wrong_type_says_what_was_expected_and_what_is_there() {
    for (keys, message) in [
        ("\"command\": null", "`command` in server `a` expects text, got null\n  at mcp.json:2:12"),
        (
            "\"args\": \"x\"",
            "`args` in server `a` expects a list of text, got text\n  at mcp.json:2:9",
        ),
        (
            "\"env\": []",
            "`env` in server `a` expects an object of text, got a list\n  at mcp.json:2:8",
        ),
        (
            "\"args\": [\"x\", 8080]",
            "`args[1]` in server `a` expects text, got a number\n  at mcp.json:2:15\n\
             hint: write it in quotes",
        ),
        (
            "\"env\": {\"PORT\": true}",
            "`env.PORT` in server `a` expects text, got true\n  at mcp.json:2:17\n\
             hint: write it in quotes",
        ),
        (
            "\"timeout\": [1]",
            "`timeout` in server `a` expects a duration such as \"30s\", got a list\n  at mcp.json:2:12",
        ),
        (
            "\"timeout\": 1.5",
            "`timeout` in server `a` expects a duration such as \"30s\", got a fraction\n  \
             at mcp.json:2:12",
        ),
        (
            "\"maxConcurrent\": \"4\"",
            "`maxConcurrent` in server `a` expects a whole number, got text\n  at mcp.json:2:18",
        ),
        (
            "\"disabled\": \"yes\"",
            "`disabled` in server `a` expects true or false, got text\n  at mcp.json:2:13",
        ),
    ] {
        assert_eq!(server_error(keys), format!("error[config.wrong_type]: {message}"));
    }
    assert_eq!(
        toml_error("[servers]\na = 'npx'"),
        "error[config.wrong_type]: server `a` expects a table, got text\n  at tidegate.toml:2:5"
    );
    assert_eq!(
        toml_error("[[servers]]\ncommand = 'a'"),
        "error[config.wrong_type]: `servers` expects a table, got a list\n  at tidegate.toml:1:1"
    );
    assert_eq!(
        toml_error("[limits]\nmemory = 1979-05-27"),
        "error[config.wrong_type]: `memory` in `limits` expects a size such as \"256MB\", got a \
         date\n  at tidegate.toml:2:10"
    );
    assert_eq!(
        json_error("[]"),
        "error[config.wrong_type]: the file expects an object, got a list\n  at mcp.json:1:1"
    );
}

#[test]
fn a_value_out_of_range_names_the_range() {
    for (keys, message) in [
        ("\"timeout\": 0", "`timeout` in server `a` must be from 1ms to 24h\n  at mcp.json:2:12"),
        ("\"timeout\": -5", "`timeout` in server `a` must be from 1ms to 24h\n  at mcp.json:2:12"),
        (
            "\"timeout\": 1e99",
            "`timeout` in server `a` must be from 1ms to 24h\n  at mcp.json:2:12",
        ),
        (
            "\"timeout\": \"25h\"",
            "`timeout` in server `a` must be from 1ms to 24h\n  at mcp.json:2:12",
        ),
        (
            "\"max_concurrent\": 0",
            "`max_concurrent` in server `a` must be from 1 to 1024\n  at mcp.json:2:19",
        ),
        (
            "\"maxConcurrent\": 1025",
            "`maxConcurrent` in server `a` must be from 1 to 1024\n  at mcp.json:2:18",
        ),
    ] {
        assert_eq!(server_error(keys), format!("error[config.bad_value]: {message}"));
    }
    for (keys, message) in [
        ("memory = '2TB'", "`memory` in `limits` must be from 1MB to 1TB\n  at tidegate.toml:2:10"),
        ("memory = '1KB'", "`memory` in `limits` must be from 1MB to 1TB\n  at tidegate.toml:2:10"),
        (
            "memory = 256",
            "`memory` in `limits` must be from 1MB to 1TB\n  at tidegate.toml:2:10\n\
             hint: write a unit, such as \"256MB\"; a number alone counts bytes",
        ),
        ("output = 0", "`output` in `limits` must be from 1B to 1TB\n  at tidegate.toml:2:10"),
        (
            "tool_calls = 0",
            "`tool_calls` in `limits` must be from 1 to 1000000\n  at tidegate.toml:2:14",
        ),
        (
            "parallel_calls = 9999",
            "`parallel_calls` in `limits` must be from 1 to 1024\n  at tidegate.toml:2:18",
        ),
    ] {
        let error = toml_error(&format!("[limits]\n{keys}"));
        assert_eq!(error, format!("error[config.bad_value]: {message}"));
    }
    assert_eq!(
        execution_error("\"resourceLimits\": {\"memory\": 512}"),
        "error[config.bad_value]: `memory` in `mcpCodeExecution.resourceLimits` must be from 1MB \
         to 1TB\n  at mcp.json:2:30\n\
         hint: write a unit, such as \"256MB\"; a number alone counts bytes"
    );
}

#[test]
fn a_text_that_is_no_amount_says_how_to_write_one() {
    assert_eq!(
        server_error("\"timeout\": \"soon\""),
        "error[config.bad_value]: `timeout` in server `a` is not a duration\n  at mcp.json:2:12\n\
         hint: write a whole number and `ms`, `s`, `m` or `h`, such as \"30s\""
    );
    assert_eq!(
        toml_error("[limits]\nmemory = 'much'"),
        "error[config.bad_value]: `memory` in `limits` is not a size\n  at tidegate.toml:2:10\n\
         hint: write a whole number and `KB`, `MB` or `GB`, such as \"256MB\""
    );
}

#[test]
fn a_duplicate_names_both_places() {
    assert_eq!(
        server_error("\"command\": \"a\",\n\"command\": \"b\""),
        "error[config.duplicate_key]: duplicate key `command` in server `a`, first written at \
         line 2, column 1\n  at mcp.json:3:1"
    );
    assert_eq!(
        server_error("\"url\": \"a\",\n  \"serverUrl\": \"b\""),
        "error[config.duplicate_key]: key `serverUrl` in server `a` repeats `url`, first written \
         at line 2, column 1\n  at mcp.json:3:3"
    );
    assert_eq!(
        server_error("\"env\": {\"A\": \"hunter2\", \"A\": \"hunter3\"}"),
        "error[config.duplicate_key]: duplicate key `env.A` in server `a`, first written at \
         line 2, column 9\n  at mcp.json:2:25"
    );
    assert_eq!(
        json_error(
            "{\"mcpServers\": {\n\"a\": {\"command\": \"a\"},\n\"a\": {\"command\": \"b\"}}}"
        ),
        "error[config.duplicate_key]: duplicate server `a`, first written at line 2, column 1\n  \
         at mcp.json:3:1"
    );
    assert_eq!(
        json_error("{\"mcpServers\": {},\n\"servers\": {}}"),
        "error[config.duplicate_key]: key `servers` at the top level repeats `mcpServers`, first \
         written at line 1, column 2\n  at mcp.json:2:1"
    );
    assert_eq!(
        toml_error("[servers.a]\ncommand = 'hunter2'\ncommand = 'hunter3'"),
        "error[config.syntax]: not valid TOML: duplicate key\n  at tidegate.toml:3:1"
    );
}

#[test]
fn a_syntax_error_has_its_place_and_does_not_quote_the_file() {
    assert_eq!(
        toml_error("[servers.a]\nenv = { TOKEN = hunter2 }"),
        "error[config.syntax]: not valid TOML: string values must be quoted, expected literal \
         string\n  at tidegate.toml:2:17"
    );
    assert_eq!(
        json_error("{\n  \"mcpServers\": hunter2\n}"),
        "error[config.syntax]: not valid JSON: unexpected word\n  at mcp.json:2:17"
    );
    assert_eq!(
        json_error("{'mcpServers': {}}"),
        "error[config.syntax]: not valid JSON: single-quoted strings are not allowed\n  \
         at mcp.json:1:2"
    );
    assert_eq!(
        json_error(" // nothing"),
        "error[config.syntax]: not valid JSON: the file is empty\n  at mcp.json:1:1\n\
         hint: an empty configuration is `{}`"
    );
}

#[test]
fn a_server_has_exactly_one_transport() {
    assert_eq!(
        server_error("\"command\": \"a\", \"url\": \"http://hunter2\""),
        "error[config.transport]: server `a` has both `command` and `url`\n  at mcp.json:2:24\n\
         hint: keep `command` for a local server or `url` for a remote one"
    );
    assert_eq!(
        server_error("\"timeout\": \"1s\""),
        "error[config.transport]: server `a` has neither `command` nor `url`\n  at mcp.json:1:17\n\
         hint: write `command` for a local server or `url` for a remote one"
    );
    assert_eq!(
        server_error("\"command\": \"a\", \"type\": \"http\""),
        "error[config.transport]: `type` in server `a` does not agree with `command`\n  \
         at mcp.json:2:25\nhint: remove `type`; `command` is enough"
    );
    assert_eq!(
        server_error("\"url\": \"http://a\", \"type\": \"stdio\""),
        "error[config.transport]: `type` in server `a` does not agree with `url`\n  \
         at mcp.json:2:28\nhint: remove `type`; `url` is enough"
    );
}

#[test]
fn the_old_transport_is_refused_with_a_way_out() {
    assert_eq!(
        server_error("\"url\": \"http://a/sse\", \"type\": \"sse\""),
        "error[config.unsupported]: `type` in server `a` is `sse`, and the old HTTP+SSE transport \
         is not supported\n  at mcp.json:2:32\n\
         hint: most such servers also answer Streamable HTTP: set `type` to `http` and try its \
         `/mcp` url"
    );
}

#[test]
fn an_unknown_type_is_refused() {
    assert_eq!(
        server_error("\"type\": \"studio\""),
        "error[config.bad_value]: `type` in server `a` is none of `stdio`, `http`, \
         `streamable-http`, `streamable_http`, `streamableHttp`, `sse`, `local`, `remote`\n  \
         at mcp.json:2:9\nhint: did you mean `stdio`?"
    );
}

#[test]
fn a_bad_url_is_refused_without_being_shown() {
    for (url, problem) in [
        ("ftp://hunter2/", "is not an `http` or `https` URL"),
        ("${BAD_URL}", "is not an `http` or `https` URL"),
        ("https://?key=hunter2", "has no host"),
    ] {
        assert_eq!(
            server_error(&format!("\"url\": \"{url}\"")),
            format!(
                "error[config.bad_value]: `url` in server `a` {problem}\n  at mcp.json:2:8\n\
                 hint: write it like `https://example.com/mcp`"
            )
        );
    }
}

#[test]
fn a_bad_header_is_refused_without_its_value() {
    let error = |headers: &str| {
        server_error(&format!("\"url\": \"http://a\",\n\"headers\": {{{headers}}}"))
    };
    assert_eq!(
        error("\"X-Key\": \"hunter2\\nHost: b\""),
        "error[config.bad_value]: `headers.X-Key` in server `a` has a line end or another \
         character that a header cannot carry\n  at mcp.json:3:22"
    );
    assert_eq!(
        error("\"X-Key\": \"${BAD_HEADER}\""),
        "error[config.bad_value]: `headers.X-Key` in server `a` has a line end or another \
         character that a header cannot carry\n  at mcp.json:3:22"
    );
    assert_eq!(
        error("\"X-Key: hunter2\": \"\""),
        "error[config.bad_value]: `headers` in server `a` has an invalid name\n  \
         at mcp.json:3:31\nhint: a header's name has letters, digits and `-`, and no colon"
    );
    assert_eq!(
        error("\"X-Key\": \"a\", \"x-key\": \"b\""),
        "error[config.duplicate_key]: `headers.x-key` in server `a` repeats a header; case does \
         not count in their names\n  at mcp.json:3:36"
    );
}

#[test]
fn an_impossible_variable_name_is_refused() {
    assert_eq!(
        server_error("\"command\": \"a\", \"env\": {\"A=hunter2\": \"\"}"),
        "error[config.bad_value]: `env` in server `a` has an invalid name\n  at mcp.json:2:38\n\
         hint: a variable's name is not empty and has no `=`"
    );
}

#[test]
fn an_empty_command_is_refused() {
    assert_eq!(
        server_error("\"command\": \"\""),
        "error[config.bad_value]: `command` in server `a` is empty\n  at mcp.json:2:12"
    );
}

#[test]
fn an_unset_variable_names_itself_and_its_place() {
    assert_eq!(
        toml_error("[servers.a]\ncommand = 'a'\nargs = [\n  '-k',\n  'hunter2${KEY}',\n]"),
        "error[config.unset_variable]: `args[1]` in server `a` needs the variable `KEY`, which is \
         not set\n  at tidegate.toml:5:3\n\
         hint: export `KEY`, or write a default: `${KEY:-default}`"
    );
    assert_eq!(
        server_error("\"url\": \"http://a\", \"headers\": {\"K\": \"${input:key}\"}"),
        "error[config.bad_variable]: `headers.K` in server `a` asks for an `${input:...}`\n  \
         at mcp.json:2:37\n\
         hint: only VS Code can ask; use a variable such as `${API_KEY}`"
    );
}

#[test]
fn a_bad_server_name_is_refused() {
    assert_eq!(
        toml_error("[servers.a__b]\ncommand = 'a'"),
        "error[config.bad_name]: server name `a__b` has `__`, which separates a server from its \
         tool\n  at tidegate.toml:1:10"
    );
    assert_eq!(
        json_error("{\"mcpServers\": {\"a\\u0007\": {\"command\": \"a\"}}}"),
        "error[config.bad_name]: server name `a\\u{7}` has a control character\n  \
         at mcp.json:1:17"
    );
}

#[test]
fn two_names_that_programs_cannot_tell_apart_are_refused() {
    assert_eq!(
        toml_error("[servers.my-server]\ncommand = 'a'\n[servers.My_Server]\ncommand = 'b'"),
        "error[config.name_clash]: servers `my-server` and `My_Server` have the same name in \
         programs, the first is at line 1, column 10\n  at tidegate.toml:3:10\n\
         hint: rename one: they must differ in more than case and punctuation"
    );
}

#[test]
fn a_sandbox_that_is_not_there_is_refused() {
    for mode in ["docker", "vm"] {
        assert_eq!(
            execution_error(&format!("\"sandboxMode\": \"{mode}\"")),
            "error[config.unsupported]: `sandboxMode` in `mcpCodeExecution` asks for a sandbox \
             that is not available\n\
               \x20 at mcp.json:2:16\n\
             hint: this version has the `process` sandbox only"
        );
    }
    assert_eq!(
        execution_error("\"securityLevel\": \"hihg\""),
        "error[config.bad_value]: `securityLevel` in `mcpCodeExecution` is none of `low`, \
         `medium`, `high`, `strict`\n  at mcp.json:2:18\nhint: did you mean `high`?"
    );
}

#[test]
fn a_type_check_that_is_not_there_is_refused() {
    assert_eq!(
        toml_error("[checks]\ntypes = 'strcit'"),
        "error[config.bad_value]: `types` in `checks` is none of `auto`, `off`, `warn`, `strict`\n  \
         at tidegate.toml:2:9\nhint: did you mean `strict`?"
    );
    assert_eq!(
        toml_error("[checks]\ntypes = false"),
        "error[config.wrong_type]: `types` in `checks` expects one of `auto`, `off`, `warn`, \
         `strict`, got false\n  at tidegate.toml:2:9"
    );
    assert_eq!(
        toml_error("[checks]\ntypeCheck = 'off'"),
        "error[config.unknown_key]: unknown key `typeCheck` in `checks`\n  at tidegate.toml:2:1\n\
         hint: known keys are `types`, `tsc`, `python`, `patterns`"
    );
    assert_eq!(
        execution_error("\"typeCheck\": \"hunter2\""),
        "error[config.bad_value]: `typeCheck` in `mcpCodeExecution` is none of `auto`, `off`, \
         `warn`, `strict`\n  at mcp.json:2:14"
    );
}

#[test]
fn a_compiler_without_a_path_is_refused() {
    assert_eq!(
        toml_error("[checks]\ntsc = ''"),
        "error[config.bad_value]: `tsc` in `checks` is empty\n  at tidegate.toml:2:7"
    );
    assert_eq!(
        execution_error("\"tsc\": true"),
        "error[config.wrong_type]: `tsc` in `mcpCodeExecution` expects text, got true\n  \
         at mcp.json:2:8\nhint: write it in quotes"
    );
    assert_eq!(
        toml_error("[checks]\ntsc = '${TSC}'"),
        "error[config.unset_variable]: `tsc` in `checks` needs the variable `TSC`, which is not \
         set\n  at tidegate.toml:2:7\n\
         hint: export `TSC`, or write a default: `${TSC:-default}`"
    );
}
