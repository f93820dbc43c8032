import type { EventStore, PersonMirror } from '../store/events/event-store.ts'
import { NO_PERSONS, UnstorableError } from '../store/events/event-store.ts'

/**
 * Tells a store of persons and groups where it could not take them together with events: in halves, so that one it cannot
 * hold costs no other. Who is whom goes first, and by itself: a merge is then known whatever becomes of the properties.
 * Answers what it cannot hold, by name.
 */
export const commitPersons = async (
  store: EventStore,
  { persons, distinctIds, groups }: PersonMirror,
): Promise<string[]> => {
  const write = (some: Partial<PersonMirror>): Promise<void> =>
    store.commit({ position: store.position(), events: [], persons: { ...NO_PERSONS, ...some }, rejected: [] })
  return [
    ...(await inHalves(
      [...distinctIds],
      (some) => write({ distinctIds: new Map(some) }),
      ([id]) => `distinct id ${id}`,
    )),
    ...(await inHalves(
      persons,
      (some) => write({ persons: some }),
      ({ id }) => `person ${id}`,
    )),
    ...(await inHalves(
      groups,
      (some) => write({ groups: some }),
      ({ type, key }) => `group ${type} ${key}`,
    )),
  ]
}

const inHalves = async <One>(
  all: readonly One[],
  write: (some: readonly One[]) => Promise<void>,
  nameOf: (one: One) => string,
): Promise<string[]> => {
  if (all.length === 0) return []
  try {
    await write(all)
    return []
  } catch (error) {
    if (!(error instanceof UnstorableError)) throw error
    if (all.length === 1) return all.map(nameOf)
    const middle = all.length >> 1
    return [
      ...(await inHalves(all.slice(0, middle), write, nameOf)),
      ...(await inHalves(all.slice(middle), write, nameOf)),
    ]
  }
}
