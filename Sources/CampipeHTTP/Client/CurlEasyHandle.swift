import CCurl
import CNet
import CampipeKit
#if canImport(Glibc)
    import Glibc
#endif

/// The one owner of a libcurl easy handle and of what it points to. Used on the fetcher's thread only.
///
/// It turns curl's callbacks into a head, body bytes and an end, and keeps the limits that curl does not.
@safe final class CurlEasyHandle {
    private static let headerLimit = 64 << 10

    private let handle: UnsafeMutableRawPointer
    private var lists: [UnsafeMutablePointer<curl_slist>] = unsafe []
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private let request: FetchRequest
    private let handler: any TransferHandler

    private var headers = HTTPHeaders()
    private var headerBytes = 0
    private var challenges: [String] = []
    private var hasBegun = false
    private var failure: CampipeError?
    private var isStopped = false

    /// - Throws: `.exhausted` without memory, `.configuration` for a URL or a file that curl does not take.
    init(_ request: FetchRequest, handler: any TransferHandler) throws(CampipeError) {
        guard let handle = unsafe curl_easy_init() else {
            throw CampipeError(.exhausted, "cannot make an HTTP transfer: no memory")
        }
        unsafe self.handle = handle
        self.request = request
        self.handler = handler
        unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        try configure()
    }

    deinit {
        unsafe curl_easy_cleanup(handle)
        unsafe lists.forEach { unsafe curl_slist_free_all($0) }
        unsafe errorText.deallocate()
    }

    func withHandle<Result>(_ body: (UnsafeMutableRawPointer) -> Result) -> Result { unsafe body(handle) }

    private func configure() throws(CampipeError) {
        try set(CURLOPT_URL, request.url.text)
        // What a fingerprint is asked of must not be answered without any.
        let protocols = request.fingerprint == nil ? "http,https" : "https"
        try set(CURLOPT_PROTOCOLS_STR, protocols)
        try set(CURLOPT_REDIR_PROTOCOLS_STR, protocols)
        set(CURLOPT_FOLLOWLOCATION, request.maxRedirects > 0 ? 1 : 0)
        set(CURLOPT_MAXREDIRS, request.maxRedirects)
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        set(CURLOPT_HTTP09_ALLOWED, 1)  // cameras that send the body alone
        set(CURLOPT_NOSIGNAL, 1)
        // A transfer that is called off while a name is looked up would wait for the look-up's thread, and all cameras
        // with it (lib/asyn-thread.c, Curl_resolver_kill); so the thread is let go instead, and tidies up itself.
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_BUFFERSIZE, 64 << 10)
        set(CURLOPT_CONNECTTIMEOUT_MS, Int(clamping: max(1, request.connectTimeout.nanoseconds / 1_000_000)))
        try set(CURLOPT_USERAGENT, "campipe")
        // A program that this process starts must not hold a camera's connection open.
        unsafe ccurl_set_socket_callback(handle) { _, descriptor, _ in
            fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 ? Int32(CURL_SOCKOPT_OK) : Int32(CURL_SOCKOPT_ERROR)
        }
        if let proxy = request.proxy { try set(CURLOPT_PROXY, proxy) }
        try configureTLS()
        if let username = request.username {
            // With both allowed curl asks first and takes Digest where it is offered (lib/http.c, pickoneauth).
            set(CURLOPT_HTTPAUTH, ccurl_auth_basic_and_digest())
            try set(CURLOPT_USERNAME, username)
            try set(CURLOPT_PASSWORD, request.password ?? "")
        }
        try setList(CURLOPT_HTTP200ALIASES, ["ICY"])
        var fields = request.headers.fields.map { "\($0.name): \($0.value)" }
        if let upload = request.upload { fields += try configure(upload) }
        try setList(CURLOPT_HTTPHEADER, fields)
        unsafe ccurl_set_pointer(handle, CURLOPT_ERRORBUFFER, errorText)
        let own = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe ccurl_set_pointer(handle, CURLOPT_HEADERDATA, own)
        unsafe ccurl_set_pointer(handle, CURLOPT_WRITEDATA, own)
        unsafe ccurl_set_data_callback(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, own in
            unsafe CurlEasyHandle.from(own).takeHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        unsafe ccurl_set_data_callback(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, own in
            unsafe CurlEasyHandle.from(own).takeBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
    }

    /// - Returns: The fields of the head that belong to it.
    private func configure(_ upload: FetchRequest.Upload) throws(CampipeError) -> [String] {
        set(CURLOPT_POSTFIELDSIZE, upload.bytes.count)
        // curl has a copy of its own, so that nobody must keep these.
        let code = unsafe upload.bytes.withBytes { bytes in
            unsafe ccurl_set_pointer(
                handle, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: bytes.baseAddress))
        }
        guard code == CURLE_OK else {
            throw CampipeError(.exhausted, "cannot open \(request.shownURL): no memory")
        }
        try set(CURLOPT_CUSTOMREQUEST, upload.method)
        set(CURLOPT_TIMEOUT_MS, Int(clamping: max(1, upload.timeout.nanoseconds / 1_000_000)))
        // Without "100-continue", which costs a second where a server does not know it.
        return ["Content-Type: \(upload.type)", "Expect:"]
    }

