import type { FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import { busy, tooLarge } from '../refusal.ts'
import type { Refusal } from '../refusal.ts'
import type { BodyBudget, BodyShare } from './body-budget.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the request's body holds of the budget, until the request is answered. */
    bodyShare: BodyShare | null
    /** Whether all of a refused body was read and thrown away, so that the connection can go on. */
    isDrained: boolean
  }
}

/** Receives the body of a request, as one array of bytes. */
export type ReceiveBody = (
  request: FastifyRequest,
  payload: IncomingMessage,
  done: (error: Error | null, body?: Uint8Array) => void,
) => void

/** Bytes to begin with where the length is not known, or not believed: memory is taken as bytes come, not as they are promised. */
const FIRST_BYTES = 64 * 1024

/** How many times as large the next array is, where a body outgrows one. */
const GROWTH = 8

/** Makes the function that receives bodies smaller than `maxBodyBytes` within a budget; it fails with `Refusal` (413, 503). */
export const createReceiveBody =
  (budget: BodyBudget, maxBodyBytes: number): ReceiveBody =>
  (request, payload, done) => {
    const length = Number(request.headers['content-length'] ?? Number.NaN)
    const declared = Number.isNaN(length) ? 0 : length
    if (declared >= maxBodyBytes) {
      const refusal = tooLarge(maxBodyBytes)
      if (declared < 2 * maxBodyBytes) drain(request, payload, declared, () => done(refusal))
      else done(refusal)
      return
    }
    const share = budget.open(declared)
    if (share === null) {
      drain(request, payload, maxBodyBytes, () => done(busy()))
      return
    }
    request.bodyShare = share
    let bytes: Buffer | null = null
    let received = 0

    const stop = (): void => {
      payload.off('data', take)
      payload.off('end', end)
      payload.off('error', fail)
    }
    const refuse = (refusal: Refusal): void => {
      stop()
      share.release()
      bytes = null
      drain(request, payload, maxBodyBytes, () => done(refusal))
    }
    const take = (chunk: Buffer): void => {
      const from = received
      received += chunk.length
      if (received >= maxBodyBytes) {
        refuse(tooLarge(maxBodyBytes))
        return
      }
      if (!share.grow(chunk.length)) {
        refuse(busy())
        return
      }
      // A short body comes in one piece, which the parser of HTTP has made for it.
      if (from === 0 && received === length) {
        bytes = chunk
        return
      }
      if (bytes === null || bytes.length < received) {
        const grown = Buffer.allocUnsafeSlow(nextSize(bytes?.length ?? 0, received, declared))
        bytes?.copy(grown, 0, 0, from)
        bytes = grown
      }
      // Copied, so that a body sent a byte at a time takes its own size and not that of a million small objects.
      chunk.copy(bytes, from)
    }
    const end = (): void => {
      stop()
      share.complete()
      done(null, bytes === null ? new Uint8Array() : bytes.subarray(0, received))
    }
    const fail = (error: Error & { statusCode?: number }): void => {
      stop()
      share.release()
      // The sender has gone: nobody reads this, and nothing in the service failed.
      error.statusCode = 400
      done(error)
    }
    share.onGiveWay = () => refuse(busy())
    payload.on('data', take)
    payload.on('end', end)
    payload.on('error', fail)
  }

/** Bytes for an array that must hold `needed`. Room that is not written to takes no memory, so a step may be long. */
const nextSize = (size: number, needed: number, declared: number): number => {
  const grown = Math.max(FIRST_BYTES, size * GROWTH, needed)
  return declared > 0 && grown * GROWTH >= declared ? Math.max(declared, needed) : grown
}

/** How long a refused body may go on before it is answered all the same. */
const DRAIN_MS = 5000

/**
 * Reads what still comes of a refused body and throws it away, then answers: a connection that is closed while its sender
 * still writes would take the answer with it. One that goes on for more than `most` bytes is answered and closed.
 */
const drain = (request: FastifyRequest, payload: IncomingMessage, most: number, answer: () => void): void => {
  let left = most
  let isAnswered = false
  const end = (isDrained: boolean): void => {
    if (isAnswered) return
    isAnswered = true
    clearTimeout(timer)
    request.isDrained = isDrained
    answer()
  }
  const timer = setTimeout(() => end(false), DRAIN_MS)
  payload.on('error', () => end(false))
  payload.on('end', () => end(true))
  payload.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) end(false)
  })
  payload.resume()
}
