import type { OutgoingEvent } from '../../capture/before-send.ts'
import { tryOr } from '../../lib/try-or.ts'

/** Which parts of events are hidden before an event is queued. Flag requests are not masked: the service stores nothing of them. */
export interface MaskOptions {
  /**
   * Names of properties whose value becomes `***`, also within `$set` and other objects, and as `$initial_…` or `$session_entry_…`. Default:
   * none.
   */
  maskProperties?: readonly string[]
  /**
   * Names of URL parameters, in a query or a hash, whose value becomes `***` in every property that is a URL; the property of a campaign
   * parameter of this name is masked too. True: all parameters of URLs, but no properties. Default: none.
   */
  maskUrlParameters?: readonly string[] | true
  /**
   * Patterns such as `/users/:id`. Where a path begins like a pattern, a segment with a colon takes the place of the real one, in URLs, in
   * `$pathname` and in screen names. The first match counts. With a hash router, patterns apply to the hash too. Default: none.
   */
  maskPaths?: readonly string[]
}

const MASK = '***'

/** Prefixes of the properties that repeat those of an earlier page. */
const REPEATED = /^\$(initial|session_entry)_/

/** Names of properties that contain a path without an origin. */
const PATH_PROPERTY = /pathname$|^\$screen_name$/

/** The scheme of a URL with a path, such as `https://`, or `com.example.app:/` in the answer of a sign-in (RFC 8252, section 7.1). */
const SCHEME_AND_PATH = /^[a-z][a-z0-9+.-]*:\//i

/** In a property that is always a URL, a path may begin right after the scheme: `shop:users/7`. */
const isUrl = (name: string, value: string): boolean =>
  SCHEME_AND_PATH.test(value) || name === 'url' || (PATH_PROPERTY.test(name) && value.startsWith('/'))

/** Replaces what a pattern hides. Undefined: the path does not begin like the pattern. */
const maskPathBy = (pattern: string, path: string): string | undefined => {
  const segments = path.split('/')
  const patternSegments = pattern.replace(/\/$/, '').split('/')
  const isMatch = patternSegments.every((wanted, index) =>
    wanted.startsWith(':') ? segments[index] : wanted === segments[index],
  )
  return isMatch ? [...patternSegments, ...segments.slice(patternSegments.length)].join('/') : undefined
}

/** Creates the function that masks one event; undefined when the options mask nothing. */
export const createMask = ({
  maskProperties,
  maskUrlParameters,
  maskPaths,
}: MaskOptions): ((event: OutgoingEvent) => OutgoingEvent) | undefined => {
  const parameters = new Set(maskUrlParameters === true ? [] : [maskUrlParameters ?? []].flat())
  const names = new Set([...[maskProperties ?? []].flat(), ...parameters])
  const paths = [maskPaths ?? []].flat()
  if (!names.size && !paths.length && maskUrlParameters !== true) return undefined

  const isMaskedParameter = (name: string): boolean =>
    maskUrlParameters === true || parameters.has(tryOr(() => decodeURIComponent(name), name))
  const maskParameters = (part: string): string =>
    part.replace(/([^?#&=]+)=[^&#]*/g, (parameter, name: string) =>
      isMaskedParameter(name) ? `${name}=${MASK}` : parameter,
    )
  const maskPath = (path: string): string => {
    for (const pattern of paths) {
      const masked = maskPathBy(pattern, path)
      if (masked !== undefined) return masked
    }
    return path
  }
  /** @param url A URL, or its part from the path on. */
  const maskUrl = (url: string): string => {
    // After the scheme of an app, as in `shop://users/7`, the path begins. Each group takes part in the match.
    const [, origin, path, query, hash] = /^(https?:\/\/[^/?#]*|[^/?#]*:\/*(?=\/)|)([^?#]*)([^#]*)(.*)$/is.exec(
      url,
    ) as unknown as [string, string, string, string, string]
    const [, sign, route] = /^(#!?)(\/.*)$/s.exec(hash) ?? []
    // The route of a hash router may have a query of its own.
    const maskedHash = route ? `${sign}${maskUrl(route)}` : maskParameters(hash)
    return origin + maskPath(path) + maskParameters(query) + maskedHash
  }
  const isMasked = (name: string): boolean => names.has(name) || names.has(name.replace(REPEATED, ''))
  const maskValue = (name: string, value: unknown): unknown => {
    // The event would lose its user.
    if (name === 'distinct_id') return value
    if (isMasked(name)) return MASK
    if (typeof value === 'string') return isUrl(name, value) ? maskUrl(value) : value
    if (Array.isArray(value)) return value.map((item) => maskValue(name, item))
    return typeof value === 'object' && value ? maskObject(value) : value
  }
  const maskObject = (object: object): Record<string, unknown> =>
    Object.fromEntries(Object.entries(object).map(([name, value]) => [name, maskValue(name, value)]))

  return (event) => ({ ...event, properties: maskObject(event.properties) })
}
