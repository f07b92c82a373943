//! Attacks on the limits of a run and on the channel. Most of them never end.

use std::io::Write;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::libc::{self, c_long};
use nix::sys::signal::{SigHandler, Signal, signal};
use serde_json::{Value, json};
use tidegate_wire::{FromGuest, LogLevel, Question, ToGuest};

use crate::kernel::{at, call, raw};
use crate::worker::Wire;

const PAGE: usize = 4096;

/// Carries out an attack on memory, time or the process itself.
pub(crate) fn carry_out(attack: &Value) -> Value {
    match attack["attack"].as_str().unwrap_or_default() {
        "memory" => json!({"got": fill_memory(libc::MAP_PRIVATE)}),
        "shared memory" => json!({"got": fill_memory(libc::MAP_SHARED)}),
        "file in memory" => json!({"got": fill_memory_file()}),
        "spin" => spin(),
        "spin and ignore" => {
            ignore_signals();
            spin()
        }
        "sleep" => loop {
            std::thread::sleep(Duration::from_secs(3600));
        },
        "crash" => {
            // SAFETY: it is not, which is the attack.
            unsafe { std::ptr::without_provenance_mut::<u8>(8).write_volatile(1) };
            spin()
        }
        "old system calls" => old_system_call(),
        "shellcode" => json!(crate::descendants::shellcode()),
        "raise limits" => raise_limits(),
        "descriptors" => json!(open_all()),
        "threads" => json!(start_threads()),
        "processes" => json!(crate::descendants::fork_all()),
        "close the channel" => {
            (0..64).for_each(|descriptor| drop(call(libc::SYS_close, &[descriptor])));
            spin()
        }
        other => json!({"unknown attack": other}),
    }
}

/// Carries out an attack on the channel. False if there is no such attack.
pub(crate) fn on_the_wire(wire: &mut Wire, attack: &Value) -> bool {
    let log = |text: &str| FromGuest::Log { level: LogLevel::Info, text: text.to_owned() };
    match attack["attack"].as_str().unwrap_or_default() {
        "garbage" => {
            let _ = wire.0.write_all(&[0xff; 1 << 16]);
        }
        "half a frame" => {
            let frame = log(&"x".repeat(1 << 20)).encode().unwrap();
            let _ = wire.0.write_all(&frame[..frame.len() / 2]);
            spin();
        }
        "print for ever" => loop {
            wire.send(&log(&"x".repeat(1 << 20)));
        },
        // As many bytes as are allowed, one per frame, at the highest log level.
        "print byte by byte" => {
            let text = "\n".to_owned();
            let frame = FromGuest::Log { level: LogLevel::Error, text }.encode().unwrap();
            for _ in 0..attack["bytes"].as_u64().unwrap() {
                wire.0.write_all(&frame).unwrap();
            }
            wire.send(&FromGuest::Done { output: None, memory_bytes: 1 });
        }
        "call and end" => {
            for id in 0..attack["calls"].as_u64().and_then(|n| u32::try_from(n).ok()).unwrap() {
                let (name, arguments) = ("no__tool".to_owned(), "{}".to_owned());
                wire.send(&FromGuest::Call { id, name, arguments, raw: false });
            }
            wire.send(&FromGuest::Done { output: None, memory_bytes: 1 });
        }
        "call and never listen" => loop {
            let (name, arguments) = ("no__tool".to_owned(), "{}".to_owned());
            wire.send(&FromGuest::Call { id: 1, name, arguments, raw: false });
        },
        "ask and never listen" => loop {
            let body = String::new();
            wire.send(&FromGuest::Ask { id: 1, question: Question::Servers, body });
        },
        "hello again" => {
            let report = tidegate_model::IsolationReport::default();
            wire.send(&FromGuest::Hello { version: tidegate_wire::PROTOCOL_VERSION, report });
            spin();
        }
        "send descriptors" => send_descriptors(wire, attack),
        "call" => {
            let name = attack["name"].as_str().unwrap().to_owned();
            wire.send(&FromGuest::Call { id: 7, name, arguments: "{}".to_owned(), raw: false });
            let ToGuest::Reply { id, outcome } = wire.receive() else { return true };
            let said = outcome.map_err(|error| error.code.as_str().to_owned());
            let output = Some(json!({"id": id, "said": said}).to_string());
            wire.send(&FromGuest::Done { output, memory_bytes: 1 });
        }
        _ => return false,
    }
    true
}

/// Sends copies of the channel over the channel, each with a real frame.
fn send_descriptors(wire: &mut Wire, attack: &Value) {
    use std::os::fd::AsRawFd;
    let channel = wire.0.as_raw_fd();
    let frame = FromGuest::Log { level: LogLevel::Info, text: "x".to_owned() }.encode().unwrap();
    let vector = [frame.as_ptr() as usize, frame.len()];
    // `struct cmsghdr` with sixteen descriptors: length, level and type, data.
    let mut control = vec![16 + 16 * 4_u64, u64::from(libc::SCM_RIGHTS.unsigned_abs()) << 32 | 1];
    control
        .extend([u64::from(channel.unsigned_abs()) << 32 | u64::from(channel.unsigned_abs()); 8]);
    // `struct msghdr`: no name, one vector, the control data, no flags.
    let message =
        [0, 0, at(&vector).unsigned_abs(), 1, at(control.as_slice()).unsigned_abs(), 80, 0];
    let mut said = "nothing".to_owned();
    for _ in 0..attack["times"].as_u64().unwrap() {
        said = call(libc::SYS_sendmsg, &[channel.into(), at(&message), 0]);
    }
    wire.send(&FromGuest::Done { output: Some(json!(said).to_string()), memory_bytes: 1 });
}

