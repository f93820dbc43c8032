import { noop } from './noop.ts'
import { waitAtMost } from './wait-at-most.ts'

/** Keeps values of the metadata, so that most requests cost no query and need no metadata. */
export interface ReadCache<Key, Value> {
  /**
   * Returns the value of a key, which is read again when it has expired. While that fails, or is slow, it returns the last value; without one
   * it rejects. Reads of the same key are shared.
   *
   * @param now Milliseconds since 1970.
   */
  get(key: Key, now: number): Promise<Value | undefined>
  /** Lets values expire: what was read before is only a last value. Default: all. */
  expire(isChanged?: (key: Key, value: Value) => boolean): void
}

export interface ReadCacheOptions<Key, Value> {
  /** Reads a value; undefined, for a key that has none, is not kept. */
  readonly read: (key: Key, now: number) => Promise<Value | undefined>
  /** Milliseconds until a value expires. */
  readonly ttlMs: number
}

/** Longest wait for a read. One that takes longer is waited for once by all. */
const MAX_WAIT_MS = 1_000

const EXPIRED = Number.NEGATIVE_INFINITY

export const createReadCache = <Key, Value>({ read, ttlMs }: ReadCacheOptions<Key, Value>): ReadCache<Key, Value> => {
  const entries = new Map<Key, { readonly value: Value; readonly readMs: number }>()
  const running = new Map<Key, Promise<Value | undefined>>()

  const startRead = (key: Key, now: number): Promise<Value | undefined> => {
    const keep = async (): Promise<Value | undefined> => {
      const value = await read(key, now)
      // Unless a change has made it old meanwhile.
      if (running.get(key) === waiting) {
        if (value === undefined) entries.delete(key)
        else entries.set(key, { value, readMs: now })
      }
      return value
    }
    const reading = keep()
    const waiting = waitAtMost(reading, MAX_WAIT_MS)
    running.set(key, waiting)
    const onEnd = (): void => {
      if (running.get(key) === waiting) running.delete(key)
    }
    reading.then(onEnd, onEnd)
    waiting.catch(noop)
    return waiting
  }

  return {
    async get(key, now) {
      const entry = entries.get(key)
      // The absolute difference, because a clock that was set back must not keep a value.
      if (entry !== undefined && Math.abs(now - entry.readMs) < ttlMs) return entry.value
      try {
        return await (running.get(key) ?? startRead(key, now))
      } catch (error) {
        if (entry === undefined) throw error
        return entry.value
      }
    },
    expire(isChanged = () => true) {
      running.clear()
      for (const [key, { value }] of entries) if (isChanged(key, value)) entries.set(key, { value, readMs: EXPIRED })
    },
  }
}
