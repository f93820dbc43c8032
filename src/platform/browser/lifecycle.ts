import type { Lifecycle } from '../../port/lifecycle.ts'
import { callAll } from '../../lib/call-all.ts'
import { listen } from './listen.ts'

const onVisibility = (state: DocumentVisibilityState, listener: () => void): (() => void) =>
  listen(globalThis.document, 'visibilitychange', () => document.visibilityState === state && listener())

/** The lifecycle events of the page; none where there is no page. */
export const createBrowserLifecycle = (): Lifecycle => {
  const unloadListeners = new Set<(mayReturn: boolean) => void>()
  let stop: (() => void) | undefined
  return {
    onWake: (listener) =>
      callAll([
        onVisibility('visible', () => listener('visible')),
        listen(globalThis, 'pageshow', (event: PageTransitionEvent) => event.persisted && listener('restored')),
        listen(globalThis, 'online', () => listener('online')),
      ]),
    onHidden: (listener) =>
      callAll([
        onVisibility('hidden', listener),
        // A page may be frozen without a further `visibilitychange`.
        listen(globalThis.document, 'freeze', listener),
      ]),
    onUnload(listener) {
      unloadListeners.add(listener)
      // One browser listener for all, so that a listener added during `pagehide` is called too: an agent may start only then.
      // `beforeunload` and `unload` would keep the page out of the back/forward cache.
      stop ??= listen(globalThis, 'pagehide', ({ persisted }: PageTransitionEvent) =>
        unloadListeners.forEach((unload) => unload(persisted)),
      )
      return () => {
        unloadListeners.delete(listener)
        if (unloadListeners.size) return
        stop?.()
        stop = undefined
      }
    },
    isOnline: () => globalThis.navigator?.onLine ?? true,
  }
}
