import type { Socket } from 'node:net'
import { noop } from '../noop.ts'

/** What is known of a connection: a part of `net.Socket`. */
export type Connection = Pick<Socket, 'bytesWritten' | 'writableLength' | 'destroy'>

/** The bytes that clients have not read yet, of all connections of the process. */
export interface UnsentBytes {
  /** Watches a connection until it closes. */
  watch(connection: Connection & Pick<Socket, 'once'>): void
  /**
   * Counts bytes that wait until a connection takes them. Bytes that several connections share count once. Returns a function that
   * ends the count and can be called more than once; null when there is no memory for them.
   */
  hold(connection: Connection, bytes: Uint8Array): (() => void) | null
  /** Ends connections that took nothing for `STALL_MS` although bytes wait for them. To be called about every second. */
  check(): void
  usedBytes(): number
}

/** Dependencies and limits of `createUnsentBytes`. */
export interface UnsentBytesParts {
  /** Bytes of all connections. The first answer of a connection fits when no other bytes wait, however large it is. */
  readonly limitBytes: number
  /** Milliseconds; only differences matter. */
  readonly now: () => number
}

/** Fewer bytes need not be counted if they are sent next: a socket takes about as many into its own buffers. */
export const MIN_HELD_BYTES = 64 * 1024

/** A connection that takes nothing for this time ends. */
export const STALL_MS = 30_000

/** The share of all bytes that one connection, which may send many requests at once, can have. A single answer always fits. */
const CONNECTION_SHARE = 1 / 4

/** When memory is needed, connections that took their bytes more slowly than this are ended, after the grace time. */
const MIN_BYTES_PER_MS = 32
const GRACE_MS = 2000

/** Minimum time between two searches for slow connections. A search looks at every connection. */
const SEARCH_INTERVAL_MS = 50

interface Watched {
  /** Bytes that the system has taken, and when they last became more. */
  sentBytes: number
  progressMs: number
  /** An earlier time, and the bytes sent by then; the rate is measured from here. Null while no bytes are held. */
  sample: { readonly timestampMs: number; readonly sentBytes: number } | null
  /** Bytes held for this connection. */
  heldBytes: number
  readonly blocks: Map<ArrayBufferLike, number>
}

/** Bytes that the system has taken. What waits in the socket counts as written there. */
const countSent = ({ bytesWritten, writableLength }: Connection): number => bytesWritten - writableLength

/**
 * Creates the budget of unsent bytes. A connection that reads too slowly loses its bytes when others need the memory, and any
 * connection ends when it takes nothing for `STALL_MS`.
 */
export const createUnsentBytes = ({ limitBytes, now }: UnsentBytesParts): UnsentBytes => {
  const connections = new Map<Connection, Watched>()
  /** How many holds each block of memory has. */
  const holdsOf = new Map<ArrayBufferLike, number>()
  let totalBytes = 0
  let lastSearchMs = -SEARCH_INTERVAL_MS

  const changeHolds = (watched: Watched, block: ArrayBufferLike, change: 1 | -1): void => {
    const holds = (holdsOf.get(block) ?? 0) + change
    if (holds === 0) holdsOf.delete(block)
    else holdsOf.set(block, holds)
    if (holds === (change === 1 ? 1 : 0)) totalBytes += change * block.byteLength
    const own = (watched.blocks.get(block) ?? 0) + change
    if (own === 0) watched.blocks.delete(block)
    else watched.blocks.set(block, own)
    if (own === (change === 1 ? 1 : 0)) watched.heldBytes += change * block.byteLength
  }

  const forget = (connection: Connection, watched: Watched): void => {
    for (const [block, holds] of watched.blocks) for (let n = 0; n < holds; n++) changeHolds(watched, block, -1)
    connections.delete(connection)
  }

  const end = (connection: Connection, watched: Watched): void => {
    forget(connection, watched)
    connection.destroy()
  }

  /** Ends connections that read too slowly, slowest first, until `bytes` fit. */
  const makeRoom = (bytes: number, self: Connection): boolean => {
    const nowMs = now()
    if (nowMs - lastSearchMs < SEARCH_INTERVAL_MS) return false
    lastSearchMs = nowMs
    const slow: { connection: Connection; watched: Watched; rate: number }[] = []
    for (const [connection, watched] of connections) {
      const { sample } = watched
      if (connection === self || sample === null || nowMs - sample.timestampMs < GRACE_MS) continue
      const sentBytes = countSent(connection)
      const rate = (sentBytes - sample.sentBytes) / (nowMs - sample.timestampMs)
      if (rate < MIN_BYTES_PER_MS) slow.push({ connection, watched, rate })
      else watched.sample = { timestampMs: nowMs, sentBytes }
    }
    slow.sort((a, b) => a.rate - b.rate)
    /** How many holds the slow ones have of each block. What others share with them does not become free when they end. */
    const slowHolds = new Map<ArrayBufferLike, number>()
    for (const { watched } of slow)
      for (const [block, holds] of watched.blocks) slowHolds.set(block, (slowHolds.get(block) ?? 0) + holds)
    const becomesFree = (block: ArrayBufferLike): boolean => holdsOf.get(block) === slowHolds.get(block)
    for (const { connection, watched } of slow) {
      if (totalBytes + bytes <= limitBytes) break
      if (![...watched.blocks.keys()].some(becomesFree)) continue
      for (const [block, holds] of watched.blocks) slowHolds.set(block, slowHolds.get(block)! - holds)
      end(connection, watched)
    }
    return totalBytes + bytes <= limitBytes
  }

  return {
    usedBytes: () => totalBytes,
    watch(connection) {
      const watched: Watched = {
        sentBytes: countSent(connection),
        progressMs: now(),
        sample: null,
        heldBytes: 0,
        blocks: new Map(),
      }
      connections.set(connection, watched)
      connection.once('close', () => forget(connection, watched))
    },
    hold(connection, { buffer: block, byteLength }) {
      const watched = connections.get(connection)
      // Nothing waits for a connection that has closed.
      if (watched === undefined || byteLength === 0) return noop
      const newBytes = holdsOf.has(block) ? 0 : block.byteLength
      const isOver =
        watched.heldBytes > 0 &&
        !watched.blocks.has(block) &&
        watched.heldBytes + block.byteLength > limitBytes * CONNECTION_SHARE
      const isFitting = totalBytes === 0 || totalBytes + newBytes <= limitBytes
      if (isOver || (!isFitting && !makeRoom(newBytes, connection) && totalBytes > 0)) return null
      changeHolds(watched, block, 1)
      watched.sample ??= { timestampMs: now(), sentBytes: countSent(connection) }
      let isReleased = false
      return () => {
        if (isReleased || !watched.blocks.has(block)) return
        isReleased = true
        changeHolds(watched, block, -1)
        if (watched.blocks.size === 0) watched.sample = null
      }
    },
    check() {
      const nowMs = now()
      for (const [connection, watched] of connections) {
        const sentBytes = countSent(connection)
        if (sentBytes !== watched.sentBytes || connection.writableLength === 0) {
          watched.sentBytes = sentBytes
          watched.progressMs = nowMs
        } else if (nowMs - watched.progressMs >= STALL_MS) end(connection, watched)
      }
    },
  }
}
