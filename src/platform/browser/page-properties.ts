import { listen } from './listen.ts'
import { parseUserAgent } from './user-agent.ts'

/** Marks of advertising campaigns that the protocol takes from the page's address. */
const CAMPAIGN =
  /^(utm_(source|medium|campaign|content|term)|gad_source|mc_cid|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|twclid|li_fat_id|igshid|ttclid|rdt_cid|epik|qclid|sccid|irclid|_kx)$/

type Properties = Readonly<Record<string, string | number>>

/** What does not change while the page lives. */
const ofPlatform = (): Properties => {
  const { userAgent, language, maxTouchPoints } = navigator
  return {
    ...parseUserAgent(userAgent, maxTouchPoints),
    $raw_user_agent: userAgent,
    $browser_language: language,
    $timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  }
}

const ofDocument = (): Properties => {
  const { referrer } = document
  return {
    $referrer: referrer || '$direct',
    $referring_domain: referrer ? new URL(referrer).host : '$direct',
    $screen_height: screen.height,
    $screen_width: screen.width,
  }
}

/** What changes with the address and with the window's size. */
const ofView = (): Properties => {
  const { href, host, pathname, search } = location
  const properties: Record<string, string | number> = {
    $current_url: href,
    $host: host,
    $pathname: pathname,
    $viewport_height: innerHeight,
    $viewport_width: innerWidth,
  }
  if (search)
    new URLSearchParams(search).forEach((value, name) => {
      if (value && CAMPAIGN.test(name)) properties[name] = value
    })
  return properties
}

/**
 * The automatic properties of an event that happens now. The answer is the same object until the address or the window's
 * size changes: asking costs one look at the address, and it must not be changed.
 *
 * Where there is no page (worker, server), what the platform tells without one.
 */
export const pageProperties = (): (() => Properties) => {
  let fixed: Properties | undefined
  let view: Properties | undefined
  let href: string | undefined
  const hasPage = typeof document !== 'undefined'
  // To read the window's size may make the browser lay the page out: once per change, not per event.
  listen(globalThis, 'resize', () => (href = undefined))

  return () => {
    fixed ??= {
      ...(typeof navigator !== 'undefined' && navigator.userAgent ? ofPlatform() : {}),
      ...(hasPage && ofDocument()),
    }
    if (!hasPage) return fixed
    if (href !== location.href) {
      href = location.href
      view = { ...fixed, ...ofView() }
    }
    return view!
  }
}
