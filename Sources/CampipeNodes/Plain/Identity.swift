import CampipeKit

/// Hands on what it gets: a place to hang a link, and what a hop costs.
struct Identity<Input: Item>: Transform {
    static var name: String { "identity" }
    static var summary: String { "Hands on what it gets, unchanged." }

    mutating func process(_ item: consuming Input, to output: inout Output) throws { output.emit(item) }
}
