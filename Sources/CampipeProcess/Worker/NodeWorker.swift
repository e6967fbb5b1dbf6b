package import CampipeKit
import Glibc

/// The child's side of an isolated node: reads what the host says on standard input, has the node do it, and writes what it
/// makes on standard output. It ends when the host does.
///
/// One thread, which blocks.
@safe package final class NodeWorker {
    private let input = Int32(0)
    private let output: Int32
    private var memory: SharedMemory?
    private var box: NodeBox?
    private let pool = FramePool()
    private let clock = SystemClock()
    private var inputFormat: Format?
    private var formats: [Format?] = []
    /// Where the next item lies in our half of the memory.
    private var nextPlace = SharedMemory.half
    private let isSignalled = Lock(false)

    package init() {
        // What anybody prints goes to the host's log; the pipe is for messages alone.
        output = dup(1)
        dup2(2, 1)
    }

    /// Works until the host ends it.
    ///
    /// - Parameter types: Says which types of node there are; what is printed meanwhile is no message either.
    /// - Returns: Whether it ended in good order.
    package func run(_ types: () throws -> Registry) -> Bool {
        do {
            guard let (header, text, _) = try read(), header.kind == .hello else { return false }
            try open(JSONReader.map(text[...]), try types())
            try write(MessageHeader(.ready), text: ["protocol": .integer(Hello.version)].json)
            while let (header, text, data) = try read() {
                guard header.kind != .finish else { break }
                try answer(header, text, data)
            }
            try box?.finish()
            return true
        } catch {
            var header = MessageHeader(.failed)
            header.captured = MessageHeader.noTime
            try? write(header, text: ["message": .text("\(error)"), "over": true].json)
            return false
        }
    }

    private func open(_ hello: [String: EventValue], _ registry: Registry) throws {
        guard let name = hello.text("type"), let values = hello["values"],
            case .map(let options)? = ValueText.value(values),
            let ports = hello.list("inputs"), case .map(let input)? = ports.first, let kind = input.text("kind"),
            let registration = registry.named(name, in: "transforms").first(where: {
                $0.descriptor.mainInput?.kind.rawValue == kind
            })
        else { throw CampipeError(.configuration, "there is no such node") }
        if case .map(let shared)? = hello["memory"], shared.integer("bytes") == SharedMemory.byteCount {
            memory = try SharedMemory(descriptor: 3)
        }
        formats = registration.descriptor.outputs.map { $0.kind == .event ? .events : nil }
        let box = registration.make(options)
        let context = Context(
            id: hello.text("node") ?? "", pipeline: hello.text("pipeline") ?? "", camera: hello.text("camera"),
            source: hello.text("source"), isLive: hello.flag("live") ?? true, isGated: hello.flag("gated") ?? false,
            clock: clock, log: Log(level: .info) { [output] entry in Self.say(entry, output) },
            waker: Waker { [isSignalled] in isSignalled.withLock { $0 = true } }, pool: pool)
        try box.open(context)
        self.box = box
    }

    private static func say(_ entry: Log.Entry, _ output: Int32) {
        // Standard error: a log may be written from any thread, and messages are not to be cut.
        let facts = entry.facts.map { " \($0.key)=\($0.value)" }.joined()
        let line = Array("\(entry.level.name) \(entry.message)\(facts)\n".utf8)
        _ = unsafe Glibc.write(2, line, line.count)
    }

    private func answer(_ header: MessageHeader, _ text: [UInt8], _ data: [UInt8]) throws {
        guard let box else { return }
        nextPlace = SharedMemory.half
        var answer: [String: EventValue] = [:]
        do {
            switch header.kind {
            case .format:
                let kind = box.descriptor.inputs[0].kind
                let format = try FormatText.format(JSONReader.map(text[...]), of: kind)
                inputFormat = format
                try box.begin(format)
                try announce(try box.output(for: format), port: 0)
                answer["holds"] = .integer(box.holds)
            case .gap:
                let map = try JSONReader.map(text[...])
                let names = Set(
                    (map.list("reasons") ?? []).compactMap { if case .text(let name) = $0 { name } else { nil } })
                var reasons: DropReasons = []
                for reason in DropReason.allCases where names.contains(reason.name) {
                    reasons.insert(DropReasons(reason))
                }
                let captured = Instant(nanoseconds: header.captured)
                box.gap(Gap(count: map.integer("count") ?? 0, reasons: reasons, from: captured, through: captured))
                return
            case .drain:
                var output = Output(box.ports)
                try box.drain(to: &output)
            case .item:
                for index in box.ports.ports.indices {
                    box.ports.ports[index].isWanted = header.wanted >> UInt8(index) & 1 == 1
                }
                var output = Output(box.ports)
                if isSignalled.withLock({ signalled in
                    defer { signalled = false }
                    return signalled
                }) {
                    try box.wake(to: &output)
                }
                try box.process(try item(header, text, data), to: &output)
            default: return
            }
            try emit(box.ports)
            try write(MessageHeader(.done), text: answer.isEmpty ? [] : answer.json)
        } catch let error as CampipeError {
            Self.clear(box.ports)
            try write(MessageHeader(.failed), text: ["message": .text(error.description)].json)
        }
    }

    private func item(_ header: MessageHeader, _ text: [UInt8], _ data: [UInt8]) throws -> ItemStorage {
        let captured = Instant(nanoseconds: header.captured)
        let pts = MediaTime(.nanoseconds(header.pts))
        switch inputFormat {
        case .frames(let format)?:
            guard let pixel = format.pixel, let size = format.size else { break }
            let layout = try PixelLayout(pixel, size, align: memory == nil ? 1 : PixelBuffer.alignment)
            guard layout.byteCount == header.dataCount else { break }
            // A copy: the node may keep the frame longer than it lies there.
            let pixels = pool.buffer(pixel, size)
            unsafe withData(header, data) { source in unsafe layout.unpack(source, into: pixels) }
            var frame = Frame(
                pixels, range: format.range, matrix: format.matrix, rate: format.rate, captured: captured, pts: pts)
            frame.isDamaged = header.flags.contains(.damaged)
            if let regions = try JSONReader.map(text[...]).list("regions") {
                frame.regions = regions.compactMap(Region.init)
            }
            return frame.storage
        case .packets(let format)?:
            let bytes = unsafe withData(header, data) { unsafe Bytes($0) }
            var packet = Packet(
                bytes, format: format, captured: captured, pts: pts, dts: MediaTime(.nanoseconds(header.dts)),
                duration: header.duration > 0 ? .nanoseconds(header.duration) : nil,
                isKeyframe: header.flags.contains(.key), isDisposable: header.flags.contains(.disposable))
            packet.isDamaged = header.flags.contains(.damaged)
            return packet.storage
        case .events?:
            return try EventText.event(JSONReader.map(text[...]), captured: captured, node: "").storage
        case nil: break
        }
        throw CampipeError(.badData, "the host sends what it did not announce")
    }

    private func withData<Result>(
        _ header: MessageHeader, _ data: [UInt8], _ use: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        guard header.flags.contains(.shared), let memory else { return unsafe data.withUnsafeBytes { unsafe use($0) } }
        let place = Int(header.place)
        return unsafe memory.withBytes(place..<place + header.dataCount) { unsafe use(UnsafeRawBufferPointer($0)) }
    }

    // MARK: What the node made

    private func announce(_ format: Format, port: Int) throws {
        switch format {
        case .events: return
        case .frames(let frames): guard frames.pixel != nil, frames.size != nil else { return }
        case .packets(let packets): guard packets.coding != nil else { return }
        }
        guard formats[port] != format else { return }
        formats[port] = format
        var header = MessageHeader(.format)
        header.port = UInt8(port)
        try write(header, text: FormatText.map(format, align: memory == nil ? 1 : PixelBuffer.alignment).json)
    }

    private func emit(_ ports: OutputPorts) throws {
        for port in ports.ports.indices {
            for position in 0..<ports.ports[port].items.count {
                if let item = ports.ports[port].items[position] { try emit(item, port) }
            }
        }
        Self.clear(ports)
    }

    private static func clear(_ ports: OutputPorts) {
        for index in ports.ports.indices {
            ports.ports[index].items.removeAll()
            ports.ports[index].controls.removeAll()
        }
        ports.removed.removeAll()
        (ports.emitted, ports.damaged) = (0, 0)
    }

    private func emit(_ item: ItemStorage, _ port: Int) throws {
        try announce(item.streamFormat, port: port)
        var header = MessageHeader(.item)
        header.port = UInt8(port)
        ItemTimes(item).write(to: &header)
        if item.flags.contains(.damaged) { header.flags.insert(.damaged) }
        switch item.kind {
        case .event: try write(header, text: EventText.map(Event(storage: item)).json)
        case .packet:
            let packet = Packet(storage: item)
            if packet.isKeyframe { header.flags.insert(.key) }
            if packet.isDisposable { header.flags.insert(.disposable) }
            header.duration = packet.duration?.nanoseconds ?? 0
            header.dataCount = packet.data.count
            unsafe try packet.data.withBytes { bytes in
                unsafe try place(header, text: []) { unsafe $0.copyMemory(from: bytes) }
            }
        case .frame:
            let frame = Frame(storage: item)
            let layout = try PixelLayout(frame.pixel, frame.size, align: memory == nil ? 1 : PixelBuffer.alignment)
            header.dataCount = layout.byteCount
            let text: [UInt8] = frame.regions.isEmpty ? [] : ["regions": .list(frame.regions.map(\.value))].json
            unsafe try place(header, text: text) { target in unsafe layout.pack(frame.pixels, into: target) }
        }
    }

    /// Writes an item with its data: into the shared memory, where there is room for it.
    private func place(
        _ header: MessageHeader, text: [UInt8], _ fill: (UnsafeMutableRawBufferPointer) -> Void
    ) throws {
        var header = header
        if let memory, header.dataCount > 0, nextPlace + header.dataCount <= SharedMemory.byteCount {
            header.flags.insert(.shared)
            header.place = UInt64(nextPlace)
            unsafe memory.withBytes(nextPlace..<nextPlace + header.dataCount) { unsafe fill($0) }
            nextPlace += (header.dataCount + 63) / 64 * 64
            return try write(header, text: text)
        }
        var data = [UInt8](repeating: 0, count: header.dataCount)
        unsafe data.withUnsafeMutableBytes { unsafe fill($0) }
        try write(header, text: text, data: data)
    }

    // MARK: The pipes

    private func read() throws -> (MessageHeader, [UInt8], [UInt8])? {
        guard let head = read(MessageHeader.byteCount) else { return nil }
        let header = try MessageHeader(head)
        guard let text = read(header.textCount),
            let data = read(header.flags.contains(.shared) ? 0 : header.dataCount)
        else { return nil }
        if header.flags.contains(.shared) {
            guard memory != nil, header.place <= UInt64(SharedMemory.half),
                header.dataCount <= SharedMemory.half - Int(header.place)
            else { throw CampipeError(.badData, "the host points outside its part of the memory") }
        }
        return (header, text, data)
    }

    /// - Returns: nil when the host has gone.
    private func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(input, buffer.baseAddress.unsafelyUnwrapped + filled, count - filled)
            }
            if got > 0 { filled += got } else if got == 0 || errno != EINTR { return nil }
        }
        return bytes
    }

    private func write(_ header: MessageHeader, text: [UInt8] = [], data: [UInt8] = []) throws {
        var header = header
        header.textCount = text.count
        var bytes: [UInt8] = []
        header.append(to: &bytes)
        bytes += text
        bytes += data
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(output, buffer.baseAddress.unsafelyUnwrapped + sent, buffer.count - sent)
            }
            if count > 0 {
                sent += count
            } else if errno != EINTR {
                throw CampipeError.system("cannot write to the host", errno: errno)
            }
        }
    }
}
