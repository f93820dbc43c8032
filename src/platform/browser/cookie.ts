import type { KeyValue } from '../../port/key-value.ts'
import { tryOr } from '../../lib/try-or.ts'

/** Browsers shorten any lifetime above 400 days. */
const ONE_YEAR_S = 31_536_000

/** Written and removed again to test whether the browser accepts a domain. */
const PROBE_COOKIE = '__waymark'

const get: KeyValue['get'] = (key) =>
  tryOr(() => {
    const value = `; ${document.cookie}`.split(`; ${encodeURIComponent(key)}=`)[1]?.split('; ')[0]
    return value && decodeURIComponent(value)
  }) ?? null

const write = (key: string, encoded: string, maxAgeSeconds: number, domain: string): void =>
  tryOr(() => {
    const secure = location.protocol === 'https:' ? '; secure' : ''
    document.cookie = `${encodeURIComponent(key)}=${encoded}; path=/; max-age=${maxAgeSeconds}; samesite=lax${secure}${domain}`
  })

const findWidestDomain = (): string => {
  const labels = globalThis.location?.hostname.split('.') ?? []
  for (let from = labels.length - 2; from >= 0; from--) {
    const domain = `; domain=${labels.slice(from).join('.')}`
    write(PROBE_COOKIE, '1', 9, domain)
    const isAccepted = get(PROBE_COOKIE)
    write(PROBE_COOKIE, '', -1, domain)
    if (isAccepted) return domain
  }
  return ''
}

/**
 * Cookies of this host or of its whole site. Where the browser refuses cookies, the store is empty and refuses writes. Browsers refuse a cookie
 * of more than 4,096 bytes with its name.
 *
 * @param crossSubdomain Share the values between all hosts of the site. The first write finds the widest domain that the browser accepts,
 * because browsers refuse public suffixes.
 */
export const createCookieKeyValue = (crossSubdomain: boolean): KeyValue => {
  let domain = crossSubdomain ? undefined : ''
  const writeToDomain = (key: string, encoded: string, maxAgeSeconds: number): void =>
    write(key, encoded, maxAgeSeconds, (domain ??= findWidestDomain()))
  return {
    get,
    set(key, value) {
      writeToDomain(key, encodeURIComponent(value), ONE_YEAR_S)
      return get(key) === value
    },
    remove(key) {
      if (get(key) !== null) writeToDomain(key, '', -1)
    },
  }
}
