import { type HashKeys, loadHashKeys, saveHashKeys } from '../store/metadata/hash-keys.ts'
import type { Metadata } from '../store/metadata/open.ts'
import type { DecideSubject } from './decide-subject.ts'

/**
 * The ids that flags with experience continuity are hashed by (flags.md 1.1: a stored one over `$anon_distinct_id` over the
 * distinct id). The first request that tells the id before `identify` has it kept for each of these flags, so that later
 * ones, and those of the person's other devices, need not tell it.
 *
 * @param flagKeys The flags with experience continuity. Without one nothing is read.
 * @param now Milliseconds since 1970.
 */
export const keepHashKeys = async (
  { metadata, onError }: { readonly metadata: Metadata; readonly onError: (error: unknown) => void },
  projectId: number,
  { distinctId, anonDistinctId }: Pick<DecideSubject, 'distinctId' | 'anonDistinctId'>,
  flagKeys: readonly string[],
  now: number,
): Promise<HashKeys | undefined> => {
  if (flagKeys.length === 0) return undefined
  const kept = await loadHashKeys(metadata, projectId, distinctId)
  if (anonDistinctId === undefined || anonDistinctId === distinctId) return kept
  const missing = flagKeys.filter((key) => !kept.has(key))
  if (missing.length === 0) return kept
  try {
    await saveHashKeys(metadata, projectId, { distinctId, hashKey: anonDistinctId, flagKeys: missing }, now)
  } catch (error) {
    // This request knows the id; a later one that tells it may have it kept.
    onError(error)
    return kept
  }
  // Another request may have been first.
  return loadHashKeys(metadata, projectId, distinctId)
}
