import { parentPort } from 'node:worker_threads'
import { Refusal } from '../refusal.ts'
import type { ReadAnswer, ReadJob, RefusalParts } from './body-reader.ts'
import { bodyText } from './body.ts'
import { inspect } from './inspect.ts'

/** The thread of a body reader: answers one job after the other. */

const partsOf = ({ status, body }: Refusal): RefusalParts => ({ status, body })

const answerTo = ({ kind, body, form, maxBytes }: ReadJob): ReadAnswer => {
  try {
    if (kind === 'text') return { kind: 'text', text: bodyText(body, form, maxBytes) }
    const { failure, ...inspection } = inspect(body, form, maxBytes)
    return { kind: 'inspection', body, inspection: { ...inspection, failure: failure && partsOf(failure) } }
  } catch (error) {
    return error instanceof Refusal ? { kind: 'refusal', refusal: partsOf(error) } : { kind: 'error', error }
  }
}

parentPort?.on('message', (job: ReadJob) => {
  const answer = answerTo(job)
  // The body is moved back: it fills its buffer.
  parentPort?.postMessage(answer, answer.kind === 'inspection' ? [answer.body.buffer as ArrayBuffer] : [])
})
