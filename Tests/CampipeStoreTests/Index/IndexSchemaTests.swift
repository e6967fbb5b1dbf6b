import CampipeKit
import Testing

@testable import CampipeStore

@Suite("The tables of the index")
struct IndexSchemaTests {
    private func tables(_ database: SQLiteDatabase) throws -> [String] {
        let statement = try database.statement(
            "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_master ORDER BY 1")
        defer { statement.reset() }
        var all: [String] = []
        while try statement.step() { all.append(statement.text(0)) }
        return all
    }

    @Test(
        "from whatever version on, the newest comes out, and what was in it stays",
        arguments: 0..<IndexSchema.steps.count)
    func migrations(_ version: Int) throws {
        let new = try SQLiteDatabase(path: nil)
        try IndexSchema.migrate(new)
        let old = try SQLiteDatabase(path: nil)
        try IndexSchema.migrate(old, through: version)
        #expect(try old.number("PRAGMA user_version") == Int64(version))
        if version > 0 {
            try old.execute("INSERT INTO lists (path, folder) VALUES ('/a/.campipe-1.list', '/a/')")
            try old.execute("INSERT INTO clips (list, path, state) VALUES (1, '1.mp4', 1)")
        }
        try IndexSchema.migrate(old)
        #expect(try tables(old) == tables(new))
        #expect(try old.number("PRAGMA user_version") == Int64(IndexSchema.steps.count))
        #expect(try old.number("SELECT count(*) FROM clips") == (version > 0 ? 1 : 0))
        try IndexSchema.migrate(old)
    }

    @Test("a step that fails leaves the version before it")
    func failing() throws {
        let database = try SQLiteDatabase(path: nil)
        try database.execute("CREATE TABLE events (x)")
        #expect(throws: CampipeError.self) { try IndexSchema.migrate(database) }
        #expect(try database.number("PRAGMA user_version") == 0)
        #expect(try tables(database) == ["table events CREATE TABLE events (x)"])
    }

    @Test("text goes in and out as it is", arguments: ["", "a'b\"; DROP TABLE clips", "ü\n%\u{1B}[2J", "\u{1F4F7}"])
    func text(_ text: String) throws {
        let database = try SQLiteDatabase(path: nil)
        try database.execute("CREATE TABLE t (x TEXT)")
        try database.run("INSERT INTO t VALUES (?)", .text(text))
        let statement = try database.statement("SELECT x FROM t")
        #expect(try statement.step())
        #expect(statement.text(0) == text)
        statement.reset()
    }
}
