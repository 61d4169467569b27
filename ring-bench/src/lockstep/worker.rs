//! The worker's side: a subject, and the loop that times it.

use std::io::{BufRead, BufReader, Read, Write};

use sha2::{Digest, Sha256};

use crate::corpus::hex;
use crate::error::BenchError;
use crate::experiments::memory;
use crate::gate::exact;
use crate::lockstep::protocol::{Answer, Ask, MAX_LINE, PhaseTimes, Sample, SubjectSpec, VERSION};
use crate::machine;
use crate::measure::{self, ClockCost, fold, timed};
use crate::routine::Routine;
use crate::subject::{self, Step, Subject};

/// Makes a subject: [`subject::build`], or a synthetic one in tests.
pub type Builder = fn(&SubjectSpec) -> Result<Box<dyn Subject>, BenchError>;

/// The answer to what is out of turn.
fn out_of_turn(what: &str) -> BenchError {
    BenchError::failed(format!("the controller asked for {what} out of turn"))
}

/// Answers questions until the controller says quit or closes the pipe.
///
/// A question that cannot be answered is answered with [`Answer::Failed`], and the worker goes on.
///
/// # Errors
///
/// A failure where the pipe breaks.
pub fn serve(questions: impl Read, answers: impl Write, build: Builder) -> Result<(), BenchError> {
    let mut questions = BufReader::new(questions);
    let mut answers = answers;
    let mut worker = Worker { build, subject: None, running: None, clock: None };
    let broken =
        |e: std::io::Error| BenchError::failed(format!("the pipe to the controller broke: {e}"));
    loop {
        let mut line = Vec::new();
        let mut limited = (&mut questions).take(MAX_LINE);
        if limited.read_until(b'\n', &mut line).map_err(broken)? == 0 {
            return Ok(());
        }
        let answer = match serde_json::from_slice::<Ask>(&line) {
            Ok(Ask::Quit) => return Ok(()),
            Ok(ask) => worker.answer(ask).unwrap_or_else(|e| Answer::of_error(&e)),
            Err(e) => Answer::of_error(&BenchError::failed(format!(
                "the worker does not understand the question: {e}"
            ))),
        };
        let mut line = serde_json::to_vec(&answer).map_err(|e| broken(e.into()))?;
        line.push(b'\n');
        answers.write_all(&line).and_then(|()| answers.flush()).map_err(broken)?;
    }
}

/// Runs a worker on standard input and output: the hidden verb `worker`.
///
/// # Errors
///
/// As [`serve`].
pub fn run() -> Result<(), BenchError> {
    run_with(subject::build)
}

/// The same with another [`Builder`].
///
/// # Errors
///
/// As [`serve`].
pub fn run_with(build: Builder) -> Result<(), BenchError> {
    machine::end_with_parent();
    serve(std::io::stdin().lock(), std::io::stdout().lock(), build)
}

/// SHA-256 of the running program's file, or a word where it cannot be read.
#[must_use]
pub fn build_id() -> String {
    let digest = || -> std::io::Result<String> {
        let mut file = std::fs::File::open(super::link::this_program()?)?;
        let mut hasher = Sha256::new();
        let mut block = vec![0; 1 << 16];
        loop {
            match file.read(&mut block)? {
                0 => return Ok(hex(&hasher.finalize())),
                n => hasher.update(&block[..n]),
            }
        }
    };
    digest().unwrap_or_else(|_| "unknown".to_owned())
}

/// The state between questions.
struct Worker {
    build: Builder,
    subject: Option<Box<dyn Subject>>,
    /// The routine that was begun.
    running: Option<Routine>,
    clock: Option<ClockCost>,
}

impl Worker {
    fn answer(&mut self, ask: Ask) -> Result<Answer, BenchError> {
        match ask {
            Ask::Hello { protocol } if protocol != VERSION => Err(BenchError::failed(format!(
                "the controller speaks version {protocol} of the worker protocol, this worker version {VERSION}"
            ))),
            Ask::Hello { .. } => Ok(Answer::Hello {
                protocol: VERSION,
                version: env!("CARGO_PKG_VERSION").to_owned(),
                build: build_id(),
            }),
            Ask::Prepare { subject, cpu } => self.prepare(&subject, cpu),
            Ask::Begin { routine, warm } => self.begin(routine, warm),
            Ask::Calibrate { target_ns } => self.calibrate(target_ns),
            Ask::Sample { start, warm, count } => {
                Ok(Answer::Sampled(self.sample(start, warm, count)?))
            }
            Ask::End => {
                let routine = self.running.take().ok_or_else(|| out_of_turn("an end"))?;
                Ok(Answer::Ended { digest: self.subject()?.end(routine) })
            }
            // Whatever was allocated before would stand in the counts.
            Ask::Count { .. } if self.subject.is_some() => Err(out_of_turn("a count")),
            Ask::Count { subject } => Ok(Answer::Counted { memory: memory::count(&subject)? }),
            Ask::Pauses { .. } if self.running.is_some() => Err(out_of_turn("pauses")),
            Ask::Pauses { plan } => Ok(Answer::Paused { pauses: self.subject()?.pauses(&plan)? }),
            Ask::Exact if self.subject.is_some() => Err(out_of_turn("exact figures")),
            Ask::Exact => Ok(Answer::Exact {
                toolchain: exact::toolchain().to_owned(),
                figures: exact::figures()?,
            }),
            Ask::Regimes { .. } if self.running.is_some() => Err(out_of_turn("regimes")),
            Ask::Regimes { rounds } => {
                Ok(Answer::Passed { passes: self.subject()?.regimes(rounds)? })
            }
            Ask::Quit => Err(out_of_turn("quitting")),
        }
    }

