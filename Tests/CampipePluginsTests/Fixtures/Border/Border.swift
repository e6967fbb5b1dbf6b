import CampipeKit

/// Crosses the border between a plugin and its host in every way that a node can.
struct Border: Transform {
    enum Act: String, OptionChoice { case pass, fail, own }
    struct OwnError: Error {}

    static let name = "border"
    static let summary = "Crosses the border."
    static let events = Out<Event>("events")
    static let outputs: [any AnyPort] = [Out<Frame>("out"), events]

    @Option("What it does with a frame.") var act = Act.pass
    private var diary: Lock<[String]>?

    mutating func open(_ context: borrowing Context) throws {
        diary = try context.service(Lock<[String]>.self)
        do {
            _ = try context.service(String.self)
        } catch let error as CampipeError {
            write("caught \(error.kind)")
        } catch {
            write("did not know the host's error")
        }
        let item: any Item = Event(.diskFull, id: "1", captured: .zero, node: context.id)
        write(item is Event ? "cast an event" : "did not know its own event")
    }

    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
        switch act {
        case .pass:
            output.emit(Event("crossed", id: "1", captured: frame.captured, node: "border"), on: Self.events)
            output.emit(frame)
        case .fail: throw CampipeError(.badData, "cannot cross", cause: OwnError())
        case .own: throw OwnError()
        }
    }

    private func write(_ line: String) { diary?.withLock { $0.append(line) } }
}

@_cdecl("campipe_plugin_contents")
public func contents() -> UnsafeMutableRawPointer { PluginContents(Registration(transform: Border.self)).exported() }
