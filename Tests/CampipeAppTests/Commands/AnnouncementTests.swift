import CampipeConfig
import CampipeHTTP
import Testing

@testable import CampipeApp

@Suite("What run says once it serves")
struct AnnouncementTests {
    private func announcement(
        _ host: String = "127.0.0.1", words: [String] = ["run", "home.yaml"], paths: [String] = ["/front"],
        variables: [UsedVariable] = []
    ) -> Announcement {
        Announcement(
            name: "home", paths: paths, address: ListenAddress(host: host, port: 8080), machine: ["192.168.1.5"],
            variables: variables, command: "./campipe", words: words)
    }

    @Test("it names the pages, and the line that opens them to the house")
    func text() {
        #expect(
            announcement(paths: ["/front", "/yard"]).text == """
                campipe serves home:
                  http://127.0.0.1:8080/front
                  http://127.0.0.1:8080/yard
                Only this machine sees it. For everyone in your network, stop it and write:
                  ./campipe run home.yaml --listen 0.0.0.0:8080 --lan

                """)
    }

    @Test("open already, it names this machine's addresses and no such line", arguments: ["0.0.0.0", ""])
    func open(_ host: String) {
        let open = announcement(host)
        #expect(open.opening == nil)
        #expect(open.pages == ["http://127.0.0.1:8080/front", "http://192.168.1.5:8080/front"])
    }

    @Test("an address of IPv6 is in brackets, as a browser takes it")
    func ipv6() { #expect(announcement("::1").pages == ["http://[::1]:8080/front"]) }

    @Test(
        "the line keeps what was written, in the shell's quotes, with another address",
        arguments: [
            (
                ["run", "my home.yaml", "--listen", "127.0.0.1:1", "--duration=5m"],
                "./campipe run 'my home.yaml' --duration=5m"
            ),
            (["run", "--listen=127.0.0.1:1", "it's.yaml"], "./campipe run 'it'\\''s.yaml'"),
            (["run", "a.yaml", "--set", "sinks.web.width=320"], "./campipe run a.yaml --set sinks.web.width=320"),
        ] as [([String], String)])
    func words(_ words: [String], _ begins: String) {
        #expect(announcement(words: words).opening == begins + " --listen 0.0.0.0:8080 --lan")
    }

    @Test(
        "a password in a path, and one behind a misspelt key, is left out",
        arguments: [
            "sources.t.url=http://h/x;password=hunter2", "sources.t.url=http://h/user=a_password=hunter2_channel=1",
            "sources.t.passwrd=hunter2",
        ])
    func secrets(_ assignment: String) {
        let opening = announcement(words: ["run", "a.yaml", "--set", assignment]).opening
        #expect(opening?.contains("hunter2") == false && opening?.contains("=...") == true)
    }

    @Test("what follows -- stays behind it")
    func separator() {
        #expect(
            announcement(words: ["run", "--no-screen", "--", "-a.yaml"]).opening
                == "./campipe run --no-screen --listen 0.0.0.0:8080 --lan -- -a.yaml")
    }

    @Test(
        "a password on the command line is not repeated",
        arguments: [
            ["--set", "sources.front.password=hunter22"], ["--set=sources.front.url=http://me:hunter22@cam/"],
            ["--set", "cameras.yard.url=http://cam/?pwd=hunter22"],
        ])
    func secrets(_ words: [String]) throws {
        let opening = try #require(announcement(words: ["run", "a.yaml"] + words).opening)
        #expect(!opening.contains("hunter22") && opening.contains("=..."))
    }

    @Test("the line brings the variables that the file takes; what may be secret is the shell's, or asked for")
    func variables() throws {
        let opening = try #require(
            announcement(variables: [
                UsedVariable(name: "CAMERA_URL", value: "http://cam/video?a=1&b=2"),
                UsedVariable(name: "CAMERA_PASSWORD", value: nil), UsedVariable(name: "HOME", value: "/root"),
            ]).opening)
        #expect(
            opening == "CAMERA_URL='http://cam/video?a=1&b=2' "
                + "CAMERA_PASSWORD=\"${CAMERA_PASSWORD:?may be secret, so fill it in here}\" "
                + "./campipe run home.yaml --listen 0.0.0.0:8080 --lan")
    }
}
