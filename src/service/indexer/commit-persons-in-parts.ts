import type { EventStore, PersonCopyUpdate } from '../store/events/event-store.ts'
import { NO_PERSON_UPDATE, UnstorableError } from '../store/events/event-store.ts'
import { findInHalves } from './find-in-halves.ts'

/**
 * The fallback when a store could not commit persons and groups together with their events: writes them in parts, without
 * the events, so that only what the store cannot store is left out.
 *
 * Distinct ids are written first, in commits of their own. A merge only changes distinct ids, so it is stored even if the
 * properties of its person are not.
 *
 * @returns a description of each item that was not stored.
 */
export const commitPersonsInParts = async (
  store: EventStore,
  { persons, distinctIds, groups, revision, changedNames, changedBefore }: PersonCopyUpdate,
): Promise<string[]> => {
  const tryWrite = async (update: Partial<PersonCopyUpdate>): Promise<boolean> => {
    const part = { ...NO_PERSON_UPDATE, revision, changedNames, changedBefore, ...update }
    try {
      await store.commit({ position: store.position(), events: [], persons: part, rejected: [] })
      return true
    } catch (error) {
      if (error instanceof UnstorableError) return false
      throw error
    }
  }
  const badIds = await findInHalves([...distinctIds], (items) => tryWrite({ distinctIds: new Map(items) }))
  const badPersons = await findInHalves(persons, (items) => tryWrite({ persons: items }))
  const badGroups = await findInHalves(groups, (items) => tryWrite({ groups: items }))
  return [
    ...badIds.map(([id]) => `distinct id ${id}`),
    ...badPersons.map(({ id }) => `person ${id}`),
    ...badGroups.map(({ type, key }) => `group ${type} ${key}`),
  ]
}