    fn subject(&mut self) -> Result<&mut dyn Subject, BenchError> {
        match &mut self.subject {
            Some(subject) => Ok(&mut **subject),
            None => Err(out_of_turn("work without a subject")),
        }
    }

    fn prepare(&mut self, spec: &SubjectSpec, cpu: Option<usize>) -> Result<Answer, BenchError> {
        // Pinned before anything is built, so that memory is first touched on the processor that will read it.
        let pinned = match cpu {
            Some(cpu) => machine::pin_to(cpu).map(|()| cpu),
            None => Err("no processor was named".to_owned()),
        };
        self.running = None;
        self.subject = None;
        let subject = self.subject.insert((self.build)(spec)?);
        let clock = *self.clock.get_or_insert_with(ClockCost::measure);
        let corpus = subject.corpus();
        Ok(Answer::Prepared {
            tokens: subject.token_count(),
            keys: corpus.len() as u64,
            keys_digest: corpus.digest(),
            fingerprint: subject.fingerprint(),
            cpu: pinned.as_ref().ok().copied(),
            unpinned: pinned.err(),
            clock,
        })
    }

    fn begin(&mut self, routine: Routine, warm: u64) -> Result<Answer, BenchError> {
        if self.running.is_some() {
            return Err(out_of_turn("another routine"));
        }
        self.subject()?.begin(routine)?;
        self.running = Some(routine);
        if routine.is_lookup() && warm > 0 {
            let count = place(warm)?;
            self.subject()?.step(Step { routine, phase: 0, start: 0, count })?;
        }
        Ok(Answer::Begun)
    }

    fn calibrate(&mut self, target_ns: u64) -> Result<Answer, BenchError> {
        let routine = self.running.ok_or_else(|| out_of_turn("calibration"))?;
        let (mut start, mut operation_ns) = (0, 0);
        let count = measure::calibrate(target_ns, |count| {
            let mut pass = Pass::new(routine);
            self.pass(&mut pass, start, count)?;
            start += count;
            operation_ns = pass.phases.iter().map(|phase| phase.elapsed_ns).sum::<u64>() / count;
            // Every phase should last long enough, so the shortest one counts.
            Ok(pass.phases.iter().map(|phase| phase.elapsed_ns).min().unwrap_or(0))
        })?;
        Ok(Answer::Calibrated { count, operation_ns })
    }

    fn sample(&mut self, start: u64, warm: u64, count: u64) -> Result<Sample, BenchError> {
        let routine = self.running.ok_or_else(|| out_of_turn("a sample"))?;
        if count == 0 {
            return Err(out_of_turn("a sample of nothing"));
        }
        let mut untimed = Pass::new(routine);
        self.pass(&mut untimed, start, warm)?;
        let mut pass = Pass::new(routine);
        pass.checksum = untimed.checksum;
        self.pass(&mut pass, start + warm, count)?;
        Ok(Sample { count, phases: pass.phases, checksum: pass.checksum })
    }

    /// `count` operations from place `start` on: lookups as one timed step, anything else one by one.
    fn pass(&mut self, pass: &mut Pass, start: u64, count: u64) -> Result<(), BenchError> {
        let routine = pass.routine;
        let subject = self.subject()?;
        if count == 0 {
            return Ok(());
        }
        if routine.is_lookup() {
            let step = Step { routine, phase: 0, start: place(start)?, count: place(count)? };
            return pass.step(subject, step, false);
        }
        for turn in start..start + count {
            for phase in 0..routine.phases().len() {
                let step = Step { routine, phase, start: place(turn)?, count: 1 };
                pass.step(subject, step, true)?;
            }
        }
        Ok(())
    }
}

/// A place or count as this machine counts.
fn place(n: u64) -> Result<usize, BenchError> {
    usize::try_from(n)
        .map_err(|_| BenchError::failed(format!("{n} is beyond what this machine can count")))
}

/// Lookups of a mixed round from which on the scheduler is likely to get into it.
const LONG_ROUND: u64 = 10_000;

/// Whether one operation lasts so long that the time spent waiting for the processor is taken off: on a busy machine no
/// round of many milliseconds escapes it, and it is not the ring's. Short operations are left alone, since the two
/// readings would cool the caches that they measure; there the median leaves the disturbed ones out.
fn is_long(routine: Routine) -> bool {
    matches!(routine, Routine::Mix(mix) if mix.lookups >= LONG_ROUND)
}

/// Times and checksum of a pass under way.
struct Pass {
    routine: Routine,
    phases: Vec<PhaseTimes>,
    checksum: u64,
}

impl Pass {
    fn new(routine: Routine) -> Self {
        Self { routine, phases: vec![PhaseTimes::default(); routine.phases().len()], checksum: 0 }
    }

    /// Times one step, and tidies up after it outside the clock.
    fn step(
        &mut self,
        subject: &mut dyn Subject,
        step: Step,
        each: bool,
    ) -> Result<(), BenchError> {
        let long = is_long(step.routine);
        let before = if long { machine::waited_ns() } else { None };
        let (elapsed, sum) = timed(|| subject.step(step));
        let waited = before.and_then(|before| machine::waited_ns()?.checked_sub(before));
        let ns = elapsed.saturating_sub(waited.unwrap_or(0)).max(1);
        let times = &mut self.phases[step.phase];
        times.elapsed_ns += ns;
        times.readings += 1;
        if each {
            times.each_ns.push(ns);
        }
        self.checksum = fold(fold(self.checksum, sum?), subject.settle(step));
        Ok(())
    }
}
