import CampipeKit

extension ConverterRequest {
    /// The options of the converter that the registry has for the role; the three built-in ones take these keys.
    var options: Value.ValueMap {
        var options = Value.ValueMap()
        if let maxWidth { options["max_width"] = .plain(String(maxWidth)) }
        if lumaOnly { options["luma_only"] = .plain("true") }
        if let quality { options["quality"] = .plain(String(quality)) }
        switch format {
        case .frames(let frames)?:
            if let pixel = frames.pixel { options["pixel"] = .plain(pixel.rawValue) }
        case .packets(let packets)?:
            if let coding = packets.coding { options["codec"] = .plain(coding.rawValue) }
        case .events?, nil: break
        }
        return options
    }
}
