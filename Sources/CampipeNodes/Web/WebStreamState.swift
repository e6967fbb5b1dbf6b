import CampipeHTTP
import CampipeKit

/// What a stream shows to whom, and what is known of its pictures: the decisions of `WebStream`. A value.
struct WebStreamState {
    let limits: StreamLimits
    var variants: [ViewerRequest: WebVariant] = [:]
    /// The newest picture of all variants.
    var newest: ShownPicture?
    /// When the newest whole one was taken.
    var lastWhole: Instant?
    /// The size of the largest of them, as far as the source is known.
    var size: Size?
    /// Whether pictures came at all, and whether the camera is lost.
    var health = StreamHealth()
    /// Of variants that are forgotten.
    var past = BroadcastFeed.Counters()
    var nextWaiter = 0
    var numbers = SubscriptionNumbers()
    /// The sink's `when` is not true: no picture is to come, however the camera is.
    var isWaiting: Bool
    var isClosed = false

    init(limits: StreamLimits, isWaiting: Bool) {
        self.limits = limits
        self.isWaiting = isWaiting
    }

    /// Whether that is all there is to say of a variant that shows nothing.
    func isWaiting(_ health: StreamHealth) -> Bool { isWaiting && !health.isLost }
    func isLive(_ health: StreamHealth, at now: Instant) -> Bool {
        !isWaiting && health.condition(at: now) == .live
    }

    /// A picture came that was made for a request; nil when nobody is there for it any more.
    mutating func came(_ picture: ShownPicture, _ request: ViewerRequest?) {
        // A preview may be of another size.
        if request?.isPreview != true || newest == nil {
            if picture.isWorthShowing(after: lastWhole) { newest = picture }
            // One that was made smaller for a viewer says nothing of the source.
            if request?.width == nil || picture.size?.width ?? 0 >= size?.width ?? 0 { size = picture.size ?? size }
        }
        if !picture.isDamaged { lastWhole = picture.taken }
        health.came(picture.taken)
    }

    /// The source tells how it gave pictures of late.
    mutating func heard(_ news: SourceNews, at now: Instant) {
        health.heard(news, at: now)
        for request in variants.keys { variants[request]?.health.heard(news, at: now) }
    }

    /// The variant that tells most of the source: of those that are made now the one with the most pictures and pixels.
    var fullest: WebVariant? {
        let made = variants.values.filter { $0.subscription != nil }
        func weight(_ request: ViewerRequest) -> (Int, Double, Int) {
            (request.isPreview ? 0 : 1, request.fps ?? .infinity, request.width ?? .max)
        }
        return made.max { weight($0.request) < weight($1.request) } ?? variants[.plain]
    }

    /// Puts a variant back, with the demand that follows from its users.
    mutating func settle(_ variant: WebVariant, at now: Instant, _ demand: Demand, _ deeds: inout StreamDeeds) {
        var variant = variant
        if variant.hasUsers, variant.subscription == nil {
            let number = numbers.begin(variant.request, at: now)
            variant.subscription = number
            variant.health.opened(at: now)
            demand.set(number, variant.request.want(within: limits))
            deeds.wakes = true
        } else if !variant.hasUsers, let subscription = variant.subscription {
            variant.subscription = nil
            variant.isFed = false
            numbers.end(subscription, of: variant.request, at: now)
            demand.set(subscription, nil)
        }
        // What nobody uses is forgotten, but for the plain one.
        if variant.hasUsers || variant.request == .plain {
            variants[variant.request] = variant
        } else if variants.removeValue(forKey: variant.request) != nil {
            past.retire(variant.feed.counters)
        }
    }
}

/// What `WebStream` does once it has decided, outside of its lock.
struct StreamDeeds: Sendable {
    var answers: [(Responder, HTTPAnswer)] = []
    var wakes = false
}
