import CampipeKit
import Testing

@testable import CampipeConfig

@Suite("Passwords in URLs")
struct ShownSecretTests {
    @Test(
        "neither a source line nor a sentence shows one, in text or JSON, whether the file is YAML or not",
        arguments: [
            "front: {type: camera, url: \"http://u:hunter2@h/v\", foo: 1}",
            "front: {type: camera, url: \"http://h/v?user=a&pwd=hunter2\", foo: 1}",
            "front: {type: camera, url: http://h/v?token=hunter2, foo: 1}",
            "front: {type: camera, url: 'http://h/v?loginpas=hunter2&x=1', foo: [}",
            "front: {type: camera, pwd: hunter2, url: x}",
            "front: {type: camera, pasword: hunter2, url: x}",
            "front: {type: camera, url: \"http://h/user=a_password=hunter2_channel=1\", foo: 1}",
            "front: {type: camera, url: \"http://h/x;password=hunter2\", foo: 1}",
            "front: {type: camera, url: \"http://h/#access_token=hunter2\", foo: 1}",
            "front: {type: camera, url: \"admin:hunter2@h/x\", foo: 1}",
            "front: {type: camera, url: \"http:/admin:hunter2@h\", foo: 1}",
            "front: {type: camera, url: \"http://admin:hunter 2hunter2@h\", foo: 1}",
            "front: {type: camera, url: \"file:http://u:hunter2@h\", foo: 1}",
        ])
    func shown(node: String) {
        let report = read("version: 1\nsources:\n  \(node)\nsinks: {s: {type: terminal, input: front}}").report
        #expect(report.hasErrors)
        #expect(report.text().contains("***") && !report.text().contains("hunter2"), "\(report.text())")
        #expect(!report.json().contains("hunter2"))
    }

    @Test("one that a parameter puts into a URL is hidden on the camera's line too")
    func parameter() {
        let report = read(
            """
            version: 1
            templates:
              t: {params: [code, n], sources: {c: {type: camera, url: "http://h/?pwd={code}", fps: "{n}"}}}
            cameras: {yard: {use: t, code: hunter2, n: x}}
            sinks: {s: {type: terminal, input: yard/c}}
            """
        ).report
        #expect(report.hasErrors && report.text().contains("code: ***"), "\(report.text())")
        #expect(!report.text().contains("hunter2"))
    }

    @Test("one that `--set` brings is hidden")
    func overriding() {
        let report = read(
            "version: 1\nsources: {a: {type: camera, url: x}}\nsinks: {s: {type: terminal, input: a}}",
            overrides: [
                Override(path: "sources.a.fps", text: "http://h/?pwd=hunter2"),
                Override(path: "sources.a.passwrd", text: "hunter2"),
            ]
        ).report
        #expect(report.hasErrors && report.text().contains("pwd=***") && !report.text().contains("hunter2"))
    }
}
