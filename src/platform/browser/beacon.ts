import type { Beacon } from '../../port/send.ts'

/** Hands a body to `navigator.sendBeacon`; false where there is none, or it throws or refuses. */
export const browserBeacon: Beacon = (url, body, contentType) => {
  try {
    return navigator.sendBeacon(url, new Blob([body as BlobPart], { type: contentType }))
  } catch {
    return false
  }
}
