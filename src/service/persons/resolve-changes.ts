import type { RowPosition } from '../store/row-position.ts'
import { coversEvent } from '../store/row-position.ts'
import { applyChange, applyDrafts, findKeptId } from './apply-change.ts'
import type { RowChange } from './change.ts'
import type { LoadedWorkingSet } from './load-working-set.ts'
import type { PersonCache } from './person-cache.ts'
import { derivePersonId } from './person-id.ts'

/** What the changes of a batch did to its working set, besides what the working set itself notes. */
export interface ResolvedChanges {
  /** Changes that an earlier run has applied, which are not applied again. */
  readonly replayed: readonly RowChange[]
  /** The other changes. */
  readonly applied: readonly RowChange[]
  /** Ids of persons that the changes merged into others. */
  readonly removed: readonly string[]
  /** Those, and the ids that earlier changes had merged into them, if the metadata does not have these merges yet. */
  readonly moved: readonly string[]
}

/**
 * Applies changes in order to the persons and groups that were loaded for them. Reads and writes nothing but memory.
 *
 * @param position the position up to which earlier runs have applied changes.
 */
export const resolveChanges = (
  projectId: number,
  { workingSet, changes }: LoadedWorkingSet,
  { propertyBytes }: PersonCache,
  position: RowPosition,
): ResolvedChanges => {
  const createId = (distinctId: string): string => derivePersonId(projectId, distinctId)
  const { mergedInto } = workingSet
  const replayed: RowChange[] = []
  const applied: RowChange[] = []
  for (const rowChange of changes) (coversEvent(position, rowChange) ? replayed : applied).push(rowChange)
  const merges = applied.some(({ change }) => change.kind === 'person' && change.merge !== null)
  const keptBefore = new Map(merges ? [...mergedInto.keys()].map((id) => [id, findKeptId(workingSet, id)]) : [])
  for (const { change, timestampMs } of applied) applyChange(workingSet, change, timestampMs, createId)
  for (const [id, { bytes }] of workingSet.drafts) if (workingSet.persons.has(id)) propertyBytes.set(id, bytes)
  applyDrafts(workingSet)
  const removed = merges ? [...mergedInto.keys()].filter((id) => !keptBefore.has(id)) : []
  const movedAgain = [...keptBefore].flatMap(([id, kept]) => (findKeptId(workingSet, id) === kept ? [] : [id]))
  return { replayed, applied, removed, moved: [...removed, ...movedAgain] }
}
