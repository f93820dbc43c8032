import { noop } from '../port/noop.ts'
import { replaceMethod } from './replace-method.ts'

type Capture = (properties: Record<string, string | undefined>) => void
type Listen = (target: EventTarget, type: string, listener: () => void) => () => void

/**
 * Captures a pageview for each change of the path without a page load. The pageview of the page load is captured before all others.
 *
 * Properties: `title`, `navigation_type` (`initial_load`, `pushState`, `replaceState` or `popstate`), and the previous path as
 * `$prev_pageview_pathname`. Does nothing outside of a document.
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
    if (currentPath === undefined) captureChange('initial_load')
  }
  const captureChange = (navigationType: string): void => {
    const path = getPath?.() ?? location.pathname
    if (isStopped || page.prerendering || path === currentPath) return
    const previousPath = currentPath
    currentPath = path
    capture({
      title: page.title,
      navigation_type: navigationType,
      $prev_pageview_pathname: previousPath,
    })
  }

  const watch = (name: 'pushState' | 'replaceState'): (() => void) =>
    replaceMethod(history, name, (proceed) => {
      begin()
      proceed()
      captureChange(name)
    })

  cleanups.push(
    () => (isStopped = true),
    watch('pushState'),
    watch('replaceState'),
    listen(window, 'popstate', () => captureChange('popstate')),
    listen(page, 'prerenderingchange', begin),
  )
  return begin
}
