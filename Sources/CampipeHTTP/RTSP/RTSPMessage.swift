/// An answer of an RTSP server (RFC 2326 section 7).
package struct RTSPResponse: Sendable {
    package var status: Int
    package var reason: String
    package var headers: HTTPHeaders
    package var body: [UInt8]

    /// Its number, which repeats the request's; nil when it has none.
    package var number: Int? { headers["CSeq"].flatMap { decimal(trimmed(Array($0.utf8)[...])) } }
}

/// What comes from an RTSP server over one connection.
package enum RTSPUnit: Sendable {
    /// A packet of RTP or RTCP on a channel (RFC 2326 section 10.12).
    case data(channel: UInt8, [UInt8])
    case response(RTSPResponse)
    /// Servers ask too: OPTIONS, ANNOUNCE, SET_PARAMETER.
    case request(method: String, number: String)
}
