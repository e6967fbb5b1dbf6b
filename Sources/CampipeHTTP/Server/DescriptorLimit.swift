#if canImport(Glibc)
    import Glibc
#endif

/// Lets the process open at least so many descriptors, as far as the system allows: the usual 1,024 are fewer than the
/// clients that a server takes. The limit is never lowered.
func allowDescriptors(_ count: Int) {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < rlim_t(count)
    else { return }
    limit.rlim_cur = min(limit.rlim_max, rlim_t(count))
    _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}
