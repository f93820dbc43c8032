import type { KeyValue } from '../../port/key-value.ts'

/**
 * The id of this tab, `$window_id`: kept over reloads, new when the session is new.
 *
 * @param storage Of this tab alone (sessionStorage).
 */
export const createWindowId = (
  storage: KeyValue,
  key: string,
  newId: () => string,
): ((sessionId: string) => string) => {
  let [session, id] = (storage.get(key) ?? '').split('/')
  return (sessionId) => {
    if (!id || session !== sessionId) {
      session = sessionId
      id = newId()
      storage.set(key, `${session}/${id}`)
    }
    return id
  }
}
