//! `compare --peers` from end to end, on small rings.

#[cfg(not(feature = "peers"))]
#[test]
fn without_the_feature_it_is_a_usage_error_that_says_how_to_get_it() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_ring-bench"))
        .args(["compare", "--peers", "--quick"])
        .output()
        .expect("the program runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    let said = String::from_utf8(output.stderr).expect("text");
    assert!(said.contains("--features peers"), "{said}");
}

#[cfg(feature = "peers")]
mod with_the_feature {
    use std::time::Duration;

    use ring_bench::compare::Unwatched;
    use ring_bench::lockstep::link::Program;
    use ring_bench::peers::record::{Bound, Outcome, PeersRecord};
    use ring_bench::peers::run::{Effort, Options, PeersRun, run};
    use ring_bench::record::Class;
    use ring_bench::report::peers::{markdown, terminal};
    use ring_bench::report::terminal::Style;

    fn small() -> PeersRun {
        let effort = Effort {
            sittings: 1,
            pairs: 1,
            null_pairs: 1,
            survey_pairs: 1,
            samples: [2, 1],
            slice: Duration::ZERO,
            table: [3, 5, 8],
            sizes: &[3, 8, 16],
            class: Class::Smoke,
        };
        let options = Options { seed: 1, keys: Some(500), effort };
        let program = Program::other("ring-bench", env!("CARGO_BIN_EXE_ring-bench").into());
        run(&options, &program, &Unwatched).unwrap_or_else(|e| panic!("{e}"))
    }

    #[test]
    fn a_small_run_fills_every_cell() {
        let PeersRun { record, observations } = small();
        for contender in &record.contenders {
            let rows: Vec<_> =
                record.rows.iter().filter(|row| row.backend == contender.label).collect();
            let lookups = rows.iter().filter(|row| row.operation == "get").count();
            // One at each size.
            assert_eq!(lookups, 3, "{}", contender.label);
            assert!(rows.iter().all(|row| row.median.is_finite() && row.low <= row.high));
            if contender.kind == "ring" {
                for operation in ["add", "remove", "build", "heap"] {
                    assert!(
                        rows.iter().any(|row| row.operation == operation),
                        "{operation} of {}",
                        contender.label
                    );
                }
            }
        }
        // As many as were asked for, of each sort.
        let of = |word: &str| record.targets.iter().filter(|t| t.what.contains(word)).count();
        assert_eq!(of("fastest ring in any configuration"), 3 + 2);
        assert_eq!(of("as it ships"), 3 + 8);
        assert_eq!(of("search alone against two dependent reads"), 3);
        assert_eq!(of("waiting for the one before"), 3);
        assert_eq!(of("plain BTreeMap"), 3);
        assert_eq!(of("one node against batch_add"), 2);
        assert_eq!(of("ten nodes"), 3);
        assert_eq!(of("updates in place"), 2);
        assert_eq!(of("one call a node"), 1);
        assert_eq!(of("get_node_batch"), 3);
        assert_eq!(of("reader handle"), 1);
        let counts = cfg!(feature = "count-allocations");
        assert_eq!(of("heap after"), if counts { 4 } else { 0 });
        assert_eq!(of("allocations of"), if counts { 8 } else { 0 });
        for target in &record.targets {
            let informative = matches!(target.bound, Bound::None);
            assert_eq!(target.outcome == Outcome::Informative, informative, "{target:?}");
            let allocations = target.unit == "allocations/lookup";
            assert!(!allocations || target.outcome == Outcome::Met, "{target:?}");
        }
        for row in &record.growth {
            assert!(row.points.len() == 3 || row.operation == "heap" && !counts, "{row:?}");
        }
        assert!(observations.iter().all(|o| o.elapsed_ns > 0 && o.count > 0));

        // It comes back from JSON, and both forms show all of it.
        let json = serde_json::to_string(&record).expect("JSON");
        let back: PeersRecord = serde_json::from_str(&json).expect("the record");
        assert_eq!(back.contenders, record.contenders);
        assert_eq!(back.targets.len(), record.targets.len());
        let text = terminal(&record, Style { color: false });
        for contender in &record.contenders {
            assert!(text.contains(&contender.contender));
        }
        assert_eq!(markdown(&record).matches("\n**").count(), 6);
        assert!(!text.contains("NaN") && !text.contains("inf"));
    }

    fn text_of(path: &str) -> String {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    #[test]
    fn the_published_page_is_drawn_from_the_published_run() {
        let record: PeersRecord =
            serde_json::from_str(&text_of("reference-peers.json")).expect("a document of peers");
        assert_ne!(record.class, Class::Smoke);
        let page = text_of("reference-peers.md");
        assert!(page == markdown(&record), "export the run again with --export-markdown");
    }

    #[test]
    fn every_ratio_about_peers_in_readme_stands_in_the_published_page() {
        let (page, readme) = (text_of("reference-peers.md"), text_of("../README.md"));
        let (_, rest) = readme.split_once("<!-- peers -->").expect("a section of peers");
        let (section, _) = rest.split_once("<!-- end -->").expect("its end");
        let rows: Vec<&str> =
            section.lines().filter(|line| line.starts_with("| ")).skip(2).collect();
        assert!(rows.len() >= 5, "{section}");
        for row in rows {
            let figure = row.split('|').nth(2).expect("a second column").trim();
            let measured = format!("| {} |", figure.replace('[', "\\["));
            assert!(page.contains(&measured), "{figure} of the row {row}");
        }
    }
}
