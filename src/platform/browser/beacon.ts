import type { Beacon } from '../../port/send.ts'
import { tryOr } from '../../lib/try-or.ts'

/** Sends a body with `navigator.sendBeacon`. False where that is missing, throws or refuses the body. */
export const sendBeacon: Beacon = (url, body, contentType) =>
  tryOr(() => globalThis.navigator.sendBeacon(url, new Blob([body as BlobPart], { type: contentType })), false)
