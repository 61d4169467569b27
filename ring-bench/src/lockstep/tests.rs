//! Controller and workers over real pipes. Workers are threads here, so that no program has to be built; what takes a
//! process is tested through the command. Nothing is asserted about how long anything takes.

use std::io::{Read, Write};
use std::time::Duration;

use super::link::{Link, Program};
use super::pair::{Plan, prepare, run};
use super::protocol::{Answer, Ask, SubjectSpec, VERSION};
use super::worker::{Builder, serve};
use crate::corpus::Corpus;
use crate::error::BenchError;
use crate::routine::{Regime, Routine};
use crate::seeded::Stream;
use crate::subject::{self, Step, Subject};
use crate::workload::ChangeKind;

fn spec(contender: &str) -> SubjectSpec {
    SubjectSpec {
        contender: contender.to_owned(),
        hash: "fnv1a64-fmix64".to_owned(),
        nodes: 5,
        vnodes: 20,
        max_weight: 1,
        corpus: "uniform".to_owned(),
        keys: Some(500),
        seed: 1,
    }
}

/// A worker in a thread.
fn worker(name: &str, build: Builder) -> Link {
    let (questions_out, questions_in) = std::io::pipe().unwrap();
    let (answers_out, answers_in) = std::io::pipe().unwrap();
    std::thread::spawn(move || serve(questions_out, answers_in, build));
    Link::connect(name, questions_in, answers_out).unwrap()
}

/// Something that talks back in a way of its own.
fn talker(
    talk: impl FnOnce(&mut dyn Read, &mut dyn Write) + Send + 'static,
) -> Result<Link, BenchError> {
    let (mut questions_out, questions_in) = std::io::pipe().unwrap();
    let (answers_out, mut answers_in) = std::io::pipe().unwrap();
    std::thread::spawn(move || talk(&mut questions_out, &mut answers_in));
    Link::connect("stranger", questions_in, answers_out)
}

fn plan(routines: Vec<Routine>) -> Plan {
    Plan {
        routines,
        samples: 5,
        least_samples: 4,
        slice: Duration::from_mins(1),
        same_answers: true,
    }
}

#[test]
fn both_backends_are_measured_in_every_routine_with_equal_answers() {
    let (mut a, mut b) = (worker("sortedvec", subject::build), worker("btree", subject::build));
    let plan = plan(Routine::ALL.to_vec());
    let prepared =
        prepare([&mut a, &mut b], [&spec("sortedvec"), &spec("btree")], None, true).unwrap();
    assert_eq!((prepared.tokens, prepared.keys), ([100, 100], 500));
    assert!(prepared.unpinned.unwrap().contains("no processor was named"));
    let prepared =
        prepare([&mut a, &mut b], [&spec("sortedvec"), &spec("btree")], None, true).unwrap();
    let runs = run([&mut a, &mut b], &prepared, &plan, &mut Stream::new(1, "test")).unwrap();
    let mut routines: Vec<Routine> = runs.iter().map(|run| run.routine).collect();
    assert_ne!(routines, Routine::ALL, "the order is drawn by lot");
    routines.sort_unstable();
    let mut all = Routine::ALL;
    all.sort_unstable();
    assert_eq!(routines, all);
    for run in &runs {
        assert_eq!(run.samples.len(), 5);
        // ABBA: who goes first changes each time.
        assert!(run.samples.windows(2).all(|w| w[0].second_first != w[1].second_first));
        for pair in &run.samples {
            let [a, b] = &pair.samples;
            assert_eq!((a.count, a.checksum), (b.count, b.checksum));
            assert!(a.phases.iter().all(|phase| phase.elapsed_ns > 0));
        }
        // Fresh keys, fresh turns: no sample repeats the answers of another.
        let sums: std::collections::BTreeSet<u64> =
            run.samples.iter().map(|p| p.samples[0].checksum).collect();
        assert!(sums.len() > 1 || matches!(run.routine, Routine::Diff), "{}", run.routine);
        for phase in 0..run.routine.phases().len() {
            assert!(run.median_ns(phase, 0, &prepared.clock).unwrap() > 0.0);
            assert!(run.times(phase, &prepared.clock).iter().all(|t| t.a > 0.0 && t.b > 0.0));
        }
    }
}

/// A subject whose answers are wrong from some place of the corpus on.
struct Liar {
    truth: Box<dyn Subject>,
    lies: bool,
}

