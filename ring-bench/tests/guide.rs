//! The figures of the guide in `ring-core` are what `cargo run --example guide_figures` makes of
//! real rings.

use std::collections::BTreeSet;
use std::sync::LazyLock;

#[path = "../examples/guide_figures/figures/mod.rs"]
mod figures;

/// All figures, made once.
static FIGURES: LazyLock<Vec<figures::Figure>> =
    LazyLock::new(|| figures::all().expect("the figures can be made"));

#[test]
fn committed_figures_are_what_the_generator_makes() {
    for figure in &*FIGURES {
        let path = figures::folder().join(figure.name);
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            committed == figure.content,
            "{} is not what the generator makes; run `cargo run --release --example guide_figures` and look at it",
            path.display()
        );
    }
}

#[test]
fn every_committed_figure_is_generated_and_shown() {
    let generated: BTreeSet<String> = FIGURES.iter().map(|figure| figure.name.to_owned()).collect();
    let committed: BTreeSet<String> = std::fs::read_dir(figures::folder())
        .expect("the figures are committed")
        .filter_map(|entry| entry.expect("the folder can be listed").file_name().into_string().ok())
        .collect();
    assert_eq!(committed, generated);

    let mut pages = String::new();
    let guide = figures::folder().join("..");
    for entry in std::fs::read_dir(guide).expect("the guide is beside its figures") {
        let path = entry.expect("the folder can be listed").path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            pages += &std::fs::read_to_string(path).expect("a page is text");
        }
    }
    for name in &generated {
        assert!(
            pages.contains(&format!("include_str!(\"figures/{name}\")")),
            "{name} is not shown"
        );
    }
}

#[test]
fn drawings_have_a_title_and_stand_in_markdown_without_breaking_it() {
    for figure in &*FIGURES {
        if !figure.content.starts_with("<svg") {
            continue;
        }
        let name = figure.name;
        let lines: Vec<&str> = figure.content.lines().collect();
        // Markdown takes raw HTML from a line with one whole tag up to the first empty line.
        assert!(lines[0].starts_with("<svg ") && lines[0].ends_with('>'), "{name}");
        assert!(lines.iter().all(|line| !line.trim().is_empty()), "{name} has an empty line");
        let title = lines[1].strip_prefix("<title>").and_then(|line| line.strip_suffix("</title>"));
        assert!(
            title.is_some_and(|title| title.len() > 30),
            "{name} has no title that says what it shows"
        );
        // Text takes the page's own colour, so that it can be read on light and dark grounds.
        for line in lines.iter().filter(|line| line.starts_with("<text")) {
            assert!(line.contains("fill=\"currentColor\""), "{name}: {line}");
        }
    }
}
