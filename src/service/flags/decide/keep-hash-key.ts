import { loadHashKey, saveHashKey } from '../../store/metadata/hash-keys.ts'
import type { Metadata } from '../../store/metadata/open.ts'
import type { DecideSubject } from './decide-subject.ts'

/** Longest id that is kept, in characters, as in the protocol's own service: anybody may send one, and it stays. */
const MOST_CHARACTERS = 400

/**
 * The id that a person's flags with experience continuity are hashed by for good (flags.md 1.1: a kept one over
 * `$anon_distinct_id` over the distinct id), or undefined when none is kept. The first request that tells the id before
 * `identify` has it kept, so that later ones, and those of the person's other devices, need not tell it. It is the
 * person's, not a flag's: flags that are made later are hashed by it, too.
 *
 * Ids of more than 400 characters are not kept: flags are hashed by them in that request alone.
 *
 * @param now Milliseconds since 1970.
 */
export const keepHashKey = async (
  { metadata, onError }: { readonly metadata: Metadata; readonly onError: (error: unknown) => void },
  projectId: number,
  { distinctId, anonDistinctId }: Pick<DecideSubject, 'distinctId' | 'anonDistinctId'>,
  now: number,
): Promise<string | undefined> => {
  const kept = await loadHashKey(metadata, projectId, distinctId)
  if (kept !== undefined || anonDistinctId === undefined || anonDistinctId === distinctId) return kept
  if (Math.max(distinctId.length, anonDistinctId.length) > MOST_CHARACTERS) return undefined
  try {
    await saveHashKey(metadata, projectId, { distinctId, hashKey: anonDistinctId }, now)
  } catch (error) {
    // This request knows the id; a later one that tells it may have it kept.
    onError(error)
    return undefined
  }
  // Another request may have been first.
  return loadHashKey(metadata, projectId, distinctId)
}
