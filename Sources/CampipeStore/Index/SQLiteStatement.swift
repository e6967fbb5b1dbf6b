import CSQLite
import CampipeKit

/// A prepared statement: owns it, and frees it. As its database, one thread at a time.
@safe final class SQLiteStatement {
    private let handle: OpaquePointer
    private unowned let database: SQLiteDatabase

    /// Takes over a statement of this database.
    init(_ handle: OpaquePointer, of database: SQLiteDatabase) {
        unsafe self.handle = handle
        self.database = database
    }

    deinit { unsafe sqlite3_finalize(handle) }

    /// Gives the statement its values, in the order of its question marks.
    func bind(_ values: [SQLiteValue]) {
        for (index, value) in values.enumerated() {
            let place = Int32(index + 1)
            switch value {
            case .null: unsafe sqlite3_bind_null(handle, place)
            case .integer(let number): unsafe sqlite3_bind_int64(handle, place, number)
            case .text(var text):
                text.withUTF8 { bytes in
                    _ = unsafe bytes.withMemoryRebound(to: CChar.self) { bytes in
                        unsafe campipe_sqlite_bind_text(handle, place, bytes.baseAddress, Int32(bytes.count))
                    }
                }
            }
        }
    }

    /// Goes to the next row.
    ///
    /// - Returns: Whether there is one.
    func step() throws(CampipeError) -> Bool {
        switch unsafe sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            let error = database.failure
            reset()
            throw error
        }
    }

    /// Forgets values and rows, so that it can be run again and keeps nothing open.
    func reset() {
        unsafe sqlite3_reset(handle)
        unsafe sqlite3_clear_bindings(handle)
    }

    func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

    func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    func text(_ column: Int32) -> String {
        guard let bytes = unsafe sqlite3_column_text(handle, column) else { return "" }
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        return unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    func time(_ column: Int32) -> WallTime? { isNull(column) ? nil : WallTime(microseconds: integer(column)) }

    func duration(_ column: Int32) -> Duration? { isNull(column) ? nil : .microseconds(integer(column)) }
}
