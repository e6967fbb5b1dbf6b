import CampipeKit
import CampipeMedia

/// Reads a camera of this machine: JPEGs as they are, or raw pictures as frames. Registered for both kinds of item; `format`
/// tells which one the options mean.
struct V4L2Source<Made: Item>: Source {
    static var name: String { "v4l2" }
    static var summary: String { "Reads a camera on USB or built in (Video4Linux): MJPEG as it is, or raw pictures." }
    static var execution: Execution { .ownThread }
    static var outputs: [any AnyPort] {
        [Out<Made>("out", format: Made.kind == .packet ? .packets(.jpeg) : Made.kind.anyFormat)]
    }

    var options = V4L2Options()

    private var camera: (any CaptureDevice)?
    private var pictures: CapturedPictures?
    private var surroundings: (clock: any PipelineClock, log: Log, pool: FramePool)?
    private var refusals = RefusalNote()

    init() {}

    var applies: Bool { (options.format == .mjpeg) == (Made.kind == .packet) }
    var format: Format? {
        options.layout.pixel.map { .frames(FrameFormat($0)) } ?? .packets(.jpeg)
    }

    func check(at path: FaultPath, into faults: inout [Fault]) { options.check(at: path, into: &faults) }

    mutating func open(_ context: borrowing Context) throws {
        let camera = try context.service(CaptureDevices.self).open(options.request)
        self.camera = camera
        surroundings = (context.clock, context.log, context.pool)
        pictures = CapturedPictures(camera.facts)
        let facts = camera.facts
        if let asked = options.request.size, asked != facts.size {
            context.log.warning(
                "the camera has no pictures of this size", ["asked": asked, "taken": facts.size])
        }
        context.log.debug(
            "the camera captures",
            ["name": facts.name, "format": facts.layout.name, "size": facts.size, "rate": facts.rate ?? 0])
    }

    mutating func next(to output: inout Output) throws -> Next {
        guard let camera, let surroundings else { return .ended }
        // Short, since whoever wants something of this node waits for it.
        guard let picture = try camera.next(within: .milliseconds(200)) else { return .more }
        let now = surroundings.clock.now
        guard let answer = pictures?.take(picture, at: now) else { return .ended }
        if answer.lost > 0 { output.gap(Gap(.overrun, count: answer.lost, at: answer.captured)) }
        switch answer.content {
        case .jpeg(let packet):
            if Made.kind == .packet { output.emit(packet) }
        case .raw(let pts):
            guard let pixels = RawPictures.pixels(picture.bytes, camera.facts, pool: surroundings.pool) else {
                refuse(.truncated, answer.captured, &output)
                break
            }
            var frame = Frame(
                pixels, range: camera.facts.range, rate: camera.facts.rate, captured: answer.captured, pts: pts)
            if picture.isDamaged { frame.isDamaged = true }
            if Made.kind == .frame { output.emit(frame) }
        case .refused(let reason): refuse(reason, answer.captured, &output)
        }
        return .more
    }

    private mutating func refuse(_ reason: DropReason, _ captured: Instant, _ output: inout Output) {
        output.gap(Gap(reason, count: 1, at: captured))
        guard let surroundings, let (count, reasons) = refusals.happened(reason.name, at: surroundings.clock.now) else {
            return
        }
        surroundings.log.warning("pictures refused", ["count": count, "reason": reasons])
    }

    mutating func finish() throws { (camera, pictures, surroundings) = (nil, nil, nil) }
}
