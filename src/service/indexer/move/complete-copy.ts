import type { EventStore } from '../../store/events/event-store.ts'
import { NO_PERSON_UPDATE } from '../../store/events/event-store.ts'
import type { StoreReader } from '../../store/events/store-reader.ts'
import { readPersonProgress } from '../../store/metadata/person-progress.ts'
import { copyPersons } from '../refresh-persons.ts'
import type { MovedProject, MoveOptions } from './move-options.ts'

/**
 * Writes what a store has beside its events: the persons and groups of the metadata, the rejected rows of the store that is copied, and its
 * position at last. So a store with the position of the other has everything.
 *
 * @param skipped Rejected rows that the store has already.
 */
export const completeCopy = async (
  { metadata, nodeId, signal }: Pick<MoveOptions, 'metadata' | 'nodeId' | 'signal'>,
  { id }: MovedProject,
  source: StoreReader,
  store: EventStore,
  skipped: number,
): Promise<void> => {
  const { position, personRevision } = source
  const { revision } = await readPersonProgress(metadata, nodeId, id)
  const unchanged = { position: store.position(), events: [], persons: NO_PERSON_UPDATE, rejected: [] }
  await store.commit({ ...unchanged, persons: { ...NO_PERSON_UPDATE, replacesAll: true } })
  await copyPersons({ metadata, store, projectId: id }, revision)
  for await (const rejected of source.readRejected(skipped)) {
    signal.throwIfAborted()
    await store.commit({ ...unchanged, rejected: [rejected] })
  }
  await store.commit({ ...unchanged, position, persons: { ...NO_PERSON_UPDATE, revision: personRevision } })
}
