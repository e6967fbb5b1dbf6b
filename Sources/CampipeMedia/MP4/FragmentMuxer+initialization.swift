import CampipeKit

extension FragmentMuxer {
    /// `ftyp` and `moov` of one track that lives in fragments (ISO/IEC 14496-12 sections 4.3, 8.2 to 8.8).
    static func initialization(_ configuration: VideoConfiguration) -> Bytes {
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
                mvhd.number32(2)
            }
            moov.box("trak") { track(&$0, configuration) }
            moov.box("mvex") { mvex in
                mvex.box("trex", version: 0) { trex in
                    trex.number32(1)
                    trex.number32(1)
                    trex.zeros(12)
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
            tkhd.number32(UInt32(configuration.size.width) << 16)
            tkhd.number32(UInt32(configuration.size.height) << 16)
        }
        trak.box("mdia") { mdia in
            mdia.box("mdhd", version: 0) { mdhd in
                mdhd.zeros(8)
                mdhd.number32(UInt32(timescale))
                mdhd.number32(0)
                // "und", five bits a letter.
                mdhd.number16(0x55C4)
                mdhd.zeros(2)
            }
            mdia.box("hdlr", version: 0) { hdlr in
                hdlr.zeros(4)
                hdlr.text("vide")
                hdlr.zeros(12)
                hdlr.text("video")
                hdlr.zeros(1)
            }
            mdia.box("minf") { minf in
                minf.box("vmhd", version: 0, flags: 1) { $0.zeros(8) }
                minf.box("dinf") { dinf in
                    dinf.box("dref", version: 0) { dref in
                        dref.number32(1)
                        // In this very file (8.7.2).
                        dref.box("url ", version: 0, flags: 1) { _ in }
                    }
                }
                minf.box("stbl") { stbl in
                    stbl.box("stsd", version: 0) { stsd in
                        stsd.number32(1)
                        stsd.sampleEntry(configuration)
                    }
                    stbl.box("stts", version: 0) { $0.zeros(4) }
                    stbl.box("stsc", version: 0) { $0.zeros(4) }
                    stbl.box("stsz", version: 0) { $0.zeros(8) }
                    stbl.box("stco", version: 0) { $0.zeros(4) }
                }
            }
        }
    }
}

extension BoxWriter {
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
        }
    }
}
