import type { KeyValue } from '../../port/key-value.ts'
import { once } from '../../lib/once.ts'
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
   * Share the value of the cookie's key between the site's hosts (a.example.com, b.example.com). The value is then in the cookie and in
   * localStorage. The cookie is read first, because another host may have written it. Only with `localStorage+cookie`.
   */
  readonly crossSubdomainCookie?: boolean | undefined
}

/** The value that a cookie may have. No other goes into a cookie, because every request to the site includes it. */
export interface CookieValue {
  readonly key: string
  /** Returns the part of a value that a cookie has which hosts share, or a cookie that cannot have the whole value. */
  readonly toShared: (value: string) => string
  /** Completes the cookie's part by the value of another store; null if there is none. */
  readonly merge: (shared: string, own: string | null) => string
}

export interface BrowserKeyValue extends KeyValue {
  /** Calls `listener` when another tab has changed a key. Returns the function that removes it. */
  onChange(listener: (key: string) => void): () => void
}

/**
 * Creates the page's small synchronous store: a chain in which the first store that accepts a value keeps it. A cookie is written in
 * addition, because it may have only a part of the value. Accesses no storage before the first call.
 *
 * Every read goes to the platform (for a cookie: to another process), so callers cache the values.
 *
 * @param prefix Added to every key in the browser's stores.
 * @param durablePrefix Prefix of keys that are stored only where `persistence` says, because they would not last elsewhere. A refused write
 *   returns false and leaves the old value. With `memory` every such write is refused.
 * @param warn Called once when a value cannot be stored where `persistence` says or cannot be shared, except for `durablePrefix` keys.
 */
export const createBrowserKeyValue = (
  prefix: string,
  { persistence, crossSubdomainCookie }: KeyValueOptions,
  cookieValue: CookieValue,
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
    key === cookieValue.key && hasLocal && persistence !== 'localStorage' ? cookieChain : chain
  const warnOnce = once(warn)

  return {
    get(key) {
      let shared: string | null = null
      for (const store of storesOf(key)) {
        const value = store.get(prefix + key)
        if (value !== null && store !== cookie) return shared === null ? value : cookieValue.merge(shared, value)
        shared ??= value
      }
      return shared && cookieValue.merge(shared, null)
    },
    set(key, value) {
      if (key.startsWith(durablePrefix)) return chain[0] !== memory && chain[0].set(prefix + key, value)
      let isStoredAsConfigured = false
      for (const store of storesOf(key)) {
        const isCookie = store === cookie
        if (
          (!(isCookie && crossSubdomainCookie) && store.set(prefix + key, value)) ||
          (isCookie && store.set(prefix + key, cookieValue.toShared(value)))
        ) {
          isStoredAsConfigured ||= isCookie || store === chain[0]
          if (!isCookie) break
        } else {
          // An old value here would hide the new one.
          store.remove(prefix + key)
          if (isCookie && crossSubdomainCookie) warnOnce('cookie refused: the identity is not shared')
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
