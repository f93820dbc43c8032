import type { KeyValue } from '../../port/key-value.ts'

const PROBE = '__waymark'

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
  const get: KeyValue['get'] = (key) => {
    try {
      const start = `${encodeURIComponent(key)}=`
      const found = document.cookie.split('; ').find((cookie) => cookie.startsWith(start))
      return found === undefined ? null : decodeURIComponent(found.slice(start.length))
    } catch {
      return null
    }
  }
  const write = (key: string, value: string, seconds: number, domain: string): void => {
    try {
      const secure = location.protocol === 'https:' ? '; secure' : ''
      document.cookie = `${encodeURIComponent(key)}=${value}; path=/; max-age=${seconds}; samesite=lax${secure}${domain}`
    } catch {
      // No page, or one without cookies (sandboxed).
    }
  }

  let domain = ''
  const remove: KeyValue['remove'] = (key) => write(key, '', 0, domain)
  const set: KeyValue['set'] = (key, value) => {
    const text = encodeURIComponent(value)
    if (text.length > MAX_BYTES) return false
    write(key, text, ONE_YEAR_S, domain)
    return get(key) === value
  }
  const works = (): boolean => {
    const kept = set(PROBE, '1')
    remove(PROBE)
    return kept
  }

  const labels = crossSubdomain ? (globalThis.location?.hostname ?? '').split('.') : []
  for (let from = labels.length - 2; from >= 0; from--) {
    domain = `; domain=${labels.slice(from).join('.')}`
    if (works()) return { get, set, remove }
  }
  domain = ''
  return works() ? { get, set, remove } : undefined
}
