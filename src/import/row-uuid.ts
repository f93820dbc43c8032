import { createHash } from 'node:crypto'

/**
 * Creates the uuid of a row that has none. The same bytes at the same index of the input have the same uuid, so that an event that is sent
 * again is stored once. Rows with the same content get different uuids, because their indexes differ.
 *
 * The form is that of version 7 (RFC 9562, 5.7), with the event's time and 74 bits of the hash in place of the random bits. Stores look
 * for duplicates near the time in a uuid.
 *
 * @param timestampMs When the event happened, in milliseconds since 1970. Earlier times count as 1970, where the time of a uuid begins.
 * @param rowIndex Number of rows before this one.
 */
export const createRowUuid = (timestampMs: number, rowIndex: number, bytes: Uint8Array): string => {
  const time = Math.max(0, timestampMs).toString(16).padStart(12, '0')
  const hash = createHash('sha256').update(`${rowIndex}\n`).update(bytes).digest('hex')
  const variant = (0x8 | (Number.parseInt(hash.charAt(3), 16) & 0x3)).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hash.slice(0, 3)}-${variant}${hash.slice(4, 7)}-${hash.slice(7, 19)}`
}
