import CFreeType
import CampipeKit

/// The one check of FreeType's return values.
enum FreeType {
    static func check(_ code: FT_Error, _ attempted: @autoclosure () -> String) throws(CampipeError) {
        guard code != 0 else { return }
        let said = unsafe FT_Error_String(code).map { unsafe String(cString: $0) }
        throw CampipeError(
            code == FT_Err_Out_Of_Memory ? .exhausted : .failed,
            "\(attempted()): \(said ?? "FreeType's error \(code)")", context: [("code", String(code))])
    }
}
