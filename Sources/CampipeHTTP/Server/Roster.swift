/// Who has a place in a roster.
protocol RosterMember: AnyObject {
    /// Its index in the roster, which alone sets it; -1 outside of one.
    var place: Int { get set }
}

/// The viewers of one stream, in no order: each knows its place, so that nobody is searched for when he goes.
struct Roster<Member: RosterMember> {
    private(set) var members: [Member] = []

    mutating func add(_ member: Member) {
        member.place = members.count
        members.append(member)
    }

    /// - Returns: Whether it was there.
    mutating func remove(_ member: Member) -> Bool {
        guard members.indices.contains(member.place), members[member.place] === member else { return false }
        let last = members.removeLast()
        if last !== member {
            last.place = member.place
            members[member.place] = last
        }
        member.place = -1
        return true
    }
}
