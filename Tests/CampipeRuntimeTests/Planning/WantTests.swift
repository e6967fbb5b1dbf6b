import CampipeKit
import Testing

@testable import CampipeRuntime

@Suite struct WantTests {
    @Test(
        "wants together are the least that serves all of them",
        arguments: [
            ([], nil), ([Want(maxWidth: 320)], Want(maxWidth: 320)),
            ([Want(maxWidth: 320, maxRate: 5), Want(maxWidth: 640, maxRate: 2)], Want(maxWidth: 640, maxRate: 5)),
            ([Want(maxWidth: 320, maxRate: 5, quality: 50), .all], .all),
            ([Want(maxWidth: 320, maxHeight: 90), Want(maxWidth: 640)], Want(maxWidth: 640, maxHeight: 90)),
            ([Want(maxWidth: 320, maxHeight: 90), .all], .all),
            ([.all, Want(maxWidth: 320, lumaOnly: true)], .all),
            ([Want(lumaOnly: true), Want(lumaOnly: true)], Want(lumaOnly: true)),
            ([Want(.packets(.jpeg)), Want(.frames(.any))], .all),
            ([Want(.packets(.jpeg)), Want(.packets(.jpeg), quality: 50)], Want(.packets(.jpeg))),
        ] as [([Want], Want?)])
    func merged(wants: [Want], together: Want?) {
        #expect(Want.merged(wants) == together)
        #expect(Want.merged(wants.reversed()) == together)
    }

    @Test("a want beyond the limit keeps its rate and gets the nearest shape, rather too wide than too narrow")
    func bounded() {
        let wants: [(id: Demand.ID, want: Want)] = [
            (1, Want(maxWidth: 320)), (2, Want(maxWidth: 960)), (3, Want(maxWidth: 640, maxRate: 5)),
            (4, Want(maxWidth: 320, maxRate: 2)), (5, .all),
        ]
        #expect(
            Want.bounded(wants, to: 2).map(\.want) == [
                Want(maxWidth: 320), Want(maxWidth: 960), Want(maxWidth: 960, maxRate: 5),
                Want(maxWidth: 320, maxRate: 2), Want(maxWidth: 960),
            ])
    }

    @Test("what comes untouched is always there, and is no variant: who asked for more than the others gets that")
    func untouched() {
        func want(_ width: Int?, _ quality: Int? = nil) -> Want {
            Want(.packets(.jpeg), maxWidth: width, quality: quality, encodesAgain: quality != nil)
        }
        let wants: [(id: Demand.ID, want: Want)] = [
            (1, want(nil)), (2, want(160, 20)), (3, want(320, 20)), (4, want(640, 50)), (5, want(320, 70)),
            (6, want(960, 70)), (7, want(nil)),
        ]
        let given = Want.bounded(wants, to: 2, untouched: .packets(.jpeg)).map(\.want)
        #expect(given[0] == want(nil) && given[6] == want(nil))
        #expect(given[1] == want(160, 20) && given[2] == want(320, 20))
        #expect(given[4] == want(320, 20))
        for index in [3, 5] {
            #expect(
                given[index].maxWidth == nil && !given[index].encodesAgain && given[index].format == .packets(.jpeg))
        }
        #expect(Want.bounded(wants, to: 2).map(\.want)[5] == want(nil))
    }
}
