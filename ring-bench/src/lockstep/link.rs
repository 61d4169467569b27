//! The controller's side of one worker: start it, ask it, end it.
//!
//! Every question has a time limit. A worker that hangs, dies or talks nonsense is an error that names it, and no worker
//! outlives its [`Link`]: it is killed and waited for when the link goes. A worker whose controller was killed ends by
//! itself, at the end of its input, or by the kernel's hand where the system has one.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use crate::error::BenchError;
use crate::lockstep::protocol::{Answer, Ask, MAX_LINE, Sample, VERSION};
use crate::measure::Stopwatch;
use crate::routine::Routine;

/// How long a worker may take to say hello.
const HELLO: Duration = Duration::from_secs(20);

/// How long any later answer may take, unless the caller says otherwise.
pub const PATIENCE: Duration = Duration::from_mins(2);

/// How long a worker that closed its pipe may take to end, so that the message can say how it did.
const GRACE: Duration = Duration::from_millis(200);

/// The program of a worker, with the arguments that make it one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// How messages call it.
    pub name: String,
    /// The file to run.
    pub path: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Variables of its environment, beside those of this process.
    pub environment: Vec<(&'static str, &'static str)>,
}

impl Program {
    /// This very program as a worker.
    ///
    /// # Errors
    ///
    /// A failure where the system does not say which file is running.
    pub fn this(name: &str) -> Result<Self, BenchError> {
        let path = this_program()
            .map_err(|e| BenchError::failed(format!("the running program cannot be found: {e}")))?;
        Ok(Self::other(name, path))
    }

    /// Another build of this program as a worker.
    #[must_use]
    pub fn other(name: &str, path: PathBuf) -> Self {
        let arguments = vec![OsString::from("worker")];
        Self { name: name.to_owned(), path, arguments, environment: Vec::new() }
    }
}

/// The file of the running program. On Linux a name that stays true after the file was replaced by a newer build.
pub(super) fn this_program() -> io::Result<PathBuf> {
    let stable = PathBuf::from("/proc/self/exe");
    if stable.exists() { Ok(stable) } else { std::env::current_exe() }
}

/// What a worker said of itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Identity {
    /// The version of its program.
    pub version: String,
    /// SHA-256 of its program file.
    pub build: String,
}

/// A worker that can be asked.
pub struct Link {
    name: String,
    child: Option<Child>,
    questions: Option<Box<dyn Write + Send>>,
    answers: Receiver<io::Result<Vec<u8>>>,
    patience: Duration,
    identity: Identity,
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Link")
            .field("name", &self.name)
            .field("identity", &self.identity)
            .finish_non_exhaustive()
    }
}

impl Link {
    /// Starts a worker process and exchanges hellos.
    ///
    /// Call it on a thread that outlives the link: on Linux the kernel ends a worker together with the thread that
    /// started it.
    ///
    /// # Errors
    ///
    /// A failure where the program cannot be started, is not one of ours, or speaks another version of the protocol.
    pub fn start(program: &Program) -> Result<Self, BenchError> {
        Self::start_patiently(program, HELLO)
    }

    /// The same where saying hello may take this long: under a tool that makes programs slow.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start).
    pub fn start_patiently(program: &Program, hello: Duration) -> Result<Self, BenchError> {
        let mut child = Command::new(&program.path)
            .args(&program.arguments)
            .envs(program.environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| {
                BenchError::failed(format!(
                    "{}: the worker {} cannot be started: {e}",
                    program.name,
                    program.path.display()
                ))
            })?;
        let (questions, answers) = (child.stdin.take(), child.stdout.take());
        let mut link = Self::over(&program.name, questions, answers);
        // From here on the link ends the child, whatever happens.
        link.child = Some(child);
        link.greet(hello)?;
        Ok(link)
    }

    /// A worker at the other end of two pipes, which need not be a process.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start).
    pub fn connect(
        name: &str,
        questions: impl Write + Send + 'static,
        answers: impl Read + Send + 'static,
    ) -> Result<Self, BenchError> {
        let mut link = Self::over(name, Some(questions), Some(answers));
        link.greet(HELLO)?;
        Ok(link)
    }

    fn over(
        name: &str,
        questions: Option<impl Write + Send + 'static>,
        answers: Option<impl Read + Send + 'static>,
    ) -> Self {
        let (sender, receiver) = channel();
        if let Some(answers) = answers {
            // A thread reads, so that waiting can have an end. It ends with the pipe.
            std::thread::spawn(move || {
                let mut answers = BufReader::new(answers);
                loop {
                    let mut line = Vec::new();
                    let read = (&mut answers).take(MAX_LINE).read_until(b'\n', &mut line);
                    let ended = matches!(read, Ok(0) | Err(_));
                    if ended && read.is_ok() {
                        return;
                    }
                    if sender.send(read.map(|_| line)).is_err() || ended {
                        return;
                    }
                }
            });
        }
        Self {
            name: name.to_owned(),
            child: None,
            questions: questions.map(|pipe| Box::new(pipe) as Box<dyn Write + Send>),
            answers: receiver,
            patience: PATIENCE,
            identity: Identity::default(),
        }
    }

    fn greet(&mut self, hello: Duration) -> Result<(), BenchError> {
        let patience = std::mem::replace(&mut self.patience, hello);
        let answer = self.ask(&Ask::Hello { protocol: VERSION })?;
        self.patience = patience;
        match answer {
            Answer::Hello { protocol: VERSION, version, build } => {
                self.identity = Identity { version, build };
                Ok(())
            }
            Answer::Hello { protocol, version, .. } => Err(BenchError::failed(format!(
                "{}: the worker (version {version}) speaks version {protocol} of the worker protocol, this program \
                 version {VERSION}; compare builds that speak the same",
                self.name
            ))),
            other => Err(self.unexpected("a hello", &other)),
        }
    }

