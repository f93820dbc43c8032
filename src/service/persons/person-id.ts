import { createHash } from 'node:crypto'

/**
 * Derives the id of the person that is created for `distinctId`, which is also the origin id of every event of `distinctId`.
 * It depends on nothing else, so an event can be stored before its person exists; the map of distinct ids links the two.
 */
export const derivePersonId = (projectId: number, distinctId: string): string =>
  hashToUuid(`person:${projectId}:${distinctId}`)

/** Maximum number of ids that `createPersonIdCache` keeps. */
const MAX_CACHED_IDS = 50_000

/** `derivePersonId` of one project with a cache: most events come from ids that were seen a moment ago. */
export const createPersonIdCache = (projectId: number): ((distinctId: string) => string) => {
  const ids = new Map<string, string>()
  return (distinctId) => {
    const cachedId = ids.get(distinctId)
    if (cachedId !== undefined) return cachedId
    if (ids.size === MAX_CACHED_IDS) ids.clear()
    const id = derivePersonId(projectId, distinctId)
    ids.set(distinctId, id)
    return id
  }
}

/**
 * Hashes a string to a uuid. The uuid has version 8, for application-specific bits (RFC 9562, 5.8); version 5 would need a
 * registered namespace.
 */
export const hashToUuid = (input: string): string => {
  const bytes = createHash('sha1').update(input).digest()
  bytes[6] = (bytes[6]! & 0x0f) | 0x80
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex', 0, 16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
