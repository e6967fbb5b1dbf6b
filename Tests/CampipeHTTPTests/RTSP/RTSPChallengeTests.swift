import Testing

@testable import CampipeHTTP

@Suite("Challenges of RTSP")
struct RTSPChallengeTests {
    @Test(
        "the proofs of RFC 7616 section 3.9.1 are those of the RFC",
        arguments: [
            ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
            ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
        ])
    func rfc(_ algorithm: String, _ proof: String) throws {
        let field = """
            Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=\(algorithm), \
            nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
            """
        var challenge = try #require(RTSPChallenge([field]))
        let answer = challenge.answer(
            "GET", "/dir/index.html", username: "Mufasa", password: "Circle of Life",
            random: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
        #expect(answer.contains("response=\"\(proof)\""))
        #expect(answer.contains("nc=00000001") && answer.contains("opaque=\"FQhe/"))
        #expect(challenge.answer("GET", "/", username: "u", password: "p", random: "x").contains("nc=00000002"))
    }

    @Test(
        "of several challenges the strongest that is known is taken",
        arguments: [
            (["Basic realm=\"a\"", "Digest realm=\"b\", nonce=\"n\""], "b", RTSPChallenge.Algorithm.md5),
            (
                ["Digest realm=\"b\", nonce=\"n\", algorithm=MD5, Digest realm=\"c\", nonce=\"n\", algorithm=SHA-256"],
                "c", .sha256
            ),
            (
                ["Digest realm=\"b\", nonce=\"n\", algorithm=SHA-512-256, Basic realm=\"a, or Digest nonce=x\""],
                "a, or Digest nonce=x", .basic
            ),
            (["digest NONCE=n,REALM = \"q\\\"uoted\""], "q\"uoted", .md5),
            (["Negotiate, Basic realm=x"], "x", .basic),
        ])
    func strongest(_ fields: [String], _ realm: String, _ algorithm: RTSPChallenge.Algorithm) {
        let found = RTSPChallenge(fields)
        #expect(found?.realm == realm)
        #expect(found?.algorithm == algorithm)
    }

    @Test(
        "what cannot be answered is none",
        arguments: ["", "Bearer", "Digest realm=\"x\"", "realm=\"x\"", ",,==\"", "Digest \""])
    func none(_ field: String) { #expect(RTSPChallenge([field]) == nil) }

    @Test("MD5 and base64 are those of their RFCs")
    func hashes() {
        #expect(MessageDigest.md5.text(Array("message digest".utf8)) == "f96b697d7cb7938d525a2f31aaf161d0")
        for (text, coded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            #expect(Base64.text(Array(text.utf8)) == coded)
            #expect(Base64.bytes(coded) == Array(text.utf8))
        }
        #expect(Base64.bytes(" Zg ") == Array("f".utf8))
        #expect(Base64.bytes("Z!") == nil)
    }
}
