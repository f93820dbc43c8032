import { parentPort } from 'node:worker_threads'
import { constants, gzipSync } from 'node:zlib'
import { HttpError } from '../http-error.ts'
import type { ReadResult, ReadJob, SerializedHttpError } from './body-reader.ts'
import { decodeBody } from './decode-body.ts'
import { inspectBody } from './inspect-body.ts'

/** The script of the thread that reads large bodies for the body reader. It runs one job at a time. */

const serializeError = ({ status, body }: HttpError): SerializedHttpError => ({ status, body })

/** The first byte of gzip, also of gzip that was sent as a string. */
const GZIP_FIRST_BYTE = 0x1f

/**
 * Compresses a body so that it decodes to the same. Committing twenty megabytes to the inbox blocks the event loop for a few
 * hundred milliseconds; compressed, the body is about a tenth of that.
 */
const compressBody = (body: Uint8Array): Uint8Array =>
  body[0] === GZIP_FIRST_BYTE ? body : ownBuffer(gzipSync(body, { level: constants.Z_BEST_SPEED }))

/** Copies the bytes unless they fill their buffer; only whole buffers can be transferred. */
const ownBuffer = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)

const runJob = ({ kind, body, format, maxBytes }: ReadJob): ReadResult => {
  try {
    if (kind === 'string') return { kind: 'string', string: decodeBody(body, format, maxBytes) }
    const { failure, ...inspection } = inspectBody(body, format, maxBytes)
    return {
      kind: 'inspection',
      body: compressBody(body),
      inspection: { ...inspection, failure: failure && serializeError(failure) },
    }
  } catch (error) {
    return error instanceof HttpError
      ? { kind: 'http_error', httpError: serializeError(error) }
      : { kind: 'error', error }
  }
}

parentPort?.on('message', (job: ReadJob) => {
  const result = runJob(job)
  // The body is transferred, not copied.
  parentPort?.postMessage(result, result.kind === 'inspection' ? [result.body.buffer as ArrayBuffer] : [])
})
