import type { KeyValue } from '../../port/key-value.ts'
import { attempt } from './attempt.ts'

/** Written and removed to find out whether a store works. */
export const PROBE = '__waymark'

/**
 * `localStorage` or `sessionStorage`, looked up at each use; undefined where the browser refuses it.
 *
 * A store that is full but holds something is not refused: what it holds can be read, and `set` answers false.
 */
export const webStorage = (name: 'localStorage' | 'sessionStorage'): KeyValue | undefined => {
  const storage = (): Storage => globalThis[name]
  const store: KeyValue = {
    get: (key) => attempt(() => storage().getItem(key), null),
    set: (key, value) => attempt(() => (storage().setItem(key, value), true), false),
    remove: (key) => attempt(() => storage().removeItem(key), undefined),
  }
  const works = store.set(PROBE, '1')
  store.remove(PROBE)
  return works || attempt(() => storage().length, 0) ? store : undefined
}
