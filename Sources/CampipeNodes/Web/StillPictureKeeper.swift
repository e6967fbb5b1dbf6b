import CampipeKit

/// Paints stills as they are ordered, and keeps what can be used again: a picture is decoded and dimmed once, however
/// long it stands. One owner, in one node's turns.
final class StillPictureKeeper {
    private struct Dimmed {
        var of: Bytes
        var frame: Frame?
    }
    private struct Absence {
        var size: Size
        var isWaiting: Bool
        var jpeg: Bytes
    }

    private let painter: any StillPainter
    private let pool: FramePool
    private var dimmed: [Dimmed] = []
    private var absences: [Absence] = []

    init(_ painter: any StillPainter, pool: FramePool) {
        self.painter = painter
        self.pool = pool
    }

    /// Lets go of what these orders do not need.
    func keepOnly(_ orders: [StillOrder]) {
        dimmed.removeAll { kept in
            !orders.contains { if case .aged(let picture, _) = $0.subject { picture.jpeg === kept.of } else { false } }
        }
        absences.removeAll { kept in
            !orders.contains { order in
                switch order.subject {
                case .noSignal(let size): !kept.isWaiting && size == kept.size
                case .waiting(let size): kept.isWaiting && size == kept.size
                case .aged: false
                }
            }
        }
    }

    /// The still of an order. A last picture that cannot be decoded is shown as none.
    ///
    /// - Throws: What the encoder throws.
    func jpeg(of order: StillOrder) throws -> Bytes {
        switch order.subject {
        case .noSignal(let size): try sign(size)
        case .waiting(let size): try sign(size, isWaiting: true)
        case .aged(let picture, let age):
            if let frame = dimmed(picture) {
                try painter.jpeg(painter.aged(frame, by: age), pool: pool)
            } else {
                try sign(picture.size ?? Size(640, 360))
            }
        }
    }

    private func dimmed(_ picture: ShownPicture) -> Frame? {
        if let kept = dimmed.first(where: { $0.of === picture.jpeg }) { return kept.frame }
        let packet = Packet(picture.jpeg, format: .jpeg, captured: picture.taken, pts: MediaTime(.zero))
        let frame = try? painter.dimmed(packet, pool: pool)
        dimmed.append(Dimmed(of: picture.jpeg, frame: frame))
        return frame
    }

    private func sign(_ size: Size, isWaiting: Bool = false) throws -> Bytes {
        if let kept = absences.first(where: { $0.size == size && $0.isWaiting == isWaiting }) { return kept.jpeg }
        let frame = isWaiting ? painter.waiting(size, pool: pool) : painter.noSignal(size, pool: pool)
        let jpeg = try painter.jpeg(frame, pool: pool)
        absences.append(Absence(size: size, isWaiting: isWaiting, jpeg: jpeg))
        return jpeg
    }
}
