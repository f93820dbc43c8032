import { CAMPAIGN_PARAMETER } from '../../lib/campaign-parameter.ts'
import { readString } from '../../lib/read-string.ts'
import { tryOr } from '../../lib/try-or.ts'
import { isBot } from './is-bot.ts'
import { listen } from './listen.ts'
import { parseUrl } from './parse-url.ts'
import { parseUserAgent } from './user-agent.ts'

/** An undefined property could not be read: it must not cost the event. */
type Properties = Record<string, string | number | boolean | undefined>

/** Not yet in TypeScript's types: https://tc39.es/proposal-temporal/#sec-temporal.now.timezoneid */
type Global = { readonly Temporal?: { readonly Now?: { timeZoneId?(): string } } }

/** Prefers Temporal, because the first use of `Intl` blocks a slow phone for 100 to 380 ms. */
const readTimezone = (): string =>
  (globalThis as Global).Temporal?.Now?.timeZoneId?.() ?? Intl.DateTimeFormat().resolvedOptions().timeZone

/** The properties that stay the same during the page's life. */
const readFixedProperties = (hasPage: boolean): Properties => {
  const properties: Properties = {}
  tryOr(() => {
    const { userAgent, language, maxTouchPoints } = globalThis.navigator ?? {}
    if (!userAgent) return
    Object.assign(properties, parseUserAgent(userAgent, maxTouchPoints), {
      $raw_user_agent: userAgent,
      $browser_language: language,
      $browser_language_prefix: language.split('-')[0],
      $timezone: tryOr(readTimezone),
      $timezone_offset: new Date().getTimezoneOffset(),
      $is_bot: isBot() || undefined,
    })
  })
  if (hasPage) {
    const referrer = readString(document, 'referrer')
    Object.assign(properties, {
      $referrer: referrer || '$direct',
      $referring_domain: (referrer && parseUrl(referrer).$host) || '$direct',
      $screen_height: tryOr(() => globalThis.screen.height),
      $screen_width: tryOr(() => globalThis.screen.width),
    })
  }
  return properties
}

/** The properties that change with the URL and with the window's size. */
const readViewProperties = (): Properties => {
  const properties: Properties = {
    $current_url: location.href,
    $host: location.host,
    $pathname: location.pathname,
    $viewport_height: tryOr(() => globalThis.innerHeight),
    $viewport_width: tryOr(() => globalThis.innerWidth),
  }
  tryOr(() =>
    new URLSearchParams(location.search).forEach((value, name) => {
      // Like other tools, the first of several values.
      if (value && CAMPAIGN_PARAMETER.test(name)) properties[name] ??= value
    }),
  )
  return properties
}

/**
 * Creates a function that returns the automatic properties of an event that happens now.
 *
 * The function returns the same object until the URL or the window's size changes, so that a call only compares the URL. Callers must not
 * modify the object. Without a page (worker, Node) it has only the properties of the platform.
 *
 * @param constants Further properties of every event, such as the library's name.
 * @param cleanups Receives the function that removes the listener.
 */
export const createPageProperties = (
  constants?: Properties,
  cleanups: (() => void)[] = [],
): (() => Readonly<Properties>) => {
  let fixedProperties: Properties | undefined
  let pageProperties: Properties | undefined
  let href: string | undefined
  const hasPage = !!globalThis.document
  // Reading the window's size may force a layout, so it is read once per change instead of once per event.
  cleanups.push(listen(globalThis, 'resize', () => (pageProperties = undefined)))

  return () => {
    fixedProperties ??= { ...readFixedProperties(hasPage), ...constants }
    if (!hasPage) return fixedProperties
    if (!pageProperties || href !== location.href) {
      href = location.href
      pageProperties = { ...fixedProperties, ...readViewProperties() }
    }
    return pageProperties
  }
}
