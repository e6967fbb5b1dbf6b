package import CampipeKit

/// Brings the sound of one stream into a form that its muxer holds: as it is where that can be, else as AAC.
///
/// What goes in has times that only grow; what comes out is on the same line of time. Holes up to two seconds in what is
/// encoded become silence, so that players go on. One owner, one thread at a time.
package final class SoundCoder {
    /// What comes out.
    package let format: PacketFormat
    /// What goes in.
    package let input: PacketFormat
    private let codecs: (decoder: SoundDecoder, encoder: AACEncoder)?

    /// A hole up to this is silence; a larger one is a jump.
    private static let longestHole = 2
    private var planes: [[Float]] = []
    /// Where the samples in `planes` begin, in samples of the input's own line.
    private var begin: Int64 = 0
    /// How far `captured` is from the line of time.
    private var delay = Duration.zero
    /// Where the encoder's samples are on the input's line: from the first number on, at the second.
    private var stretches: [(encoder: Int64, line: Int64)] = []
    private var encoded: Int64 = 0
    /// Whether a beginning was said, and no sound came yet.
    private var isBeginning = false

    /// - Parameters:
    ///   - input: What goes in, with its rate and channels.
    ///   - holds: Whether the muxer takes it as it is.
    /// - Throws: `.unsupported` for what it does not take and what cannot be decoded or encoded.
    package init(_ input: PacketFormat, holds: (PacketFormat) -> Bool) throws(CampipeError) {
        self.input = input
        guard !holds(input) else {
            format = input
            codecs = nil
            return
        }
        guard let rate = input.sampleRate, let channels = input.channels, channels > 0 else {
            throw CampipeError(.unsupported, "cannot encode sound of an unknown rate")
        }
        if input.coding == .aac, input.parameterSets == nil {
            throw CampipeError(.unsupported, "cannot read AAC without its configuration")
        }
        let encoder = try AACEncoder(rate: rate, channels: channels)
        codecs = (try SoundDecoder(input), encoder)
        format = encoder.format
    }

    /// Whether it encodes.
    package var isEncoding: Bool { codecs != nil }

    /// Has what is encoded begin at a time: with silence up to the first sound. Called before the first packet.
    ///
    /// A fragmented MP4 has no other way to say that sound begins later than the pictures.
    package func begin(at time: MediaTime) {
        guard isEncoding, stretches.isEmpty, let ticks = time.rescaled(to: format.timebase)?.ticks else { return }
        jump(to: ticks)
        isBeginning = true
    }

    /// Takes a packet.
    ///
    /// - Returns: What is whole now.
    /// - Throws: `.badData` for what cannot be decoded: it is left out.
    package func take(_ packet: Packet) throws(CampipeError) -> [Packet] {
        guard let (decoder, _) = codecs else { return [packet] }
        let samples = try decoder.decode(packet.data)
        guard let count = samples.first?.count, count > 0, samples.count == format.channels else { return [] }
        guard let time = packet.pts.rescaled(to: format.timebase)?.ticks else { return [] }
        delay = packet.captured - (Instant.zero + packet.pts.duration)
        if planes.count != samples.count { planes = samples.map { _ in [] } }
        let rate = Int64(format.timebase.denominator)
        let hole = time - (begin + Int64(planes[0].count))
        var made: [Packet] = []
        if isBeginning, hole < 0 { stretches = [] }
        let isFirst = isBeginning
        isBeginning = false
        if stretches.isEmpty {
            jump(to: time)
        } else if hole > rate * Int64(Self.longestHole) || hole < -rate / 5 {
            made = try encode(isLast: true)
            jump(to: time)
        } else if hole > (isFirst ? 0 : rate / 25) {
            for channel in planes.indices { planes[channel] += [Float](repeating: 0, count: Int(hole)) }
        }
        for channel in planes.indices { planes[channel] += samples[channel] }
        return made + (try encode(isLast: false))
    }

    /// What it still holds; it takes nothing afterwards.
    package func drain() throws(CampipeError) -> [Packet] {
        guard let (_, encoder) = codecs, !stretches.isEmpty else { return [] }
        return try encode(isLast: true) + packets(try encoder.drain())
    }

    private func jump(to time: Int64) {
        begin = time
        stretches.append((encoded, time))
        if stretches.count > 8 { stretches.removeFirst() }
    }

    /// Encodes whole frames; of the last ones, what is not whole ends in silence.
    private func encode(isLast: Bool) throws(CampipeError) -> [Packet] {
        guard let (_, encoder) = codecs, !planes.isEmpty else { return [] }
        let size = AACEncoder.frameSize
        if isLast, planes[0].count % size > 0 {
            let missing = size - planes[0].count % size
            for channel in planes.indices { planes[channel] += [Float](repeating: 0, count: missing) }
        }
        var made: [Packet] = []
        var at = 0
        while planes[0].count - at >= size {
            made += packets(try encoder.encode(planes.map { Array($0[at..<(at + size)]) }))
            at += size
            encoded += Int64(size)
        }
        for channel in planes.indices { planes[channel].removeFirst(at) }
        begin += Int64(at)
        return made
    }

    private func packets(_ frames: [(bytes: Bytes, time: Int64)]) -> [Packet] {
        frames.compactMap { bytes, time in
            guard let stretch = stretches.last(where: { $0.encoder <= time }) ?? stretches.first else { return nil }
            let pts = MediaTime(ticks: stretch.line + time - stretch.encoder, timebase: format.timebase)
            return Packet(
                bytes, format: format, captured: Instant.zero + pts.duration + delay, pts: pts,
                duration: MediaTime(ticks: Int64(AACEncoder.frameSize), timebase: format.timebase).duration)
        }
    }
}
