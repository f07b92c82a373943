//! The tools that a client sees, and their cost in tokens.
//!
//! Invariant: the nine tools with the instructions cost at most 670 tokens, so that the
//! thirteen of the contract fit into 1,000: every conversation pays for every word here. A
//! test counts them.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

/// Which tools a client sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Surface {
    /// All tools of the gateway.
    #[default]
    Standard,
    /// `execute_code` and `search_tools` only.
    Lean,
    /// Every upstream tool under its own name, without `execute_code`.
    Direct,
}

/// The server instructions for the model.
pub fn instructions(surface: Surface) -> Option<&'static str> {
    match surface {
        Surface::Standard | Surface::Lean => Some(
            "Your MCP servers are TypeScript and Python APIs here. Find tools with search_tools, then do the \
             whole task in one execute_code program: loop, filter and join there, and return only \
             what you need. Data stays outside your context.",
        ),
        Surface::Direct => None,
    }
}

/// The gateway's own tools of a surface.
pub fn definitions(surface: Surface) -> Vec<Tool> {
    match surface {
        Surface::Standard => {
            vec![
                execute_code(),
                search_tools(),
                get_tool_definition(),
                call_tool(),
                save_skill(),
                load_skill(),
                list_skills(),
                sanitize_pii(),
                restore_pii(),
            ]
        }
        Surface::Lean => vec![execute_code(), search_tools()],
        Surface::Direct => Vec::new(),
    }
}

fn execute_code() -> Tool {
    tool(
        "execute_code",
        "Runs TypeScript or Python in a sandbox.\n\
         import * as git from './servers/git'; const log = await git.gitLog({ repo_path: '/r' });\n\
         from servers import git; result = git.git_log(repo_path='/r')\n\
         Also: servers.git.gitLog(…), callMCPTool('git__git_log', {…}), searchTools(query), top-level \
         await, Promise.all, asyncio. `return` the result; console.log is kept. Calls give structured \
         content, parsed JSON or text, and throw ToolError. Large output stays under `handle`; you get \
         a summary.",
        json!({
            "code": {"type": "string"},
            "language": {"enum": ["typescript", "python"]},
            "timeout_ms": {"type": "integer"},
            "engine": {"enum": ["quickjs", "deno", "node"]},
            "resume": {"type": "string"},
            "sandbox": {"enum": ["strict", "docker", "vm"]},
            "memory_mb": {"type": "integer"},
            "ask": {"type": "boolean"},
            "action": {"type": "string"}
        }),
        &[],
    )
}

fn search_tools() -> Tool {
    tool(
        "search_tools",
        "Finds tools by task or name. `full` gives typed signatures.",
        json!({
            "query": {"type": "string"},
            "detail": {"enum": ["name", "description", "full"]},
            "server": {"type": "string"},
            "read_only": {"type": "boolean"},
            "limit": {"type": "integer"},
            "max_tokens": {"type": "integer"}
        }),
        &["query"],
    )
    .annotate(ToolAnnotations::new().read_only(true))
}

fn get_tool_definition() -> Tool {
    tool(
        "get_tool_definition",
        "Typed signature of a tool, named like git__git_log.",
        json!({"name": {"type": "string"}}),
        &["name"],
    )
    .annotate(ToolAnnotations::new().read_only(true))
}

fn call_tool() -> Tool {
    tool(
        "call_tool",
        "Calls one tool directly; its whole result enters your context. Only for one \
         small call.",
        json!({"name": {"type": "string"}, "arguments": {"type": "object"}}),
        &["name"],
    )
}

fn save_skill() -> Tool {
    tool(
        "save_skill",
        "Keeps a program that worked. Name like count-words.",
        json!({
            "name": {"type": "string"},
            "code": {"type": "string"},
            "description": {"type": "string"}
        }),
        &["name", "code"],
    )
}

fn load_skill() -> Tool {
    tool("load_skill", "Code or text of a skill.", json!({"name": {"type": "string"}}), &["name"])
        .annotate(ToolAnnotations::new().read_only(true))
}

fn list_skills() -> Tool {
    tool("list_skills", "Saved programs and guides.", json!({}), &[])
        .annotate(ToolAnnotations::new().read_only(true))
}

fn sanitize_pii() -> Tool {
    tool(
        "sanitize_pii",
        "Replaces personal data by tokens like [EMAIL_1]; tools get the real values for them.",
        json!({"text": {"type": "string"}}),
        &["text"],
    )
    .annotate(ToolAnnotations::new().read_only(true))
}

fn restore_pii() -> Tool {
    tool(
        "restore_pii",
        "Real values for tokens, if the user approves.",
        json!({"text": {"type": "string"}}),
        &["text"],
    )
}

fn tool(
    name: &'static str,
    description: &'static str,
    properties: Value,
    required: &[&str],
) -> Tool {
    let mut schema = JsonObject::new();
    schema.insert("type".into(), json!("object"));
    schema.insert("properties".into(), properties);
    if !required.is_empty() {
        schema.insert("required".into(), json!(required));
    }
    Tool::new(name, description, schema)
}

#[cfg(test)]
mod tests {
    use rmcp::model::Tool;
    use serde_json::json;
    use tidegate_gateway::tokens;

    use super::{Surface, definitions, instructions};

    fn tool_cost(tool: &Tool) -> usize {
        let text = json!({
            "name": tool.name,
            "description": tool.description,
            "inputSchema": tool.input_schema,
        });
        tokens::count(&text.to_string())
    }

    fn cost(surface: Surface) -> usize {
        let tools: usize = definitions(surface).iter().map(tool_cost).sum();
        tools + tokens::count(instructions(surface).unwrap_or_default())
    }

    #[test]
    fn the_surface_stays_within_its_budget() {
        let (standard, lean) = (cost(Surface::Standard), cost(Surface::Lean));
        assert!(standard <= 670, "standard costs {standard}");
        let skills = definitions(Surface::Standard);
        let skills: usize =
            skills.iter().filter(|tool| tool.name.contains("skill")).map(tool_cost).sum();
        assert!((50..=150).contains(&skills), "those of skills cost {skills}");
        assert!(lean <= 400, "lean costs {lean}");
    }

    #[test]
    fn no_text_is_longer_than_clients_show() {
        for surface in [Surface::Standard, Surface::Lean] {
            assert!(instructions(surface).unwrap_or_default().len() <= 2000);
            for tool in definitions(surface) {
                assert!(tool.description.unwrap_or_default().len() <= 2000);
            }
        }
    }
}
