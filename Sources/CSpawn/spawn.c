#define _GNU_SOURCE
#include "include/CSpawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int cspawn_start(pid_t *process, const char *path, char *const arguments[], char *const environment[], int input,
                 int output, int errors, int memory) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int code = posix_spawn_file_actions_init(&actions);
    if (code) return code;
    code = posix_spawnattr_init(&attributes);
    if (code) {
        posix_spawn_file_actions_destroy(&actions);
        return code;
    }
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    const short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
    if (!(code = posix_spawn_file_actions_adddup2(&actions, input, 0)) &&
        !(code = posix_spawn_file_actions_adddup2(&actions, output, 1)) &&
        !(code = posix_spawn_file_actions_adddup2(&actions, errors, 2)) &&
        !(code = memory < 0 ? 0 : posix_spawn_file_actions_adddup2(&actions, memory, 3)) &&
        !(code = posix_spawn_file_actions_addclosefrom_np(&actions, memory < 0 ? 3 : 4)) &&
        !(code = posix_spawnattr_setflags(&attributes, flags)) && !(code = posix_spawnattr_setpgroup(&attributes, 0)) &&
        !(code = posix_spawnattr_setsigmask(&attributes, &none)) &&
        !(code = posix_spawnattr_setsigdefault(&attributes, &all)))
        code = posix_spawn(process, path, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

const int cspawn_address_space = RLIMIT_AS, cspawn_descriptors = RLIMIT_NOFILE, cspawn_processor_time = RLIMIT_CPU;

int cspawn_limit(pid_t process, int what, uint64_t most) {
    const struct rlimit limit = {.rlim_cur = most, .rlim_max = most};
    return prlimit(process, what, &limit, NULL);
}

int cspawn_watch(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }

bool cspawn_has_ended(pid_t process) {
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)process, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == process;
}

int cspawn_pipe(int ends[2], int ours) {
    if (pipe2(ends, O_CLOEXEC) < 0) return -1;
    fcntl(ends[ours], F_SETFL, O_NONBLOCK);
    fcntl(ends[0], F_SETPIPE_SZ, 1 << 20);
    return 0;
}

int cspawn_memory(size_t bytes) {
    int descriptor = memfd_create("campipe", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor < 0) return -1;
    // A child that could make it smaller would have us read where nothing is.
    if (ftruncate(descriptor, (off_t)bytes) < 0 ||
        fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0) {
        int code = errno;
        close(descriptor);
        errno = code;
        return -1;
    }
    return descriptor;
}
