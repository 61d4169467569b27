//! The machine that measures: what it is, how busy it is, and one processor to stay on.
//!
//! Everything is read from `/proc` and `/sys`, so other systems than Linux answer "unknown", and pinning says why it
//! cannot be had.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// One cache of the processor that measures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cache {
    /// 1 to 4.
    pub level: u32,
    /// `Data`, `Instruction` or `Unified`.
    pub kind: String,
    /// Its size.
    pub bytes: u64,
}

/// What the machine is. Nothing here names the machine or its user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's name, `unknown` where the system does not tell.
    pub cpu: String,
    /// Processors that this process may use.
    pub cpus: usize,
    /// The caches of the first processor.
    pub caches: Vec<Cache>,
    /// Operating system and kernel release.
    pub kernel: String,
    /// The instruction set.
    pub architecture: String,
    /// Whether a hypervisor stands between this system and the hardware.
    pub virtual_machine: bool,
    /// Memory, in bytes; 0 where unknown.
    pub memory_bytes: u64,
}

impl Machine {
    /// Reads it.
    #[must_use]
    pub fn read() -> Self {
        let cpuinfo = text("/proc/cpuinfo");
        let field = |name: &str| {
            cpuinfo.lines().find_map(|line| {
                let (key, value) = line.split_once(':')?;
                (key.trim() == name).then(|| value.trim().to_owned())
            })
        };
        Self {
            cpu: field("model name").unwrap_or_else(|| "unknown".to_owned()),
            cpus: allowed_cpus().len().max(1),
            caches: caches(Path::new("/sys/devices/system/cpu/cpu0/cache")),
            kernel: format!(
                "{} {}",
                std::env::consts::OS,
                text("/proc/sys/kernel/osrelease").trim()
            )
            .trim()
            .to_owned(),
            architecture: std::env::consts::ARCH.to_owned(),
            virtual_machine: field("flags")
                .is_some_and(|flags| flags.split(' ').any(|flag| flag == "hypervisor")),
            memory_bytes: memory_bytes(&text("/proc/meminfo")),
        }
    }

    /// The size of the largest cache of `level` that holds data, in bytes.
    #[must_use]
    pub fn cache_bytes(&self, level: u32) -> Option<u64> {
        self.caches
            .iter()
            .filter(|c| c.level == level && c.kind != "Instruction")
            .map(|c| c.bytes)
            .max()
    }
}

/// The content of a small file, empty where it cannot be read.
fn text(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// The caches that the kernel lists in `folder`, in its order.
fn caches(folder: &Path) -> Vec<Cache> {
    (0..16)
        .map_while(|index| {
            let entry = folder.join(format!("index{index}"));
            Some(Cache {
                level: text(entry.join("level")).trim().parse().ok()?,
                kind: text(entry.join("type")).trim().to_owned(),
                bytes: size(text(entry.join("size")).trim())?,
            })
        })
        .collect()
}

/// Reads `32K`, `2M`, or a plain number of bytes.
fn size(text: &str) -> Option<u64> {
    let (digits, unit) = match text.strip_suffix('K') {
        Some(digits) => (digits, 1 << 10),
        None => text.strip_suffix('M').map_or((text, 1), |digits| (digits, 1 << 20)),
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

/// The total of `/proc/meminfo`, in bytes.
fn memory_bytes(meminfo: &str) -> u64 {
    let total = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    total.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// How busy the machine is at one moment: counters to be set against a later reading.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoadReading {
    /// Mean number of runnable tasks over the last minute.
    load: f64,
    /// Ticks in all since boot, over all processors.
    total: u64,
    /// Ticks in which a processor idled.
    idle: u64,
    /// Ticks in which the hypervisor ran something else.
    steal: u64,
}

/// How busy the machine was between two readings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// Mean number of runnable tasks over the minute before the end.
    pub load_average: f64,
    /// The part of processor time that was not idle, 0 to 1, this program included.
    pub busy: f64,
    /// The part of processor time that the hypervisor took away, 0 to 1.
    pub steal: f64,
}

impl LoadReading {
    /// Reads it; `None` where the system does not tell.
    #[must_use]
    pub fn now() -> Option<Self> {
        Self::parse(&text("/proc/stat"), &text("/proc/loadavg"))
    }

    fn parse(stat: &str, loadavg: &str) -> Option<Self> {
        let cpu = stat.lines().find_map(|line| line.strip_prefix("cpu "))?;
        // user nice system idle iowait irq softirq steal; guest time is part of user already.
        let ticks: Vec<u64> =
            cpu.split_whitespace().take(8).map_while(|t| t.parse().ok()).collect();
        let [_, _, _, idle, iowait, _, _, steal] = ticks[..] else { return None };
        Some(Self {
            load: loadavg.split_whitespace().next()?.parse().ok()?,
            total: ticks.iter().sum(),
            idle: idle + iowait,
            steal,
        })
    }

    /// The load from `earlier` until this reading.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Load {
        let total = self.total.saturating_sub(earlier.total);
        let part = |ticks: u64| {
            if total == 0 { 0.0 } else { crate::stats::real(ticks) / crate::stats::real(total) }
        };
        Load {
            load_average: self.load,
            busy: part(total.saturating_sub(self.idle.saturating_sub(earlier.idle))),
            steal: part(self.steal.saturating_sub(earlier.steal)),
        }
    }
}

/// The processors that this process may run on, in ascending order; empty where the system does not tell.
#[must_use]
pub fn allowed_cpus() -> Vec<usize> {
    let status = text("/proc/self/status");
    let list =
        status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap_or_default();
    cpu_list(list.trim())
}

/// Reads a list such as `0-2,5`.
fn cpu_list(text: &str) -> Vec<usize> {
    let range = |part: &str| -> Option<std::ops::RangeInclusive<usize>> {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse().ok()?..=last.parse().ok()?)
    };
    text.split(',').filter_map(range).flatten().collect()
}

