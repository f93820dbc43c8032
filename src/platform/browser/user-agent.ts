/** Event properties that are derived from the browser's user agent string. */
export interface UserAgent {
  readonly $browser?: string
  /** Major and minor version as a number: 156, 17.4. */
  readonly $browser_version?: number
  readonly $os?: string
  /** A string such as `10.15` or `14`. */
  readonly $os_version?: string
  readonly $device?: string
  readonly $device_type: 'Mobile' | 'Tablet' | 'Desktop'
}

/** The pattern of each browser or system, and its name if the pattern is not the name. The first match wins. */
type Families = readonly (readonly [pattern: string, name?: string])[]

/** The user agents of most browsers also contain Chrome or Safari, so these two come last. */
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

/** iOS comes before Mac OS X, and Android before Linux: their user agents contain both names. */
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
 * Recognises the most common browsers, systems and devices. An unknown browser, system or device gets no property; the device
 * type is then `Desktop`, or `Mobile` if the user agent contains `Mobi`.
 *
 * @param touchPoints `navigator.maxTouchPoints`. Safari on an iPad sends the user agent of macOS, but Macs have no touch screen.
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
