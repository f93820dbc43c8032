import type { Metadata } from '../store/metadata/open.ts'
import { loadPersonProperties, MAX_DISTINCT_IDS } from '../store/metadata/persons.ts'
import { waitAtMost } from '../wait-at-most.ts'
import type { PersonProperties } from '../store/metadata/persons.ts'

/** Longest time that a flag request waits for stored properties: less than agents wait for flags. */
export const MAX_READ_MS = 1_000

/** Reads the person of a distinct id; undefined if it has none. One indexed read. */
export const readPerson = async (
  metadata: Metadata,
  projectId: number,
  distinctId: string,
): Promise<PersonProperties | undefined> =>
  (await loadPersonProperties(metadata, projectId, [distinctId])).get(distinctId)

/**
 * Creates a `readPerson` that batches the calls of one event-loop turn into one read. A separate read for each call would
 * cost more than the rest of a flag request. It rejects when the metadata does not answer in time.
 */
export const createReadPerson = (
  metadata: Metadata,
): ((projectId: number, distinctId: string) => Promise<PersonProperties | undefined>) => {
  /** Open batch by project. */
  const openBatches = new Map<number, Batch>()

  const startBatch = (projectId: number): Batch => {
    const distinctIds = new Set<string>()
    const persons = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      if (openBatches.get(projectId) === batch) openBatches.delete(projectId)
      return waitAtMost(loadPersonProperties(metadata, projectId, [...distinctIds]), MAX_READ_MS)
    })
    const batch = { distinctIds, persons }
    openBatches.set(projectId, batch)
    return batch
  }

  return async (projectId, distinctId) => {
    const openBatch = openBatches.get(projectId)
    const batch = openBatch && openBatch.distinctIds.size < MAX_DISTINCT_IDS ? openBatch : startBatch(projectId)
    batch.distinctIds.add(distinctId)
    return (await batch.persons).get(distinctId)
  }
}

interface Batch {
  readonly distinctIds: Set<string>
  readonly persons: Promise<ReadonlyMap<string, PersonProperties>>
}
