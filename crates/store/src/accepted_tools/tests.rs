use tidegate_model::Clock;

use super::{AcceptedServer, AcceptedTool};
use crate::Store;

#[tokio::test]
async fn only_the_first_tools_of_a_server_are_accepted_unasked() {
    let folder = tempfile::tempdir().unwrap();
    let accepted = Store::open(folder.path(), Clock::system()).unwrap().accepted_tools();
    let server = |source: &str| AcceptedServer { name: "files".into(), source: source.into() };
    let tool = |name: &str, text: &str| AcceptedTool {
        name: name.into(),
        definition_hash: format!("hash of {text}"),
        definition: text.into(),
    };
    accepted.accept_first(server("a"), vec![tool("read", "1")]).await.unwrap();
    let second = vec![tool("read", "2"), tool("write", "2")];
    accepted.accept_first(server("a"), second).await.unwrap();
    accepted.accept_first(server("b"), vec![tool("read", "3")]).await.unwrap();
    let definition = |source: &str, name: &str| {
        accepted.definition(server(source), name.to_owned()).wait().unwrap()
    };
    assert_eq!(definition("a", "read").as_deref(), Some("1"));
    assert_eq!(definition("a", "write"), None);
    assert_eq!(definition("b", "read").as_deref(), Some("3"));
    accepted.accept(server("a"), vec![tool("read", "4")]).await.unwrap();
    assert_eq!(definition("a", "read").as_deref(), Some("4"));
    assert_eq!(
        accepted.hashes().await.unwrap(),
        [
            (server("a"), "read".to_owned(), "hash of 4".to_owned()),
            (server("b"), "read".to_owned(), "hash of 3".to_owned()),
        ]
    );
}
