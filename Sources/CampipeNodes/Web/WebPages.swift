/// The pages that people open in a browser.
enum WebPages {
    /// One stream: as video where there is some that the browser plays, else as pictures, as without JavaScript.
    ///
    /// - Parameter hasSound: Whether there may be sound; it is muted until the button is pressed.
    static func stream(path: String, hasSound: Bool = false) -> String {
        let name = escaped(path)
        return page(
            title: path,
            body: """
                <header><a href="/">all streams</a><h1>\(name)</h1>
                <nav>\(hasSound ? "<button class=\"sound\">sound on</button> " : "")<a href="\(name)/stream">stream</a>
                <a href="\(name)/snapshot">snapshot</a></nav></header>
                <main data-path="\(name)"><video class="live" muted autoplay playsinline></video>
                <img class="live" alt="\(name)" hidden><p class="word"></p>
                <noscript><img class="live" src="\(name)/stream" alt="\(name)"></noscript></main>
                <noscript><style>video { display: none; }</style></noscript>
                <script>
                \(VideoPlayerScript.text)
                </script>
                """)
    }

    /// A stream that is off.
    static func off(path: String, reason: String) -> String {
        page(
            title: path,
            body: """
                <header><a href="/">all streams</a><h1>\(escaped(path))</h1></header>
                <main><p>off: \(escaped(reason))</p></main>
                """)
    }

    /// The streams that somebody may see. All come small over one connection: a browser opens six to a server, and a
    /// stream each would leave it none. Without JavaScript there are snapshots.
    ///
    /// - Parameter off: Those among them that are off.
    static func index(paths: [String], off: Set<String> = [], canSignIn: Bool = false) -> String {
        let cells = paths.map { path in
            let name = escaped(path)
            if off.contains(path) { return "<a class=\"cell\" href=\"\(name)\"><span>\(name): off</span></a>" }
            return """
                <a class="cell" href="\(name)"><img data-stream="\(name)" alt=""><span>\(name)</span>
                <noscript><img src="\(name)/snapshot?width=320" alt=""></noscript></a>
                """
        }
        return page(
            title: "campipe",
            body: "<header><h1>campipe</h1>" + (canSignIn ? "<a href=\"/?sign-in\">sign in</a>" : "")
                + "</header><main class=\"grid\">"
                + (cells.isEmpty ? "<p>This pipeline shows nothing over HTTP.</p>" : cells.joined(separator: "\n"))
                + "</main><noscript><style>img[data-stream] { display: none; }</style></noscript>"
                + "<script>\n\(StreamReaderScript.text)\n</script>")
    }

    private static func page(title: String, body: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
        <title>\(escaped(title))</title><style>
        body { margin: 0; background: #111; color: #ddd; font: 16px system-ui, sans-serif; }
        header { display: flex; gap: 1em; align-items: baseline; padding: .5em 1em; }
        h1 { font-size: 1em; margin: 0; flex: 1; } a { color: #8cf; text-decoration: none; }
        main { padding: 0 1em 1em; } img, video { display: block; width: 100%; background: #000; }
        img.live, video.live { width: auto; max-width: 100%; max-height: 90vh; margin: auto; }
        img.gone, video.gone { opacity: .3; } [hidden] { display: none !important; } .word { text-align: center; }
        .grid { display: grid; gap: 1em; grid-template-columns: repeat(auto-fill, minmax(16em, 1fr)); }
        button { font: inherit; color: #8cf; background: none; border: 1px solid #8cf; border-radius: 4px; }
        .cell img { aspect-ratio: 16 / 9; object-fit: contain; }
        </style></head><body>
        \(body)
        </body></html>
        """
    }

    /// Text as HTML, inside quotes too.
    static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.append(character)
            }
        }
        return result
    }
}
