import type { EventStore, PersonCopyUpdate } from '../store/events/event-store.ts'
import { NO_PERSON_UPDATE, UnstorableError } from '../store/events/event-store.ts'

/**
 * The fallback when a store could not commit persons and groups together with their events: writes them in parts, without
 * the events. A failing write is split in halves until each item that the store cannot store is found.
 *
 * Distinct ids are written first, in commits of their own. A merge only changes distinct ids, so it is stored even if the
 * properties of its person are not.
 *
 * @returns a description of each item that was not stored.
 */
export const commitPersonsInParts = async (
  store: EventStore,
  { persons, distinctIds, groups }: PersonCopyUpdate,
): Promise<string[]> => {
  const write = (update: Partial<PersonCopyUpdate>): Promise<void> =>
    store.commit({ position: store.position(), events: [], persons: { ...NO_PERSON_UPDATE, ...update }, rejected: [] })
  return [
    ...(await writeInHalves(
      [...distinctIds],
      (entries) => write({ distinctIds: new Map(entries) }),
      ([id]) => `distinct id ${id}`,
    )),
    ...(await writeInHalves(
      persons,
      (items) => write({ persons: items }),
      ({ id }) => `person ${id}`,
    )),
    ...(await writeInHalves(
      groups,
      (items) => write({ groups: items }),
      ({ type, key }) => `group ${type} ${key}`,
    )),
  ]
}

const writeInHalves = async <Item>(
  items: readonly Item[],
  write: (items: readonly Item[]) => Promise<void>,
  describe: (item: Item) => string,
): Promise<string[]> => {
  if (items.length === 0) return []
  try {
    await write(items)
    return []
  } catch (error) {
    if (!(error instanceof UnstorableError)) throw error
    if (items.length === 1) return items.map(describe)
    const middle = items.length >> 1
    return [
      ...(await writeInHalves(items.slice(0, middle), write, describe)),
      ...(await writeInHalves(items.slice(middle), write, describe)),
    ]
  }
}
