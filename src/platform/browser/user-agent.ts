/** What a user agent text tells, in the protocol's own names. */
export interface UserAgent {
  readonly $browser?: string
  /** Major and minor version as a number: 156, 17.4. */
  readonly $browser_version?: number
  readonly $os?: string
  readonly $device_type: 'Mobile' | 'Tablet' | 'Desktop'
}

/** Names that differ from the mark in the text. */
const NAMES: Readonly<Record<string, string>> = {
  Edg: 'Microsoft Edge',
  OPR: 'Opera',
  SamsungBrowser: 'Samsung Internet',
  FxiOS: 'Firefox iOS',
  CriOS: 'Chrome iOS',
  CrOS: 'Chrome OS',
  iPhone: 'iOS',
  iPad: 'iOS',
  iPod: 'iOS',
}

/**
 * Reads the few families that most pages meet; leaves out what it does not know.
 *
 * @param touchPoints `navigator.maxTouchPoints`: a Safari on macOS that can be touched is an iPad.
 */
export const parseUserAgent = (text: string, touchPoints = 0): UserAgent => {
  // Most browsers name Chrome or Safari too, so these come last.
  const browser =
    /(Edg|OPR|SamsungBrowser|FxiOS|Firefox|CriOS)\w*\/([\d.]+)/.exec(text) ??
    /(Chrome|Version(?=.*Safari))\/([\d.]+)/.exec(text)
  const system = /Windows|iP(?:hone|[ao]d)|Android|Mac OS X|CrOS|Linux(?!.*Android)/.exec(text)
  const os = system && (touchPoints > 1 && /Macintosh/.test(text) ? 'iPad' : system[0])
  const isMobile = /Mobi|iP(?:hone|od)/.test(text)
  return {
    ...(browser && {
      $browser: browser[1] === 'Version' ? `${isMobile ? 'Mobile ' : ''}Safari` : (NAMES[browser[1]!] ?? browser[1]!),
      $browser_version: parseFloat(browser[2]!),
    }),
    ...(os && { $os: NAMES[os] ?? os }),
    // Android tablets leave out the word Mobile.
    $device_type: os === 'iPad' || (os === 'Android' && !isMobile) ? 'Tablet' : isMobile ? 'Mobile' : 'Desktop',
  }
}
