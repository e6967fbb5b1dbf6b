// fuzz-modules: CPluginABI CNet CampipeKit CampipeHTTP
// fuzz-libraries: libcurl openssl libsodium
//
// Fuzzes the reader of session descriptions, with the URLs that follow from it.
//
// Found to be wrong: a trap, a track that cannot be, or a URL that is none.
@testable import CampipeHTTP

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSDP(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let description = SessionDescription(Array(UnsafeRawBufferPointer(start: start, count: count)))
    precondition(description.tracks.count <= SessionDescription.trackLimit, "too many tracks")
    for track in description.tracks {
        precondition(track.clockRate > 0 && track.channels > 0 && track.payloadType < 128, "a track that cannot be")
        precondition(track.rate.map { $0 > 0 && $0 <= 1000 } ?? true, "a rate that cannot be")
        for name in ["sprop-parameter-sets", "sprop-sps", "config"] {
            for part in (track.parameter(name) ?? "").split(separator: ",") { _ = Base64.bytes(String(part)) }
        }
        precondition(!RTSPURL.controls(track.control, base: "rtsp://h/a/").isEmpty, "no URL")
    }
    return 0
}
