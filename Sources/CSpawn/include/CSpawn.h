#pragma once
// Starting a program with nothing of ours in it, and what of Linux goes with it that Glibc's Swift module does not show.
// _GNU_SOURCE stays in spawn.c: with it in here, fd_set would differ from the one that every other C module sees.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Starts a program in a process group of its own, with all signals as they are by default, and with these descriptors
// alone: `input`, `output` and `errors` as 0, 1 and 2, and `memory` as 3 unless it is negative.
// Returns 0 or an error number.
int cspawn_start(pid_t *process, const char *path, char *const arguments[], char *const environment[], int input,
                 int output, int errors, int memory);

// What cspawn_limit limits: bytes of address space, open descriptors, seconds of processor time.
extern const int cspawn_address_space, cspawn_descriptors, cspawn_processor_time;
// Limits a process that runs. Returns 0, or -1 with errno.
int cspawn_limit(pid_t process, int what, uint64_t most);

// A descriptor that is readable once the process has ended. -1 with errno where there is none.
int cspawn_watch(pid_t process);

// Whether a child has ended; it is not waited for by this.
bool cspawn_has_ended(pid_t process);

// Both ends of a pipe, closed on exec; ours, `ends[ours]`, does not block. As large as the system lets it be, up to 1 MiB.
int cspawn_pipe(int ends[2], int ours);

// Anonymous memory that another process can map, of a size that stays. -1 with errno.
int cspawn_memory(size_t bytes);
