type Capture = (properties: Record<string, string>) => void
type Listen = (target: EventTarget, type: string, listener: () => void) => () => void

/** Automatic pageviews of a page. */
export interface Pageviews {
  /** Captures the first pageview; later calls do nothing. A prerendered page waits until it is shown. */
  begin(): void
  /** Stops capturing, and restores the methods of `history` unless other code has replaced them since. */
  stop(): void
}

/**
 * Captures a pageview for each change of the path without a page load. The pageview of the page load is captured before all others.
 *
 * Properties: `title`, `navigation_type` (`initial_load`, `pushState`, `replaceState` or `popstate`), and the previous path as
 * `$prev_pageview_pathname`. Does nothing outside of a document.
 *
 * @param capture Must not throw, because it runs inside the page's calls of `history`.
 * @param listen Adds an event listener, and returns a function that removes it.
 */
export const watchPageviews = (capture: Capture, listen: Listen): Pageviews => {
  if (typeof document === 'undefined') return { begin() {}, stop() {} }

  const page: Document & { readonly prerendering?: boolean } = document
  let currentPath: string | undefined
  let isStopped = false
  const begin = (): void => {
    if (currentPath === undefined) captureChange('initial_load')
  }
  const captureChange = (navigationType: string): void => {
    const { pathname } = location
    if (isStopped || page.prerendering || pathname === currentPath) return
    const previousPath = currentPath
    currentPath = pathname
    capture({
      title: page.title,
      navigation_type: navigationType,
      ...(previousPath && { $prev_pageview_pathname: previousPath }),
    })
  }

  const patch = (name: 'pushState' | 'replaceState'): (() => void) => {
    const original = history[name]
    const patched: typeof original = function (this: History, ...args) {
      begin()
      original.apply(this, args)
      captureChange(name)
    }
    try {
      history[name] = patched
    } catch {
      // The page has frozen its history, so its calls cannot be observed.
    }
    return () => {
      if (history[name] === patched) history[name] = original
    }
  }
  const stopFunctions = [
    patch('pushState'),
    patch('replaceState'),
    listen(window, 'popstate', () => captureChange('popstate')),
    listen(page, 'prerenderingchange', begin),
  ]

  return {
    begin,
    stop() {
      isStopped = true
      stopFunctions.forEach((stop) => stop())
    },
  }
}
