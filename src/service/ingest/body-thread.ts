import { parentPort } from 'node:worker_threads'
import { constants, gzipSync } from 'node:zlib'
import { Refusal } from '../refusal.ts'
import type { ReadAnswer, ReadJob, RefusalParts } from './body-reader.ts'
import { bodyText } from './body.ts'
import { inspect } from './inspect.ts'

/** The thread of a body reader: answers one job after the other. */

const partsOf = ({ status, body }: Refusal): RefusalParts => ({ status, body })

/** Gzip, and gzip in the guise of text, begin so. */
const GZIP_FIRST = 0x1f

/**
 * A body that will be read as the one given, and is smaller: the commit of twenty megabytes holds up the event loop for some
 * hundred milliseconds, that of two does not.
 */
const packed = (body: Uint8Array): Uint8Array =>
  body[0] === GZIP_FIRST ? body : owned(gzipSync(body, { level: constants.Z_BEST_SPEED }))

/** With a buffer of its own, as what is moved must have. */
const owned = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)

const answerTo = ({ kind, body, form, maxBytes }: ReadJob): ReadAnswer => {
  try {
    if (kind === 'text') return { kind: 'text', text: bodyText(body, form, maxBytes) }
    const { failure, ...inspection } = inspect(body, form, maxBytes)
    return {
      kind: 'inspection',
      body: packed(body),
      inspection: { ...inspection, failure: failure && partsOf(failure) },
    }
  } catch (error) {
    return error instanceof Refusal ? { kind: 'refusal', refusal: partsOf(error) } : { kind: 'error', error }
  }
}

parentPort?.on('message', (job: ReadJob) => {
  const answer = answerTo(job)
  // The body is moved back: it fills its buffer.
  parentPort?.postMessage(answer, answer.kind === 'inspection' ? [answer.body.buffer as ArrayBuffer] : [])
})
