import type { Metadata } from '../store/metadata/open.ts'
import { loadProperties, MOST_AT_ONCE } from '../store/metadata/persons.ts'
import type { StoredProperties } from '../store/metadata/persons.ts'

/** Reads who is behind a distinct id, or undefined when nobody is known there. One indexed read. */
export const readPerson = async (
  metadata: Metadata,
  projectId: number,
  distinctId: string,
): Promise<StoredProperties | undefined> => (await loadProperties(metadata, projectId, [distinctId])).get(distinctId)

/**
 * As `readPerson`, for many who ask at the same time: what is asked for within one turn of the event loop is read together.
 * A read of one costs more than the requests around it.
 */
export const createReadPerson = (
  metadata: Metadata,
): ((projectId: number, distinctId: string) => Promise<StoredProperties | undefined>) => {
  /** By project. */
  const waiting = new Map<number, Batch>()

  const startBatch = (projectId: number): Batch => {
    const distinctIds = new Set<string>()
    const found = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      if (waiting.get(projectId) === batch) waiting.delete(projectId)
      return loadProperties(metadata, projectId, [...distinctIds])
    })
    const batch = { distinctIds, found }
    waiting.set(projectId, batch)
    return batch
  }

  return async (projectId, distinctId) => {
    const last = waiting.get(projectId)
    const batch = last && last.distinctIds.size < MOST_AT_ONCE ? last : startBatch(projectId)
    batch.distinctIds.add(distinctId)
    return (await batch.found).get(distinctId)
  }
}

interface Batch {
  readonly distinctIds: Set<string>
  readonly found: Promise<ReadonlyMap<string, StoredProperties>>
}