impl Subject for Liar {
    fn token_count(&self) -> u64 {
        self.truth.token_count()
    }
    fn fingerprint(&self) -> Option<u64> {
        self.truth.fingerprint()
    }
    fn corpus(&self) -> &Corpus {
        self.truth.corpus()
    }
    fn begin(&mut self, routine: Routine) -> Result<(), BenchError> {
        self.truth.begin(routine)
    }
    fn step(&mut self, step: Step) -> Result<u64, BenchError> {
        Ok(self.truth.step(step)? ^ u64::from(self.lies && step.routine == Routine::Get))
    }
    fn settle(&mut self, step: Step) -> u64 {
        self.truth.settle(step)
    }
    fn end(&mut self, routine: Routine) -> Option<u64> {
        let digest = self.truth.end(routine)?;
        Some(digest ^ u64::from(self.lies && routine == Routine::Build))
    }
}

fn liar(spec: &SubjectSpec) -> Result<Box<dyn Subject>, BenchError> {
    Ok(Box::new(Liar { truth: subject::build(spec)?, lies: true }))
}

#[test]
fn different_answers_are_no_comparison() {
    for (routine, word) in [
        (Routine::Get, "different answers in get"),
        (Routine::Build, "different states after build"),
    ] {
        let (mut a, mut b) = (worker("honest", subject::build), worker("liar", liar));
        let prepared =
            prepare([&mut a, &mut b], [&spec("btree"), &spec("btree")], None, true).unwrap();
        let mut strict = plan(vec![routine]);
        let error =
            run([&mut a, &mut b], &prepared, &strict, &mut Stream::new(1, "test")).unwrap_err();
        assert_eq!(error.exit_code(), 5, "{error}");
        assert!(error.to_string().contains(word), "{error}");

        // A peer places keys by rules of its own.
        let (mut a, mut b) = (worker("ours", subject::build), worker("peer", liar));
        let prepared =
            prepare([&mut a, &mut b], [&spec("btree"), &spec("btree")], None, false).unwrap();
        strict.same_answers = false;
        assert!(run([&mut a, &mut b], &prepared, &strict, &mut Stream::new(1, "test")).is_ok());
    }
}

#[test]
fn different_keys_or_rings_are_no_comparison() {
    let mut workers = [worker("a", subject::build), worker("b", subject::build)];
    for (other, word) in [
        (SubjectSpec { seed: 2, ..spec("btree") }, "different keys"),
        (SubjectSpec { keys: Some(499), ..spec("btree") }, "different keys"),
        (SubjectSpec { nodes: 6, ..spec("btree") }, "different rings"),
    ] {
        let [a, b] = &mut workers;
        let error = prepare([a, b], [&spec("sortedvec"), &other], None, true).unwrap_err();
        assert_eq!(error.exit_code(), 5);
        assert!(error.to_string().contains(word), "{error}");
    }
}

#[test]
fn an_error_of_the_worker_keeps_its_kind_and_the_worker_lives_on() {
    let mut a = worker("a", subject::build);
    let error = a.ask(&Ask::Prepare { subject: spec("skiplist"), cpu: None }).unwrap_err();
    assert_eq!(error.exit_code(), 2);
    assert!(matches!(
        a.ask(&Ask::Prepare { subject: spec("btree"), cpu: None }),
        Ok(Answer::Prepared { .. })
    ));
}

#[test]
fn questions_out_of_turn_are_refused() {
    let mut a = worker("a", subject::build);
    assert!(a.begin(Routine::Get, 0).unwrap_err().to_string().contains("without a subject"));
    a.ask(&Ask::Prepare { subject: spec("btree"), cpu: None }).unwrap();
    assert!(a.sample(0, 1, 1).unwrap_err().to_string().contains("out of turn"));
    assert!(a.finish().unwrap_err().to_string().contains("out of turn"));
    a.begin(Routine::Get, 10).unwrap();
    assert!(a.begin(Routine::Get, 10).is_err());
    assert!(a.sample(0, 0, 0).is_err());
    assert!(a.sample(0, 0, 1).is_ok());
    assert!(a.finish().is_ok());
    assert!(a.ask(&Ask::Count { subject: spec("btree") }).is_err());
}

#[test]
fn another_protocol_version_is_refused_by_both_sides() {
    let mut a = worker("a", subject::build);
    let error = a.ask(&Ask::Hello { protocol: VERSION + 1 }).unwrap_err();
    assert!(error.to_string().contains(&format!("version {}", VERSION + 1)), "{error}");

    let error = talker(|_, answers| {
        let hello = Answer::Hello {
            protocol: VERSION + 1,
            version: "9.9.9".to_owned(),
            build: String::new(),
        };
        writeln!(answers, "{}", serde_json::to_string(&hello).unwrap()).unwrap();
    })
    .unwrap_err();
    assert_eq!(error.exit_code(), 1);
    assert!(error.to_string().contains("9.9.9"), "{error}");
}

