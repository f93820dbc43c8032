import type { KeyValue } from '../../port/key-value.ts'
import { memoryKeyValue } from '../memory/memory-key-value.ts'
import { cookieKeyValue } from './cookie.ts'
import { listen } from './listen.ts'
import { webStorage } from './web-storage.ts'

export interface KeyValueOptions {
  /**
   * Where texts are kept, each falling back to what is left: `localStorage+cookie` to cookie, sessionStorage and memory,
   * the others to sessionStorage and memory.
   */
  readonly persistence: 'localStorage+cookie' | 'localStorage' | 'sessionStorage' | 'memory'
  /** Share `cookieKeys` between the site's hosts (a.example.com, b.example.com). Only with `localStorage+cookie`. */
  readonly crossSubdomainCookie: boolean
  /**
   * The keys that a cross-subdomain cookie mirrors beside localStorage, and whose cookie wins when read, because another
   * host of the site may have written it since. Only small ones: every request of the site carries them, and above 2 KB
   * a value stays on its own host.
   */
  readonly cookieKeys: readonly string[]
}

export interface BrowserKeyValue extends KeyValue {
  /** Calls `listener` when another tab changed a key; with null when it removed all. The answer ends it. */
  onChange(listener: (key: string | null) => void): () => void
}

/**
 * The page's small synchronous store. Each store of the chain is tried once, by a real write.
 *
 * Reading goes to the platform each time (a cookie: to another process), so callers keep what they read.
 */
export const browserKeyValue = ({
  persistence,
  crossSubdomainCookie,
  cookieKeys,
}: KeyValueOptions): BrowserKeyValue => {
  const withCookie = persistence === 'localStorage+cookie'
  const local = persistence.startsWith('local') ? webStorage('localStorage') : undefined
  const cookie = withCookie && (!local || crossSubdomainCookie) ? cookieKeyValue(crossSubdomainCookie) : undefined
  const main = local ?? cookie ?? ((persistence !== 'memory' && webStorage('sessionStorage')) || memoryKeyValue())
  const mirror = (key: string): KeyValue | undefined => (local && cookieKeys.includes(key) ? cookie : undefined)

  return {
    get: (key) => mirror(key)?.get(key) ?? main.get(key),
    set(key, value) {
      const shared = mirror(key)
      // An old value left in the cookie would win over the new one.
      if (shared && !shared.set(key, value)) shared.remove(key)
      return main.set(key, value)
    },
    remove(key) {
      mirror(key)?.remove(key)
      main.remove(key)
    },
    onChange: (listener) =>
      local
        ? listen(
            globalThis,
            'storage',
            (event: StorageEvent) => event.storageArea === localStorage && listener(event.key),
          )
        : () => {},
  }
}
