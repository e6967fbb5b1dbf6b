package import CampipeKit

/// One stream of a camera: its RTP packets in, its packets out, with formats, marks and times. Touched on one thread.
package final class RTPTrack {
    /// What comes of RTP packets, in order.
    package enum Output: Sendable {
        case packet(Packet)
        /// Pictures that are missing here, and why.
        case missing(DropReason, count: Int)
    }

    /// What the stream is.
    package struct Description: Sendable {
        package var stream: RTPDepacketizer.Stream
        package var coding: Coding
        /// Pictures a second, where the camera says so.
        package var rate: Double?
        /// Parameter sets that the description brings, each a NAL unit.
        package var sets: [[UInt8]]

        /// nil for a coding that is not carried.
        package init?(
            isAudio: Bool, encoding: String, clockRate: Int, channels: Int, parameters: String, rate: Double?,
            sets: [[UInt8]]
        ) {
            let codings: [String: Coding] =
                isAudio
                ? [
                    "MPEG4-GENERIC": .aac, "PCMU": .pcmu, "PCMA": .pcma, "OPUS": .opus, "L16": .other, "G722": .other,
                ]
                : ["H264": .h264, "H265": .h265, "HEVC": .h265, "JPEG": .jpeg]
            guard let coding = codings[encoding] else { return nil }
            stream = RTPDepacketizer.Stream(
                isAudio: isAudio, encoding: encoding == "HEVC" ? "H265" : encoding, clockRate: clockRate,
                channels: channels, parameters: parameters)
            self.coding = coding
            self.rate = rate
            self.sets = sets
        }
    }

    private let description: Description
    private let isReliable: Bool
    private let depacketizer: RTPDepacketizer
    private let timebase: Timebase
    private var order: RTPOrder
    private var assembler: PictureAssembler
    private var video: VideoStream?
    private var mender: TimestampMender
    private var clock = ArrivalClock()
    private var format: PacketFormat
    private var report: (report: RTCP.SenderReport, at: Instant)?
    private var source: UInt32 = 0
    private var lastAudio: (timestamp: UInt32, ticks: Int64)?
    private var wantsLoss = false
    /// FFmpeg's name of RTP's L16, two bytes a sample; G.722 has one for two, and a clock of half its rate (RFC 3551
    /// section 4.5.2).
    private static let l16 = "pcm_s16be"

    /// - Parameter isReliable: Whether packets come over TCP.
    /// - Throws: `.unsupported` when libavformat cannot read it.
    package init(_ description: Description, isReliable: Bool) throws(CampipeError) {
        self.description = description
        self.isReliable = isReliable
        order = RTPOrder(isReliable: isReliable)
        depacketizer = try RTPDepacketizer(description.stream)
        let rate = description.stream.clockRate
        timebase = Timebase(1, Int32(clamping: rate))
        mender = TimestampMender(rate: rate)
        var format = PacketFormat(description.coding, rate: description.rate, timebase: timebase)
        let coding: VideoCoding? =
            switch description.coding {
            case .h264: .h264
            case .h265: .h265
            default: nil
            }
        assembler = PictureAssembler(coding)
        if let coding {
            video = VideoStream(coding, sets: description.sets, rate: description.rate, clockRate: rate)
        } else if description.stream.isAudio {
            format.sampleRate = rate
            format.channels = description.stream.channels
            if description.coding == .aac { format.parameterSets = depacketizer.configuration }
            if description.coding == .other { (format.codecName, format.sampleRate) = depacketizer.sound }
        }
        self.format = format
    }

    /// The same stream, for one that was not read for a while: what was missed meanwhile is no loss.
    package func restarted() throws(CampipeError) -> RTPTrack {
        let track = try RTPTrack(description, isReliable: isReliable)
        track.report = report
        return track
    }

    /// The stream as it is known now.
    package var packetFormat: PacketFormat { video?.format(of: format) ?? format }
    /// What was begun at, of a stream that sends no keyframes.
    package var weakestStart: StartPoints.Kind? { video?.weakestStart }
    /// What was mended of its times.
    package var mended: TimestampMender.Counts { mender.counts }
    /// RTP packets that never came.
    package var lost: Int { order.lost }

    /// Takes an RTP packet.
    package func receive(_ bytes: [UInt8], at now: Instant, into outputs: inout [Output]) {
        for packet in order.add(bytes, at: now) { take(packet, into: &outputs) }
    }

    /// Gives up what has been missing for too long; called when nothing came for a while.
    package func settle(at now: Instant, into outputs: inout [Output]) {
        for packet in order.drain(at: now) { take(packet, into: &outputs) }
    }

    /// Takes an RTCP packet: the camera's own clock.
    package func receiveControl(_ bytes: [UInt8], at now: Instant) {
        if let found = RTCP.senderReport(bytes) { report = (found, now) }
    }

    /// What to report to the camera; nil before anything came.
    package func receiverReport(own: UInt32, at now: Instant) -> [UInt8]? {
        guard source != 0 else { return nil }
        return RTCP.receiverReport(
            own: own, about: source, lost: order.lost, highest: order.highest,
            last: report.map { ($0.report.middle, now - $0.at) })
    }

    private func take(_ packet: RTPOrder.Packet, into outputs: inout [Output]) {
        source = packet.header.source
        var pieces: [[UInt8]] = []
        unsafe depacketizer.read(packet.bytes) { piece in unsafe pieces.append(Array(piece)) }
        if description.stream.isAudio {
            for (index, piece) in pieces.enumerated() { audio(piece, index, packet, into: &outputs) }
            return
        }
        let pictures = assembler.add(pieces, packet.header, missing: packet.missing, at: packet.at)
        if video == nil { jpegs(pictures, packet, into: &outputs) } else { videos(pictures, into: &outputs) }
    }

    // MARK: Pictures

    private func videos(_ pictures: [PictureAssembler.Picture], into outputs: inout [Output]) {
        for picture in pictures {
            guard let found = video?.take(picture.bytes, isDamaged: picture.isDamaged, at: picture.arrival) else {
                continue
            }
            switch found {
            case .refused(let reason): outputs.append(.missing(reason, count: 1))
            case .unit(let unit):
                let ticks = mender.mend(picture.timestamp, at: picture.arrival, isReordered: unit.isReordered)
                let dts = video?.decodingTime(ticks) ?? ticks
                var marked = picture
                if unit.isDoubtful { marked.isDamaged = true }
                emit(
                    unit.bytes, packetFormat, max(ticks, dts), dts: dts, marked, isKeyframe: unit.isKey,
                    isDisposable: unit.isDisposable, into: &outputs)
            }
        }
    }

    private func jpegs(
        _ pictures: [PictureAssembler.Picture], _ packet: RTPOrder.Packet, into outputs: inout [Output]
    ) {
        // A JPEG with a hole is not handed out by libavformat; it is counted once, where the next picture ends.
        if packet.missing > 0 { wantsLoss = true }
        if packet.header.isMarked, wantsLoss || pictures.isEmpty {
            outputs.append(.missing(.truncated, count: 1))
            wantsLoss = false
        }
        for picture in pictures {
            let bytes = Bytes(picture.bytes)
            // Its size may change with any picture.
            if let header = try? JPEGHeader(bytes) {
                if format.size != header.size { format.size = header.size }
            }
            let ticks = mender.mend(picture.timestamp, at: picture.arrival)
            emit(bytes, format, ticks, dts: ticks, picture, isKeyframe: true, isDisposable: false, into: &outputs)
        }
    }

    private func emit(
        _ bytes: Bytes, _ format: PacketFormat, _ ticks: Int64, dts: Int64, _ picture: PictureAssembler.Picture,
        isKeyframe: Bool, isDisposable: Bool, into outputs: inout [Output]
    ) {
        let pts = MediaTime(ticks: ticks, timebase: timebase)
        let order = MediaTime(ticks: dts, timebase: timebase)
        var packet = Packet(
            bytes, format: format, captured: clock.captured(order.duration, arrival: picture.arrival), pts: pts,
            dts: order, isKeyframe: isKeyframe, isDisposable: isDisposable)
        if picture.isDamaged { packet.isDamaged = true }
        packet.cameraTime = cameraTime(picture.timestamp)
        outputs.append(.packet(packet))
    }

    /// The camera's own time of a picture, by its last report.
    private func cameraTime(_ timestamp: UInt32) -> WallTime? {
        guard let report else { return nil }
        let ticks = Int64(Int32(bitPattern: timestamp &- report.report.timestamp))
        return report.report.time + .microseconds(ticks * 1_000_000 / Int64(description.stream.clockRate))
    }

    // MARK: Sound

    private func audio(_ piece: [UInt8], _ index: Int, _ packet: RTPOrder.Packet, into outputs: inout [Output]) {
        // Samples of one packet follow one another; only the first has its own time.
        let samples: Int64 =
            switch description.coding {
            case .aac: 1024
            case .opus: 960
            case .other:
                Int64(piece.count / max(1, description.stream.channels * (format.codecName == Self.l16 ? 2 : 1)))
            default: Int64(piece.count / max(1, description.stream.channels))
            }
        let ticks: Int64
        if index > 0, let lastAudio, lastAudio.timestamp == packet.header.timestamp {
            ticks = lastAudio.ticks + samples
        } else {
            ticks = mender.mend(packet.header.timestamp, at: packet.at)
        }
        lastAudio = (packet.header.timestamp, ticks)
        let pts = MediaTime(ticks: ticks, timebase: timebase)
        let length = MediaTime(ticks: samples, timebase: timebase).duration
        var made = Packet(
            Bytes(piece), format: format, captured: clock.captured(pts.duration, arrival: packet.at), pts: pts,
            duration: length)
        made.cameraTime = cameraTime(packet.header.timestamp).map { $0 + length * index }
        outputs.append(.packet(made))
    }
}
