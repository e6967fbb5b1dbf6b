import Foundation
import Testing

@testable import CampipePlugins

@Suite("Where plugins are taken from")
struct PluginFolderTests {
    @Test("the user's folder follows XDG, and there is none without a home")
    func user() {
        #expect(PluginFolder.user(environment: ["HOME": "/home/me"])?.path == "/home/me/.local/share/campipe/plugins")
        #expect(PluginFolder.user(environment: ["HOME": "/h", "XDG_DATA_HOME": "/d"])?.path == "/d/campipe/plugins")
        #expect(PluginFolder.user(environment: ["XDG_DATA_HOME": "here", "HOME": "there"]) == nil)
    }

    @Test("only shared objects in it count, by name; a file that is given is itself")
    func files() throws {
        let workshop = try Workshop()
        for name in ["b.so", "a.so", ".c.so", "d.txt"] { _ = try workshop.write("", to: "plugins/\(name)") }
        let folder = workshop.path("plugins")
        #expect(PluginFolder(folder, .user).files == ["\(folder)/a.so", "\(folder)/b.so"])
        #expect(PluginFolder("\(folder)/a.so", .given).files == ["\(folder)/a.so"])
        #expect(PluginFolder("\(folder)/none", .user).files == [])
        #expect(PluginFolder("\(folder)/none.so", .given).files == ["\(folder)/none.so"])
    }

    @Test("what anyone may write is not taken from the user's folder, nor from the machine's")
    func distrust() throws {
        let workshop = try Workshop()
        let file = try workshop.write("", to: "plugins/a.so")
        let folder = workshop.path("plugins")
        func permit(_ mode: Int, _ path: String) throws {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        try permit(0o644, file)
        try permit(0o755, folder)
        #expect(PluginFolder(folder, .user).distrust(file) == nil)
        try permit(0o646, file)
        #expect(PluginFolder(folder, .user).distrust(file)?.fix.hasPrefix("chmod o-w \(file)") == true)
        #expect(PluginFolder(folder, .given).distrust(file) == nil)
        try permit(0o644, file)
        try permit(0o777, folder)
        #expect(PluginFolder(folder, .user).distrust(file)?.fix.hasPrefix("chmod o-w \(folder)") == true)
        // The temporary folder above it is anyone's, so nothing in it is the machine's.
        try permit(0o755, folder)
        let system = PluginFolder(folder, .system).distrust(file)
        #expect(system?.sentence.contains("could have been changed by others than root") == true)
        #expect(PluginFolder("/usr/lib", .system).distrust("/bin/sh") == nil)
    }
}
