import type { KeyValue } from '../../port/key-value.ts'
import { memoryKeyValue } from '../memory/memory-key-value.ts'
import { cookieKeyValue } from './cookie.ts'
import { listen } from './listen.ts'
import { webStorage } from './web-storage.ts'

export interface KeyValueOptions {
  /** Stands before every key in the browser's stores. */
  readonly prefix: string
  /**
   * Where texts are kept; what is refused there goes to sessionStorage, and at last to memory. Default, and for any other word:
   * `localStorage+cookie`.
   */
  readonly persistence?: 'localStorage+cookie' | 'localStorage' | 'sessionStorage' | 'memory' | undefined
  /**
   * Share `cookieKey` between the site's hosts (a.example.com, b.example.com): a cookie mirrors it beside localStorage, and wins when
   * read, because another host of the site may have written it since. Only with `localStorage+cookie`.
   */
  readonly crossSubdomainCookie?: boolean | undefined
  /**
   * The one key that may lie in a cookie, for every request of the site carries it: where localStorage refuses it, too. A value above
   * 2 KB stays on its own host.
   */
  readonly cookieKey?: string
  /**
   * Begins the keys whose texts are kept where `persistence` says, or are refused and leave the old ones there: nowhere else they would last. With
   * `memory` they are refused always.
   */
  readonly safeKey?: string
  /** Told once when a text lasts less long than `persistence` says. */
  readonly warn: (message: string) => void
}

export interface BrowserKeyValue extends KeyValue {
  /** Calls `listener` when another tab changed a key. The answer ends it. */
  onChange(listener: (key: string) => void): () => void
}

/**
 * The page's small synchronous store: a chain in which each text lies in the first store that takes it. Nothing is touched before the
 * first call.
 *
 * Reading goes to the platform each time (a cookie: to another process), so callers keep what they read.
 */
export const browserKeyValue = ({
  prefix,
  persistence,
  crossSubdomainCookie,
  cookieKey,
  safeKey,
  warn,
}: KeyValueOptions): BrowserKeyValue => {
  const memory = memoryKeyValue()
  const cookie = cookieKeyValue(!!crossSubdomainCookie)
  const chain: [KeyValue, ...KeyValue[]] = [memory]
  if (persistence !== 'memory') chain.unshift(webStorage('sessionStorage'))
  const withLocal = !!chain[1] && persistence !== 'sessionStorage'
  const withCookie = [cookie, ...chain]
  if (withLocal) {
    const local = webStorage('localStorage')
    chain.unshift(local)
    withCookie.splice(crossSubdomainCookie ? 1 : 0, 0, local)
  }
  const storesOf = (key: string): KeyValue[] =>
    key === cookieKey && withLocal && persistence !== 'localStorage' ? withCookie : chain
  let hasWarned = false

  return {
    get(key) {
      for (const store of storesOf(key)) {
        const value = store.get(prefix + key)
        if (value !== null) return value
      }
      return null
    },
    set(key, value) {
      if (safeKey && key.startsWith(safeKey)) return chain[0] !== memory && chain[0].set(prefix + key, value)
      let isKept = false
      for (const store of storesOf(key)) {
        if (store.set(prefix + key, value)) {
          isKept ||= store === cookie || store === chain[0]
          // The cookie of the whole site is a mirror.
          if (!crossSubdomainCookie || store !== cookie) break
        } else {
          // An old value that is left there would win over the new one.
          store.remove(prefix + key)
        }
      }
      if (!isKept && !hasWarned) warn('the browser refuses to store; identity and flags last no longer than this tab')
      hasWarned ||= !isKept
      return isKept
    },
    remove(key) {
      for (const store of storesOf(key)) store.remove(prefix + key)
    },
    onChange: (listener) =>
      listen(globalThis, 'storage', ({ storageArea, key }: StorageEvent) => {
        if (withLocal && storageArea === localStorage && key?.startsWith(prefix)) listener(key.slice(prefix.length))
      }),
  }
}
