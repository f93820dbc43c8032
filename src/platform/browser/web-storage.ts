import type { KeyValue } from '../../port/key-value.ts'

const PROBE = '__waymark'

/**
 * `localStorage` or `sessionStorage`, looked up at each use; undefined where the browser refuses it.
 *
 * A store that is full but holds something is not refused: what it holds can be read, and `set` answers false.
 */
export const webStorage = (name: 'localStorage' | 'sessionStorage'): KeyValue | undefined => {
  const storage = (): Storage => globalThis[name]
  const set: KeyValue['set'] = (key, value) => {
    try {
      storage().setItem(key, value)
      return true
    } catch {
      return false
    }
  }
  const remove: KeyValue['remove'] = (key) => {
    try {
      storage().removeItem(key)
    } catch {
      // The right to store was taken back: there is nothing left to remove.
    }
  }
  const get: KeyValue['get'] = (key) => {
    try {
      return storage().getItem(key)
    } catch {
      return null
    }
  }

  const works = set(PROBE, '1')
  remove(PROBE)
  try {
    return works || storage().length ? { get, set, remove } : undefined
  } catch {
    return undefined
  }
}
