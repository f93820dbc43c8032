import type { KeyValue } from '../../port/key-value.ts'
import type { Lifecycle } from '../../port/lifecycle.ts'

/** The id of this tab. */
export interface WindowId {
  /** The id in this session. */
  of(sessionId: string): string
  /** Leaves the id to the tab's next agent, if it may. */
  end(): void
}

/**
 * Gives `$window_id`: kept over reloads, new when the session is new.
 *
 * The id lies in the tab's storage only from one page to the next: a tab that the user duplicates, or that a page opens, starts
 * with a copy of that storage and must not take the id for its own.
 *
 * @param storage Of this tab alone (sessionStorage).
 * @param mayKeep Asked when the page goes away; false: nothing is left there, and the next page's id is a new one.
 */
export const createWindowId = (
  storage: KeyValue,
  key: string,
  newId: () => string,
  lifecycle: Pick<Lifecycle, 'onUnload'>,
  mayKeep: () => boolean,
): WindowId => {
  let [session, id] = (storage.get(key) ?? '').split('/')
  storage.remove(key)
  const leave = (): void => {
    if (id && mayKeep()) storage.set(key, `${session}/${id}`)
  }
  const stop = lifecycle.onUnload(leave)
  return {
    of(sessionId) {
      if (!id || session !== sessionId) {
        session = sessionId
        id = newId()
      }
      return id
    },
    end() {
      stop()
      leave()
    },
  }
}
