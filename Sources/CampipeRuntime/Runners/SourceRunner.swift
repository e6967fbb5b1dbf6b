import CampipeKit

/// Runs a source: asks it for items while there is room.
package final class SourceRunner: NodeRunner, @unchecked Sendable {
    private var pause: Next = .more

    override func work() -> Bool {
        if phase == .new {
            do { try box.open(makeContext()) } catch { return false }
            phase = .open
            show(NodeState(.running))
        }
        guard phase == .open else { return false }
        let signalled = takeSignal()
        switch pause {
        case .wait where !signalled: return false
        case .waitUntil(let instant) where !signalled && clock.now < instant:
            wake(at: instant)
            return false
        default: break
        }
        let room = self.room
        guard room > 0 else {
            pause = .more
            return false
        }
        if assignment.isLive { box.ports.inherited = .live }
        var budget = TurnBudget(room: room, clock: clock)
        repeat {
            var output = Output(box.ports)
            do { pause = try box.next(to: &output) } catch { end(EndCause(node: assignment.id, message: "\(error)")); return false }
        } while pause == .more && box.ports.emitted < TurnBudget.maxItems && budget.goesOn(emitted: box.ports.emitted)
        flush()
        switch pause {
        case .ended: end(nil); return false
        case .more: return true
        case .wait: return false
        case .waitUntil(let instant):
            wake(at: instant)
            return false
        }
    }
}
