import { Readable, finished } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { unavailable } from '../http-error.ts'
import { MIN_HELD_BYTES } from './unsent-bytes.ts'
import type { UnsentBytes } from './unsent-bytes.ts'

/** Bytes that are given to a socket at once. So progress can be seen, and chunks of shared bytes are not copied. */
export const CHUNK_BYTES = 64 * 1024

/** Headers of an answer that do not fit the error which is sent in its place. */
const CONTENT_HEADERS = [
  'content-disposition',
  'content-encoding',
  'content-location',
  'etag',
  'last-modified',
] as const

/** Bytes as a stream of chunks, which share their memory. */
const readChunks = (bytes: Buffer): Readable => {
  let offset = 0
  return new Readable({
    highWaterMark: CHUNK_BYTES,
    read() {
      this.push(offset < bytes.length ? bytes.subarray(offset, (offset += CHUNK_BYTES)) : null)
    },
  })
}

/**
 * Creates a hook that sends large answers in chunks, each when the client has taken the one before. Until the whole answer is sent, it
 * counts in the budget of unsent bytes, as a small one does that waits for those before it; above that, the client gets 503.
 */
export const createSendInChunks =
  (unsentBytes: UnsentBytes) =>
  (
    { method, raw: { socket } }: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
    done: (error: Error | null, payload?: unknown) => void,
  ): void => {
    if (typeof payload !== 'string' && !(payload instanceof Uint8Array)) return done(null, payload)
    const isLarge = Buffer.byteLength(payload) >= MIN_HELD_BYTES
    // Many requests can come at once on a connection, and their answers wait in turn.
    const isQueued = reply.raw.socket === null
    // The answer to HEAD has the length of the payload, which is not sent.
    if ((!isLarge && !isQueued) || method === 'HEAD') return done(null, payload)
    const bytes =
      typeof payload === 'string'
        ? Buffer.from(payload)
        : Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength)
    const release = unsentBytes.hold(socket, bytes)
    if (release === null) {
      for (const name of CONTENT_HEADERS) reply.removeHeader(name)
      reply.header('cache-control', 'no-store')
      return done(
        unavailable('busy', 'Too many answers wait until their clients have read them. Retry in a second.', 1),
      )
    }
    finished(reply.raw, release)
    if (!isLarge) return done(null, bytes)
    reply.header('content-length', bytes.length)
    done(null, readChunks(bytes))
  }
