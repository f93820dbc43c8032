import type { EventStore, PersonMirror } from '../store/events/event-store.ts'
import { NO_PERSONS, UnstorableError } from '../store/events/event-store.ts'

/**
 * Writes persons and groups to a store that could not commit them together with their events. A failing write is split in
 * halves until each item that the store cannot hold is found. Distinct ids go first and alone, so merges are stored even
 * when properties are not. Resolves to a description of each item that was not stored.
 */
export const commitPersons = async (
  store: EventStore,
  { persons, distinctIds, groups }: PersonMirror,
): Promise<string[]> => {
  const write = (changes: Partial<PersonMirror>): Promise<void> =>
    store.commit({ position: store.position(), events: [], persons: { ...NO_PERSONS, ...changes }, rejected: [] })
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
