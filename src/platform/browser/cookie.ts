import type { KeyValue } from '../../port/key-value.ts'
import { attempt } from './attempt.ts'

/** A browser keeps no cookie above 4,096 bytes with its name and attributes, and every request of the site carries it. */
const MAX_BYTES = 2048

/** Browsers shorten anything above 400 days. */
const ONE_YEAR_S = 31_536_000

/** Written and removed to find out whether a domain is taken. */
const PROBE = '__waymark'

const get: KeyValue['get'] = (key) =>
  attempt(() => {
    const found = `; ${document.cookie}`.split(`; ${encodeURIComponent(key)}=`)[1]
    return found === undefined ? null : decodeURIComponent(found.split('; ')[0]!)
  }, null)

const write = (key: string, text: string, seconds: number, domain: string): void =>
  attempt(() => {
    const secure = location.protocol === 'https:' ? '; secure' : ''
    document.cookie = `${encodeURIComponent(key)}=${text}; path=/; max-age=${seconds}; samesite=lax${secure}${domain}`
  }, undefined)

const widestDomain = (): string => {
  const labels = globalThis.location?.hostname.split('.') ?? []
  for (let from = labels.length - 2; from >= 0; from--) {
    const domain = `; domain=${labels.slice(from).join('.')}`
    write(PROBE, '1', 9, domain)
    const works = get(PROBE)
    write(PROBE, '', -1, domain)
    if (works) return domain
  }
  return ''
}

/**
 * Cookies of this host, or of its whole site; where the browser refuses them, there are none and it takes none.
 *
 * @param crossSubdomain One value for all hosts of the site, found at the first write by trying the host's domains from the widest:
 * browsers refuse public suffixes.
 */
export const cookieKeyValue = (crossSubdomain: boolean): KeyValue => {
  let domain = crossSubdomain ? undefined : ''
  const keep = (key: string, text: string, seconds: number): void =>
    write(key, text, seconds, (domain ??= widestDomain()))
  return {
    get,
    set(key, value) {
      const text = encodeURIComponent(value)
      if (text.length > MAX_BYTES) return false
      keep(key, text, ONE_YEAR_S)
      return get(key) === value
    },
    remove(key) {
      if (get(key) !== null) keep(key, '', -1)
    },
  }
}
