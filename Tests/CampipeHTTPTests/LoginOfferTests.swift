import Testing

@testable import CampipeHTTP

@Suite struct LoginOfferTests {
    @Test(
        "The schemes of a challenge are told from their parameters, however they share a field",
        arguments: [
            ("Basic realm=\"cam\"", ["Basic"]),
            ("digest realm=\"a, Basic x\", nonce=\"1\", qop=\"auth,auth-int\"", ["digest"]),
            ("Digest realm=\"a\\\", Basic\", nonce=1, Basic realm=\"b\"", ["Digest", "Basic"]),
            ("Basic realm = \"x\" , charset = \"UTF-8\"", ["Basic"]), ("NTLM", ["NTLM"]),
            ("Negotiate abc==, Bearer", ["Negotiate", "Bearer"]), ("", []), (",,", []), ("realm=x", []),
        ] as [(String, [String])])
    func schemes(field: String, schemes: [String]) {
        var headers = HTTPHeaders()
        headers.add("WWW-Authenticate", field)
        #expect(LoginOffer.schemes(of: headers) == schemes)
    }
}
