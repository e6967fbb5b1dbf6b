#pragma once
#include <sqlite3.h>
#include <sys/vfs.h>

// SQLITE_TRANSIENT is a cast of -1, which Swift does not import: SQLite copies the bytes.
static inline int campipe_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *bytes, int count) {
    return sqlite3_bind_text(statement, index, bytes, count, SQLITE_TRANSIENT);
}

// The magic number of the file system that a folder is on, 0 when it is not known: by it a database chooses its journal.
static inline unsigned int campipe_file_system(const char *folder) {
    struct statfs found;
    return statfs(folder, &found) == 0 ? (unsigned int)found.f_type : 0;
}
