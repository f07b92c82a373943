//! Calls for files of the private root. Which files exist there is decided elsewhere.

use nix::libc;

use super::AllowedCall;

/// Opening, reading and writing files.
pub(super) const FILES: &[AllowedCall] = &[
    // Files are created without the set-id bits (`SET_ID`); without a flag that creates a
    // file there is no mode to check.
    AllowedCall::clear(libc::SYS_openat, 2, CREATES_FILE),
    AllowedCall::clear(libc::SYS_openat, 3, SET_ID),
    AllowedCall::always(libc::SYS_pread64),
    AllowedCall::always(libc::SYS_pwrite64),
    AllowedCall::always(libc::SYS_readv),
    AllowedCall::always(libc::SYS_writev),
    AllowedCall::always(libc::SYS_preadv),
    AllowedCall::always(libc::SYS_pwritev),
    AllowedCall::always(libc::SYS_lseek),
    AllowedCall::always(libc::SYS_fstat),
    AllowedCall::always(libc::SYS_newfstatat),
    AllowedCall::always(libc::SYS_statx),
    AllowedCall::always(libc::SYS_statfs),
    AllowedCall::always(libc::SYS_fstatfs),
    AllowedCall::always(libc::SYS_getdents64),
    AllowedCall::always(libc::SYS_readlinkat),
    AllowedCall::always(libc::SYS_faccessat),
    AllowedCall::always(libc::SYS_faccessat2),
    AllowedCall::always(libc::SYS_getcwd),
    AllowedCall::always(libc::SYS_chdir),
    AllowedCall::always(libc::SYS_fchdir),
    // Not `F_SETOWN` and `F_SETSIG`, which make the kernel signal any process.
    AllowedCall::one_of(libc::SYS_fcntl, 1, FCNTL),
    AllowedCall::always(libc::SYS_dup),
    AllowedCall::always(libc::SYS_dup3),
    AllowedCall::always(libc::SYS_ftruncate),
    AllowedCall::always(libc::SYS_fallocate),
    AllowedCall::always(libc::SYS_fadvise64),
    AllowedCall::always(libc::SYS_fsync),
    AllowedCall::always(libc::SYS_fdatasync),
    AllowedCall::always(libc::SYS_mkdirat),
    AllowedCall::always(libc::SYS_unlinkat),
    AllowedCall::always(libc::SYS_renameat),
    AllowedCall::always(libc::SYS_renameat2),
    AllowedCall::always(libc::SYS_umask),
    AllowedCall::always(libc::SYS_flock),
    AllowedCall::always(libc::SYS_copy_file_range),
    AllowedCall::always(libc::SYS_sendfile),
    // Terminals and non-blocking mode. Not `TIOCSTI`, which simulates typed input.
    AllowedCall::one_of(libc::SYS_ioctl, 1, IOCTL),
    #[cfg(target_arch = "x86_64")]
    AllowedCall::clear(libc::SYS_open, 1, CREATES_FILE),
    #[cfg(target_arch = "x86_64")]
    AllowedCall::clear(libc::SYS_open, 2, SET_ID),
    #[cfg(target_arch = "x86_64")]
    AllowedCall::always(libc::SYS_stat),
    #[cfg(target_arch = "x86_64")]
    AllowedCall::always(libc::SYS_lstat),
    #[cfg(target_arch = "x86_64")]
    AllowedCall::always(libc::SYS_access),
    #[cfg(target_arch = "x86_64")]
    AllowedCall::always(libc::SYS_readlink),
    #[cfg(target_arch = "x86_64")]
    AllowedCall::always(libc::SYS_dup2),
    #[cfg(target_arch = "x86_64")]
    AllowedCall::always(libc::SYS_mkdir),
    #[cfg(target_arch = "x86_64")]
    AllowedCall::always(libc::SYS_rmdir),
    #[cfg(target_arch = "x86_64")]
    AllowedCall::always(libc::SYS_unlink),
    #[cfg(target_arch = "x86_64")]
    AllowedCall::always(libc::SYS_rename),
];

/// The flags with which `open` creates a file. `O_TMPFILE` contains the bit of
/// `O_DIRECTORY`, which is not one of them.
const CREATES_FILE: u64 = (libc::O_CREAT | (libc::O_TMPFILE & !libc::O_DIRECTORY)) as u64;

/// The set-user-id and set-group-id bits. They have no effect inside the jail. On the
/// host, where a granted folder remains, another user could gain the rights of this user
/// by starting a file that a guest left there.
const SET_ID: u64 = (libc::S_ISUID | libc::S_ISGID) as u64;

const IOCTL: &[u64] =
    &[libc::TCGETS, libc::TIOCGWINSZ, libc::FIONBIO, libc::FIOCLEX, libc::FIONCLEX, libc::FIONREAD];

const FCNTL: &[u64] = &[
    libc::F_DUPFD as u64,
    libc::F_DUPFD_CLOEXEC as u64,
    libc::F_GETFD as u64,
    libc::F_SETFD as u64,
    libc::F_GETFL as u64,
    libc::F_SETFL as u64,
    libc::F_GETLK as u64,
    libc::F_SETLK as u64,
    libc::F_SETLKW as u64,
    libc::F_OFD_GETLK as u64,
    libc::F_OFD_SETLK as u64,
    libc::F_OFD_SETLKW as u64,
    libc::F_GETPIPE_SZ as u64,
    libc::F_ADD_SEALS as u64,
    libc::F_GET_SEALS as u64,
];

/// Permissions and times of files, which Landlock does not cover: unless a file is mounted
/// read-only, any process that can read it could change them.
pub(super) const FILE_RIGHTS: &[AllowedCall] = &[
    AllowedCall::clear(libc::SYS_fchmod, 1, SET_ID),
    AllowedCall::clear(libc::SYS_fchmodat, 2, SET_ID),
    AllowedCall::always(libc::SYS_utimensat),
    #[cfg(target_arch = "x86_64")]
    AllowedCall::clear(libc::SYS_chmod, 1, SET_ID),
];
