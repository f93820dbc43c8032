import { createHash } from 'node:crypto'

/**
 * The id a person gets when `distinctId` is the first that is seen of them, and the id under which every event of
 * `distinctId` is stored. It depends on nothing else, so an event can be stored before anybody knows its person: the map
 * of distinct ids says later who that is.
 */
export const personId = (projectId: number, distinctId: string): string =>
  hashedUuid(`person:${projectId}:${distinctId}`)

/**
 * A uuid that is the same for the same text. Version 8, the one for application-specific bits
 * (RFC 9562, 5.8); version 5 would promise a registered namespace.
 */
export const hashedUuid = (text: string): string => {
  const bytes = createHash('sha1').update(text).digest()
  bytes[6] = (bytes[6]! & 0x0f) | 0x80
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex', 0, 16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
