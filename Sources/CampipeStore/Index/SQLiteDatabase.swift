import CSQLite
import CampipeKit
import Glibc

/// An SQLite database: owns the connection, and closes it. One owner, one thread at a time; it blocks while the disk does,
/// and while another process writes, five seconds at most.
@safe final class SQLiteDatabase {
    private let handle: OpaquePointer
    private var statements: [String: SQLiteStatement] = [:]
    private static let patience: Int32 = 5000

    /// Opens a file, or makes it.
    ///
    /// - Parameter path: nil is one in memory, which goes with this.
    /// - Throws: `.badData` for a file that is none or damaged; `.exhausted` for a full disk; else `.failed`.
    init(path: String?) throws(CampipeError) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = unsafe sqlite3_open_v2(path ?? ":memory:", &opened, flags, nil)
        guard let opened = unsafe opened else { throw CampipeError(.exhausted, "no memory for a database") }
        unsafe handle = opened
        guard code == SQLITE_OK else {
            let error = unsafe Self.error(opened, "cannot open the index")
            unsafe sqlite3_close_v2(opened)
            throw error
        }
        unsafe sqlite3_busy_timeout(handle, Self.patience)
        unsafe sqlite3_extended_result_codes(handle, 1)
    }

    deinit {
        statements = [:]
        unsafe sqlite3_close_v2(handle)
    }

    /// Runs statements without results.
    func execute(_ sql: String) throws(CampipeError) {
        guard unsafe sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
    }

    /// A statement, ready for values; the same text gives the same one again.
    func statement(_ sql: String) throws(CampipeError) -> SQLiteStatement {
        if let known = statements[sql] {
            known.reset()
            return known
        }
        var made: OpaquePointer?
        guard unsafe sqlite3_prepare_v2(handle, sql, -1, &made, nil) == SQLITE_OK, let made = unsafe made else {
            throw failure
        }
        let statement = unsafe SQLiteStatement(made, of: self)
        statements[sql] = statement
        return statement
    }

    /// Runs a statement that gives no rows.
    func run(_ sql: String, _ values: SQLiteValue...) throws(CampipeError) {
        let statement = try statement(sql)
        statement.bind(values)
        while try statement.step() {}
        statement.reset()
    }

    /// The first column of the first row, as a number; nil without a row.
    func number(_ sql: String, _ values: SQLiteValue...) throws(CampipeError) -> Int64? {
        let statement = try statement(sql)
        statement.bind(values)
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : nil
    }

    /// All or nothing of what the body writes; another process that writes waits.
    func transaction<T>(_ body: () throws(CampipeError) -> T) throws(CampipeError) -> T {
        try execute("BEGIN IMMEDIATE")
        do throws(CampipeError) {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            for statement in statements.values { statement.reset() }
            try? execute("ROLLBACK")
            throw error
        }
    }

    /// The row that was inserted last.
    var lastRow: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

    /// What went wrong in the last call.
    var failure: CampipeError { unsafe Self.error(handle, "cannot use the index") }

    private static func error(_ handle: OpaquePointer, _ attempted: String) -> CampipeError {
        let said = unsafe String(cString: sqlite3_errmsg(handle))
        let kind: CampipeError.Kind =
            switch unsafe sqlite3_errcode(handle) & 0xFF {
            case SQLITE_CORRUPT, SQLITE_NOTADB: .badData
            case SQLITE_FULL, SQLITE_NOMEM: .exhausted
            case SQLITE_BUSY, SQLITE_LOCKED: .timedOut
            default: .failed
            }
        return CampipeError(kind, "\(attempted): \(said)")
    }
}

/// What a column of SQLite holds here.
enum SQLiteValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)

    init(_ number: Int64?) { self = number.map(SQLiteValue.integer) ?? .null }
    init(_ text: String?) { self = text.map(SQLiteValue.text) ?? .null }
    init(_ time: WallTime?) { self.init(time?.microseconds) }
    init(_ duration: Duration?) { self.init(duration.map { $0.nanoseconds / 1000 }) }
}
