import Testing

@testable import CampipeHTTP

@Suite struct MediaTypeTests {
    @Test(
        "The boundary is found however it is spelled",
        arguments: [
            ("multipart/x-mixed-replace; boundary=cam", "multipart/x-mixed-replace", "cam"),
            ("multipart/x-mixed-replace;boundary=\"cam;=x\"", "multipart/x-mixed-replace", "cam;=x"),
            ("multipart/x-mixed-replace; charset=utf-8; BOUNDARY=cam", "multipart/x-mixed-replace", "cam"),
            ("Multipart/X-Mixed-Replace;boundary====1===", "multipart/x-mixed-replace", "===1==="),
            ("multipart/x-mixed-replace; boundary = --cam ; a=b", "multipart/x-mixed-replace", "--cam"),
            ("multipart/x-mixed-replace; note=\"; boundary=no\"; boundary=yes", "multipart/x-mixed-replace", "yes"),
            ("image/jpeg", "image/jpeg", nil),
            ("multipart/x-mixed-replace; boundary=", "multipart/x-mixed-replace", nil),
            ("", "", nil),
        ] as [(String, String, String?)])
    func boundaries(value: String, name: String, boundary: String?) {
        let type = MediaType(value)
        #expect(type.name == name)
        #expect(type.boundary == boundary)
    }
}
