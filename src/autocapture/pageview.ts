type Capture = (properties: Record<string, string>) => void

/**
 * Captures a pageview now (a prerendered page: once it is shown) and whenever the path changes without a load.
 *
 * Properties: `title`, `navigation_type` (`initial_load`, `pushState`, `replaceState` or `popstate`), and the path before as
 * `$prev_pageview_pathname`. Where there is no page, nothing happens.
 *
 * @param capture Must not throw: it runs inside the page's own call.
 * @returns Ends it and gives `history` its own methods back, unless somebody else has replaced them since.
 */
export const startPageviews = (capture: Capture): (() => void) => {
  if (typeof document === 'undefined') return () => {}

  const page: Document & { readonly prerendering?: boolean } = document
  let path: string | undefined
  let stopped = false
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
  const restores = [patch('pushState'), patch('replaceState')]
  const onPop = (): void => changed('popstate')
  addEventListener('popstate', onPop)

  const begin = (): void => changed('initial_load')
  page.addEventListener('prerenderingchange', begin)
  begin()

  return () => {
    stopped = true
    page.removeEventListener('prerenderingchange', begin)
    removeEventListener('popstate', onPop)
    restores.forEach((restore) => restore())
  }
}
