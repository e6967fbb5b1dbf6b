import CMalloc

/// How the process holds the memory that it allocates.
enum HeapSettings {
    /// Blocks from this size on are mapped alone, and go back to the system when they are freed.
    ///
    /// Large enough that a camera's JPEGs are not mapped one by one, small enough for pictures, encoders and their
    /// tables.
    static let mappedFrom = 1 << 20

    /// So much may stay free at the end of each thread's heap: enough that the next JPEG finds its pages there, since a
    /// page that was given back costs up to 2 us; little enough that ten threads together hold no more than one picture.
    static let keptFree = mappedFrom / 2

    /// Keeps malloc from holding on to what clips and converters needed for a moment.
    ///
    /// glibc raises its threshold to the largest block that was ever freed, up to 32 MiB, and keeps twice as much free at
    /// the end of each thread's heap (mallopt(3), `M_MMAP_THRESHOLD`). An encoder comes and goes with every clip; so each
    /// heap would grow, in holes, to several times what is used. What was set stays as it is. Call it once, before any
    /// other thread is there.
    static func apply() {
        _ = mallopt(M_MMAP_THRESHOLD, Int32(mappedFrom))
        _ = mallopt(M_TRIM_THRESHOLD, Int32(keptFree))
    }
}
