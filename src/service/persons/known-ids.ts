import { createIdKeys } from '../store/id-keys.ts'
import { createIdTable, MAX_VALUE } from '../store/id-table.ts'

/**
 * Distinct ids that have a person, each with a time at or before which its person was created. Neither a merge nor an event
 * makes that untrue: a person's `createdAt` only becomes earlier, and a merged person's ids get the person it was merged into.
 */
export interface KnownIds {
  /**
   * Whether the id is known to have a person that was created at or before a time. False if that is unknown.
   *
   * @param scope separates the ids of this number from those of others.
   */
  covers(scope: number, distinctId: string, timestampMs: number): boolean
  /** Notes that the id has a person that was created at or before a time. */
  add(scope: number, distinctId: string, createdAtMs: number): void
}

/** Maximum number of ids in each of the two generations, which then takes 8 MB. */
const MAX_GENERATION_IDS = 393_216

export const createKnownIds = (maxGenerationIds: number = MAX_GENERATION_IDS): KnownIds => {
  const keys = createIdKeys()
  /** The times, in seconds since 1970. */
  const seconds = createIdTable(maxGenerationIds)
  return {
    covers(scope, distinctId, timestampMs) {
      const second = seconds.get(keys.ofString(scope, distinctId))
      return second !== undefined && second <= Math.floor(timestampMs / 1000)
    },
    add(scope, distinctId, createdAtMs) {
      // Rounded up, so that the person is not taken to be older than it is.
      const second = Math.max(0, Math.ceil(createdAtMs / 1000))
      if (!(second <= MAX_VALUE)) return
      const key = keys.ofString(scope, distinctId)
      const known = seconds.get(key)
      if (known === undefined || second < known) seconds.set(key, second)
    },
  }
}
