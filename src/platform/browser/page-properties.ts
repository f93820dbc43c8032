import { CAMPAIGN } from '../../port/campaign.ts'
import { attempt } from './attempt.ts'
import { listen } from './listen.ts'
import { parseUserAgent } from './user-agent.ts'

type Properties = Record<string, string | number | boolean>

/** Of which the types of the language know nothing yet: https://tc39.es/proposal-temporal/#sec-temporal.now.timezoneid */
declare const Temporal: { readonly Now: { timeZoneId(): string } }

/** Where there is no Temporal, `Intl` tells it too, but its first use makes a slow phone's page wait for 100 to 380 ms. */
const timezone = (): string =>
  typeof Temporal === 'undefined' ? Intl.DateTimeFormat().resolvedOptions().timeZone : Temporal.Now.timeZoneId()

/** What does not change while the page lives. */
const fixedProperties = (hasPage: boolean): Properties => {
  const properties: Properties = {}
  const { userAgent, language, maxTouchPoints } = globalThis.navigator ?? {}
  if (userAgent)
    Object.assign(properties, parseUserAgent(userAgent, maxTouchPoints), {
      $raw_user_agent: userAgent,
      $browser_language: language,
      $browser_language_prefix: /^\w*/.exec(language)![0],
      $timezone: timezone(),
      $timezone_offset: new Date().getTimezoneOffset(),
    })
  if (hasPage) {
    // A form of the page that is named `referrer` hides the real one.
    const given: unknown = document.referrer
    const referrer = typeof given === 'string' && given
    Object.assign(properties, {
      $referrer: referrer || '$direct',
      $referring_domain: referrer ? attempt(() => new URL(referrer).host, '$direct') : '$direct',
      $screen_height: screen.height,
      $screen_width: screen.width,
    })
  }
  return properties
}

/** What changes with the address and with the window's size. */
const viewProperties = (): Properties => {
  const properties: Properties = {
    $current_url: location.href,
    $host: location.host,
    $pathname: location.pathname,
    $viewport_height: innerHeight,
    $viewport_width: innerWidth,
  }
  new URLSearchParams(location.search).forEach((value, name) => {
    if (value && CAMPAIGN.test(name)) properties[name] = value
  })
  return properties
}

/**
 * The automatic properties of an event that happens now. The answer is the same object until the address or the window's
 * size changes: asking costs one look at the address, and it must not be changed.
 *
 * Where there is no page (worker, server), what the platform tells without one.
 *
 * @param own Constant properties to go along, such as the library's name.
 * @param ends Takes what ends it.
 */
export const pageProperties = (own?: Properties, ends: (() => void)[] = []): (() => Readonly<Properties>) => {
  let fixed: Properties | undefined
  let all: Properties | undefined
  let href: string | undefined
  const hasPage = typeof document !== 'undefined'
  // To read the window's size may make the browser lay the page out: once per change, not per event.
  ends.push(listen(globalThis, 'resize', () => (all = undefined)))

  return () => {
    fixed ??= { ...fixedProperties(hasPage), ...own }
    if (!hasPage) return fixed
    if (!all || href !== location.href) {
      href = location.href
      all = { ...fixed, ...viewProperties() }
    }
    return all
  }
}
