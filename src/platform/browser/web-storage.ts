import type { KeyValue } from '../../port/key-value.ts'
import { attempt } from './attempt.ts'

/** `localStorage` or `sessionStorage`, looked up at each use; where the browser refuses it, it is empty and takes nothing. */
export const webStorage = (name: 'localStorage' | 'sessionStorage'): KeyValue => ({
  get: (key) => attempt(() => globalThis[name].getItem(key), null),
  set: (key, value) => attempt(() => (globalThis[name].setItem(key, value), true), false),
  remove: (key) => attempt(() => globalThis[name].removeItem(key), undefined),
})