    /// What messages call it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it said of itself.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// The number of its process; `None` for one that is no process, or has ended.
    #[must_use]
    pub fn process_id(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    /// Sets how long an answer may take.
    pub fn set_patience(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// Asks, and waits for the answer.
    ///
    /// # Errors
    ///
    /// A failure where the worker died, hangs or talks nonsense; the error that it answered, of the same kind.
    pub fn ask(&mut self, ask: &Ask) -> Result<Answer, BenchError> {
        // Where the question cannot be sent the worker has ended, and what it said last is worth more than that.
        self.send(ask);
        let line = self.receive()?;
        let answer: Answer = serde_json::from_slice(&line).map_err(|_| {
            let said: String = String::from_utf8_lossy(&line).trim_end().chars().take(60).collect();
            BenchError::failed(format!(
                "{}: the program does not speak the worker protocol of ring-bench; it said {said:?}",
                self.name
            ))
        })?;
        match answer {
            Answer::Failed { code, sentence } => Err(match code {
                2 => BenchError::Usage(sentence),
                5 => BenchError::AnswersDiffer(sentence),
                _ => BenchError::Failed(format!("{}: {sentence}", self.name)),
            }),
            answer => Ok(answer),
        }
    }

    fn send(&mut self, ask: &Ask) {
        let sent = match (&mut self.questions, serde_json::to_vec(ask)) {
            (Some(pipe), Ok(mut line)) => {
                line.push(b'\n');
                pipe.write_all(&line).and_then(|()| pipe.flush())
            }
            _ => Err(io::ErrorKind::BrokenPipe.into()),
        };
        if sent.is_err() {
            self.questions = None;
        }
    }

    fn receive(&mut self) -> Result<Vec<u8>, BenchError> {
        match self.answers.recv_timeout(self.patience) {
            Ok(Ok(line)) => Ok(line),
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => Err(self.died()),
            Err(RecvTimeoutError::Timeout) => {
                let seconds = self.patience.as_secs_f64();
                self.end(Duration::ZERO);
                Err(BenchError::failed(format!(
                    "{}: the worker gave no answer within {seconds} seconds and was ended",
                    self.name
                )))
            }
        }
    }

    /// The error of a worker that closed its pipe.
    fn died(&mut self) -> BenchError {
        let how = self.end(GRACE).map_or_else(String::new, |status| format!(" ({status})"));
        BenchError::failed(format!("{}: the worker died before it answered{how}", self.name))
    }

    /// Ends the worker and waits for it. Returns how a process that ended by itself within `grace` ended.
    fn end(&mut self, grace: Duration) -> Option<ExitStatus> {
        self.questions = None;
        let mut child = self.child.take()?;
        let ended = ended_within(&mut child, grace);
        if ended.is_none() {
            // Killing what has ended meanwhile fails, and that is fine.
            let _ = child.kill();
            let _ = child.wait();
        }
        ended
    }

    /// The error for an answer to another question.
    #[must_use]
    pub fn unexpected(&self, expected: &str, answer: &Answer) -> BenchError {
        let said: String = format!("{answer:?}").chars().take(60).collect();
        BenchError::failed(format!(
            "{}: the worker was asked for {expected} and said {said}",
            self.name
        ))
    }

    /// Begins a routine; see [`Ask::Begin`].
    ///
    /// # Errors
    ///
    /// As [`ask`](Self::ask), and so for the calls below.
    pub fn begin(&mut self, routine: Routine, warm: u64) -> Result<(), BenchError> {
        match self.ask(&Ask::Begin { routine, warm })? {
            Answer::Begun => Ok(()),
            other => Err(self.unexpected("a beginning", &other)),
        }
    }

    /// How many operations last `target_ns`, and how long one lasts; see [`Ask::Calibrate`].
    ///
    /// # Errors
    ///
    /// As [`ask`](Self::ask).
    pub fn calibrate(&mut self, target_ns: u64) -> Result<(u64, u64), BenchError> {
        match self.ask(&Ask::Calibrate { target_ns })? {
            Answer::Calibrated { count, operation_ns } => Ok((count, operation_ns)),
            other => Err(self.unexpected("a calibration", &other)),
        }
    }

    /// One sample; see [`Ask::Sample`].
    ///
    /// # Errors
    ///
    /// As [`ask`](Self::ask).
    pub fn sample(&mut self, start: u64, warm: u64, count: u64) -> Result<Sample, BenchError> {
        match self.ask(&Ask::Sample { start, warm, count })? {
            Answer::Sampled(sample) => Ok(sample),
            other => Err(self.unexpected("a sample", &other)),
        }
    }

    /// Ends the routine; see [`Ask::End`].
    ///
    /// # Errors
    ///
    /// As [`ask`](Self::ask).
    pub fn finish(&mut self) -> Result<Option<u64>, BenchError> {
        match self.ask(&Ask::End)? {
            Answer::Ended { digest } => Ok(digest),
            other => Err(self.unexpected("an end", &other)),
        }
    }
}

/// How a process ended, if it does so within `grace`.
fn ended_within(child: &mut Child, grace: Duration) -> Option<ExitStatus> {
    let watch = Stopwatch::start();
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if watch.left_of(grace).is_zero() {
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // A worker holds nothing worth saving.
        self.end(Duration::ZERO);
    }
}
