import CampipeKit
import Testing

@testable import CampipePlugins

@Suite("What a plugin says of itself")
struct HandshakeTests {
    private let whole = PluginHandshake(
        compiler: "Swift version 6.3.1 (swift-6.3.1-RELEASE)", sdk: "5f0c",
        types: [.init(.source, "weather"), .init(.transform, "threshold")])

    @Test("the text says all of it, and is read again, with bytes of zero behind it")
    func roundTrip() {
        #expect(PluginHandshake(Array(whole.text.utf8)) == whole)
        #expect(PluginHandshake(Array(whole.text.utf8) + [0, 0, 65]) == whole)
    }

    @Test("lines of later versions are passed over")
    func later() {
        let text = whole.text + "node mixture soup\nlicence MIT\nblank\n\n"
        #expect(PluginHandshake(Array(text.utf8)) == whole)
    }

    @Test(
        "other bytes are no handshake",
        arguments: [
            "", "\n", "campipe plugin", "campipe plugin\nabi x\n", "campipe\nabi 2\n", "\u{0}campipe plugin\nabi 2\n",
        ])
    func garbage(text: String) { #expect(PluginHandshake(Array(text.utf8)) == nil) }

    @Test("the C constant holds any compiler's words")
    func escaped() {
        var odd = whole
        odd.compiler = "Swift \"6\\3\" ??= ü"
        #expect(odd.source.contains(#"compiler Swift \0426\1343\042 \077\077= \303\274\n""#))
    }

    @Test(
        "a SHA-256 is what FIPS 180 says",
        arguments: [
            (0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
            (64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
            (119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"),
        ])
    func hash(count: Int, text: String) {
        #expect(SHA256.text([UInt8](repeating: UInt8(ascii: "a"), count: count)) == text)
    }
}
