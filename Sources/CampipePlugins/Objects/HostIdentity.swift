package import CampipeKit

/// What a plugin must have been built for to be taken by this program.
package struct HostIdentity: Hashable, Sendable {
    /// The SHA-256 of the module of the SDK in it, in hexadecimal.
    package let sdk: String
    /// The compiler that built it, as `swiftc --version` says in its first line.
    package let compiler: String
    /// The folder of the SDK's module, which plugins are built against.
    package let modules: String
    /// The machine it is for (`e_machine` of ELF).
    let machine: UInt16

    package init(sdk: String, compiler: String, modules: String) {
        self.sdk = sdk
        self.compiler = compiler
        self.modules = modules
        machine = Self.ownMachine
    }

    /// Looks for the SDK's module that was made with a program: beside it in `Modules`, as SwiftPM puts it, or installed in
    /// `../lib/campipe/Modules`.
    ///
    /// - Throws: `.notFound` with the places that were looked at.
    package init(program: String) throws(CampipeError) {
        let folder = FilePlace.folder(of: program)
        let places = ["\(folder)/Modules", "\(FilePlace.folder(of: folder))/lib/campipe/Modules"]
        for place in places {
            guard let module = FilePlace.bytes(of: "\(place)/CampipeKit.swiftmodule") else { continue }
            self.init(sdk: SHA256.text(module), compiler: Self.compiler(of: module), modules: place)
            return
        }
        throw CampipeError(
            .notFound, "there is no CampipeKit.swiftmodule in \(places.joined(separator: " or in "))",
            fix: "build campipe from its sources, and run it where it was built")
    }

    /// The compiler that wrote a module: its first block holds the words as they are.
    static func compiler(of module: [UInt8]) -> String {
        let opening = Array("Swift version ".utf8)
        var place = 0
        while place + opening.count <= module.count, place < 1 << 16 {
            if module[place] == opening[0], module[place..<place + opening.count].elementsEqual(opening) {
                let words = module[place...].prefix(200).prefix { (0x20..<0x7F).contains($0) }
                return String(decoding: words, as: UTF8.self)
            }
            place += 1
        }
        return "an unknown compiler"
    }

    #if arch(x86_64)
        private static let ownMachine: UInt16 = 62
    #elseif arch(arm64)
        private static let ownMachine: UInt16 = 183
    #else
        private static let ownMachine: UInt16 = 0
    #endif
}
