/** The memory for request bodies, shared by all requests of the process. */
export interface BodyBudget {
  /** Reserves memory for a body of `declaredBytes`, 0 for an unknown length; null when the budget is used up. */
  reserve(declaredBytes: number): BodyReservation | null
  /** Bytes that bodies use or have reserved. */
  usedBytes(): number
  readonly limitBytes: number
}

/** The part of the budget that one body uses. */
export interface BodyReservation {
  /** Counts received bytes; false when there is no memory for them. */
  grow(bytes: number): boolean
  /** Marks the body as complete: it can no longer be evicted. */
  complete(): void
  /** Returns all bytes to the budget. Can be called more than once. */
  release(): void
  /** Called when the body arrives too slowly and other bodies need the memory. */
  onEvicted: (() => void) | undefined
}

/** Dependencies of a budget. */
export interface BodyBudgetParts {
  /** Bytes of all bodies. Raised where needed so that the largest body always fits. */
  readonly limitBytes: number
  /** Bytes of the largest body. */
  readonly maxBodyBytes: number
  /** Milliseconds; only differences matter. */
  readonly now: () => number
}

/** Bodies up to this length are small. They have an eighth of the budget to themselves, so that large bodies do not block single events. */
const MAX_SMALL_BODY_BYTES = 64 * 1024
const SMALL_BODY_SHARE = 1 / 8

/** When the budget is used up, a body that arrives more slowly than this is evicted after the grace time. */
const MIN_BYTES_PER_MS = 32
const GRACE_MS = 2000

/** Minimum time between two searches for slow bodies. A search checks every body that is arriving. */
const EVICTION_INTERVAL_MS = 50

/**
 * Creates a budget. Memory is reserved by the declared length. So when many large bodies arrive at once, some complete, and the
 * others are rejected before they are sent. When others need the memory, a sender that declares a length but sends nothing
 * first loses the reservation, and then its body is evicted.
 */
export const createBodyBudget = ({ limitBytes: configuredBytes, maxBodyBytes, now }: BodyBudgetParts): BodyBudget => {
  const limitBytes = Math.max(configuredBytes, Math.ceil(maxBodyBytes / (1 - SMALL_BODY_SHARE)))
  const largeBodyLimit = Math.floor(limitBytes * (1 - SMALL_BODY_SHARE))
  // An array, not a set, and no entry refers to its request after the body has left. V8 soon promotes long-lived objects (such
  // as these, and the tables of a set) to the old generation, and then keeps what they refer to until a full collection.
  const incomingBodies: IncomingBody[] = []
  let totalBytes = 0
  let lastEvictionMs = -EVICTION_INTERVAL_MS

  const setReserved = (body: IncomingBody, bytes: number): void => {
    totalBytes += bytes - body.reservedBytes
    body.reservedBytes = bytes
  }

  const add = (body: IncomingBody): void => {
    body.index = incomingBodies.push(body) - 1
  }

  const remove = (body: IncomingBody): void => {
    if (incomingBodies[body.index] !== body) return
    const last = incomingBodies.pop()!
    if (last !== body) {
      incomingBodies[body.index] = last
      last.index = body.index
    }
    // The callback refers to the request, which would stay in memory as long as this object.
    body.reservation.onEvicted = undefined
  }

  /** Shrinks the reservations of slow bodies, then evicts them, slowest first, until `bytes` fit below `limit`. */
  const makeRoom = (bytes: number, limit: number, self: IncomingBody | null): boolean => {
    const nowMs = now()
    if (nowMs - lastEvictionMs < EVICTION_INTERVAL_MS) return false
    lastEvictionMs = nowMs
    const rateOf = ({ receivedBytes, sample }: IncomingBody): number =>
      (receivedBytes - sample.receivedBytes) / (nowMs - sample.timestampMs)
    const slowBodies: IncomingBody[] = []
    for (const body of incomingBodies) {
      if (body === self || nowMs - body.sample.timestampMs < GRACE_MS) continue
      if (rateOf(body) < MIN_BYTES_PER_MS) slowBodies.push(body)
      else body.sample = { timestampMs: nowMs, receivedBytes: body.receivedBytes }
    }
    for (const body of slowBodies) setReserved(body, body.receivedBytes)
    slowBodies.sort((a, b) => rateOf(a) - rateOf(b))
    for (const { reservation } of slowBodies) {
      if (totalBytes + bytes <= limit) break
      const { onEvicted } = reservation
      reservation.release()
      onEvicted?.()
    }
    return totalBytes + bytes <= limit
  }

  const canReserve = (bytes: number, bodyBytes: number, self: IncomingBody | null): boolean => {
    const limit = bodyBytes > MAX_SMALL_BODY_BYTES ? largeBodyLimit : limitBytes
    return totalBytes + bytes <= limit || makeRoom(bytes, limit, self)
  }

  return {
    limitBytes,
    usedBytes: () => totalBytes,
    reserve(declaredBytes) {
      if (!canReserve(declaredBytes, declaredBytes, null)) return null
      const reservation: BodyReservation = {
        grow(bytes) {
          const receivedBytes = body.receivedBytes + bytes
          if (receivedBytes > body.reservedBytes) {
            if (!canReserve(receivedBytes - body.reservedBytes, receivedBytes, body)) return false
            setReserved(body, receivedBytes)
          }
          body.receivedBytes = receivedBytes
          return true
        },
        complete: () => remove(body),
        release() {
          remove(body)
          setReserved(body, 0)
        },
        onEvicted: undefined,
      }
      const body: IncomingBody = {
        reservation,
        sample: { timestampMs: now(), receivedBytes: 0 },
        receivedBytes: 0,
        reservedBytes: 0,
        index: 0,
      }
      setReserved(body, declaredBytes)
      add(body)
      return reservation
    },
  }
}

interface IncomingBody {
  readonly reservation: BodyReservation
  /** An earlier time and the bytes received by then; the rate is measured from here. */
  sample: { readonly timestampMs: number; readonly receivedBytes: number }
  receivedBytes: number
  /** Bytes counted in the budget: received or reserved. */
  reservedBytes: number
  /** Its index in `incomingBodies`. */
  index: number
}
