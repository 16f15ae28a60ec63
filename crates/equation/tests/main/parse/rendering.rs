//! Mistakes as the user sees them.

use crate::parse::files;
use crate::parse::mistakes::reject;
use equation::parse::parse_with;

#[test]
fn five_mistakes_are_shown_at_once_in_the_order_of_the_file() {
    let text = files::BURGERS
        .replace("x = [-1, 1]", "x = [1, -1]")
        .replace("nu*u_xx", "nv*u_xx")
        .replace("u*u_x", "u*u_z")
        .replace("width = 20", "widht = 20")
        .replace("\"60 s\"", "60");
    let expected = r#"error: the interval from 1 to -1 is empty
 --> burgers.toml:5:5
  |
5 | x = [1, -1]
  |     ^^^^^^^
  hint: did you mean `[-1, 1]`?

error: unknown name `u_z`: `z` is not a coordinate
 --> burgers.toml:14:20
   |
14 | burgers = "u_t + u*u_z = nv*u_xx"
   |                    ^^^
  hint: the coordinates are `t`, `x`

error: unknown name `nv`
 --> burgers.toml:14:26
   |
14 | burgers = "u_t + u*u_z = nv*u_xx"
   |                          ^^
  hint: did you mean `nu`?

error: unknown key `widht`
 --> burgers.toml:22:1
   |
22 | widht = 20
   | ^^^^^
  hint: did you mean `width`?

error: a budget is in steps or in seconds
 --> burgers.toml:29:10
   |
29 | budget = 60
   |          ^^
  hint: write `"60 steps"` or `"60 s"`

"#;
    assert_eq!(reject(&text).render("burgers.toml"), expected);
}

#[test]
fn carets_stand_below_wide_and_combining_letters_and_tabs() {
    let text = "title = \"\"\n[domain]\nx = [0, 1] # fine\n[constants]\n\tk = [\"変数\", \"e\u{301}\"]\n";
    let shown = reject(text).render("f");
    assert!(shown.contains("5 |     k = [\"変数\", \"e\u{301}\"]\n  |         ^^^^^^^^^^^^^\n"), "{shown}");
    let text = "[domain]\nx = [0, \"変 + y\"]\n";
    let shown = reject(text).render("f");
    assert!(shown.contains(" --> f:2:10\n"), "{shown}");
    assert!(shown.contains(" --> f:2:14\n"), "columns count letters: {shown}");
    assert!(
        shown.contains("2 | x = [0, \"変 + y\"]\n  |               ^\n"),
        "carets count columns: {shown}"
    );
}

#[test]
fn an_escaped_string_is_pointed_at_as_a_whole() {
    let text = files::BURGERS.replace("\"u_t + u*u_x = nu*u_xx\"", "\"\\u0075_t = q\"");
    let mistakes = reject(&text);
    let span = mistakes.list()[0].span;
    assert_eq!(&text[span.start..span.end], "\"\\u0075_t = q\"");
}

#[test]
fn a_multi_line_string_is_pointed_into() {
    let text = files::BURGERS.replace("\"u_t + u*u_x = nu*u_xx\"", "\"\"\"\nu_t + u*u_x\n  = qq*u_xx\"\"\"");
    let mistakes = reject(&text);
    let span = mistakes.list()[0].span;
    assert_eq!(&text[span.start..span.end], "qq");
    assert!(mistakes.render("f").contains(" --> f:16:5\n"));
}

#[test]
fn a_long_line_is_shown_as_a_window() {
    let text =
        files::BURGERS.replace("nu*u_xx\"", &format!("{} + nv{}\"", "+ u".repeat(9000), " + x".repeat(9000)));
    let shown = reject(&text).render("f");
    assert!(shown.len() < 600, "{}", shown.len());
    let lines: Vec<&str> = shown.lines().collect();
    let caret = lines[4].find('^').expect("a caret");
    let column = lines[4][..caret].chars().count();
    assert_eq!(lines[3].chars().skip(column).take(2).collect::<String>(), "nv");
    assert!(lines[3].contains('…'));
}

#[test]
fn overrides_are_shown_themselves() {
    let mistakes = parse_with(files::BURGERS, &["constants.nu=0.1*q".to_owned()]).expect_err("a mistake");
    let expected = "error: unknown name `q`
 --> --set, column 18
  |
1 | constants.nu=0.1*q
  |                  ^
  hint: declared: `t`, `x`, `nu`, `u`

";
    assert_eq!(mistakes.render("burgers.toml"), expected);
    assert_eq!(mistakes.to_string(), "unknown name `q` (in --set constants.nu=0.1*q)");
}

#[test]
fn too_many_mistakes_are_counted_and_not_shown() {
    let equations: String = (0..3000).map(|number| format!("e{number} = \"u_q{number} = 0\"\n")).collect();
    let text = files::BURGERS.replace("[equations]\n", &format!("[equations]\n{equations}"));
    let mistakes = reject(&text);
    assert_eq!(mistakes.count(), 3000);
    let shown = mistakes.render("f");
    assert!(shown.ends_with("… and 2950 more\n"), "{shown}");
    assert!(mistakes.to_string().ends_with("(line 14, column 7) and 2999 more"), "{mistakes}");
}
