type Capture = (properties: Record<string, string>) => void
type Listen = (target: EventTarget, type: string, listener: () => void) => () => void

/** The pageviews of a page. */
export interface Pageviews {
  /** Captures the first one, of the page as it is now (a prerendered page: once it is shown). Again: nothing. */
  begin(): void
  /** Ends all and gives `history` its own methods back, unless somebody else has replaced them since. */
  stop(): void
}

/**
 * Captures a pageview whenever the path changes without a load, and before the first of these changes the page's own.
 *
 * Properties: `title`, `navigation_type` (`initial_load`, `pushState`, `replaceState` or `popstate`), and the path before as
 * `$prev_pageview_pathname`. Where there is no page, nothing happens.
 *
 * @param capture Must not throw: it runs inside the page's own call.
 * @param listen Listens for an event of the platform; the answer ends it.
 */
export const watchPageviews = (capture: Capture, listen: Listen): Pageviews => {
  if (typeof document === 'undefined') return { begin() {}, stop() {} }

  const page: Document & { readonly prerendering?: boolean } = document
  let path: string | undefined
  let stopped = false
  const begin = (): void => {
    if (path === undefined) changed('initial_load')
  }
  const changed = (navigation: string): void => {
    const { pathname } = location
    if (stopped || page.prerendering || pathname === path) return
    const before = path
    path = pathname
    capture({
      title: page.title,
      navigation_type: navigation,
      ...(before && { $prev_pageview_pathname: before }),
    })
  }

  const patch = (name: 'pushState' | 'replaceState'): (() => void) => {
    const original = history[name]
    const patched: typeof original = function (this: History, ...state) {
      begin()
      original.apply(this, state)
      changed(name)
    }
    try {
      history[name] = patched
    } catch {
      // A page that has frozen its history: what it pushes is not seen.
    }
    return () => {
      if (history[name] === patched) history[name] = original
    }
  }
  const ends = [
    patch('pushState'),
    patch('replaceState'),
    listen(window, 'popstate', () => changed('popstate')),
    listen(page, 'prerenderingchange', begin),
  ]

  return {
    begin,
    stop() {
      stopped = true
      ends.forEach((end) => end())
    },
  }
}
