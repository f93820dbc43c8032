import { createHash } from 'node:crypto'

/**
 * The uuid of a row that has none: the same for the same bytes at the same place of the input, so that whatever is sent again is stored once.
 * Rows that are alike stay apart by their places.
 *
 * In the form of version 7 (RFC 9562, 5.7) with the event's own time and 74 bits of the hash in place of the random ones: stores look for
 * duplicates near a uuid's time.
 *
 * @param moment When the event happened, in milliseconds since 1970; earlier ones count as 1970, where the uuid's time begins.
 * @param place Rows before it.
 */
export const rowUuid = (moment: number, place: number, bytes: Uint8Array): string => {
  const time = Math.max(0, moment).toString(16).padStart(12, '0')
  const hash = createHash('sha256').update(`${place}\n`).update(bytes).digest('hex')
  const variant = (0x8 | (Number.parseInt(hash.charAt(3), 16) & 0x3)).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hash.slice(0, 3)}-${variant}${hash.slice(4, 7)}-${hash.slice(7, 19)}`
}
