/// The MUSTs of docs/node-contract.md, by their numbers there.
public enum ContractRule: Int, Sendable, CaseIterable {
    case describesItself = 1
    case refusesBadOptions
    case isMadeWithoutEffects
    case finishesWhatItOpened
    case ordersTimes
    case emitsItsFormat
    case repeatsItself
    case boundsRetention
    case trailsItsWatermark
    case copiesNoPixel
    case takesGaps
    case survivesLoss
    case endsAnywhere
    case changesFormat
    case stopsInTime
    case leaksNothing
    case keepsSecrets

    /// `MUST 7`.
    public var id: String { "MUST \(rawValue)" }

    /// The rule, as the document words it.
    public var sentence: String {
        switch self {
        case .describesItself:
            "Name, options and ports are in snake_case, and each has one sentence about it that ends with a full stop."
        case .refusesBadOptions:
            "An unknown key, a value of the wrong type and one out of range are refused by a fault."
        case .isMadeWithoutEffects: "`init()` has no effects, and every instance declares the same options."
        case .finishesWhatItOpened:
            "`finish` may follow `open` at once, does not fail then, and releases what `open` acquired."
        case .ordersTimes: "dts of packets and pts of frames never go backwards on an output."
        case .emitsItsFormat: "Items are of the format that `output(for:)` and the output's declaration say."
        case .repeatsItself: "The same options and the same input give the same output."
        case .boundsRetention: "At most `holds` inputs are kept back to be emitted, and two more to compare with."
        case .trailsItsWatermark: "What is emitted was captured after every input that `holds` no longer covers."
        case .copiesNoPixel: "A picture that nobody else holds is worked on in place, without a copy of its pixels."
        case .takesGaps: "A gap may come before, between and after any items."
        case .survivesLoss: "After a gap `lost` the next items are taken as the first ones were."
        case .endsAnywhere: "The stream may end after any item, and a drained node has nothing left."
        case .changesFormat: "The format may change between any two items, as far as the input accepts it."
        case .stopsInTime: "Draining and finishing take no longer than the deadline."
        case .leaksNothing: "After `finish` nothing is left of the items it saw and the pictures it made."
        case .keepsSecrets: "No secret appears in its log, its errors and its events."
        }
    }
}
