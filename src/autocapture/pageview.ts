import { noop } from '../lib/noop.ts'
import { readString } from '../lib/read-string.ts'
import { replaceMethod } from './replace-method.ts'

type Capture = (properties: Record<string, string | undefined>) => void
export type Listen = (target: unknown, type: string, listener: (event: never) => void) => () => void

/** Not yet in TypeScript's types: https://html.spec.whatwg.org/multipage/nav-history-apis.html#navigation-interface */
type Global = { readonly navigation?: unknown }
type EntryChange = { readonly navigationType?: string }

/** Whether a page view is that of a page which the browser has loaded or restored. The others are navigations inside a page. */
export const isPageShown = ({ navigation_type: type }: Readonly<Record<string, unknown>>): boolean =>
  type === 'initial_load' || type === 'back_forward_cache'

/**
 * Captures a pageview for each change of the path without a page load, and when the browser shows a page of its back/forward cache again.
 * The pageview of the page load is captured before all others.
 *
 * Properties: `title`, `navigation_type` (`initial_load`, `pushState`, `replaceState`, `popstate` or `back_forward_cache`), and the previous
 * path of the same page load as `$prev_pageview_pathname`. Does nothing outside of a document.
 *
 * @param capture Must not throw, because it runs inside the page's calls of `history`.
 * @param listen Adds an event listener, and returns a function that removes it.
 * @param cleanups Receives functions that stop capturing, and restore the methods of `history` unless other code has replaced them since.
 * @param getPath Returns what counts as the path. Default: the path of the URL.
 * @returns A function that captures the first pageview; later calls do nothing. A prerendered page waits until it is shown.
 */
export const watchPageviews = (
  capture: Capture,
  listen: Listen,
  cleanups: (() => void)[],
  getPath?: () => string,
): (() => void) => {
  if (!globalThis.document) return noop

  const page: Document & { readonly prerendering?: boolean } = document
  let currentPath: string | undefined
  let isStopped = false
  const begin = (): void => {
    if (currentPath !== undefined) return
    captureChange('initial_load')
    // Added only now, after the agent's own listener: before that the agent takes the page for one that is left.
    if (currentPath !== undefined) cleanups.push(listen(window, 'pageshow', restore))
  }
  const restore = ({ persisted }: PageTransitionEvent): void => {
    if (!persisted) return
    currentPath = undefined
    captureChange('back_forward_cache')
  }
  const captureChange = (navigationType: string): void => {
    const path = getPath?.() ?? location.pathname
    if (isStopped || page.prerendering || path === currentPath) return
    const previousPath = currentPath
    currentPath = path
    capture({
      title: readString(page, 'title'),
      navigation_type: navigationType,
      $prev_pageview_pathname: previousPath,
    })
  }

  const watch = (name: 'pushState' | 'replaceState'): (() => void) =>
    replaceMethod(globalThis.history, name, (proceed) => {
      begin()
      proceed()
      captureChange(name)
    })
  const { navigation } = globalThis as Global

  cleanups.push(
    () => (isStopped = true),
    watch('pushState'),
    watch('replaceState'),
    listen(window, 'popstate', () => captureChange('popstate')),
    // Routers that use the Navigation API call no method of `history`.
    listen(navigation, 'navigate', begin),
    listen(navigation, 'currententrychange', ({ navigationType }: EntryChange) =>
      captureChange(
        navigationType === 'push' ? 'pushState' : navigationType === 'replace' ? 'replaceState' : 'popstate',
      ),
    ),
    listen(page, 'prerenderingchange', begin),
  )
  return begin
}
