/// The one table of commands: parsing, help and did-you-mean all read it.
enum CommandTable {
    static let commands: [Command] = [
        Command(
            name: .run, summary: "Runs a pipeline until its sources end or it is told to stop.",
            discussion: """
                The log goes to standard error; standard output is for the nodes that write there.
                SIGINT, SIGTERM or SIGHUP stops it in order, a second one at once.
                """,
            arguments: [.init("FILE", "The pipeline file; - is standard input.")],
            flags: [
                Flags.duration, Flags.set, Flags.listen, Flags.lan, Flags.noScreen, Flags.pluginPath, Flags.logLevel,
                Flags.logFormat,
            ],
            examples: [
                .init(line: "campipe run pipelines/home.yaml", says: "a demo camera in the browser"),
                .init(line: "campipe run home.yaml --lan", says: "for your network, with a password"),
                .init(
                    line: "campipe run home.yaml --set transforms.small.width=320 --duration 1m",
                    says: "another width, for a minute"),
            ]),
        Command(
            name: .validate, summary: "Checks pipeline files and starts nothing.",
            discussion: """
                Every fault is printed with its line, its column and a fix. Exits with 78 when there is one.
                With --json one object; of several files it holds one for each under "files".
                """,
            arguments: [.init("FILE", "A pipeline file; - is standard input.", count: .oneOrMore)],
            flags: [Flags.pluginPath, Flags.json],
            examples: [.init(line: "campipe validate pipelines/*.yaml", says: "check them all")]),
        Command(
            name: .graph, summary: "Prints what a pipeline file becomes: nodes, links, formats, deadlines.",
            discussion: """
                Decoders and encoders that campipe adds by itself are marked (implicit).
                """,
            arguments: [.init("FILE", "The pipeline file; - is standard input.")],
            flags: [Flags.graphFormat, Flags.pluginPath, Flags.json],
            examples: [.init(line: "campipe graph home.yaml --format dot | dot -Tsvg > home.svg", says: "a drawing")]),
        Command(
            name: .list, summary: "Lists the types of nodes that a pipeline file can name.",
            flags: [Flags.pluginPath, Flags.json]),
        Command(
            name: .inspect, summary: "Tells all about one type of node: ports, formats, options.",
            arguments: [.init("NODE", "A type of node, such as motion.")],
            flags: [Flags.inspectFormat, Flags.pluginPath, Flags.json],
            examples: [.init(line: "campipe inspect motion", says: "the options of motion")]),
        Command(
            name: .schema, summary: "Prints the JSON Schema of the pipeline file, for editors.",
            flags: [Flags.pluginPath],
            examples: [.init(line: "campipe schema > campipe.schema.json", says: "for the YAML plugin of an editor")]),
        Command(
            name: .simulate, summary: "Serves demo scenes over HTTP as real cameras would.",
            discussion: """
                It prints the address of each camera, and runs until it is told to stop. Nobody is asked for a
                password: beyond 127.0.0.1 the whole network sees the scenes, and it says so.
                Each fault that it plays is said on standard error.
                """,
            flags: [
                Flags.scene, Flags.size, Flags.fps, Flags.cameras, Flags.simulateListen, Flags.noBoundary,
                Flags.stallEvery, Flags.stallFor, Flags.cutEvery, Flags.damageEvery, Flags.duration, Flags.logLevel,
                Flags.logFormat,
            ],
            examples: [
                .init(line: "campipe simulate --cameras 4 --fps 5", says: "four cameras"),
                .init(line: "campipe simulate --cut-every 10s", says: "a camera that hangs up"),
            ]),
        Command(
            name: .probe, summary: "Tells what a camera speaks, and prints the pipeline file that reads it.",
            discussion: """
                It reads the camera for two seconds, ten at most; what it says are comments of the file.
                A password is never printed: the file names the variable CAMERA_PASSWORD, or --password-file;
                a proxy with a password becomes CAMERA_PROXY.
                With --username the password is the first line of standard input; on a terminal it is asked for.
                """,
            arguments: [
                .init("URL", "The camera: rtsp://..., http://..., either with an s for TLS, a file, or demo://porch.")
            ],
            flags: [
                Flags.username, Flags.passwordFile, Flags.proxy, Flags.tlsVerify, Flags.tlsFingerprint, Flags.caFile,
                Flags.json,
            ],
            examples: [
                .init(line: "campipe probe http://192.168.1.20/video", says: "what that is"),
                .init(
                    line: "campipe probe http://192.168.1.20/video --username me --password-file pw",
                    says: "with a password"),
            ]),
        Command(
            name: .view, summary: "Shows a camera in this terminal, without a file.",
            discussion: """
                q ends it. A camera that cannot be opened ends it with 1; one that goes away is waited for.
                The password is given as to probe.
                """,
            arguments: [
                .init("URL", "The camera: rtsp://..., http://..., either with an s for TLS, a file, or demo://porch.")
            ],
            flags: [
                Flags.columns, Flags.viewFPS, Flags.username, Flags.passwordFile, Flags.proxy, Flags.tlsVerify,
                Flags.tlsFingerprint, Flags.caFile,
            ],
            examples: [
                .init(line: "campipe view demo://porch", says: "the built-in camera"),
                .init(line: "campipe view http://192.168.1.20/video --fps 2", says: "two pictures a second"),
            ]),
        Command(
            name: .recordingsList, summary: "Lists what was recorded, the newest first.",
            discussion: """
                Times are local, with what they are ahead of UTC, and UTC. It lists what pipelines of this user
                recorded; of others --folder names the folder. It reads lists, not the files.
                TIME is 2026-01-31, 2026-01-31T18:30, 18:30 or 2h (so long ago); a Z behind it is UTC.
                """,
            flags: [
                Flags.camera, Flags.from, Flags.to, Flags.withEvents, Flags.limit, Flags.folder, Flags.rebuild,
                Flags.json,
            ],
            examples: [
                .init(line: "campipe recordings list --events --from 24h", says: "what happened since yesterday"),
                .init(line: "campipe recordings list --folder /mnt/disk/cams", says: "a disk from elsewhere"),
            ]),
        Command(
            name: .recordingsShow, summary: "Tells all about a recording: times, length, what happened in it.",
            arguments: [.init("FILE", "The recording.", count: .oneOrMore)],
            flags: [Flags.folder, Flags.rebuild, Flags.json]),
        Command(
            name: .recordingsExport, summary: "Copies a time of a camera, or recordings, into one file.",
            discussion: """
                Nothing is encoded again: it begins at the keyframe at or before --from. Where there was no
                recording for over a second, that is left out. FILE must not be there.
                TIME is 2026-01-31, 2026-01-31T18:30, 18:30 or 2h (so long ago); a Z behind it is UTC.
                """,
            arguments: [.init("FILE", "A recording; none are those of a time.", count: .any)],
            flags: [
                Flags.output, Flags.camera, Flags.from, Flags.to, Flags.withEvents, Flags.folder, Flags.rebuild,
                Flags.json,
            ],
            examples: [
                .init(
                    line: "campipe recordings export --camera door --from 18:30 --to 18:40 --output door.mp4",
                    says: "ten minutes of today")
            ]),
        Command(
            name: .recordingsVerify, summary: "Checks that recordings are there, as they were written, and play.",
            discussion: """
                It reads every file to its end; --decode decodes each picture too. Exits with 1 when one is
                not fine.
                """,
            arguments: [.init("FILE", "A recording; none are all.", count: .any)],
            flags: [
                Flags.decode, Flags.camera, Flags.from, Flags.to, Flags.withEvents, Flags.folder, Flags.rebuild,
                Flags.json,
            ]),
        Command(
            name: .recordingsPrune, summary: "Lets recordings be deleted that wait since the clock was set.",
            discussion: """
                After the clock was set by over an hour no recording is deleted for its age for two days, if
                more than a tenth of all would be. This says that the clock is right; it deletes nothing itself.
                """,
            flags: [Flags.yes, Flags.folder, Flags.json]),
        Command(
            name: .pluginNew, summary: "Makes a folder for a plugin: sources, a test and a pipeline that shows it.",
            discussion: """
                A plugin is a node of your own in Swift: docs/plugins.md goes through it step by step, and
                docs/writing-nodes.md shows the smallest of each kind. In Python it is a program that a node of
                type exec runs; campipe.py beside it does the talking, and nothing is built.
                """,
            arguments: [.init("NAME", "The plugin's name, such as night or night-filter; also of the folder.")],
            flags: [Flags.kind, Flags.language],
            examples: [
                .init(line: "campipe plugin new night --kind transform", says: "a filter, in the folder night"),
                .init(line: "campipe plugin new night --language python", says: "the same as a program in Python"),
            ]),
        Command(
            name: .pluginBuild, summary: "Builds a plugin: DIR/build/NAME.so.",
            arguments: [.init("DIR", "The plugin's folder (default: this one).", count: .oneOrNone)],
            flags: [Flags.debug],
            examples: [.init(line: "campipe plugin build night", says: "what is to stand under plugins: in a file")]),
        Command(
            name: .pluginCheck, summary: "Checks whether a plugin keeps the contract of docs/node-contract.md.",
            discussion: """
                It builds the plugin of a folder first. Exits with 1 where a rule is not kept.
                """,
            arguments: [
                .init("DIR", "The plugin's folder (default: this one), or a shared object.", count: .oneOrNone)
            ],
            flags: [Flags.debug, Flags.json],
            examples: [.init(line: "campipe plugin check night", says: "one line a rule")]),
        Command(
            name: .pluginTest, summary: "Runs the tests of a plugin: DIR/Tests, or in Python DIR/test_*.py.",
            arguments: [.init("DIR", "The plugin's folder (default: this one).", count: .oneOrNone)]),
        Command(
            name: .pluginInstall, summary: "Puts a built plugin where each of your pipelines finds it.",
            discussion: """
                That is ~/.local/share/campipe/plugins, or campipe/plugins in XDG_DATA_HOME.
                """,
            arguments: [.init("DIR", "The plugin's folder, or a shared object.")]),
        Command(
            name: .pluginList, summary: "Lists the plugins that pipelines find by themselves.",
            flags: [Flags.pluginPath, Flags.json]),
        Command(
            name: .hashPassword, summary: "Prints the hash of a password, for users of the server.",
            discussion: """
                The password is the first line of standard input; on a terminal it is asked for twice and not shown.
                """,
            examples: [.init(line: "campipe hash-password", says: "the value of password_hash, to be put in quotes")]),
        Command(
            name: .version, summary: "Prints campipe's version and what it was built with.",
            flags: [Flags.json]),
        Command(
            name: .help, summary: "Prints the commands, or the help of one.",
            arguments: [.init("COMMAND", "A command.", count: .any)]),
    ]

    /// The first words of commands of two.
    static let groups = Set(commands.compactMap(\.name.group))

    /// The command of this name; every name has one.
    static func command(_ name: CommandName) -> Command {
        guard let command = commands.first(where: { $0.name == name }) else {
            preconditionFailure("the table has no command \(name)")
        }
        return command
    }
}
