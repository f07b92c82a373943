//! Calls that map memory, at three levels: data only, libraries from files, generated code.

use nix::libc;

use super::{AllowedCall, Condition};

const EXECUTABLE: u64 = libc::PROT_EXEC as u64;

/// Memory that can never be executed, so that there is no place for machine code of a
/// guest. No huge pages, which no memory limit counts, and no merging of identical pages
/// with other processes.
pub(super) const DATA_MEMORY: &[AllowedCall] = &[
    AllowedCall::all(
        libc::SYS_mmap,
        &[
            Condition::Clear { argument: 2, bits: EXECUTABLE },
            Condition::Clear { argument: 3, bits: libc::MAP_HUGETLB as u64 },
        ],
    ),
    AllowedCall::clear(libc::SYS_mprotect, 2, EXECUTABLE),
    AllowedCall::one_of(libc::SYS_madvise, 2, ADVICE),
];

/// The advice of allocators: this memory is unused, or should use large pages.
const ADVICE: &[u64] = &[
    libc::MADV_DONTNEED as u64,
    libc::MADV_FREE as u64,
    libc::MADV_HUGEPAGE as u64,
    libc::MADV_NOHUGEPAGE as u64,
];

/// Memory for engines that compile, and for the loader of shared libraries.
pub(super) const CODE_MEMORY: &[AllowedCall] = &[
    // No memory limit counts huge pages of the system pool.
    AllowedCall::clear(libc::SYS_mmap, 3, libc::MAP_HUGETLB as u64),
    AllowedCall::always(libc::SYS_mprotect),
    AllowedCall::always(libc::SYS_madvise),
    // Chromium's allocator and V8 protect their code pages with keys.
    AllowedCall::always(libc::SYS_pkey_alloc),
    AllowedCall::always(libc::SYS_pkey_free),
    AllowedCall::always(libc::SYS_pkey_mprotect),
    AllowedCall::always(libc::SYS_mincore),
    AllowedCall::always(libc::SYS_membarrier),
    AllowedCall::clear(libc::SYS_memfd_create, 1, libc::MFD_HUGETLB as u64),
];

/// Memory for an interpreter that loads libraries and generates no code: only files can be
/// executed, and a writable file cannot be.
pub(super) const LIBRARY_MEMORY: &[AllowedCall] = &[
    AllowedCall::all(
        libc::SYS_mmap,
        &[
            Condition::Clear { argument: 2, bits: EXECUTABLE },
            Condition::Clear { argument: 3, bits: libc::MAP_HUGETLB as u64 },
        ],
    ),
    // A mapped file. Anonymous files of `memfd_create`, which are writable, are not in
    // this list.
    AllowedCall::all(
        libc::SYS_mmap,
        &[
            Condition::Clear { argument: 2, bits: WRITABLE },
            Condition::Clear {
                argument: 3,
                bits: (libc::MAP_ANONYMOUS | libc::MAP_HUGETLB) as u64,
            },
        ],
    ),
    AllowedCall::clear(libc::SYS_mprotect, 2, EXECUTABLE),
    AllowedCall::always(libc::SYS_madvise),
    AllowedCall::always(libc::SYS_mincore),
    AllowedCall::always(libc::SYS_membarrier),
];

const WRITABLE: u64 = libc::PROT_WRITE as u64;
