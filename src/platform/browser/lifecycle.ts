import type { Lifecycle } from '../../port/lifecycle.ts'
import { listen } from './listen.ts'

const both =
  (...ends: (() => void)[]): (() => void) =>
  () =>
    ends.forEach((end) => end())

const onVisibility = (state: DocumentVisibilityState, listener: () => void): (() => void) =>
  listen(globalThis.document, 'visibilitychange', () => document.visibilityState === state && listener())

/** The page's life as the browser tells it; silent where there is no page. */
export const browserLifecycle: Lifecycle = {
  onWake: (listener) =>
    both(
      onVisibility('visible', () => listener('visible')),
      listen(globalThis, 'pageshow', (event: PageTransitionEvent) => event.persisted && listener('restored')),
      listen(globalThis, 'online', () => listener('online')),
    ),
  onHidden: (listener) =>
    both(
      onVisibility('hidden', listener),
      // A page may be frozen without having been hidden again.
      listen(globalThis.document, 'freeze', listener),
    ),
  // `beforeunload` and `unload` would keep the page out of the back/forward cache.
  onUnload: (listener) => listen(globalThis, 'pagehide', listener),
  isOnline: () => globalThis.navigator?.onLine ?? true,
}
