import type { KeyValue } from '../../port/key-value.ts'
import { attempt } from './attempt.ts'
import { PROBE } from './web-storage.ts'

/** A browser keeps no cookie above 4,096 bytes with its name and attributes, and every request of the site carries it. */
const MAX_BYTES = 2048

/** Browsers shorten anything above 400 days. */
const ONE_YEAR_S = 31_536_000

/**
 * Cookies of this host, or of its whole site; undefined where the browser refuses them.
 *
 * @param crossSubdomain One value for all hosts of the site, found by trying the host's domains from the widest: browsers
 * refuse public suffixes.
 */
export const cookieKeyValue = (crossSubdomain: boolean): KeyValue | undefined => {
  let domain = ''
  const write = (key: string, value: string, seconds: number): void =>
    attempt(() => {
      const secure = location.protocol === 'https:' ? '; secure' : ''
      document.cookie = `${encodeURIComponent(key)}=${value}; path=/; max-age=${seconds}; samesite=lax${secure}${domain}`
    }, undefined)

  const store: KeyValue = {
    get: (key) =>
      attempt(() => {
        const start = `${encodeURIComponent(key)}=`
        const found = document.cookie.split('; ').find((cookie) => cookie.startsWith(start))
        return decodeURIComponent(found!.slice(start.length))
      }, null),
    set(key, value) {
      const text = encodeURIComponent(value)
      if (text.length > MAX_BYTES) return false
      write(key, text, ONE_YEAR_S)
      return store.get(key) === value
    },
    remove: (key) => write(key, '', -1),
  }

  const labels = (crossSubdomain && globalThis.location?.hostname.split('.')) || []
  for (let from = Math.max(labels.length - 2, -1); from >= -1; from--) {
    domain = from < 0 ? '' : `; domain=${labels.slice(from).join('.')}`
    const works = store.set(PROBE, '1')
    store.remove(PROBE)
    if (works) return store
  }
  return undefined
}
