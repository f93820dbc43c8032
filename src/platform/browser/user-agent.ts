/** What a user agent text tells, in the protocol's own names. */
export interface UserAgent {
  readonly $browser?: string
  /** Major and minor version as a number: 156, 17.4. */
  readonly $browser_version?: number
  readonly $os?: string
  readonly $os_version?: string
  readonly $device?: string
  readonly $device_type: 'Mobile' | 'Tablet' | 'Desktop'
}

/** How a family is marked in the text, and its name where that differs. The first that is found is right. */
type Families = readonly (readonly [mark: string, name?: string])[]

/** Most browsers name Chrome or Safari too, so these come last. */
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

const find = (families: Families, text: string): readonly [name?: string, version?: string] => {
  for (const [mark, name = mark] of families) {
    const found = RegExp(`${mark}\\w*[/ ]?([\\d._]*)`).exec(text)
    if (found) return [name, found[1]!.replace(/_/g, '.') || undefined]
  }
  return []
}

/**
 * Reads the few families that most pages meet; leaves out what it does not know.
 *
 * @param touchPoints `navigator.maxTouchPoints`: a Safari on macOS that can be touched is an iPad.
 */
export const parseUserAgent = (text: string, touchPoints = 0): UserAgent => {
  const [browser, version] = find(BROWSERS, text)
  const [system, systemVersion] = find(SYSTEMS, text)
  const isTouchMac = touchPoints > 1 && /Macintosh/.test(text)
  const device = isTouchMac ? 'iPad' : /iP(hone|ad|od)|Android/.exec(text)?.[0]
  const isMobile = /Mobi|iP(hone|od)/.test(text)
  return {
    ...(browser && { $browser: browser, $browser_version: parseFloat(version!) }),
    ...(system && { $os: isTouchMac ? 'iOS' : system }),
    ...(systemVersion && !isTouchMac && { $os_version: systemVersion }),
    ...(device && { $device: device }),
    // Android tablets leave out the word Mobile.
    $device_type: device === 'iPad' || (device === 'Android' && !isMobile) ? 'Tablet' : isMobile ? 'Mobile' : 'Desktop',
  }
}
