import type { KeyValue } from '../../port/key-value.ts'
import { once } from '../../port/once.ts'
import { createMemoryKeyValue } from '../memory/memory-key-value.ts'
import { createCookieKeyValue } from './cookie.ts'
import { listen } from './listen.ts'
import { createWebStorage } from './web-storage.ts'

export interface KeyValueOptions {
  /**
   * Where values are stored. A value that is refused there goes to sessionStorage, and finally to memory. Default, also for any other
   * string: `localStorage+cookie`.
   */
  readonly persistence?: 'localStorage+cookie' | 'localStorage' | 'sessionStorage' | 'memory' | undefined
  /**
   * Share `cookieKey` between the site's hosts (a.example.com, b.example.com). The value is then in the cookie and in localStorage. The
   * cookie is read first, because another host may have written it. Only with `localStorage+cookie`.
   */
  readonly crossSubdomainCookie?: boolean | undefined
}

export interface BrowserKeyValue extends KeyValue {
  /** Calls `listener` when another tab has changed a key. Returns the function that removes it. */
  onChange(listener: (key: string) => void): () => void
}

/**
 * Creates the page's small synchronous store: a chain in which the first store that accepts a value keeps it. A cookie that hosts share is
 * written in addition. Accesses no storage before the first call.
 *
 * Every read goes to the platform (for a cookie: to another process), so callers cache the values.
 *
 * @param prefix Added to every key in the browser's stores.
 * @param cookieKey The only key that may be stored in a cookie. No other key goes into a cookie, even if localStorage refuses it, because
 *   every request to the site includes the cookie. A value above 2 KB is not shared between hosts.
 * @param durablePrefix Prefix of keys that are stored only where `persistence` says, because they would not last elsewhere. A refused write
 *   returns false and leaves the old value. With `memory` every such write is refused.
 * @param warn Called once when a value cannot be stored where `persistence` says, except for `durablePrefix` keys.
 */
export const createBrowserKeyValue = (
  prefix: string,
  { persistence, crossSubdomainCookie }: KeyValueOptions,
  cookieKey: string,
  durablePrefix: string,
  warn: (message: string) => void,
): BrowserKeyValue => {
  const memory = createMemoryKeyValue()
  const cookie = createCookieKeyValue(!!crossSubdomainCookie)
  const chain: [KeyValue, ...KeyValue[]] = [memory]
  if (persistence !== 'memory') chain.unshift(createWebStorage('sessionStorage'))
  // `chain[1]` exists unless `persistence` is `memory`.
  const hasLocal = chain[1] && persistence !== 'sessionStorage'
  if (hasLocal) chain.unshift(createWebStorage('localStorage'))
  const cookieChain: KeyValue[] = [...chain]
  cookieChain.splice(crossSubdomainCookie ? 0 : 1, 0, cookie)
  const storesOf = (key: string): KeyValue[] =>
    key === cookieKey && hasLocal && persistence !== 'localStorage' ? cookieChain : chain
  const warnOnce = once(warn)

  return {
    get(key) {
      for (const store of storesOf(key)) {
        const value = store.get(prefix + key)
        if (value !== null) return value
      }
      return null
    },
    set(key, value) {
      if (key.startsWith(durablePrefix)) return chain[0] !== memory && chain[0].set(prefix + key, value)
      let isStoredAsConfigured = false
      for (const store of storesOf(key)) {
        if (store.set(prefix + key, value)) {
          isStoredAsConfigured ||= store === cookie || store === chain[0]
          // A cookie that hosts share is written in addition to localStorage.
          if (!crossSubdomainCookie || store !== cookie) break
        } else {
          // An old value here would hide the new one.
          store.remove(prefix + key)
        }
      }
      if (!isStoredAsConfigured) warnOnce('storage_unavailable:')
      return isStoredAsConfigured
    },
    remove(key) {
      for (const store of storesOf(key)) store.remove(prefix + key)
    },
    onChange: (listener) =>
      listen(globalThis, 'storage', ({ storageArea, key }: StorageEvent) => {
        if (hasLocal && storageArea === globalThis.localStorage && key?.startsWith(prefix))
          listener(key.slice(prefix.length))
      }),
  }
}
