#pragma once
// What Glibc's Swift module does not show: epoll, eventfd, timerfd, accept4, gathering sends, and starting programs. _GNU_SOURCE stays in
// net.c: with it in here, fd_set would differ from the one that every other C module sees.
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

// Bits of an event, the same as epoll's.
extern const uint32_t cnet_readable, cnet_writable, cnet_hung_up, cnet_edge;
// Those of a hang-up after which nothing goes either way; without them the other end may still read.
extern const uint32_t cnet_broken;

typedef struct {
    uint64_t key;
    uint32_t events;
} cnet_event;

// All return -1 and set errno when they fail, as the calls that they wrap.
int cnet_epoll_make(void);
int cnet_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t key);
int cnet_epoll_change(int epoll, int descriptor, uint32_t events, uint64_t key);
int cnet_epoll_remove(int epoll, int descriptor);
int cnet_epoll_wait(int epoll, cnet_event *events, int capacity);

int cnet_eventfd_make(void);
int cnet_timerfd_make(void);
// Rings once after so many milliseconds (0: at once); a negative number stops it.
int cnet_timerfd_set(int timer, long milliseconds);
// Empties the counter of an eventfd or a timerfd.
void cnet_drain(int descriptor);
void cnet_ring(int eventfd);

int cnet_accept(int listener, struct sockaddr *address, socklen_t *length);
// Sends what three runs of bytes hold from `offset` on, in one gathering write that raises no SIGPIPE.
ssize_t cnet_send(int descriptor, const void *a, size_t a_count, const void *b, size_t b_count, const void *c,
                  size_t c_count, size_t offset);
// A file in memory that holds the three runs; -1 when there is none to be had.
int cnet_memory_file(const void *a, size_t a_count, const void *b, size_t b_count, const void *c, size_t c_count);
// Sends `count` bytes of a file from `offset` on; the pages are shared with the kernel, nothing is copied. As cnet_send,
// but where SIGPIPE is not blocked it is raised.
ssize_t cnet_send_file(int descriptor, int file, size_t offset, size_t count);
// Bytes that the kernel has taken but not sent yet.
long cnet_unsent(int descriptor);
void cnet_set_no_delay(int descriptor);
// Names the calling thread and keeps SIGPIPE from it.
void cnet_begin_thread(const char *name);

// A pipe that is not blocked on at its first end, the reading one; no program that is started inherits either.
int cnet_pipe(int ends[2]);
// A descriptor that is readable once a process has ended.
int cnet_watch_process(pid_t process);
// Starts a program, looked for in PATH, in a process group of its own, with `input` as standard input and `output` as
// standard output and error, with no other descriptor, and with every signal as it is by default. Returns 0 or an errno.
int cnet_spawn(pid_t *process, char *const *argv, char *const *environment, int input, int output);
