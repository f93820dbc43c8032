import type { Person } from './person.ts'
import { MIN_BASE_BYTES } from './plan-write.ts'

/** Persons of a project that are kept in memory between batches. */
export interface PersonCache {
  /** Distinct id to person id. */
  readonly personIds: Map<string, string>
  /** By person id. */
  readonly persons: Map<string, Person>
  /** Person id to the size of its properties as JSON; persons without properties may be missing. */
  readonly propertyBytes: Map<string, number>
  /** Person id to the number of its distinct ids, or a lower one above `maxMovedIds`; persons without a merge may be missing. */
  readonly idCounts: Map<string, number>
  /** See `MAX_MOVED_IDS`. */
  readonly maxMovedIds: number
  /** See `MIN_BASE_BYTES`. */
  readonly minBaseBytes: number
}

/** Default maximum number of cached distinct ids: those of the visitors of some minutes. */
export const MAX_CACHED_IDS = 30_000

/** Maximum size of the cached properties, as JSON. */
const MAX_BYTES = 16 * 1024 * 1024

/**
 * Default number of distinct ids that a merge may move although the other person has fewer. Most persons have less: they keep their ids, and
 * queries need no look-up of `Person.publicId`.
 */
const MAX_MOVED_IDS = 100

export const createPersonCache = (
  maxMovedIds: number = MAX_MOVED_IDS,
  minBaseBytes: number = MIN_BASE_BYTES,
): PersonCache => ({
  personIds: new Map(),
  persons: new Map(),
  propertyBytes: new Map(),
  idCounts: new Map(),
  maxMovedIds,
  minBaseBytes,
})

/** Whether the cache is within its limits. */
export const isWithinLimits = ({ personIds, propertyBytes }: PersonCache, maxIds: number): boolean => {
  if (personIds.size > maxIds) return false
  let bytes = 0
  for (const size of propertyBytes.values()) bytes += size
  return bytes <= MAX_BYTES
}

/** Removes persons until the cache is within its limits: first those without one of these distinct ids, then all. */
export const shrinkCache = (cache: PersonCache, maxIds: number, recentIds: ReadonlySet<string>): void => {
  if (isWithinLimits(cache, maxIds)) return
  keepOnly(cache, recentIds)
  if (!isWithinLimits(cache, maxIds)) clearCache(cache)
}

/** Removes all persons. */
export const clearCache = (cache: PersonCache): void => keepOnly(cache, new Set())

const keepOnly = (
  { personIds, persons, propertyBytes, idCounts }: PersonCache,
  distinctIds: ReadonlySet<string>,
): void => {
  for (const distinctId of personIds.keys()) if (!distinctIds.has(distinctId)) personIds.delete(distinctId)
  const keptPersons = new Set(personIds.values())
  for (const id of persons.keys()) if (!keptPersons.has(id)) persons.delete(id)
  for (const id of propertyBytes.keys()) if (!persons.has(id)) propertyBytes.delete(id)
  for (const id of idCounts.keys()) if (!persons.has(id)) idCounts.delete(id)
}