    private func configureTLS() throws(CampipeError) {
        let checksChain = request.verifiesTLS && request.fingerprint == nil
        set(CURLOPT_SSL_VERIFYPEER, checksChain ? 1 : 0)
        set(CURLOPT_SSL_VERIFYHOST, checksChain ? 2 : 0)
        if let caFile = request.caFile {
            try set(CURLOPT_CAINFO, caFile)
            unsafe ccurl_set_pointer(handle, CURLOPT_CAPATH, nil)  // or the system's would be trusted as well
        }
        switch request.fingerprint {
        case nil: break
        case .publicKey(let hash): try set(CURLOPT_PINNEDPUBLICKEY, "sha256//\(hash)")
        case .certificate:
            // curl shows the certificate of a new handshake only, so each request makes one.
            set(CURLOPT_CERTINFO, 1)
            set(CURLOPT_SSL_SESSIONID_CACHE, 0)
            set(CURLOPT_FRESH_CONNECT, 1)
            set(CURLOPT_FORBID_REUSE, 1)
            // Called after the handshake and before anything is sent.
            unsafe ccurl_set_prereq_callback(
                handle, { own, _, _, _, _ in unsafe CurlEasyHandle.from(own).checkCertificate() },
                Unmanaged.passUnretained(self).toOpaque())
        }
    }

    private static func from(_ pointer: UnsafeMutableRawPointer?) -> CurlEasyHandle {
        guard let pointer = unsafe pointer else { fatalError("curl called back without its argument") }
        return unsafe Unmanaged<CurlEasyHandle>.fromOpaque(pointer).takeUnretainedValue()
    }

    private func set(_ option: CURLoption, _ value: Int) { unsafe ccurl_set_long(handle, option, value) }

    private func set(_ option: CURLoption, _ value: String) throws(CampipeError) {
        let code = unsafe ccurl_set_text(handle, option, value)
        guard code == CURLE_OK else {
            throw CampipeError(.configuration, "cannot open \(request.shownURL): \(CurlEasyHandle.text(code))")
        }
    }

    private func setList(_ option: CURLoption, _ values: [String]) throws(CampipeError) {
        var list: UnsafeMutablePointer<curl_slist>?
        for value in values {
            guard let longer = unsafe curl_slist_append(list, value) else {
                unsafe curl_slist_free_all(list)
                throw CampipeError(.exhausted, "cannot open \(request.shownURL): no memory")
            }
            unsafe list = longer
        }
        guard let made = unsafe list else { return }
        unsafe lists.append(made)
        unsafe ccurl_set_list(handle, option, made)
    }

    static func text(_ code: CURLcode) -> String {
        guard let text = unsafe curl_easy_strerror(code) else { return "error \(code.rawValue)" }
        return unsafe String(cString: text)
    }

    // MARK: What curl calls

    /// - Returns: Whether the request may be sent.
    private func checkCertificate() -> Int32 {
        guard case .certificate(let wanted) = request.fingerprint else { return Int32(CURL_PREREQFUNC_OK) }
        let found = leafFingerprint
        if found == wanted { return Int32(CURL_PREREQFUNC_OK) }
        failure = .otherCertificate(shown, found)
        return Int32(CURL_PREREQFUNC_ABORT)
    }

    /// The hash of the server's own certificate.
    private var leafFingerprint: [UInt8]? {
        var certificates: UnsafeMutablePointer<curl_certinfo>?
        guard unsafe ccurl_get_certificates(handle, &certificates) == CURLE_OK, let all = unsafe certificates,
            unsafe all.pointee.num_of_certs > 0
        else { return nil }
        var entry = unsafe all.pointee.certinfo[0]
        while let line = unsafe entry {
            let text = unsafe String(cString: line.pointee.data)
            if text.hasPrefix("Cert:") { return TLSFingerprint.hash(ofPEM: String(text.dropFirst(5))) }
            unsafe entry = line.pointee.next
        }
        return nil
    }

