import type { Lifecycle } from '../../port/lifecycle.ts'
import { listen } from './listen.ts'

const both =
  (...ends: (() => void)[]): (() => void) =>
  () =>
    ends.forEach((end) => end())

const onVisibility = (state: DocumentVisibilityState, listener: () => void): (() => void) =>
  listen(globalThis.document, 'visibilitychange', () => document.visibilityState === state && listener())

/** The page's life as the browser tells it; silent where there is no page. */
export const browserLifecycle = (): Lifecycle => {
  const leaving = new Set<(mayReturn: boolean) => void>()
  let end: (() => void) | undefined
  return {
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
    onUnload(listener) {
      leaving.add(listener)
      // One listener for all, so that who subscribes while the page goes away is heard, too: an agent that begins only then.
      // `beforeunload` and `unload` would keep the page out of the back/forward cache.
      end ??= listen(globalThis, 'pagehide', ({ persisted }: PageTransitionEvent) =>
        leaving.forEach((leave) => leave(persisted)),
      )
      return () => {
        leaving.delete(listener)
        if (leaving.size) return
        end?.()
        end = undefined
      }
    },
    isOnline: () => globalThis.navigator?.onLine ?? true,
  }
}
