import type { Beacon } from '../../port/send.ts'
import { attempt } from './attempt.ts'

/** Hands a body to `navigator.sendBeacon`; false where there is none, or it throws or refuses. */
export const browserBeacon: Beacon = (url, body, contentType) =>
  attempt(() => navigator.sendBeacon(url, new Blob([body as BlobPart], { type: contentType })), false)
