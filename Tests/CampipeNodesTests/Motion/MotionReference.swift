/// What each kernel does, in plain words: slow, checked, without tricks.
enum MotionReference {
    static func smooth(_ source: [UInt8], _ columns: Int, _ rows: Int) -> [UInt8] {
        (0..<columns * rows).map { index in
            let (x, y) = (index % columns, index / columns)
            var sum = 0
            for dy in -1...1 {
                for dx in -1...1 {
                    let (nx, ny) = (min(max(x + dx, 0), columns - 1), min(max(y + dy, 0), rows - 1))
                    sum += Int(source[ny * columns + nx])
                }
            }
            return UInt8((Double(sum) / 9).rounded())
        }
    }

    static func changed(_ left: [UInt8], _ right: [UInt8], limits: [UInt8], looked: [UInt8]) -> [UInt8] {
        left.indices.map { abs(Int(left[$0]) - Int(right[$0])) > Int(limits[$0]) && looked[$0] == 1 ? 1 : 0 }
    }

    static func despeckle(_ marks: [UInt8], _ columns: Int, _ rows: Int) -> (kept: [UInt8], wide: [UInt8]) {
        func around(_ cells: [UInt8], _ index: Int) -> Int? {
            let (x, y) = (index % columns, index / columns)
            guard x > 0, y > 0, x < columns - 1, y < rows - 1 else { return nil }
            var sum = 0
            for dy in -1...1 { for dx in -1...1 { sum += Int(cells[(y + dy) * columns + x + dx]) } }
            return sum
        }
        let kept = marks.indices.map { UInt8(marks[$0] == 1 && around(marks, $0) ?? 0 >= 5 ? 1 : 0) }
        let wide = marks.indices.map { UInt8(around(kept, $0) ?? 0 > 0 ? 1 : 0) }
        return (kept, wide)
    }

    static func follow(_ background: [UInt16], _ picture: [UInt8], state: [UInt8], rates: [Int]) -> [UInt16] {
        background.indices.map { index in
            let way = Int(picture[index]) * 256 - Int(background[index])
            // Halves are rounded down, as a shift does.
            let step = ((way >> 1) * (rates[Int(state[index])] >> 1)) >> 14
            return UInt16(Int(background[index]) + step)
        }
    }

    static func unrest(_ unrest: [UInt16], _ picture: [UInt8], _ levels: [UInt8], rise: Int, fall: Int) -> [UInt16] {
        unrest.indices.map { index in
            let now = Int(unrest[index])
            let difference = abs(Int(picture[index]) - Int(levels[index])) * 256
            return UInt16(difference > now ? min(now + rise, difference) : max(now - fall, 0))
        }
    }

    static func limits(_ unrest: [UInt16], base: Int, slack: Int) -> [UInt8] {
        unrest.map { UInt8(min(255, base + max(0, Int($0 / 256) - slack) * 3 / 2)) }
    }
}
