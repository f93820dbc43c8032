import type { FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import { busy, bodyTooLarge } from '../http-error.ts'
import type { HttpError } from '../http-error.ts'
import type { BodyBudget, BodyReservation } from './body-budget.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The memory reserved for the request's body, until the response is sent. */
    bodyReservation: BodyReservation | null
    /** Whether a rejected body was read to its end and discarded, so that the connection can be reused. */
    isDrained: boolean
  }
}

/** Receives the body of a request as one byte array. */
export type ReceiveBody = (
  request: FastifyRequest,
  payload: IncomingMessage,
  done: (error: Error | null, body?: Uint8Array) => void,
) => void

/** First buffer for a body of unknown or large declared length: memory is allocated as bytes arrive, not as they are declared. */
const MIN_BUFFER_BYTES = 64 * 1024

/** How much larger the next buffer is when a body outgrows one. */
const GROWTH_FACTOR = 8

/** Creates the function that receives bodies smaller than `maxBodyBytes` within a budget. It fails with `HttpError` (413, 503). */
export const createReceiveBody =
  (budget: BodyBudget, maxBodyBytes: number): ReceiveBody =>
  (request, payload, done) => {
    const length = Number(request.headers['content-length'] ?? Number.NaN)
    const declaredBytes = Number.isNaN(length) ? 0 : length
    if (declaredBytes >= maxBodyBytes) {
      const error = bodyTooLarge(maxBodyBytes)
      if (declaredBytes < 2 * maxBodyBytes) drain(request, payload, declaredBytes, () => done(error))
      else done(error)
      return
    }
    const reservation = budget.reserve(declaredBytes)
    if (reservation === null) {
      drain(request, payload, maxBodyBytes, () => done(busy()))
      return
    }
    request.bodyReservation = reservation
    let buffer: Buffer | null = null
    let receivedBytes = 0

    const removeListeners = (): void => {
      payload.off('data', onData)
      payload.off('end', onEnd)
      payload.off('error', onPayloadError)
    }
    const reject = (error: HttpError): void => {
      removeListeners()
      reservation.release()
      buffer = null
      drain(request, payload, maxBodyBytes, () => done(error))
    }
    const onData = (chunk: Buffer): void => {
      const offset = receivedBytes
      receivedBytes += chunk.length
      if (receivedBytes >= maxBodyBytes) {
        reject(bodyTooLarge(maxBodyBytes))
        return
      }
      if (!reservation.grow(chunk.length)) {
        reject(busy())
        return
      }
      // A short body arrives in one chunk, which the HTTP parser allocated for it.
      if (offset === 0 && receivedBytes === length) {
        buffer = chunk
        return
      }
      if (buffer === null || buffer.length < receivedBytes) {
        const grown = Buffer.allocUnsafeSlow(nextBufferSize(buffer?.length ?? 0, receivedBytes, declaredBytes))
        buffer?.copy(grown, 0, 0, offset)
        buffer = grown
      }
      // The bytes are copied, so that a body sent byte by byte takes the memory of its size, not of a million small objects.
      chunk.copy(buffer, offset)
    }
    const onEnd = (): void => {
      removeListeners()
      reservation.complete()
      done(null, buffer === null ? new Uint8Array() : buffer.subarray(0, receivedBytes))
    }
    const onPayloadError = (error: Error & { statusCode?: number }): void => {
      removeListeners()
      reservation.release()
      // The sender has disconnected; 400 keeps this out of the error log.
      error.statusCode = 400
      done(error)
    }
    reservation.onEvicted = () => reject(busy())
    payload.on('data', onData)
    payload.on('end', onEnd)
    payload.on('error', onPayloadError)
  }

/** Bytes for a buffer that needs space for `neededBytes`. Pages that are not written take no memory, so the steps can be large. */
const nextBufferSize = (size: number, neededBytes: number, declaredBytes: number): number => {
  const grownBytes = Math.max(MIN_BUFFER_BYTES, size * GROWTH_FACTOR, neededBytes)
  return declaredBytes > 0 && grownBytes * GROWTH_FACTOR >= declaredBytes
    ? Math.max(declaredBytes, neededBytes)
    : grownBytes
}

/** How long a rejected body may continue before the response is sent anyway. */
const MAX_DRAIN_MS = 5000

/**
 * Discards the rest of a rejected body, then calls `sendResponse`. Closing a connection while its client still sends would
 * lose the response. After `maxBytes` or `MAX_DRAIN_MS` the response is sent and the connection closed.
 */
const drain = (request: FastifyRequest, payload: IncomingMessage, maxBytes: number, sendResponse: () => void): void => {
  let remainingBytes = maxBytes
  let isFinished = false
  const finish = (isDrained: boolean): void => {
    if (isFinished) return
    isFinished = true
    clearTimeout(timer)
    request.isDrained = isDrained
    sendResponse()
  }
  const timer = setTimeout(() => finish(false), MAX_DRAIN_MS)
  payload.on('error', () => finish(false))
  payload.on('end', () => finish(true))
  payload.on('data', (chunk: Buffer) => {
    remainingBytes -= chunk.length
    if (remainingBytes < 0) finish(false)
  })
  payload.resume()
}
