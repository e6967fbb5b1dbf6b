import CampipeKit
import Testing

@testable import CampipeNodes

@Suite("Polygons")
struct PolygonsTests {
    private func read(_ value: Value) -> (polygons: Polygons?, faults: [Fault]) {
        var faults: [Fault] = []
        return (Polygons.read(value, at: ["zones"], into: &faults), faults)
    }

    @Test("one polygon and a list of polygons are both read")
    func shapes() {
        let one: Value = [["0", "0"], ["1", "0"], ["1", "1"]]
        #expect(read(one).polygons?.list.count == 1)
        #expect(read([one, one]).polygons?.list.count == 2)
        #expect(read([]).polygons?.list.isEmpty == true)
    }

    @Test("cells are covered when their centre is, by a shape that is no box too")
    func raster() {
        func picture(_ value: Value) -> [String] {
            let covered = read(value).polygons?.covered(columns: 6, rows: 4) ?? []
            return (0..<4).map { row in String(covered[row * 6..<row * 6 + 6].map { $0 ? "#" : "." }) }
        }
        #expect(
            picture([["0", "0"], ["0.5", "0"], ["0.5", "0.5"], ["0", "0.5"]]) == [
                "###...", "###...", "......", "......",
            ])
        #expect(picture([["0", "0"], ["1", "0"], ["0", "1"]]) == ["#####.", "####..", "##....", "#....."])
        #expect(
            picture([["0", "0"], ["1", "0"], ["1", "1"], ["0", "1"]]) == [String](repeating: "######", count: 4))
    }

    @Test("cells are touched when any part of them is in, and their neighbours when a margin is asked for")
    func touched() {
        func picture(_ value: Value, margin: Int = 0) -> [String] {
            let touched = read(value).polygons?.touched(columns: 6, rows: 4, margin: margin) ?? []
            return (0..<4).map { row in String(touched[row * 6..<row * 6 + 6].map { $0 ? "#" : "." }) }
        }
        // On the lines between cells nothing is touched beyond them.
        #expect(
            picture([["0", "0"], ["0.5", "0"], ["0.5", "0.5"], ["0", "0.5"]]) == [
                "###...", "###...", "......", "......",
            ])
        #expect(
            picture([["0", "0"], ["0.51", "0"], ["0.51", "0.51"], ["0", "0.51"]]) == [
                "####..", "####..", "####..", "......",
            ])
        #expect(
            picture([["0.55", "0.3"], ["0.6", "0.3"], ["0.6", "0.4"]]) == ["......", "...#..", "......", "......"])
        #expect(
            picture([["0.55", "0.3"], ["0.6", "0.3"], ["0.6", "0.4"]], margin: 1) == [
                "..###.", "..###.", "..###.", "......",
            ])
        #expect(picture([["0", "0"], ["1", "0"], ["0", "1"]]) == ["######", "#####.", "###...", "##...."])
    }

    @Test("what is no polygon is a fault where it stands")
    func faults() {
        #expect(read("left").faults.map { "\($0.path)" } == ["zones"])
        #expect(read([["0", "0"], ["1", "1"]]).faults.map { "\($0.path)" } == ["zones"])
        #expect(read([["0", "0"], ["1", "1"], ["1", "2"]]).faults.map { "\($0.path)" } == ["zones[2]"])
        #expect(read([["0", "0"], ["1", "x"], ["1", "0"]]).faults.map { "\($0.path)" } == ["zones[1][1]"])
        #expect(read([["0", "0.5"], ["1", "0.5"], ["0.25", "0.5"]]).faults.map { "\($0.path)" } == ["zones"])
        #expect(read([["1", "1"], ["1", "1"], ["1", "1"]]).faults.map { "\($0.path)" } == ["zones"])
    }
}

@Suite("Small luma")
struct LumaPlaneTests {
    @Test(
        "squares are averaged, and what fills no square is left out",
        arguments: [
            (Size(640, 360), 160, 160, 90), (Size(160, 120), 160, 160, 120), (Size(100, 50), 160, 100, 50),
            (Size(500, 301), 160, 166, 100),
        ])
    func reduction(_ size: Size, _ target: Int, _ columns: Int, _ rows: Int) {
        var plane = LumaPlane()
        plane.take(Pictures.frame(.gray8, size) { _, x, y in UInt8((x * 7 + y * 13) % 251) }, target: target)
        #expect(plane.columns == columns && plane.rows == rows)
        let side = size.width / columns
        for (column, row) in [(0, 0), (columns - 1, rows - 1), (columns / 2, rows / 3)] {
            var sum = side * side / 2
            for y in 0..<side { for x in 0..<side { sum += ((column * side + x) * 7 + (row * side + y) * 13) % 251 } }
            #expect(Int(plane.cells[row * columns + column]) == sum / (side * side))
        }
    }

    @Test("pictures are examined on a grid that jitter does not shift")
    func pace() {
        func taken(_ rate: AnalysisRate, every interval: Double, jitter: Double = 0) -> Int {
            var pace = AnalysisPace(rate)
            return (0..<150).count { number in
                let shift = number % 2 == 0 ? jitter : -jitter
                return pace.takes(.zero + .seconds(Double(number) * interval + shift))
            }
        }
        #expect(taken(.all, every: 1 / 15.0) == 150)
        #expect(taken(.perSecond(5), every: 1 / 15.0) == 50)
        #expect(taken(.perSecond(5), every: 1 / 15.0, jitter: 0.01) == 50)
        #expect(taken(.perSecond(5), every: 0.2, jitter: 0.01) == 150)
        #expect(taken(.perSecond(5), every: 1) == 150)
    }
}
