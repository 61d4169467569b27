//! One Redis server of our own: started on a free port of this machine, and stopped by its process
//! id however this program ends.

use std::io::{BufRead as _, BufReader, ErrorKind};
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use redis::Connection;
use tempfile::TempDir;

use super::Failure;

/// Starts the server, tells its process id, and waits for the end of standard input. That comes when
/// we close it, and also when this program dies without a chance to: by a signal, by a panic while
/// panicking, by the power of the administrator. Then it ends the server by its process id. A server
/// that has just started may miss a kinder signal, and it has nothing to save.
///
/// Ctrl-C at a terminal reaches the whole group of processes. It ends the guard's waiting too, but not
/// the guard, which has the server to stop. Nor does it end by writing to a program that has died
/// before it could read the process id.
const GUARD: &str = r#"
trap : INT HUP TERM PIPE
exec 2>/dev/null
folder=$1
shift
"$@" >/dev/null &
server=$!
echo "$server"
read -r line
kill -KILL "$server"
wait "$server"
rm -rf "$folder"
"#;

/// How long a server may take to start or to end.
const PATIENCE: Duration = Duration::from_secs(20);

/// Ports tried before giving up: another program may take a free port before the server does.
const TRIES: usize = 3;

/// A running server.
pub(crate) struct Server {
    /// The shell that stops the server; it has ended where this is `None`.
    guard: Option<Child>,
    process: u32,
    port: u16,
    /// The server's folder, with its log. The guard removes it too, for when we cannot.
    _folder: TempDir,
}

impl Server {
    /// Starts `program` with no data and no persistence, and waits until it answers.
    pub(crate) fn start(program: &str) -> Result<Self, Failure> {
        match Command::new(program).arg("--version").stdout(Stdio::null()).status() {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(format!(
                    "{program} was not found: install it (Debian's package is redis-server), \
                     or name it with --redis-server"
                )
                .into());
            }
            Err(error) => return Err(format!("{program} cannot be run: {error}").into()),
            Ok(_) => {}
        }
        let mut last = String::new();
        for _ in 0..TRIES {
            match Self::start_on(program, free_port()?) {
                Ok(server) => return Ok(server),
                Err(failure) => last = failure.to_string(),
            }
        }
        Err(format!("no server after {TRIES} tries: {last}").into())
    }

    fn start_on(program: &str, port: u16) -> Result<Self, Failure> {
        let folder = tempfile::Builder::new().prefix("redis-cluster-").tempdir()?;
        let mut guard = Command::new("sh")
            .args(["-c", GUARD, "guard"])
            .arg(folder.path())
            .arg(program)
            .args(["--bind", "127.0.0.1", "--port", &port.to_string()])
            .args(["--save", "", "--appendonly", "no", "--daemonize", "no"])
            .args(["--logfile", "log", "--dir"])
            .arg(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("sh cannot be run: {error}"))?;
        let mut line = String::new();
        if let Some(output) = guard.stdout.take() {
            BufReader::new(output).read_line(&mut line)?;
        }
        // From here on the guard is stopped whenever the server is dropped.
        let mut server = Self { guard: Some(guard), process: 0, port, _folder: folder };
        server.process = line
            .trim()
            .parse()
            .map_err(|_| format!("the guard said {line:?}, not a process id"))?;
        server.wait_until_ready()?;
        Ok(server)
    }

    /// Waits until the server answers, and makes sure that it is ours and not another on its port.
    fn wait_until_ready(&self) -> Result<(), Failure> {
        let start = Instant::now();
        loop {
            match self.connect() {
                Ok(mut connection) => {
                    let info: String = redis::cmd("INFO").arg("server").query(&mut connection)?;
                    let ours = format!("process_id:{}", self.process);
                    if info.lines().any(|line| line.trim() == ours) {
                        return Ok(());
                    }
                    return Err(format!("port {} belongs to another server", self.port).into());
                }
                Err(error) if start.elapsed() > PATIENCE => {
                    return Err(format!("no answer on port {}: {error}", self.port).into());
                }
                Err(_) => std::thread::sleep(Duration::from_millis(10)),
            }
        }
    }

    /// A new connection.
    pub(crate) fn connect(&self) -> Result<Connection, Failure> {
        connect(self.port)
    }

    /// The server's port on the loopback address.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// The server's process id.
    pub(crate) fn process(&self) -> u32 {
        self.process
    }

    /// Stops the server and waits until it has ended.
    pub(crate) fn stop(mut self) -> Result<(), Failure> {
        self.end()
    }

    fn end(&mut self) -> Result<(), Failure> {
        let Some(mut guard) = self.guard.take() else { return Ok(()) };
        // The end of its input is what the guard waits for.
        drop(guard.stdin.take());
        let start = Instant::now();
        while guard.try_wait()?.is_none() {
            if start.elapsed() > PATIENCE {
                return Err(
                    format!("the server with process id {} does not end", self.process).into()
                );
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Err(failure) = self.end() {
            eprintln!("redis_cluster: {failure}");
        }
    }
}

/// A connection to the server on this port, which fails rather than waiting for ever.
pub(crate) fn connect(port: u16) -> Result<Connection, Failure> {
    let client = redis::Client::open(format!("redis://127.0.0.1:{port}/"))?;
    let connection = client.get_connection_with_timeout(PATIENCE)?;
    connection.set_read_timeout(Some(PATIENCE))?;
    connection.set_write_timeout(Some(PATIENCE))?;
    Ok(connection)
}

/// A port that nobody listens on now.
fn free_port() -> Result<u16, Failure> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    Ok(listener.local_addr()?.port())
}
