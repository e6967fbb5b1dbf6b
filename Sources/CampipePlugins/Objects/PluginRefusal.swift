import CampipeKit

/// Why a plugin is not taken: a sentence that names both sides, and what mends it.
package struct PluginRefusal: Error, Hashable, Sendable, Codable {
    /// One sentence without a full stop; it begins with the plugin's path.
    package var sentence: String
    /// What to do, mostly a command.
    package var fix: String

    package init(_ path: String, _ words: String, fix: String) {
        sentence = "\(path) \(words)"
        self.fix = fix
    }

    /// The sentence and the fix in one line.
    package var text: String { PrintableText.escaping("\(sentence); \(fix)") }

    private static func rebuild(_ path: String) -> String {
        "build it again: campipe plugin build \(project(of: path))"
    }

    /// The folder of the project that a plugin most likely was built in: the one that holds `build`.
    private static func project(of path: String) -> String {
        var steps = path.split(separator: "/", omittingEmptySubsequences: false)
        steps.removeLast()
        guard steps.last == "build" else { return "DIR" }
        steps.removeLast()
        return steps.isEmpty ? "." : steps.joined(separator: "/")
    }

    static func unreadable(_ path: String, _ reason: String) -> PluginRefusal {
        PluginRefusal(path, "cannot be read: \(reason)", fix: "campipe plugin build \(project(of: path)) makes it")
    }

    static func noSharedObject(_ path: String) -> PluginRefusal {
        PluginRefusal(
            path, "is no plugin, not even a shared object",
            fix: "name what campipe plugin build DIR makes: DIR/build/NAME.so")
    }

    static func otherMachine(_ path: String, _ found: UInt16, _ host: UInt16) -> PluginRefusal {
        func name(_ machine: UInt16) -> String {
            switch machine {
            case 62: "x86-64"
            case 183: "AArch64"
            default: "machine \(machine)"
            }
        }
        return PluginRefusal(path, "is for \(name(found)), and this campipe for \(name(host))", fix: rebuild(path))
    }

    static func noHandshake(_ path: String) -> PluginRefusal {
        PluginRefusal(
            path, "is a shared object, but no plugin: it has no \(PluginHandshake.symbol)",
            fix: "if it is to be one, build its sources: campipe plugin build DIR")
    }

    static func otherABI(_ path: String, _ found: Int) -> PluginRefusal {
        PluginRefusal(
            path, "is of plugin ABI \(found), and this campipe of \(PluginHandshake.currentABI)", fix: rebuild(path))
    }

    static func otherCompiler(_ path: String, _ found: String, _ host: String) -> PluginRefusal {
        PluginRefusal(path, "was built by \(found), and this campipe by \(host)", fix: rebuild(path))
    }

    static func otherSDK(_ path: String, _ found: String, _ host: String) -> PluginRefusal {
        PluginRefusal(
            path, "was built for another campipe: for the SDK \(found.prefix(12)), and this one has \(host.prefix(12))",
            fix: rebuild(path))
    }

    static func ownSDK(_ path: String, _ what: String) -> PluginRefusal {
        PluginRefusal(
            path, "brings its own \(what), where it must take campipe's: its types would not be the same ones",
            fix: "build it by campipe plugin build, which links neither")
    }

    static func noEntry(_ path: String) -> PluginRefusal {
        PluginRefusal(
            path, "hands over no types: it has no function \(PluginHandshake.entry)", fix: rebuild(path))
    }

    static func notLoaded(_ path: String, _ reason: String) -> PluginRefusal {
        let reason = reason.hasPrefix("\(path): ") ? String(reason.dropFirst(path.count + 2)) : reason
        return PluginRefusal(path, "cannot be loaded: \(reason)", fix: rebuild(path))
    }

    static func crashed(_ path: String, signal: Int32) -> PluginRefusal {
        PluginRefusal(
            path, "crashed while it was looked at (signal \(signal))",
            fix: "mend what runs when it is loaded or its types are described: init() and the static members")
    }

    static func ended(_ path: String, code: Int32) -> PluginRefusal {
        PluginRefusal(
            path, "ended the program that looked at it, with code \(code)",
            fix: "mend what runs when it is loaded or its types are described: init() and the static members")
    }

    static func hung(_ path: String, _ deadline: Duration) -> PluginRefusal {
        PluginRefusal(
            path, "said nothing in \(deadline.components.seconds) s while it was looked at",
            fix: "mend what runs when it is loaded or its types are described: init() and the static members")
    }

    static func noTypes(_ path: String) -> PluginRefusal {
        PluginRefusal(path, "brings no type of node", fix: "write a Source, Transform, Join, Mixer or Sink in it")
    }

    /// A name that something else has already.
    package static func taken(_ path: String, type: String, section: String, by owner: String) -> PluginRefusal {
        PluginRefusal(
            path, "brings \(type) under \(section), which \(owner) has already",
            fix: "give it another name: static let name = \"my_\(type)\"")
    }

    static func writable(_ path: String, _ place: String) -> PluginRefusal {
        PluginRefusal(
            path,
            "could have been changed by others than root: \(place) belongs to another user or others may write it",
            fix: "chown root \(place) && chmod go-w \(place)")
    }

    static func notYours(_ path: String, _ place: String) -> PluginRefusal {
        PluginRefusal(
            path, "could have been changed by others than you: \(place) belongs to another user or anyone may write it",
            fix: "chmod o-w \(place), or install it anew: campipe plugin install")
    }

    /// Of every plugin, where the host does not know itself.
    package static func unknownHost(_ path: String, _ reason: String) -> PluginRefusal {
        PluginRefusal(
            path, "cannot be compared with this campipe: \(reason)",
            fix: "run campipe where it was built, or as it was installed")
    }
}
