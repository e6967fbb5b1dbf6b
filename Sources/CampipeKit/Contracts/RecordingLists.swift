/// Who wants to know where recordings keep their lists, so that they can be found later: a service, of the program.
package protocol RecordingLists: Sendable {
    /// A recording keeps its list here. Returns at once, and nothing comes of it that a recording has to know.
    ///
    /// - Parameter path: Of the list, absolute or from the working folder.
    func add(_ path: String)
}
