import CampipeHTTP
import CampipeMedia

/// What `run --lan` says to who wants to look from another machine: name, password, and a code for phones. A value.
struct Invitation: Equatable {
    private let user: String?
    private let password: String?
    private let asksAboutCertificate: Bool
    private let folder: String
    /// The address for a phone, with the password while it is known; nil where no other machine can be.
    let link: String?

    init(_ lan: LANAccess, address: ListenAddress, isSecure: Bool, machine: [String]) {
        user = lan.hasOwnUser ? LANAccess.user : nil
        password = lan.password
        asksAboutCertificate = lan.hasOwnCertificate
        folder = lan.folder.path
        let host = address.isForAll ? machine.first : address.host
        let whom = password.map { "\(LANAccess.user):\($0)@" } ?? ""
        link = host.map { ListenAddress(host: $0, port: address.port).url(isSecure: isSecure, userInfo: whom) + "/" }
    }

    /// The lines for a person.
    var text: String {
        var text = ""
        if let user, let password {
            text += "Sign in as \(user) with the password \(password)\n"
            text += "It is shown this once; its hash is kept in \(folder). Delete that folder for a new one.\n"
        } else if let user {
            text += "Sign in as \(user) with the password of the first start; delete \(folder) for a new one.\n"
        }
        if asksAboutCertificate {
            text += "The certificate is campipe's own, so browsers ask once whether to trust it.\n"
        }
        if let link { text += "On a phone: \(link)\n" }
        return text
    }

    /// The link as a QR code for a terminal.
    var code: String? { link.flatMap { QRCode($0)?.terminalText } }
}
