/** What a user agent string tells, as event properties of the protocol. */
export interface UserAgent {
  readonly $browser?: string
  /** Major and minor version as a number: 156, 17.4. */
  readonly $browser_version?: number
  readonly $os?: string
  readonly $os_version?: string
  readonly $device?: string
  readonly $device_type: 'Mobile' | 'Tablet' | 'Desktop'
}

/** Pattern of each family, and its name where that differs. The first match wins. */
type Families = readonly (readonly [pattern: string, name?: string])[]

/** Most browsers mention Chrome or Safari too, so these come last. */
const BROWSERS: Families = [
  ['Edg', 'Microsoft Edge'],
  ['OPR', 'Opera'],
  ['SamsungBrowser', 'Samsung Internet'],
  ['FxiOS', 'Firefox iOS'],
  ['Firefox'],
  ['CriOS', 'Chrome iOS'],
  ['Chrome'],
  ['Version(?=.*Mobile.*Safari)', 'Mobile Safari'],
  ['Version(?=.*Safari)', 'Safari'],
]

const SYSTEMS: Families = [
  ['Windows NT', 'Windows'],
  ['CPU (?:iPhone )?OS', 'iOS'],
  ['Android'],
  ['CrOS \\w+', 'Chrome OS'],
  ['Mac OS X'],
  ['Linux'],
]

const matchFamily = (families: Families, userAgent: string): readonly [name?: string, version?: string] => {
  for (const [pattern, name = pattern] of families) {
    const match = RegExp(`${pattern}\\w*[/ ]?([\\d._]*)`).exec(userAgent)
    if (match) return [name, match[1]!.replace(/_/g, '.') || undefined]
  }
  return []
}

/**
 * Recognises the most common browsers, systems and devices; unknown ones get no property.
 *
 * @param touchPoints `navigator.maxTouchPoints`: a Safari on macOS with a touch screen is an iPad.
 */
export const parseUserAgent = (userAgent: string, touchPoints = 0): UserAgent => {
  const [browser, version] = matchFamily(BROWSERS, userAgent)
  const [system, systemVersion] = matchFamily(SYSTEMS, userAgent)
  const isTouchMac = touchPoints > 1 && /Macintosh/.test(userAgent)
  const device = isTouchMac ? 'iPad' : /iP(hone|ad|od)|Android/.exec(userAgent)?.[0]
  const isMobile = /Mobi|iP(hone|od)/.test(userAgent)
  return {
    ...(browser && { $browser: browser, $browser_version: parseFloat(version!) }),
    ...(system && { $os: isTouchMac ? 'iOS' : system }),
    ...(systemVersion && !isTouchMac && { $os_version: systemVersion }),
    ...(device && { $device: device }),
    // The user agent of an Android tablet lacks the word Mobile.
    $device_type: device === 'iPad' || (device === 'Android' && !isMobile) ? 'Tablet' : isMobile ? 'Mobile' : 'Desktop',
  }
}