/// The processor to measure on: the last one allowed, since the first often serves the interrupts.
#[must_use]
pub fn measuring_cpu() -> Option<usize> {
    allowed_cpus().last().copied()
}

/// Keeps this thread (a worker has but one) on processor `cpu`.
///
/// # Errors
///
/// A sentence that says why it cannot be had: another system than Linux, no permission, no such processor.
#[cfg(target_os = "linux")]
pub fn pin_to(cpu: usize) -> Result<(), String> {
    use rustix::thread::{CpuSet, sched_setaffinity};
    if cpu >= CpuSet::MAX_CPU {
        return Err(format!("processor {cpu} is beyond the {} that can be named", CpuSet::MAX_CPU));
    }
    let mut set = CpuSet::new();
    set.set(cpu);
    sched_setaffinity(None, &set)
        .map_err(|e| format!("the system refused to pin to processor {cpu}: {e}"))
}

/// Keeps this thread on processor `cpu`.
///
/// # Errors
///
/// Always: only Linux is supported.
#[cfg(not(target_os = "linux"))]
pub fn pin_to(cpu: usize) -> Result<(), String> {
    Err(format!("pinning to processor {cpu} is supported on Linux only"))
}

/// How long this thread has waited for a processor while it could have run, in nanoseconds; `None` where the system does
/// not tell.
#[must_use]
pub fn waited_ns() -> Option<u64> {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    stat.split_whitespace().nth(1)?.parse().ok()
}

/// Asks the kernel to end this process when the one that started it ends, so that no worker is left behind, not even by
/// a parent that was killed.
pub fn end_with_parent() {
    #[cfg(target_os = "linux")]
    {
        // Where it is refused, the worker still ends at the end of its input.
        let _ =
            rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_lists_are_read() {
        assert_eq!(size("32K"), Some(32_768));
        assert_eq!(size("2M"), Some(2_097_152));
        assert_eq!(size("512"), Some(512));
        assert_eq!(size("big"), None);
        assert_eq!(size("99999999999999999999K"), None);
        assert_eq!(cpu_list("0-2,5"), [0, 1, 2, 5]);
        assert_eq!(cpu_list(""), Vec::<usize>::new());
        assert_eq!(memory_bytes("MemTotal:       1000 kB\nMemFree: 5 kB"), 1_024_000);
    }

    #[test]
    fn load_is_the_difference_of_two_readings() {
        let earlier =
            LoadReading::parse("cpu  100 0 50 800 50 0 0 0 7 7\ncpu0 1", "0.50 0.4 0.3 1/2 3")
                .unwrap();
        let later =
            LoadReading::parse("cpu  150 0 50 830 50 0 0 20 9 9", "1.25 0.4 0.3 1/2 3").unwrap();
        let load = later.since(&earlier);
        assert!((load.load_average - 1.25).abs() < 1e-12);
        assert!((load.busy - 0.7).abs() < 1e-12, "{load:?}");
        assert!((load.steal - 0.2).abs() < 1e-12);
        assert!(later.since(&later).busy.abs() < 1e-12);
    }

    #[test]
    fn a_system_that_does_not_tell_is_no_reading() {
        assert_eq!(LoadReading::parse("", "0.5"), None);
        assert_eq!(LoadReading::parse("cpu 1 2 3", "0.5"), None);
        assert_eq!(LoadReading::parse("cpu 1 2 3 4 5 6 7 8", ""), None);
    }

    #[test]
    fn a_processor_that_does_not_exist_is_refused_with_a_sentence() {
        for cpu in [1023, 1 << 20] {
            let reason = pin_to(cpu).unwrap_err();
            assert!(reason.contains(&cpu.to_string()), "{reason}");
        }
    }

    #[test]
    fn missing_cache_folders_give_no_caches() {
        assert!(caches(Path::new("no/such/folder")).is_empty());
    }
}
