#pragma once
// What Glibc's Swift module does not show of starting processes. _GNU_SOURCE stays in process.c, as in CNet.
#include <spawn.h>

// Two ends of a pipe that no program started later inherits; -1 and errno when it fails.
int cprocess_pipe(int ends[2]);
// Has what is started close all descriptors from this number on; 0, or the error number.
int cprocess_close_from(posix_spawn_file_actions_t *actions, int first);
// Has what is started begin in a folder; 0, or the error number.
int cprocess_begin_in(posix_spawn_file_actions_t *actions, const char *folder);
// Ends the calling process by SIGKILL when the thread that started it ends.
void cprocess_end_with_parent(void);