/// A loop that no engine interrupt can stop.
#[expect(clippy::empty_loop, reason = "this is the attack")]
pub(crate) fn spin() -> ! {
    loop {}
}

fn ignore_signals() {
    for number in 1..32 {
        let Ok(number) = Signal::try_from(number) else { continue };
        // SAFETY: no handler of ours runs.
        let _ = unsafe { signal(number, SigHandler::SigIgn) };
    }
}

/// Allocates memory and touches every page, until the kernel refuses. Returns mebibytes.
fn fill_memory(kind: i32) -> usize {
    const STEP: usize = 8 << 20;
    let mut got = 0;
    loop {
        let rights = c_long::from(libc::PROT_READ | libc::PROT_WRITE);
        let flags = c_long::from(kind | libc::MAP_ANONYMOUS);
        let place = raw(libc::SYS_mmap, &[0, STEP as c_long, rights, flags, -1, 0]);
        if place == -1 {
            return got >> 20;
        }
        touch(place, STEP);
        got += STEP;
    }
}

fn touch(place: c_long, bytes: usize) {
    for offset in (0..bytes).step_by(PAGE) {
        // SAFETY: inside the mapping that was just made.
        unsafe { (place as *mut u8).add(offset).write_volatile(1) };
    }
}

/// The same with files in memory. Returns mebibytes, or the error.
fn fill_memory_file() -> Value {
    let file = raw(libc::SYS_memfd_create, &[at(c"x"), 0]);
    if file == -1 {
        return json!(format!("{:?}", Errno::last()));
    }
    let block = vec![1_u8; 1 << 20];
    let mut got = 0;
    loop {
        let length = block.len() as c_long;
        let written = raw(libc::SYS_write, &[file, at(block.as_slice()), length]);
        if written <= 0 {
            return json!({"megabytes": got, "said": format!("{:?}", Errno::last())});
        }
        got += 1;
    }
}

/// System calls through the 32-bit entry point, which uses other numbers.
fn old_system_call() -> Value {
    #[cfg(target_arch = "x86_64")]
    {
        let mut answer: i64 = 20; // getpid(2) there, writev(2) here
        // SAFETY: `getpid` of the 32-bit ABI: changes only this register.
        unsafe {
            std::arch::asm!(
                "int 0x80",
                inlateout("rax") answer,
                out("r8") _,
                out("r9") _,
                out("r10") _,
                out("r11") _
            );
        };
        json!(if answer > 0 { "ok".to_owned() } else { format!("{answer}") })
    }
    #[cfg(not(target_arch = "x86_64"))]
    json!("no such door")
}

/// Lowering a limit is allowed, raising it is not.
fn raise_limits() -> Value {
    let set = |resource: u32, value: u64| {
        let limit = [value, value];
        call(libc::SYS_prlimit64, &[0, resource.into(), at(&limit), 0])
    };
    let all = [
        ("files", libc::RLIMIT_NOFILE),
        ("processes", libc::RLIMIT_NPROC),
        ("file size", libc::RLIMIT_FSIZE),
        ("processor", libc::RLIMIT_CPU),
        ("memory", libc::RLIMIT_AS),
        ("core", libc::RLIMIT_CORE),
        ("locked memory", libc::RLIMIT_MEMLOCK),
        ("rank", libc::RLIMIT_RTPRIO),
        ("niceness", libc::RLIMIT_NICE),
    ];
    let raised = all.map(|(name, resource)| (name, set(resource, 1 << 40)));
    json!({"raised": std::collections::BTreeMap::from(raised), "lowered": set(libc::RLIMIT_NOFILE, 8)})
}

/// Opens descriptors until the kernel refuses.
fn open_all() -> Value {
    let deadline = Instant::now() + Duration::from_secs(5);
    let mut count = 0;
    loop {
        let opened = raw(libc::SYS_eventfd2, &[0, 0]);
        if opened == -1 || Instant::now() > deadline {
            return json!({"opened": count, "said": format!("{:?}", Errno::last())});
        }
        count += 1;
    }
}

fn start_threads() -> Value {
    let mut count = 0;
    while count < 5000 {
        let started = std::thread::Builder::new().stack_size(16 << 10).spawn(|| {
            std::thread::sleep(Duration::from_secs(3600));
        });
        match started {
            Ok(_) => count += 1,
            Err(error) => {
                let said =
                    error.raw_os_error().map(|error| format!("{:?}", Errno::from_raw(error)));
                return json!({"started": count, "said": said});
            }
        }
    }
    json!({"started": count, "said": "ok"})
}
