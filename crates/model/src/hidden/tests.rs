//! Tests what is removed, what is escaped, and above all what is kept.

use super::{
    cleaned, cleaned_line, hides_text, is_hidden, shown_name, visible, visible_json, visible_line,
};

#[test]
fn ordinary_text_of_any_language_stays() {
    for text in [
        "Reads a file.\n\tThen `*` and ```code```",
        "使用必应搜索指定的关键词，并返回搜索结果列表",
        "Überprüft die Größe — naïve café, “quotes” …",
        "Поиск файлов",
        "ファイルを検索する 葛飾区",
        "파일 검색",
        "می‌خواهم فایل‌ها را ببینم",
        "חיפוש קבצים",
        "क्‍ष श्री र्‍य",
        "ค้นหาไฟล์",
        "⚠️ ❤️ 1️⃣ #️⃣ ✈︎ ©️",
        "👨‍👩‍👧‍👦 🏳️‍🌈 👩🏽‍💻 ❤️‍🔥 🇩🇪 🏴",
        "x² ≤ ∑ → ∀ 𝒜 e\u{301}",
        "\u{a0}\u{2003}\u{3000}",
    ] {
        assert_eq!(cleaned(text), text);
        assert_eq!(visible(text), text);
        assert!(!hides_text(text), "{text}");
    }
}

#[test]
fn what_steers_or_hides_is_taken_out_of_prose() {
    for (text, expected) in [
        // Escape sequences as a whole: colours, titles, links, device strings, short ones.
        ("\u{1b}[7;31mred\u{1b}[0m", "red"),
        ("a\u{1b}]0;owned\u{7}b\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "ablink"),
        ("a\u{1b}Pq#0\u{1b}\\b\u{1b}(Bc\u{1b}7d\u{1b}", "abcd"),
        ("a\u{9b}2Jb\u{9d}0;t\u{9c}c", "abc"),
        // An unterminated one hides only its own line.
        ("a\u{1b}]0;owned\nnext", "a\nnext"),
        ("a\u{1b}[31", "a"),
        ("a\u{8}b\u{0}c\u{7f}d", "abcd"),
        ("one\r\ntwo\rthree\u{2028}four\u{85}five", "one\ntwo\nthree\nfour\nfive"),
        // Invisible characters.
        ("i\u{200b}g\u{2060}n\u{ad}o\u{feff}r\u{200d}e\u{200c}!", "ignore!"),
        ("a\u{fdd0}\u{ffff}\u{1fffe}\u{13437}\u{1d159}\u{16fe4}b", "ab"),
        ("a\u{fff9}b\u{fffa}c\u{fffb}\u{180e}\u{3164}\u{34f}\u{2800}", "abc"),
        // Tags and selectors that carry data.
        ("flag🏴\u{e0067}\u{e0062}\u{e007f} \u{e0041}\u{e0042}", "flag🏴 "),
        ("😀\u{fe0f}\u{fe0e}\u{fe01}\u{e0100}\u{e01ef}", "😀\u{fe0f}"),
        ("a\u{fe0f}b", "ab"),
        // Changes of direction.
        ("\u{202e}txet\u{202c}\u{2066}x\u{2069}\u{200e}\u{61c}", "txetx"),
        // Joiners where nothing is joined.
        ("a\u{200d}b 😀\u{200d}\u{200d}😀 ا\u{200c}\u{200c}ب", "ab 😀😀 اب"),
    ] {
        assert_eq!(cleaned(text), expected, "{text:?}");
        assert_eq!(cleaned(&cleaned(text)), expected, "again: {text:?}");
        assert!(
            !visible(text).chars().any(|c| c != '\u{fe0f}' && is_hidden(c) && c != '\u{200d}'),
            "{text:?}"
        );
    }
}

#[test]
fn names_that_differ_are_shown_differently() {
    let names = [
        "get",
        "get\u{200b}",
        "get\\u{200b}",
        "get\\\\u{200b}",
        "g\u{202e}et",
        "get\u{1b}[0m",
        "get\n",
        "get\\n",
    ];
    let shown: Vec<_> = names.iter().map(|name| shown_name(name)).collect();
    assert_eq!(
        shown,
        [
            "get",
            "get\\u{200b}",
            "get\\\\u{200b}",
            "get\\\\\\\\u{200b}",
            "g\\u{202e}et",
            "get\\u{1b}[0m",
            "get\\n",
            "get\\\\n",
        ]
    );
}

#[test]
fn a_few_invisible_characters_are_an_accident_and_hidden_text_is_not() {
    for accident in ["soft\u{ad}hyphen\u{ad}ation", "\u{feff}begins", "a\u{200b}b"] {
        assert!(!hides_text(accident), "{accident:?}");
    }
    for hidden in [
        "x\u{e0041}",
        "\u{1b}[8mnot seen\u{1b}[0m",
        "\u{202e}x",
        "a\u{200b}\u{200c}\u{200b}\u{200b}",
        "😀\u{fe0f}\u{fe0e}\u{fe01}\u{fe02}\u{fe03}",
    ] {
        assert!(hides_text(hidden), "{hidden:?}");
    }
}

/// Characters that are kept next to some characters and not next to others, and some that
/// begin or end something.
const TOUCHY: [char; 14] = [
    'a',
    '1',
    ' ',
    '\n',
    '\r',
    '😀',
    'ا',
    '\u{200d}',
    '\u{200c}',
    '\u{fe0f}',
    '\u{20e3}',
    '\u{1b}',
    '\u{9b}',
    '\u{e0041}',
];

#[test]
fn nothing_is_hidden_by_what_was_taken_out_beside_it() {
    let count = TOUCHY.len();
    for number in 0..count.pow(4) {
        let at = |place: u32| TOUCHY[number / count.pow(place) % count];
        let text: String = (0..4).map(at).collect();
        let clean = cleaned(&text).into_owned();
        assert_eq!(cleaned(&clean), clean, "again: {text:?}");
        assert_eq!(visible(&clean), clean, "{text:?}");
        let shown = visible(&text).into_owned();
        assert_eq!(visible(&shown), shown, "again: {text:?}");
        let document = serde_json::json!({ &text: text }).to_string();
        let shown = visible_json(&document).into_owned();
        assert_eq!(visible(&shown), shown, "{text:?}");
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(read(&shown), read(&document));
        let line = visible_line(&text);
        assert!(!line.contains(['\n', '\t']) && *visible(&line) == *line, "{text:?}: {line:?}");
    }
}

#[test]
fn a_line_is_one_line() {
    let text = " a\u{202e} \n\n\tb\u{0}c\u{2028}d\r\n";
    assert_eq!(cleaned_line(text), "a bc d");
    assert_eq!(visible_line(text), " a\\u{202e} \\n\\n\\tb\\u{0}c\\u{2028}d\\u{d}\\n");
    assert_eq!(visible("a\r\nb\rc"), "a\nb\\u{d}c");
}
