import CampipeKit
import CampipeMedia

/// What a generated stream shows.
enum PatternScene: String, OptionChoice {
    /// Coloured bars with a line that moves across.
    case bars
    /// A porch at night, where a person walks by now and then.
    case porch
    /// The porch where nothing moves.
    case still
    /// Every pixel anew in each picture.
    case noise
    /// A ramp of grey that does not change.
    case gray

    var kind: DemoScene.Kind {
        switch self {
        case .bars: .bars
        case .porch: .porch
        case .still: .still
        case .noise: .noise
        case .gray: .gray
        }
    }
}
