import type { NavigationRef, Route } from '../../port/navigation.ts'
import type { Properties, Waymark } from '../waymark.ts'

/**
 * The agent of an app with its current user. No call throws or blocks.
 *
 * Until the agent has read the storage, it holds the calls that change something, and makes them then, each at its own time. Calls that
 * read answer for an unknown user who has opted out meanwhile. With a storage that answers at once there is no such time.
 */
export interface ReactNativeWaymark extends Omit<Waymark, 'pageview'> {
  /** Resolves when the storage was read: from then on, calls that read answer for the stored user. Never rejects. */
  ready(): Promise<void>
  /**
   * Captures a `$screen` for the current screen of a navigator, and for each one that follows. Parameters of routes are not sent.
   *
   * @param ref The ref of the navigation container: `createNavigationContainerRef()` or `useNavigationContainerRef()` of React Navigation,
   *   or `useNavigationContainerRef()` of expo-router. The container may be mounted later.
   * @param options `getScreenName` returns the name for a route; undefined skips the route. Default: the route's own name.
   * @returns Stops it, as `shutdown()` does.
   */
  trackNavigation(ref: NavigationRef, options?: TrackNavigationOptions): () => void
  /**
   * Captures a `$screen` when the path is another one than in the last `$screen`: for `usePathname()` of expo-router, and other routers by path.
   * Does nothing after `shutdown()`.
   *
   * @param options `getScreenName` returns the name for `{ name, path, params }`; undefined skips it. Default: the path itself, with the
   *   values in it. `params` are only for `getScreenName`: they are not sent.
   */
  trackPath(path: string, options?: TrackPathOptions): void
  /**
   * Captures an `$exception` for an error that the app has caught: in an error boundary, or after a rejected promise. The option
   * `errorUtils` captures those that it has not caught.
   *
   * @param error What was thrown, usually an `Error`.
   */
  captureException(error: unknown, properties?: Properties): void
}

export interface TrackNavigationOptions {
  readonly getScreenName?: (route: Route) => string | undefined
}

export interface TrackPathOptions extends TrackNavigationOptions {
  readonly params?: object | undefined
}
