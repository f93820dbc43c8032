/** What a user agent text tells, in the protocol's own names. */
export interface UserAgent {
  readonly $browser?: string
  /** Major and minor version as a number: 156, 17.4. */
  readonly $browser_version?: number
  readonly $os?: string
  readonly $device_type: 'Mobile' | 'Tablet' | 'Desktop'
}

/** In order: a browser also names those that it descends from. */
const BROWSERS: readonly (readonly [name: string, version: RegExp])[] = [
  ['Microsoft Edge', /Edg(?:e|A|iOS)?\/([\d.]+)/],
  ['Opera', /(?:OPR|OPT|OPX|Opera)\/([\d.]+)/],
  ['Samsung Internet', /SamsungBrowser\/([\d.]+)/],
  ['Firefox iOS', /FxiOS\/([\d.]+)/],
  ['Firefox', /Firefox\/([\d.]+)/],
  ['Chrome iOS', /CriOS\/([\d.]+)/],
  ['Chrome', /Chrome\/([\d.]+)/],
  ['Mobile Safari', /Version\/([\d.]+) Mobile.* Safari/],
  ['Safari', /Version\/([\d.]+).* Safari/],
]

const SYSTEMS: readonly (readonly [name: string, mark: RegExp])[] = [
  ['Windows', /Windows/],
  ['iOS', /iP(?:hone|ad|od)/],
  ['Android', /Android/],
  ['Mac OS X', /Mac OS X/],
  ['Chrome OS', /CrOS/],
  ['Linux', /Linux/],
]

/**
 * Reads the few families that most pages meet; leaves out what it does not know.
 *
 * @param touchPoints `navigator.maxTouchPoints`: a Safari on macOS that can be touched is an iPad.
 */
export const parseUserAgent = (text: string, touchPoints = 0): UserAgent => {
  const browser = BROWSERS.find(([, version]) => version.test(text))
  const isPad = /iPad/.test(text) || (touchPoints > 1 && /Macintosh/.test(text))
  const os = isPad ? 'iOS' : SYSTEMS.find(([, mark]) => mark.test(text))?.[0]
  return {
    ...(browser && { $browser: browser[0], $browser_version: parseFloat(browser[1].exec(text)![1]!) }),
    ...(os && { $os: os }),
    // Android tablets leave out the word Mobile.
    $device_type:
      isPad || /Tablet|Android(?!.*Mobile)/.test(text)
        ? 'Tablet'
        : /Mobi|iP(?:hone|od)/.test(text)
          ? 'Mobile'
          : 'Desktop',
  }
}
