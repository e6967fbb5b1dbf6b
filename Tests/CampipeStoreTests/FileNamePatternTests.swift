import CampipeKit
import Testing

@testable import CampipeStore

@Suite("File names")
struct FileNamePatternTests {
    private func pattern(_ text: String, fields: [String] = ["source"]) throws -> FileNamePattern {
        var faults: [Fault] = []
        return try #require(FileNamePattern(text, fields: fields, at: .root, into: &faults), "\(faults)")
    }

    @Test(
        "a name shows the time in its zone, and its node's fields",
        arguments: [
            ("recordings/%Y-%m-%d/%H%M%S.mp4", "recordings/2025-03-09/080706.mp4"),
            ("%F_%T-%f.jpg", "2025-03-09_08:07:06-000042.jpg"),
            ("{source}/%y%j %b %a %e%%.ts", "front/25068 Mar Sun  9%.ts"),
            ("%s.mkv", "1741507626.mkv"),
            ("plain.jpg", "plain.jpg"),
        ])
    func expansion(_ text: String, _ expected: String) throws {
        #expect(try pattern(text).path(at: morning, fields: ["source": "front"], zone: utc) == expected)
    }

    @Test("a name that is too long for a file system at some time is refused, with what is accepted")
    func tooLong() {
        func faults(_ text: String) -> [String] {
            var faults: [Fault] = []
            _ = FileNamePattern(text, fields: ["source"], at: .root, into: &faults)
            return faults.map { "\($0.code.text) \($0.sentence); \($0.fix)" }
        }
        func x(_ count: Int) -> String { String(repeating: "x", count: count) }
        let fix = "which no file system takes; accepted: at most 255 bytes between slashes"
        #expect(faults(x(251) + ".mp4") == [])
        #expect(faults(x(252) + ".mp4") == ["CAM0042 a name in the path comes to 256 bytes, \(fix)"])
        #expect(faults("\(x(200))/\(x(200))/%H.mp4") == [])
        #expect(faults("a/" + x(246) + "%A") == [])
        #expect(faults("a/" + x(247) + "%A/b") == ["CAM0042 a name in the path comes to 256 bytes, \(fix)"])
        #expect(faults(x(236) + "%F%T{source}") == [])
        #expect(faults(x(237) + "%F%T{source}") == ["CAM0042 a name in the path comes to 256 bytes, \(fix)"])
        #expect(faults(String(repeating: "ä", count: 128)) == ["CAM0042 a name in the path comes to 256 bytes, \(fix)"])
        #expect(
            faults((0..<41).map { _ in x(100) }.joined(separator: "/")) == [
                "CAM0042 the path comes to 4140 bytes, which Linux does not take; accepted: at most 4095 bytes"
            ])
    }

    @Test("the zone moves the clock, over midnight too, and %z says so")
    func zones() throws {
        #expect(try pattern("%d %H:%M %z").path(at: morning, zone: .fixed(seconds: -9 * 3600)) == "08 23:07 -0900")
        #expect(try pattern("%d %H:%M %z").path(at: morning, zone: .fixed(seconds: 19800)) == "09 13:37 +0530")
    }

    @Test("a time before 1970 has its microseconds too")
    func before1970() throws {
        #expect(try pattern("%F %T-%f").path(at: WallTime(microseconds: -1), zone: utc) == "1969-12-31 23:59:59-999999")
    }

    @Test(
        "a field cannot leave its place in the path",
        arguments: [("yard/cam", "yard_cam"), ("../x", "_._x"), (".hidden", "_hidden"), ("", "")])
    func fields(_ value: String, _ expected: String) throws {
        #expect(try pattern("a/{source}.jpg").path(at: morning, fields: ["source": value]) == "a/\(expected).jpg")
    }

    @Test("a name in use gives way to _2, _3 before the extension, or to the next microsecond")
    func attempts() throws {
        func names(_ text: String) throws -> [String] {
            let pattern = try pattern(text)
            return (0..<3).map { pattern.path(at: morning, attempt: $0, zone: utc) }
        }
        #expect(try names("a.b/%H%M%S.mp4") == ["a.b/080706.mp4", "a.b/080706_2.mp4", "a.b/080706_3.mp4"])
        #expect(try names("a.b/%H") == ["a.b/08", "a.b/08_2", "a.b/08_3"])
        #expect(try names("a/.%H") == ["a/.08", "a/.08_2", "a/.08_3"])
        #expect(try names("%S-%f.jpg") == ["06-000042.jpg", "06-000043.jpg", "06-000044.jpg"])
        for text in ["a.b/%H%M%S.mp4", "%S-%f.jpg"] { #expect(try names(text) == names(text).sorted()) }
    }

    @Test("the microsecond after the last is in the next second")
    func nextSecond() throws {
        let last = WallTime(microseconds: 1_741_507_626_999_999)
        #expect(try pattern("%S-%f").path(at: last, attempt: 1, zone: utc) == "07-000000")
    }

    @Test(
        "what is not known is a fault with its place",
        arguments: [
            ("%Y/%Q.mp4", FaultCode.invalidValue, "\"%Q\" at character 4 is not a conversion that names take"),
            ("%D.jpg", .invalidValue, "\"%D\" at character 1 is not a conversion that names take"),
            ("ü%é.jpg", .invalidValue, "\"%é\" at character 2 is not a conversion that names take"),
            ("a%", .invalidValue, "\"%\" at character 2 is not a conversion"),
            ("{sorce}.jpg", .unknownField, "\"{sorce}\" at character 1 is not known here"),
            ("a{source", .invalidValue, "\"{\" at character 2 is not closed"),
            ("a\0b", .invalidValue, "\"NUL\" at character 2 cannot be in a file's name"),
            ("a/", .invalidValue, "the path names no file"),
            ("", .invalidValue, "the path names no file"),
        ])
    func faults(_ text: String, _ code: FaultCode, _ sentence: String) {
        var faults: [Fault] = []
        #expect(FileNamePattern(text, fields: ["source"], at: ["sinks", "clips", "path"], into: &faults) == nil)
        #expect(faults.map(\.code) == [code])
        #expect(faults.first?.sentence == sentence)
        #expect(faults.first?.path == ["sinks", "clips", "path"])
    }

    @Test(
        "what other programs take is told with what it is here",
        arguments: [
            ("%path/%Y.mp4", "\"%path\" at character 1 is no conversion: those are one letter each", "write {camera}"),
            ("%NAME-%Y.mp4", "\"%NAME\" at character 1 is no conversion: those are one letter each", "write {camera}"),
            (
                "a/%camera.mp4", "\"%camera\" at character 3 is no conversion: those are one letter each",
                "write {camera}"
            ),
            ("%source.mp4", "\"%source\" at character 1 is no conversion: those are one letter each", "write {source}"),
            ("%date.mp4", "\"%date\" at character 1 is no conversion: those are one letter each", "write %Y-%m-%d"),
            ("%{camra}.mp4", "\"%{camra}\" at character 1 has a percent sign in front of the brace", "write {camera}"),
            (
                "%03d.jpg", "\"%03d\" at character 1 would be a number, and files are not counted",
                "files are named by their time, such as %Y%m%d-%H%M%S; of two at one time each has a name of its own"
            ),
            ("%$.mp4", "\"%$\" at character 1 is not a conversion that names take", "write {camera}"),
            (
                "%v.mp4", "\"%v\" at character 1 is not a conversion that names take",
                "files are named by their time, such as %Y%m%d-%H%M%S"
            ),
        ])
    func foreign(_ text: String, _ sentence: String, _ fix: String) {
        var faults: [Fault] = []
        #expect(FileNamePattern(text, fields: ["source", "camera"], at: .root, into: &faults) == nil)
        #expect(faults.map(\.sentence) == [sentence])
        #expect(faults.map(\.fix) == [fix])
    }

    @Test(
        "letters that stand behind a conversion are text",
        arguments: ["%Y%m%d-%H%M%S.mp4", "%Hh%Mm%Ss.mp4", "%dcam.mp4", "%Y%m%dcamera.mp4", "%dday.mp4", "%Sid.mp4"])
    func behind(_ text: String) {
        var faults: [Fault] = []
        #expect(FileNamePattern(text, fields: ["source", "camera", "id"], at: .root, into: &faults) != nil)
        #expect(faults.isEmpty)
    }

    @Test("every fault of a name is found at once, and a misspelt field has a fix")
    func allFaults() {
        var faults: [Fault] = []
        _ = FileNamePattern("%Q{sorce}%1", fields: ["source"], at: .root, into: &faults)
        #expect(faults.count == 3)
        #expect(faults[1].fix == "did you mean \"source\"?")
    }

    @Test(
        "every name that a pattern makes is one of its own, on the first attempt and later",
        arguments: [
            "a/%Y-%m-%d/%H%M%S.mp4", "%F_%T-%f.jpg", "{source}/%y%j %b %a %e%%.ts", "%s", "%s%f", "%A%B%z", "x%Hx%kx%p",
            "a/%H.%M", "%R %I%p",
        ])
    func matchesItsOwn(_ text: String) throws {
        let pattern = try pattern(text)
        for day in stride(from: 0, to: 400, by: 13) {
            let time = morning + .seconds(day * 86_400 + day * 3607)
            for attempt in [0, 1, 41] {
                let path = pattern.path(
                    at: time, fields: ["source": "a/b"], attempt: attempt, zone: .fixed(seconds: 3600))
                #expect(pattern.matches(path, fields: ["source": "a/b"]), "\(path)")
            }
        }
    }

    @Test(
        "what a person put beside the recordings is not one of the pattern's",
        arguments: [
            "a/2025-03-09/080706.mp4.bak", "a/2025-03-09/notes.txt", "a/2025-03-09/80706.mp4", "a/2025-3-09/080706.mp4",
            "a/080706.mp4", "b/2025-03-09/080706.mp4", "a/2025-03-09/080706_.mp4", "a/2025-03-09/080706_02.mp4",
            "a/2025-03-09/x080706.mp4", "", "a/2025-03-09/080706_2", "a/2025-03-09/.080706.mp4",
        ])
    func matchesNoOther(_ path: String) throws {
        #expect(try !pattern("a/%Y-%m-%d/%H%M%S.mp4").matches(path))
    }

    @Test("another source's files are not one's own")
    func matchesFields() throws {
        let pattern = try pattern("{source}/%H.mp4")
        #expect(pattern.matches("front/12.mp4", fields: ["source": "front"]))
        #expect(!pattern.matches("back/12.mp4", fields: ["source": "front"]))
    }

    @Test(
        "the root folder is what does not vary",
        arguments: [
            ("recordings/%Y/%H.mp4", "recordings"), ("/a/b/x%H.mp4", "/a/b"), ("%H.mp4", "."), ("/%H.mp4", "/"),
            ("{source}/a/%H.mp4", "."), ("a/b.mp4", "a"),
        ])
    func rootFolders(_ text: String, _ expected: String) throws {
        #expect(try pattern(text).rootFolder == expected)
    }
}
