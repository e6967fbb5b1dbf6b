#define _GNU_SOURCE
#include "include/CNet.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sendfile.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

const uint32_t cnet_readable = EPOLLIN, cnet_writable = EPOLLOUT, cnet_hung_up = EPOLLHUP | EPOLLERR | EPOLLRDHUP,
               cnet_broken = EPOLLHUP | EPOLLERR, cnet_edge = EPOLLET;

int cnet_epoll_make(void) { return epoll_create1(EPOLL_CLOEXEC); }

static int control(int epoll, int what, int descriptor, uint32_t events, uint64_t key) {
    struct epoll_event event = {.events = events, .data.u64 = key};
    return epoll_ctl(epoll, what, descriptor, &event);
}

int cnet_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t key) {
    return control(epoll, EPOLL_CTL_ADD, descriptor, events, key);
}

int cnet_epoll_change(int epoll, int descriptor, uint32_t events, uint64_t key) {
    return control(epoll, EPOLL_CTL_MOD, descriptor, events, key);
}

int cnet_epoll_remove(int epoll, int descriptor) { return control(epoll, EPOLL_CTL_DEL, descriptor, 0, 0); }

int cnet_epoll_wait(int epoll, cnet_event *events, int capacity) {
    struct epoll_event found[64];
    int count = epoll_wait(epoll, found, capacity < 64 ? capacity : 64, -1);
    for (int i = 0; i < count; i++) events[i] = (cnet_event){.key = found[i].data.u64, .events = found[i].events};
    return count;
}

int cnet_eventfd_make(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

int cnet_timerfd_make(void) { return timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC); }

int cnet_timerfd_set(int timer, long milliseconds) {
    struct itimerspec when = {0};
    if (milliseconds >= 0) {
        when.it_value.tv_sec = milliseconds / 1000;
        when.it_value.tv_nsec = milliseconds % 1000 * 1000000;
        if (milliseconds == 0) when.it_value.tv_nsec = 1;
    }
    return timerfd_settime(timer, 0, &when, NULL);
}

void cnet_drain(int descriptor) {
    uint64_t count;
    while (read(descriptor, &count, sizeof count) > 0) {}
}

void cnet_ring(int eventfd) {
    uint64_t one = 1;
    if (write(eventfd, &one, sizeof one) < 0) {} // a full counter rings anyway
}

int cnet_accept(int listener, struct sockaddr *address, socklen_t *length) {
    return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

ssize_t cnet_send(int descriptor, const void *a, size_t a_count, const void *b, size_t b_count, const void *c,
                  size_t c_count, size_t offset) {
    const struct iovec all[3] = {{(void *)a, a_count}, {(void *)b, b_count}, {(void *)c, c_count}};
    struct iovec rest[3];
    int count = 0;
    for (int i = 0; i < 3; i++) {
        if (offset >= all[i].iov_len) {
            offset -= all[i].iov_len;
            continue;
        }
        rest[count++] = (struct iovec){(char *)all[i].iov_base + offset, all[i].iov_len - offset};
        offset = 0;
    }
    struct msghdr message = {.msg_iov = rest, .msg_iovlen = count};
    return sendmsg(descriptor, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

int cnet_memory_file(const void *a, size_t a_count, const void *b, size_t b_count, const void *c, size_t c_count) {
    int file = memfd_create("campipe", MFD_CLOEXEC);
    if (file < 0) return -1;
    const struct iovec all[3] = {{(void *)a, a_count}, {(void *)b, b_count}, {(void *)c, c_count}};
    if (writev(file, all, 3) == (ssize_t)(a_count + b_count + c_count)) return file;
    close(file);
    return -1;
}

ssize_t cnet_send_file(int descriptor, int file, size_t offset, size_t count) {
    off_t from = (off_t)offset;
    return sendfile(descriptor, file, &from, count);
}

long cnet_unsent(int descriptor) {
    int bytes = 0;
    return ioctl(descriptor, SIOCOUTQNSD, &bytes) < 0 ? 0 : bytes;
}

void cnet_set_no_delay(int descriptor) {
    int one = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

void cnet_begin_thread(const char *name) {
    pthread_setname_np(pthread_self(), name);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

int cnet_pipe(int ends[2]) {
    if (pipe2(ends, O_CLOEXEC) < 0) return -1;
    return fcntl(ends[0], F_SETFL, O_NONBLOCK);
}

int cnet_watch_process(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }

int cnet_spawn(pid_t *process, char *const *argv, char *const *environment, int input, int output) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    int code = posix_spawn_file_actions_init(&actions);
    if (code) return code;
    code = posix_spawnattr_init(&attributes);
    if (!code) {
        posix_spawnattr_setflags(&attributes,
                                 POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
        posix_spawnattr_setpgroup(&attributes, 0);
        posix_spawnattr_setsigdefault(&attributes, &all);
        posix_spawnattr_setsigmask(&attributes, &none);
        code = posix_spawn_file_actions_adddup2(&actions, input, 0);
        if (!code) code = posix_spawn_file_actions_adddup2(&actions, output, 1);
        if (!code) code = posix_spawn_file_actions_adddup2(&actions, output, 2);
        if (!code) code = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
        if (!code) code = posix_spawnp(process, argv[0], &actions, &attributes, argv, environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return code;
}
