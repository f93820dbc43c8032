import { loadHashKey, saveHashKey } from '../../store/metadata/hash-keys.ts'
import type { Metadata } from '../../store/metadata/open.ts'
import type { FlagRequestBody } from './parse-flag-request-body.ts'

/** Longest id that is stored, in characters, as in the protocol's own service: anyone may send ids, and they are never deleted. */
const MAX_ID_LENGTH = 400

/**
 * Returns the id by which a person's flags with experience continuity are hashed, or undefined when none is stored. A stored
 * id takes precedence over `$anon_distinct_id`, which takes precedence over the distinct id.
 *
 * The first request that contains the id used before `identify` stores it. Later requests, also from other devices of the
 * person, need not contain it. The id belongs to the person, so flags created later are hashed by it too.
 *
 * Ids of more than 400 characters are not stored: only the request that contains such an id is hashed by it.
 *
 * @param now Milliseconds since 1970.
 */
export const resolveHashKey = async (
  { metadata, onError }: { readonly metadata: Metadata; readonly onError: (error: unknown) => void },
  projectId: number,
  { distinctId, anonDistinctId }: Pick<FlagRequestBody, 'distinctId' | 'anonDistinctId'>,
  now: number,
): Promise<string | undefined> => {
  const stored = await loadHashKey(metadata, projectId, distinctId)
  if (stored !== undefined || anonDistinctId === undefined || anonDistinctId === distinctId) return stored
  if (Math.max(distinctId.length, anonDistinctId.length) > MAX_ID_LENGTH) return undefined
  try {
    await saveHashKey(metadata, projectId, { distinctId, hashKey: anonDistinctId }, now)
  } catch (error) {
    // This request knows the id anyway; a later one that contains it may store it.
    onError(error)
    return undefined
  }
  // Another request may have stored a different id first.
  return loadHashKey(metadata, projectId, distinctId)
}
