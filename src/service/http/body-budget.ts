/** The memory for request bodies, shared by all requests of the process. */
export interface BodyBudget {
  /** Makes room for a body of `declared` bytes, 0 when its length is not known yet; null when there is none. */
  open(declared: number): BodyShare | null
  /** Bytes that bodies hold or were promised. */
  usedBytes(): number
  readonly limitBytes: number
}

/** What one body holds of the budget. */
export interface BodyShare {
  /** Tells that so many more bytes have come; false when there is no room for them. */
  grow(bytes: number): boolean
  /** Told that the body is whole: it gives way to nobody any more. */
  complete(): void
  /** Gives everything back. May be called twice. */
  release(): void
  /** Called when the body comes too slowly and others need the room. */
  onGiveWay: () => void
}

/** What a budget needs. */
export interface BodyBudgetParts {
  /** Bytes of all bodies; the largest body fits at least once, whatever is given here. */
  readonly limitBytes: number
  /** Bytes of the largest body. */
  readonly maxBodyBytes: number
  /** Milliseconds; only differences count. */
  readonly now: () => number
}

/** Bodies up to this length are small: an eighth of the budget is theirs alone, so that large bodies do not lock out single events. */
const SMALL_BYTES = 64 * 1024
const FOR_SMALL = 1 / 8

/** A body may be as slow as it likes while there is room. When there is none, one that is slower than this gives way after a while. */
const FAIR_BYTES_PER_MS = 32
const PATIENCE_MS = 2000

/** How often the slow are looked for: it takes a look at every body that is arriving. */
const LOOK_EVERY_MS = 50

/**
 * Makes a budget. Room is given by the declared length, so that of many large bodies at once some come through and the others
 * are refused before they are sent; a sender that declares and does not send loses what it was promised, and in the end its
 * place, as soon as others need it.
 */
export const createBodyBudget = ({ limitBytes: given, maxBodyBytes, now }: BodyBudgetParts): BodyBudget => {
  const limitBytes = Math.max(given, Math.ceil(maxBodyBytes / (1 - FOR_SMALL)))
  const forLarge = Math.floor(limitBytes * (1 - FOR_SMALL))
  // An array and not a set, and nothing in it leads to a request once that has left: V8 puts objects that it often finds alive,
  // as these, and the tables of a set, among the old ones from the start, and keeps what they point to until it looks through all.
  const arriving: Arrival[] = []
  let used = 0
  let lookedAt = -LOOK_EVERY_MS

  const hold = (arrival: Arrival, bytes: number): void => {
    used += bytes - arrival.held
    arrival.held = bytes
  }

  const enter = (arrival: Arrival): void => {
    arrival.place = arriving.push(arrival) - 1
  }

  const leave = (arrival: Arrival): void => {
    if (arriving[arrival.place] !== arrival) return
    const last = arriving.pop()!
    if (last !== arrival) {
      arriving[arrival.place] = last
      last.place = arrival.place
    }
    // It leads to the request, which would live as long as this does.
    arrival.share.onGiveWay = NOTHING
  }

  /** Takes back what the slow were promised, then their places, the slowest first, until `bytes` fit below `most`. */
  const makeRoom = (bytes: number, most: number, self: Arrival | null): boolean => {
    const at = now()
    if (at - lookedAt < LOOK_EVERY_MS) return false
    lookedAt = at
    const rate = ({ received, mark }: Arrival): number => (received - mark.received) / (at - mark.at)
    const slow: Arrival[] = []
    for (const arrival of arriving) {
      if (arrival === self || at - arrival.mark.at < PATIENCE_MS) continue
      if (rate(arrival) < FAIR_BYTES_PER_MS) slow.push(arrival)
      else arrival.mark = { at, received: arrival.received }
    }
    for (const arrival of slow) hold(arrival, arrival.received)
    slow.sort((one, other) => rate(one) - rate(other))
    for (const { share } of slow) {
      if (used + bytes <= most) break
      const { onGiveWay } = share
      share.release()
      onGiveWay()
    }
    return used + bytes <= most
  }

  const fits = (bytes: number, total: number, self: Arrival | null): boolean => {
    const most = total > SMALL_BYTES ? forLarge : limitBytes
    return used + bytes <= most || makeRoom(bytes, most, self)
  }

  return {
    limitBytes,
    usedBytes: () => used,
    open(declared) {
      if (!fits(declared, declared, null)) return null
      const share: BodyShare = {
        grow(bytes) {
          const received = arrival.received + bytes
          if (received > arrival.held) {
            if (!fits(received - arrival.held, received, arrival)) return false
            hold(arrival, received)
          }
          arrival.received = received
          return true
        },
        complete: () => leave(arrival),
        release() {
          leave(arrival)
          hold(arrival, 0)
        },
        onGiveWay: NOTHING,
      }
      const arrival: Arrival = { share, mark: { at: now(), received: 0 }, received: 0, held: 0, place: 0 }
      hold(arrival, declared)
      enter(arrival)
      return share
    },
  }
}

const NOTHING = (): void => undefined

interface Arrival {
  readonly share: BodyShare
  /** A moment, and what had come by then: since then it may have been slow. */
  mark: { readonly at: number; readonly received: number }
  /** Bytes that have come. */
  received: number
  /** Bytes that are counted: received, and promised. */
  held: number
  /** Where it is among those that are arriving. */
  place: number
}
