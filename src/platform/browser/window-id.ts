import type { KeyValue } from '../../port/key-value.ts'
import type { Lifecycle } from '../../port/lifecycle.ts'

/**
 * Creates `$window_id`: kept over reloads, new in each session.
 *
 * The id is in the tab's storage only between two pages. A duplicated tab, or one that a page opens, starts with a copy of that storage and
 * must not use the same id.
 *
 * @param storage Storage of this tab alone (sessionStorage).
 * @param canKeep Called when the page goes away. False stores nothing, and the next page gets a new id.
 * @param cleanups Receives the function that leaves the id to the tab's next agent, if `canKeep` allows it.
 * @returns A function that returns the tab's id in a session.
 */
export const createWindowId = (
  storage: KeyValue,
  key: string,
  newId: () => string,
  lifecycle: Pick<Lifecycle, 'onUnload'>,
  canKeep: () => boolean,
  cleanups: (() => void)[],
): ((sessionId: string) => string) => {
  let [session, id] = (storage.get(key) ?? '').split('/')
  storage.remove(key)
  const save = (): void => {
    if (id && canKeep()) storage.set(key, `${session}/${id}`)
  }
  cleanups.push(lifecycle.onUnload(save), save)
  return (sessionId) => {
    if (!id || session !== sessionId) {
      session = sessionId
      id = newId()
    }
    return id
  }
}
