import type { KeyValue } from '../../port/key-value.ts'
import { memoryKeyValue } from '../memory/memory-key-value.ts'
import { cookieKeyValue } from './cookie.ts'
import { listen } from './listen.ts'
import { webStorage } from './web-storage.ts'

export interface KeyValueOptions {
  /** Where texts are kept; what is refused there goes to sessionStorage, and at last to memory. */
  readonly persistence: 'localStorage+cookie' | 'localStorage' | 'sessionStorage' | 'memory'
  /** Share `cookieKeys` between the site's hosts (a.example.com, b.example.com). Only with `localStorage+cookie`. */
  readonly crossSubdomainCookie?: boolean
  /**
   * The keys that a cross-subdomain cookie mirrors beside localStorage, and whose cookie wins when read, because another
   * host of the site may have written it since. Only small ones: every request of the site carries them, and above 2 KB
   * a value stays on its own host.
   */
  readonly cookieKeys?: readonly string[]
  /** Told once when nothing but memory takes a text. */
  readonly warn: (message: string) => void
}

export interface BrowserKeyValue extends KeyValue {
  /** Calls `listener` when another tab changed a key; with null when it removed all. The answer ends it. */
  onChange(listener: (key: string | null) => void): () => void
}

/**
 * The page's small synchronous store: a chain in which each text lies in the first store that takes it. Nothing is touched before the
 * first call.
 *
 * Reading goes to the platform each time (a cookie: to another process), so callers keep what they read.
 */
export const browserKeyValue = ({
  persistence,
  crossSubdomainCookie,
  cookieKeys,
  warn,
}: KeyValueOptions): BrowserKeyValue => {
  const memory = memoryKeyValue()
  const cookie = cookieKeyValue(!!crossSubdomainCookie)
  const withCookie = persistence === 'localStorage+cookie'
  const withLocal = withCookie || persistence === 'localStorage'
  const chain = [memory]
  if (persistence !== 'memory') chain.unshift(webStorage('sessionStorage'))
  if (withCookie) chain.unshift(cookie)
  if (withLocal) chain.unshift(webStorage('localStorage'))
  const isShared = (key: string): boolean => withCookie && !!crossSubdomainCookie && !!cookieKeys?.includes(key)
  let hasWarned = chain.length === 1

  return {
    get(key) {
      for (const store of isShared(key) ? [cookie, ...chain] : chain) {
        const value = store.get(key)
        if (value !== null) return value
      }
      return null
    },
    set(key, value) {
      if (isShared(key) && !cookie.set(key, value)) cookie.remove(key)
      const taker = chain.find((store) => {
        const isTaken = store.set(key, value)
        // An old value that is left there would win over the new one.
        if (!isTaken) store.remove(key)
        return isTaken
      })
      const isKept = taker !== memory || chain.length === 1
      if (!isKept && !hasWarned) warn('the browser stores nothing; identity and flags last as long as this page')
      hasWarned ||= !isKept
      return isKept
    },
    remove(key) {
      for (const store of chain) store.remove(key)
    },
    onChange: (listener) =>
      listen(
        globalThis,
        'storage',
        (event: StorageEvent) => withLocal && event.storageArea === localStorage && listener(event.key),
      ),
  }
}
