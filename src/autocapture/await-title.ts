import type { Clock } from '../port/clock.ts'

/** A router sets the title within some milliseconds of the navigation. Longer, and the page view might be lost with the page. */
const MAX_TITLE_WAIT_MS = 300

type PageviewProperties = Readonly<Record<string, string | undefined>>

/**
 * Captures page views with the title that the router sets after it has changed the URL. The first page view is captured at once; each other
 * one when the title has changed, 300 ms after the navigation at the latest, or at the next navigation, at `pagehide` or at the end. Time
 * and URL are those of the navigation.
 *
 * @param capture Captures a page view that happened at `timestamp`; undefined: now.
 * @param listen Adds an event listener, and returns a function that removes it.
 * @param cleanups Receives functions that capture what waits, and remove the listener.
 */
export const createTitleWait = (
  capture: (properties: PageviewProperties, options?: { readonly timestamp: Date }) => void,
  clock: Pick<Clock, 'now' | 'after'>,
  listen: (target: EventTarget, type: string, listener: () => void) => () => void,
  cleanups: (() => void)[],
): ((properties: PageviewProperties) => void) => {
  let finish: (() => void) | undefined
  const finishNow = (): void => finish?.()
  if (typeof document !== 'undefined') cleanups.push(listen(window, 'pagehide', finishNow), finishNow)

  return (properties) => {
    finishNow()
    if (properties['navigation_type'] === 'initial_load') {
      capture(properties)
      return
    }
    const { title } = document
    const { href, host, pathname } = location
    const timestamp = new Date(clock.now())
    const observer = new MutationObserver(() => {
      if (document.title !== title) finishNow()
    })
    const cancel = clock.after(MAX_TITLE_WAIT_MS, finishNow)
    finish = () => {
      finish = undefined
      observer.disconnect()
      cancel()
      const view = { ...properties, title: document.title, $current_url: href, $host: host, $pathname: pathname }
      capture(view, { timestamp })
    }
    observer.observe(document.head ?? document, { subtree: true, childList: true, characterData: true })
  }
}