    /// - Returns: How many bytes were taken; fewer end the transfer.
    private func takeHeader(_ bytes: UnsafeRawBufferPointer) -> Int {
        if hasBegun { return bytes.count }  // trailers
        headerBytes += bytes.count
        guard headerBytes <= Self.headerLimit else {
            failure = CampipeError(.failed, "\(shown) sends more than \(Self.headerLimit >> 10) KiB of headers")
            return 0
        }
        let line = unsafe Array(bytes)
        if line.starts(with: Array("HTTP/".utf8)) || line.starts(with: Array("ICY ".utf8)) {
            headers = HTTPHeaders()
            headerBytes = line.count
        } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
            let value = trimmed(line[(colon + 1)...].prefix { $0 != 10 })
            headers.add(String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self))
            if lowercased(line[..<colon]) == "www-authenticate" { LoginOffer.add(value, to: &challenges) }
        } else if line == [13, 10] || line == [10] {
            if isFinal(status) { begin() }
        }
        return bytes.count
    }

    private func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        if !hasBegun {
            let status = self.status
            guard isFinal(status) || status == 0 else { return 0 }  // the status tells why, see `end`
            begin()
        }
        switch unsafe handler.transferReceived(bytes) {
        case .more: break
        // At once, so that a handler is given no more before it asks to resume; curl allows it here.
        case .pause: unsafe curl_easy_pause(handle, CURLPAUSE_RECV)
        case .stop:
            isStopped = true
            return 0
        }
        return bytes.count
    }

    private func isFinal(_ status: Int) -> Bool {
        request.upload == nil ? (200..<300).contains(status) || status == 304 : status >= 200
    }

    private func begin() {
        guard !hasBegun else { return }
        hasBegun = true
        let status = self.status
        handler.transferBegan(
            ResponseHead(status: status == 0 ? 200 : status, headers: headers, challenges: challenges))
    }

    private var status: Int {
        var status = 0
        unsafe ccurl_get_long(handle, CURLINFO_RESPONSE_CODE, &status)
        return status
    }

    // MARK: A connection without HTTP

    /// Connects, with TLS for https, and sends nothing; `curl_easy_send` and `curl_easy_recv` are the connection then.
    /// Blocks.
    ///
    /// - Parameters:
    ///   - shown: What the message names as the address.
    ///   - stop: Ends the wait within about a second.
    /// - Returns: Its socket, for `poll`.
    func connect(shown: String, stop: StopFlag) throws(CampipeError) -> Int32 {
        set(CURLOPT_CONNECT_ONLY, 1)
        set(CURLOPT_SSL_ENABLE_ALPN, 0)
        set(CURLOPT_FORBID_REUSE, 0)  // or curl closes it at once
        unsafe ccurl_set_progress_callback(
            handle,
            { flag, _, _, _, _ in
                guard let flag = unsafe flag else { return 0 }
                return unsafe Unmanaged<StopFlag>.fromOpaque(flag).takeUnretainedValue().isRaised ? 1 : 0
            }, Unmanaged.passUnretained(stop).toOpaque())
        let code = unsafe curl_easy_perform(handle)
        unsafe ccurl_set_progress_callback(handle, nil, nil)
        if let failure { throw failure }
        var socket: Int32 = -1
        guard code == CURLE_OK, unsafe ccurl_get_socket(handle, &socket) == CURLE_OK, socket >= 0 else {
            throw failure(code, shown)
        }
        return socket
    }

    // MARK: What the fetcher calls

    /// Reads on after a pause.
    func resume() { unsafe curl_easy_pause(handle, CURLPAUSE_CONT) }

    /// Tells the handler that the transfer was called off.
    func cancel() { handler.transferEnded(.cancelled) }

    /// Tells the handler how it ended.
    func end(_ code: CURLcode) {
        let status = self.status
        if isStopped {
            handler.transferEnded(.cancelled)
        } else if let failure {
            handler.transferEnded(.failed(failure))
        } else if !isFinal(status), status >= 300, code == CURLE_OK || code == CURLE_WRITE_ERROR {
            var seconds: curl_off_t = 0  // of Retry-After, as a number or a date
            unsafe ccurl_get_offset(handle, CURLINFO_RETRY_AFTER, &seconds)
            handler.transferEnded(
                .failed(
                    .refused(
                        shown, status, hadCredentials: request.username != nil, challenges: challenges,
                        retryAfter: Int(seconds))))
        } else if code == CURLE_OK {
            begin()
            var length: curl_off_t = -1
            unsafe ccurl_get_offset(handle, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length)
            let isChunked = hasToken(headers["Transfer-Encoding"], "chunked")
            handler.transferEnded(.finished(isComplete: length >= 0 || isChunked))
        } else {
            handler.transferEnded(.failed(failure(code, shown)))
        }
    }

    private func failure(_ code: CURLcode, _ shown: String) -> CampipeError {
        var number = 0
        unsafe ccurl_get_long(handle, CURLINFO_OS_ERRNO, &number)
        // Some of curl's texts end with a blank.
        let text = Array(unsafe String(cString: errorText).utf8)
        let detail = String(decoding: trimmed(text[...]), as: UTF8.self)
        return .curl(code, shown, request, errno: Int32(number), detail: detail)
    }

    private var shown: String { request.shownURL }
}