#[test]
fn a_program_of_another_kind_is_named_with_what_it_said() {
    let error =
        talker(|_, answers| answers.write_all(b"usage: cat [FILE]\n").unwrap()).unwrap_err();
    assert_eq!(error.exit_code(), 1);
    assert!(
        error.to_string().contains("stranger") && error.to_string().contains("usage: cat"),
        "{error}"
    );
}

#[test]
fn a_worker_that_dies_or_hangs_is_an_error() {
    let hello = || {
        let hello =
            Answer::Hello { protocol: VERSION, version: String::new(), build: String::new() };
        serde_json::to_string(&hello).unwrap() + "\n"
    };
    let mut dying =
        talker(move |_, answers| answers.write_all(hello().as_bytes()).unwrap()).unwrap();
    let error = dying.begin(Routine::Get, 0).unwrap_err();
    assert_eq!(error.exit_code(), 1);
    assert!(error.to_string().contains("stranger: the worker died"), "{error}");

    let mut hanging = talker(move |questions, answers| {
        answers.write_all(hello().as_bytes()).unwrap();
        // Reads for ever, until the other side closes the pipe.
        std::io::copy(questions, &mut std::io::sink()).unwrap();
    })
    .unwrap();
    hanging.set_patience(Duration::from_millis(50));
    let error = hanging.begin(Routine::Get, 0).unwrap_err();
    assert_eq!(error.exit_code(), 1);
    assert!(error.to_string().contains("no answer within 0.05 seconds"), "{error}");
    // It stays ended.
    assert!(hanging.begin(Routine::Get, 0).is_err());
}

#[test]
fn a_sample_that_is_not_whole_is_refused() {
    let routine = Routine::Change(ChangeKind::Node, Regime::Exclusive);
    for (answer, fault) in [
        (r#"{"answer":"sampled","count":1,"phases":[],"checksum":0}"#, "no phases"),
        (
            r#"{"answer":"sampled","count":2,"phases":[{"elapsed_ns":9,"readings":1,"each_ns":[9]},{"elapsed_ns":9,"readings":1,"each_ns":[9]}],"checksum":0}"#,
            "another count",
        ),
        (
            r#"{"answer":"sampled","count":1,"phases":[{"elapsed_ns":9,"readings":1,"each_ns":[9]},{"elapsed_ns":0,"readings":1,"each_ns":[0]}],"checksum":0}"#,
            "no time",
        ),
        (
            r#"{"answer":"sampled","count":1,"phases":[{"elapsed_ns":9,"readings":1,"each_ns":[9]},{"elapsed_ns":9,"readings":1,"each_ns":[]}],"checksum":0}"#,
            "times missing",
        ),
    ] {
        let script = |questions: &mut dyn Read, answers: &mut dyn Write| {
            let mut lines = std::io::BufRead::lines(std::io::BufReader::new(questions));
            while let Some(Ok(line)) = lines.next() {
                let reply = match serde_json::from_str::<Ask>(&line).unwrap() {
                    Ask::Hello { .. } => format!(r#"{{"answer":"hello","protocol":{VERSION},"version":"","build":""}}"#),
                    Ask::Prepare { .. } => r#"{"answer":"prepared","tokens":1,"keys":5,"keys_digest":1,"fingerprint":null,"cpu":null,"unpinned":null,"clock":{"read_ns":20.0,"step_ns":10}}"#.to_owned(),
                    Ask::Begin { .. } => r#"{"answer":"begun"}"#.to_owned(),
                    Ask::Calibrate { .. } => r#"{"answer":"calibrated","count":1,"operation_ns":100}"#.to_owned(),
                    Ask::Sample { .. } => answer.to_owned(),
                    _ => return,
                };
                if writeln!(answers, "{reply}").is_err() {
                    return;
                }
            }
        };
        let (mut a, mut b) = (talker(script).unwrap(), talker(script).unwrap());
        let prepared = prepare([&mut a, &mut b], [&spec("x"), &spec("x")], None, true).unwrap();
        let error =
            run([&mut a, &mut b], &prepared, &plan(vec![routine]), &mut Stream::new(1, "t"))
                .unwrap_err();
        assert!(error.to_string().contains("not whole"), "{fault}: {error}");
        assert_eq!(error.exit_code(), 1);
    }
}

#[test]
fn a_program_that_does_not_exist_is_named() {
    let error = Link::start(&Program::other("base", "no/such/program".into())).unwrap_err();
    assert_eq!(error.exit_code(), 1);
    assert!(error.to_string().contains("no/such/program"), "{error}");
}
