//! The comparison with a file, on figures that were made up. That this build gives the recorded ones is tested in
//! `tests/gate.rs`.

use super::*;

fn figure(name: &str, kind: Kind, value: &str) -> Figure {
    Figure { name: name.to_owned(), kind, value: value.to_owned() }
}

fn head() -> Vec<Figure> {
    vec![figure("owners", Kind::Placement, "00ff"), figure("bytes", Kind::Count, "2000")]
}

fn statuses(rows: &[ExactRow]) -> Vec<&str> {
    rows.iter().map(|row| row.status.as_str()).collect()
}

#[test]
fn a_file_comes_back() {
    let recorded = Recorded::parse(&render(&head())).unwrap();
    assert_eq!(recorded.toolchain, toolchain());
    let rows = compare(Some(&head()), Some(&head()), Some(&recorded), toolchain());
    assert_eq!(statuses(&rows), ["equal", "equal"]);
    assert!(rows.iter().all(|row| row.recorded == row.head && row.base == row.head && row.equal));
}

#[test]
fn a_placement_that_changed_is_told_from_a_count_that_did() {
    let base = [figure("owners", Kind::Placement, "00fe"), figure("bytes", Kind::Count, "1999")];
    let rows = compare(Some(&base), Some(&head()), None, "");
    assert_eq!(statuses(&rows), ["placement", "worse"]);
    let base = [figure("bytes", Kind::Count, "2001")];
    assert_eq!(statuses(&compare(Some(&base), Some(&head()), None, "")), ["equal", "better"]);
    assert_eq!(statuses(&compare(None, Some(&head()), None, "")), ["equal", "equal"]);
    assert!(compare(Some(&base), None, None, "").is_empty());
}

#[test]
fn counts_of_another_compiler_are_not_compared() {
    let text =
        "name,kind,value\ntoolchain,toolchain,rustc 1\nowners,placement,00fe\nbytes,count,1\n";
    let recorded = Recorded::parse(text).unwrap();
    let rows = compare(None, Some(&head()), Some(&recorded), "rustc 2");
    assert_eq!(statuses(&rows), ["placement", "equal"]);
    assert_eq!(rows[1].recorded, None);
    assert_eq!(
        statuses(&compare(None, Some(&head()), Some(&recorded), "rustc 1")),
        ["placement", "worse"]
    );
}

#[test]
fn a_file_that_is_none_is_refused_with_its_line() {
    for (text, word) in [
        ("", "line 1"),
        ("name,kind\n", "line 1"),
        ("name,kind,value\na,b,c\n", "line 2"),
        ("name,kind,value\na,count\n", "line 2"),
    ] {
        let error = Recorded::parse(text).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert!(error.to_string().contains(word), "{error}");
    }
}
