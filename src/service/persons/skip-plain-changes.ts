import { findCreationTimes } from '../store/metadata/persons.ts'
import type { Metadata } from '../store/metadata/open.ts'
import type { RowPosition } from '../store/row-position.ts'
import { coversEvent } from '../store/row-position.ts'
import type { RowChange } from './change.ts'
import { isPlainChange } from './change.ts'
import type { KnownIds } from './known-ids.ts'
import type { PersonCache } from './person-cache.ts'

/** What `skipPlainChanges` knows of a project's persons. */
export interface KnownPersons {
  readonly knownIds: KnownIds
  /** The scope of the project in `knownIds`. */
  readonly scope: number
  readonly cache: PersonCache
  /** The position up to which changes are applied. */
  readonly position: RowPosition
}

/**
 * Leaves out the changes that would change nothing, nine of ten: their events say only that a person exists, and it does, since
 * an earlier time. So neither the person nor its properties are loaded. A change that an earlier run has applied stays, because
 * the event store may not have its person.
 */
export const skipPlainChanges = async (
  metadata: Metadata,
  projectId: number,
  changes: readonly RowChange[],
  { knownIds, scope, cache, position }: KnownPersons,
): Promise<readonly RowChange[]> => {
  const isSkipped = (rowChange: RowChange): boolean => {
    const { change, timestampMs } = rowChange
    return (
      isPlainChange(change) &&
      !coversEvent(position, rowChange) &&
      knownIds.covers(scope, change.distinctId, timestampMs)
    )
  }
  const remaining = changes.filter((change) => !isSkipped(change))
  const unknownIds = new Set<string>()
  for (const { change } of remaining) {
    // Cached persons need no read.
    if (isPlainChange(change) && !cache.personIds.has(change.distinctId)) unknownIds.add(change.distinctId)
  }
  if (unknownIds.size === 0) return remaining
  for (const { distinctId, createdAt } of await findCreationTimes(metadata, projectId, [...unknownIds]))
    knownIds.add(scope, distinctId, createdAt)
  return remaining.filter((change) => !isSkipped(change))
}

/** Notes the persons of changes that were applied. */
export const addKnownIds = ({ knownIds, scope }: KnownPersons, applied: readonly RowChange[]): void => {
  // Not the id that is merged: if the merge is refused, its person may be newer.
  for (const { change, timestampMs } of applied)
    if (change.kind === 'person') knownIds.add(scope, change.distinctId, timestampMs)
}
