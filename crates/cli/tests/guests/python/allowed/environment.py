# expect: output [["HOME","LANG","MALLOC_ARENA_MAX","OMP_NUM_THREADS","OPENBLAS_NUM_THREADS","OPENSSL_CONF","TZ"],"UTC",true]
import os, time
[sorted(os.environ), time.tzname[0], os.getuid() != 0 or os.getpid() == 1]
