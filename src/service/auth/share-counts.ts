import { isRecord } from '../../wire/json.ts'
import { parseJson } from '../../wire/parse-json.ts'

/** A key of a rate limit: the id of a project or key, or a network. */
export type LimitKey = number | string

/** The requests of one rate limit that nodes tell each other. */
export interface SharedCounts {
  /** Tells the other nodes of a request that was allowed. */
  tell(key: LimitKey): void
  /** Calls a listener with the requests of a key that another node has allowed, and the time (ms since 1970) at which that is known here. */
  listen(listener: (key: LimitKey, count: number, now: number) => void): void
}

/**
 * Shares the requests of a rate limit with the nodes that have the same limit.
 *
 * @param limit The name of the limit, the same on all nodes.
 */
export type ShareCounts = (limit: string) => SharedCounts

/** Carries texts to all other nodes, as far as it can: a text may be lost. */
export interface NodeMessages {
  /** Sends a string of at most `maxBytes` bytes of UTF-8. */
  send(text: string): Promise<void>
  readonly maxBytes: number
}

/** The counts of one limit, by key, as they are sent. */
interface CountMessage {
  /** The node that sends it, because messages come back to their sender. */
  readonly from: string
  readonly limit: string
  readonly counts: readonly (readonly [key: LimitKey, count: number])[]
}

/** Pause between two messages: within about this time, nodes together may exceed a limit. */
const TELL_INTERVAL_MS = 500

/** Keys of a limit that are told at once. Of further ones each node counts for itself. */
const MAX_KEYS = 10_000

export interface CountSharing {
  readonly share: ShareCounts
  /** Takes a string that `send` of any node has sent. */
  receive(text: string): void
  stop(): void
}

/**
 * Starts to tell other nodes what was counted here. What cannot be sent is forgotten: each node then counts for itself.
 *
 * @param node An id of this process.
 * @param now Milliseconds since 1970.
 */
export const startCountSharing = (node: string, { send, maxBytes }: NodeMessages, now: () => number): CountSharing => {
  const untold = new Map<string, Map<LimitKey, number>>()
  const listeners = new Map<string, (key: LimitKey, count: number, now: number) => void>()

  const tellAll = async (): Promise<void> => {
    for (const [limit, counts] of untold) {
      const texts = writeMessages({ from: node, limit, counts: [...counts] }, maxBytes)
      counts.clear()
      for (const text of texts) await send(text)
    }
  }
  let isTelling = false
  const timer = setInterval(() => {
    if (isTelling) return
    isTelling = true
    // Requests are counted here nevertheless, and fail by themselves when the other nodes' metadata is away.
    void tellAll()
      .catch(() => undefined)
      .finally(() => (isTelling = false))
  }, TELL_INTERVAL_MS)
  timer.unref()

  return {
    share(limit) {
      const counts = new Map<LimitKey, number>()
      untold.set(limit, counts)
      return {
        tell(key) {
          const count = counts.get(key)
          if (count !== undefined || counts.size < MAX_KEYS) counts.set(key, (count ?? 0) + 1)
        },
        listen: (listener) => void listeners.set(limit, listener),
      }
    },
    receive(text) {
      // A node of another version may send another text.
      const message = parseJson(text)
      if (!isRecord(message)) return
      const { from, limit, counts } = message
      if (typeof limit !== 'string') return
      const listener = from === node ? undefined : listeners.get(limit)
      if (listener === undefined || !Array.isArray(counts)) return
      for (const entry of counts) {
        const [key, count] = Array.isArray(entry) ? entry : []
        const isKey = typeof key === 'number' || typeof key === 'string'
        if (isKey && typeof count === 'number' && count > 0) listener(key, count, now())
      }
    },
    stop: () => clearInterval(timer),
  }
}

/** Writes counts as messages, none of which is too long. */
const writeMessages = (message: CountMessage, maxBytes: number): string[] => {
  const { counts } = message
  if (counts.length === 0) return []
  const text = JSON.stringify(message)
  if (Buffer.byteLength(text) <= maxBytes || counts.length === 1) return [text]
  const middle = Math.ceil(counts.length / 2)
  return [counts.slice(0, middle), counts.slice(middle)].flatMap((half) =>
    writeMessages({ ...message, counts: half }, maxBytes),
  )
}
