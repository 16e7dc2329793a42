//! Starts the server: opens the named files, binds, prints the address, stops on a signal.

use crate::api::App;
use crate::capture_page::first_view_of;
use crate::guard::Policy;
use crate::io_words;
use crate::library::{DEFAULT_CAPACITY_BYTES, Library};
use crate::router::router;
use anyhow::Context;
use debug_api::{Limits, Session};
use std::io::Read;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// What `serve` was asked for.
#[derive(Clone, Debug)]
pub struct Options {
    /// Files to open at the start.
    pub files: Vec<PathBuf>,
    /// Address to listen on.
    pub listen: SocketAddr,
    /// Token for uploads; needed for anything but loopback.
    pub token: Option<String>,
    /// Host names to answer under, beside loopback.
    pub hosts: Vec<String>,
    /// Limits for opened files.
    pub limits: Limits,
}

/// Runs the server until it is told to stop. Prints one line with its address on stdout.
///
/// # Errors
/// None of the files can be opened, or the address cannot be bound.
pub fn run(options: Options) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.context("the threads of the server cannot be started")?;
    runtime.block_on(serve(options))
}

async fn serve(options: Options) -> anyhow::Result<()> {
    let library = Arc::new(Library::new(options.limits, DEFAULT_CAPACITY_BYTES));
    let first = open_files(&library, &options)?;
    let mut hosts = options.hosts.clone();
    if !options.listen.ip().is_unspecified() {
        hosts.push(options.listen.ip().to_string());
    }
    let policy = Policy { hosts, token: options.token.clone() };
    let workers = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    let app = App {
        library,
        workers: Arc::new(Semaphore::new(workers)),
        needs_token: options.token.is_some(),
    };
    let listener = tokio::net::TcpListener::bind(options.listen)
        .await
        .map_err(|error| anyhow::anyhow!(io_words::listening(options.listen, &error)))?;
    let address = listener.local_addr()?;
    let view = first.as_deref().and_then(|id| app.library.session(id));
    announce(address, first.as_deref(), view.as_deref().map_or("regions", first_view_of));
    let (told, stopping) = tokio::sync::oneshot::channel();
    let signal = async move {
        stop_signal().await;
        // The receiver is gone only when the server has ended by itself.
        let _ = told.send(());
    };
    let server = axum::serve(listener, router(app, policy)).with_graceful_shutdown(signal);
    tokio::select! {
        ended = server.into_future() => ended?,
        () = async {
            if stopping.await.is_err() {
                std::future::pending::<()>().await;
            }
            tokio::time::sleep(PATIENCE).await;
        } => tracing::warn!("requests that were still open were given up"),
    }
    Ok(())
}

/// Opens the files of the command line and gives the id of what to look at first: the first file,
/// or all of them in one session where a capture or a profile comes with an executable. A file that
/// cannot be opened is warned of and left out, unless none can.
fn open_files(library: &Library, options: &Options) -> anyhow::Result<Option<String>> {
    let (mut ids, mut others, mut problem) = (Vec::new(), 0, None);
    for path in &options.files {
        match open_file(library, path, options.limits.upload_bytes) {
            Ok((id, session)) => {
                others += session.files().iter().filter(|file| file.as_neff().is_none()).count();
                ids.push(id);
            }
            Err(error) => {
                if let Some(before) = problem.replace(error) {
                    left_out(&before);
                }
            }
        }
    }
    if let Some(last) = problem {
        if ids.is_empty() {
            return Err(last);
        }
        left_out(&last);
    }
    if others > 0 && others < ids.len() {
        return Ok(Some(library.join(&ids)?));
    }
    Ok(ids.into_iter().next())
}

fn open_file(library: &Library, path: &Path, most: u64) -> anyhow::Result<(String, Arc<Session>)> {
    let name = crate::format::display_name(path);
    let bytes = read_file(path, most).map_err(|error| {
        let (why, name) = (io_words::reading(path, &error), path.display());
        match error.kind() {
            std::io::ErrorKind::FileTooLarge => anyhow::anyhow!(
                "cannot read {name}: {why}; start the server with a larger --limit-upload \
                 [limit.upload]"
            ),
            _ => anyhow::anyhow!("cannot read {name}: {why} [file.read]"),
        }
    })?;
    library
        .open(&name, None, bytes, true)
        .with_context(|| format!("cannot open {}", path.display()))
}

/// Warns of a file that the server goes on without.
#[expect(clippy::print_stderr, reason = "warnings of a command go to stderr")]
fn left_out(error: &anyhow::Error) {
    eprintln!("neffscope: warning: {}", crate::format::clean(&format!("{error:#}")));
}

/// How long open requests may go on after the signal to stop.
const PATIENCE: Duration = Duration::from_secs(3);

/// Reads a file of at most `limit` bytes. The limit holds for devices and pipes too, whose size
/// nobody knows before.
///
/// # Errors
/// The file cannot be read, or is larger.
pub fn read_file(path: &Path, limit: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        let message = format!("the file has more than the limit of {limit} bytes");
        return Err(std::io::Error::new(std::io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

#[expect(clippy::print_stdout, reason = "the address is this command's output")]
fn announce(address: SocketAddr, first: Option<&str>, view: &str) {
    let host = match address.ip() {
        ip if ip.is_unspecified() => "localhost".to_owned(),
        IpAddr::V6(ip) => format!("[{ip}]"),
        IpAddr::V4(ip) => ip.to_string(),
    };
    let root = format!("http://{host}:{}", address.port());
    println!("listening on {root}");
    if let Some(id) = first {
        println!("open {root}/f/{id}/{view}");
    }
}

async fn stop_signal() {
    let interrupt = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminate = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending::<()>().await,
        }
    };
    #[cfg(not(unix))]
    let terminate = std::future::pending::<()>();
    tokio::select! {
        () = interrupt => {}
        () = terminate => {}
    }
}
