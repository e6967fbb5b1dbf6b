import CampipeKit

extension FragmentMuxer {
    /// `ftyp` and `moov` of one track that lives in fragments, or of two with sound (ISO/IEC 14496-12 sections 4.3, 8.2 to
    /// 8.8).
    static func initialization(_ configuration: VideoConfiguration, _ sound: SoundConfiguration? = nil) -> Bytes {
        var writer = BoxWriter()
        writer.box("ftyp") { ftyp in
            ftyp.text("iso5")
            ftyp.number32(512)
            ftyp.text("iso5iso6mp41")
        }
        writer.box("moov") { moov in
            moov.box("mvhd", version: 0) { mvhd in
                mvhd.zeros(8)
                mvhd.number32(UInt32(timescale))
                mvhd.number32(0)
                mvhd.number32(0x0001_0000)
                mvhd.number16(0x0100)
                mvhd.zeros(10)
                mvhd.matrix()
                mvhd.zeros(24)
                mvhd.number32(sound == nil ? 2 : 3)
            }
            moov.box("trak") { track(&$0, configuration) }
            if let sound { moov.box("trak") { soundTrack(&$0, sound) } }
            moov.box("mvex") { mvex in
                mvex.box("trex", version: 0) { trex in
                    trex.number32(1)
                    trex.number32(1)
                    trex.zeros(12)
                }
                guard sound != nil else { return }
                mvex.box("trex", version: 0) { trex in
                    trex.number32(soundTrackNumber)
                    trex.number32(1)
                    trex.zeros(8)
                    // Each frame stands alone (8.8.3.1).
                    trex.number32(0x0200_0000)
                }
            }
        }
        return Bytes(writer.bytes)
    }

    private static func track(_ trak: inout BoxWriter, _ configuration: VideoConfiguration) {
        // Enabled, and part of the presentation (8.3.2).
        trak.box("tkhd", version: 0, flags: 3) { tkhd in
            tkhd.zeros(8)
            tkhd.number32(1)
            tkhd.zeros(8)
            tkhd.zeros(16)
            tkhd.matrix()
            // As it is shown.
            let size = configuration.aspect?.shown(configuration.size) ?? configuration.size
            tkhd.number32(UInt32(min(size.width, 0xFFFF)) << 16)
            tkhd.number32(UInt32(min(size.height, 0xFFFF)) << 16)
        }
        trak.box("mdia") { mdia in
            mdia.mediaHeader(UInt32(timescale), handler: "vide", name: "video")
            mdia.box("minf") { minf in
                minf.box("vmhd", version: 0, flags: 1) { $0.zeros(8) }
                minf.samples { $0.sampleEntry(configuration) }
            }
        }
    }
}

extension FragmentMuxer {
    private static func soundTrack(_ trak: inout BoxWriter, _ sound: SoundConfiguration) {
        trak.box("tkhd", version: 0, flags: 3) { tkhd in
            tkhd.zeros(8)
            tkhd.number32(soundTrackNumber)
            tkhd.zeros(8)
            tkhd.zeros(8)
            // Another track of the same group is none; full volume.
            tkhd.zeros(4)
            tkhd.number16(0x0100)
            tkhd.zeros(2)
            tkhd.matrix()
            tkhd.zeros(8)
        }
        trak.box("mdia") { mdia in
            mdia.mediaHeader(UInt32(sound.sampleRate), handler: "soun", name: "sound")
            mdia.box("minf") { minf in
                minf.box("smhd", version: 0) { $0.zeros(4) }
                minf.samples { $0.sampleEntry(sound) }
            }
        }
    }
}

extension BoxWriter {
    /// `mdhd` and `hdlr` (8.4.2, 8.4.3).
    fileprivate mutating func mediaHeader(_ timescale: UInt32, handler: String, name: String) {
        box("mdhd", version: 0) { mdhd in
            mdhd.zeros(8)
            mdhd.number32(timescale)
            mdhd.number32(0)
            // "und", five bits a letter.
            mdhd.number16(0x55C4)
            mdhd.zeros(2)
        }
        box("hdlr", version: 0) { hdlr in
            hdlr.zeros(4)
            hdlr.text(handler)
            hdlr.zeros(12)
            hdlr.text(name)
            hdlr.zeros(1)
        }
    }

    /// `dinf`, and `stbl` without samples, since these are in fragments (8.5, 8.7).
    fileprivate mutating func samples(_ entry: (inout BoxWriter) -> Void) {
        box("dinf") { dinf in
            dinf.box("dref", version: 0) { dref in
                dref.number32(1)
                // In this very file (8.7.2).
                dref.box("url ", version: 0, flags: 1) { _ in }
            }
        }
        box("stbl") { stbl in
            stbl.box("stsd", version: 0) { stsd in
                stsd.number32(1)
                entry(&stsd)
            }
            stbl.box("stts", version: 0) { $0.zeros(4) }
            stbl.box("stsc", version: 0) { $0.zeros(4) }
            stbl.box("stsz", version: 0) { $0.zeros(8) }
            stbl.box("stco", version: 0) { $0.zeros(4) }
        }
    }

    /// `AudioSampleEntry` (12.2.3) of AAC, with the descriptors of MPEG-4 (ISO/IEC 14496-14 section 5.6; 14496-1 section
    /// 7.2.6).
    fileprivate mutating func sampleEntry(_ sound: SoundConfiguration) {
        box("mp4a") { entry in
            entry.zeros(6)
            entry.number16(1)
            entry.zeros(8)
            entry.number16(sound.channels)
            entry.number16(16)
            entry.zeros(4)
            // In 16.16, where it fits.
            entry.number32(UInt32(min(sound.sampleRate, 65_535)) << 16)
            entry.box("esds", version: 0) { esds in
                let specific = [5, UInt8(sound.record.count)] + sound.record
                // AAC, a stream of sound; buffer and rates are not told.
                let decoder = [4, UInt8(13 + specific.count), 0x40, 0x15] + [UInt8](repeating: 0, count: 11) + specific
                esds.raw([3, UInt8(3 + decoder.count + 3), 0, 0, 0] + decoder + [6, 1, 2])
            }
        }
    }

    /// Nothing turned, nothing scaled.
    fileprivate mutating func matrix() {
        for value: UInt32 in [0x0001_0000, 0, 0, 0, 0x0001_0000, 0, 0, 0, 0x4000_0000] { number32(value) }
    }

    /// `VisualSampleEntry` (12.1.3) with the decoder's configuration. H.265 is `hvc1`, which Apple's players want.
    fileprivate mutating func sampleEntry(_ configuration: VideoConfiguration) {
        let isAVC = configuration.coding == .h264
        box(isAVC ? "avc1" : "hvc1") { entry in
            entry.zeros(6)
            entry.number16(1)
            entry.zeros(16)
            entry.number16(configuration.size.width)
            entry.number16(configuration.size.height)
            // 72 dots an inch, one picture a sample, no name of the compressor, 24 bits of colour.
            entry.number32(0x0048_0000)
            entry.number32(0x0048_0000)
            entry.zeros(4)
            entry.number16(1)
            entry.zeros(32)
            entry.number16(24)
            entry.number16(0xFFFF)
            entry.box(isAVC ? "avcC" : "hvcC") { $0.raw(configuration.record) }
            // Pixels that are not square (12.1.4).
            guard let aspect = configuration.aspect else { return }
            entry.box("pasp") { pasp in
                pasp.number32(UInt32(aspect.width))
                pasp.number32(UInt32(aspect.height))
            }
        }
    }
}
