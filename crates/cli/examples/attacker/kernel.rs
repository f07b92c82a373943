//! Makes system calls and returns the kernel's answers as text.

use nix::errno::Errno;
use nix::libc::{self, c_long};

/// Makes a system call: `ok`, or the name of the error.
pub(crate) fn call(number: c_long, arguments: &[c_long]) -> String {
    said(raw(number, arguments))
}

/// Makes a system call and returns what it returned, `-1` with `errno` set.
pub(crate) fn raw(number: c_long, arguments: &[c_long]) -> c_long {
    let at = |index: usize| arguments.get(index).copied().unwrap_or(0);
    // SAFETY: this is an attacker. What it passes is made to be refused; pointers
    // that the kernel may use are to constants or to memory that outlives the call.
    unsafe { libc::syscall(number, at(0), at(1), at(2), at(3), at(4), at(5)) }
}

/// What a return value means.
pub(crate) fn said(returned: c_long) -> String {
    match returned {
        -1 => format!("{:?}", Errno::last()),
        _ => "ok".to_owned(),
    }
}

/// A text or a structure as an argument.
pub(crate) fn at<T: ?Sized>(value: &T) -> c_long {
    std::ptr::from_ref(value).cast::<u8>() as c_long
}

/// Runs an attempt in a child, since it may change or kill the process: `ok`, the error, or
/// the signal that killed it.
pub(crate) fn in_child(act: impl FnOnce() -> String) -> String {
    let (reader, mut writer) = std::io::pipe().unwrap();
    // SAFETY: the child only makes system calls and ends.
    match unsafe { libc::fork() } {
        -1 => format!("{:?}", Errno::last()),
        0 => {
            let said = act();
            let _ = std::io::Write::write_all(&mut writer, said.as_bytes());
            // SAFETY: ends the child at once.
            unsafe { libc::_exit(0) }
        }
        child => {
            drop(writer);
            let said = std::io::read_to_string(reader).unwrap_or_default();
            match nix::sys::wait::waitpid(nix::unistd::Pid::from_raw(child), None) {
                Ok(nix::sys::wait::WaitStatus::Signaled(_, signal, _)) => signal.to_string(),
                _ => said,
            }
        }
    }
}
