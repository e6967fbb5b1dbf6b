// swift-tools-version: 6.2
import PackageDescription

/// The house settings of every Swift target; see CONTRIBUTING.md.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]
/// The settings of the targets that hold pixels or touch C, so that `grep -w unsafe` lists what to audit.
let strictMemory: [SwiftSetting] = strict + [.strictMemorySafety()]

/// The items' way through the graph is full of short writes to classes; checked at run time in debug builds and tests,
/// they cost half of a hop in release (docs/adr/0002).
let hot: [SwiftSetting] =
    strictMemory + [.unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))]

/// A plugin takes the SDK's symbols from the host, so whoever loads one exports its own.
let exportsSymbols: [LinkerSetting] = [.unsafeFlags(["-Xlinker", "--export-dynamic"])]

func system(_ name: String, _ pkgConfig: String, _ packages: [String]) -> Target {
    .systemLibrary(name: name, path: "Sources/\(name)", pkgConfig: pkgConfig, providers: [.apt(packages)])
}

func tests(_ subject: String, _ dependencies: [Target.Dependency] = [], linker: [LinkerSetting] = []) -> Target {
    .testTarget(
        name: "\(subject)Tests", dependencies: [.init(stringLiteral: subject)] + dependencies,
        exclude: [], resources: [.copy("Fixtures")], swiftSettings: strict, linkerSettings: linker)
}

let package = Package(
    name: "campipe",
    products: [.executable(name: "campipe", targets: ["campipe"])],
    targets: [
        // C libraries: each has exactly one importer.
        system("CYAML", "yaml-0.1", ["libyaml-dev"]),
        system("CFFmpeg", "libavformat", ["libavformat-dev", "libavcodec-dev", "libswscale-dev"]),
        system("CTurboJPEG", "libturbojpeg", ["libturbojpeg0-dev"]),
        system("CFreeType", "freetype2", ["libfreetype-dev"]),
        system("CFontconfig", "fontconfig", ["libfontconfig-dev"]),
        system("CChafa", "chafa", ["libchafa-dev", "libglib2.0-dev"]),
        system("CCurl", "libcurl", ["libcurl4-openssl-dev"]),
        system("COpenSSL", "openssl", ["libssl-dev"]),
        system("CSodium", "libsodium", ["libsodium-dev"]),
        system("CSQLite", "sqlite3", ["libsqlite3-dev"]),
        system("CQREncode", "libqrencode", ["libqrencode-dev"]),
        .systemLibrary(name: "CMalloc", path: "Sources/CMalloc"),
        .systemLibrary(name: "CV4L2", path: "Sources/CV4L2"),
        .target(name: "CNet"),
        .target(name: "CProcess"),
        .target(name: "CSpawn"),

        // The SDK, and the layers above it.
        .target(name: "CampipeKit", swiftSettings: hot),
        .target(name: "CampipePlugins", dependencies: ["CampipeKit", "CProcess"], swiftSettings: strictMemory),
        .target(name: "CampipeConfig", dependencies: ["CampipeKit", "CYAML"], swiftSettings: strictMemory),
        .target(name: "CampipeRuntime", dependencies: ["CampipeKit"], swiftSettings: hot),
        .target(
            name: "CampipeMedia",
            dependencies: [
                "CampipeKit", "CFFmpeg", "CTurboJPEG", "CFreeType", "CFontconfig", "CChafa", "CQREncode", "CV4L2",
            ],
            swiftSettings: strictMemory),
        .target(
            name: "CampipeHTTP", dependencies: ["CampipeKit", "CCurl", "CNet", "COpenSSL", "CSodium"],
            swiftSettings: strictMemory),
        .target(name: "CampipeStore", dependencies: ["CampipeKit", "CSQLite"], swiftSettings: strictMemory),
        .target(name: "CampipeProcess", dependencies: ["CampipeKit", "CSpawn"], swiftSettings: strictMemory),
        .target(
            name: "CampipeNodes",
            dependencies: ["CampipeKit", "CampipeMedia", "CampipeHTTP", "CampipeStore", "CampipeProcess"],
            swiftSettings: strictMemory),
        .target(
            name: "CampipeApp",
            dependencies: [
                "CampipeKit", "CampipeConfig", "CampipeRuntime", "CampipeNodes", "CampipeHTTP", "CampipeStore",
                "CampipeMedia", "CampipeProcess", "CampipePlugins", "CMalloc",
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "campipe", dependencies: ["CampipeApp"], swiftSettings: strict, linkerSettings: exportsSymbols),

        tests("CampipeKit", linker: exportsSymbols),
        tests("CampipePlugins", ["CampipeKit"], linker: exportsSymbols),
        tests("CampipeConfig", ["CampipeKit"]),
        tests("CampipeRuntime", ["CampipeKit"]),
        tests("CampipeMedia", ["CampipeKit"]),
        tests("CampipeHTTP", ["CampipeKit"]),
        tests("CampipeStore", ["CampipeKit"]),
        tests("CampipeProcess", ["CampipeKit"]),
        tests("CampipeNodes", ["CampipeKit", "CampipeMedia", "CampipeHTTP", "CampipeStore"]),
        tests(
            "CampipeApp",
            [
                "CampipeKit", "CampipeConfig", "CampipeRuntime", "CampipeNodes", "CampipeHTTP", "CampipeMedia",
                "CampipeStore", "CampipePlugins",
            ]),
    ],
    swiftLanguageModes: [.v6]
)
