import CampipeKit
import Foundation
import Glibc

/// What this process uses of its machine.
struct ProcessUsage: Equatable, Sendable {
    /// Of all its threads, user and system.
    var cpuSeconds = 0.0
    var residentBytes = 0
    var virtualBytes = 0
    var threads = 0
    /// Nil where it cannot be told.
    var openDescriptors: Int?
    var maxDescriptors: Int?

    init() {}

    /// As it is now.
    static var current: ProcessUsage {
        var usage = ProcessUsage()
        if let stat = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8) {
            usage.read(stat: stat, pageSize: Int(sysconf(Int32(_SC_PAGESIZE))))
        }
        var spent = rusage()
        if getrusage(RUSAGE_SELF.rawValue, &spent) == 0 {
            usage.cpuSeconds = seconds(spent.ru_utime) + seconds(spent.ru_stime)
        }
        usage.openDescriptors = CampipeKit.openDescriptors()?.count
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            usage.maxDescriptors = Int(clamping: limit.rlim_cur)
        }
        return usage
    }

    /// Takes threads and memory out of `/proc/PID/stat` (proc(5)): fields 20, 23 and 24. The second one is the
    /// program's name in parentheses, and may hold anything.
    mutating func read(stat: String, pageSize: Int) {
        guard let name = stat.lastIndex(of: ")") else { return }
        let fields = stat[stat.index(after: name)...].split(separator: " ")
        func field(_ number: Int) -> Int { fields.indices.contains(number - 3) ? Int(fields[number - 3]) ?? 0 : 0 }
        threads = field(20)
        virtualBytes = field(23)
        residentBytes = field(24) * pageSize
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
}
