import type { Clock } from '../port/clock.ts'
import { noop } from '../lib/noop.ts'
import { readString } from '../lib/read-string.ts'
import { tryOr } from '../lib/try-or.ts'
import { isPageShown } from './pageview.ts'
import type { Listen } from './pageview.ts'

/** A router sets the title within some milliseconds of the navigation. Longer, and the page view might be lost with the page. */
const MAX_TITLE_WAIT_MS = 300

type PageviewProperties = Readonly<Record<string, string | undefined>>

/**
 * Captures page views with the title that the router sets after it has changed the URL. A page that is loaded or restored is captured at
 * once; a navigation when the title has changed, 300 ms after it at the latest, or at the next navigation, at `pagehide` or at the end. Time
 * and URL are those of the navigation.
 *
 * @param capture Captures a page view that happened at `timestamp`; undefined: now.
 * @param listen Adds an event listener, and returns a function that removes it.
 * @param cleanups Receives functions that capture what waits, and remove the listener.
 */
export const createTitleWait = (
  capture: (properties: PageviewProperties, options?: { readonly timestamp: Date }) => void,
  clock: Pick<Clock, 'now' | 'after'>,
  listen: Listen,
  cleanups: (() => void)[],
): ((properties: PageviewProperties) => void) => {
  let finish: (() => void) | undefined
  const finishNow = (): void => finish?.()
  if (typeof document !== 'undefined') cleanups.push(listen(window, 'pagehide', finishNow), finishNow)

  return (properties) => {
    finishNow()
    if (isPageShown(properties)) {
      capture(properties)
      return
    }
    const title = readString(document, 'title')
    const { href, host, pathname } = location
    const timestamp = new Date(clock.now())
    // Where the page has its own `MutationObserver`, only the time limit is left.
    const stopObserving = tryOr(() => {
      const observer = new MutationObserver(() => {
        if (readString(document, 'title') !== title) finishNow()
      })
      observer.observe(document.head ?? document, { subtree: true, childList: true, characterData: true })
      return () => observer.disconnect()
    }, noop)
    const cancel = clock.after(MAX_TITLE_WAIT_MS, finishNow)
    finish = () => {
      finish = undefined
      stopObserving()
      cancel()
      const view = {
        ...properties,
        title: readString(document, 'title'),
        $current_url: href,
        $host: host,
        $pathname: pathname,
      }
      capture(view, { timestamp })
    }
  }
}
