import type { KeyValue } from '../../port/key-value.ts'
import { tryOr } from '../../lib/try-or.ts'

/** `localStorage` or `sessionStorage`, looked up at each call. Where the browser blocks it, the store is empty and refuses writes. */
export const createWebStorage = (name: 'localStorage' | 'sessionStorage'): KeyValue => ({
  get: (key) => tryOr(() => globalThis[name].getItem(key), null),
  set: (key, value) => tryOr(() => (globalThis[name].setItem(key, value), true), false),
  remove: (key) => tryOr(() => globalThis[name].removeItem(key)),
})
