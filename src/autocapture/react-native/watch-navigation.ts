import { callSafely } from '../../port/call-safely.ts'
import type { Logger } from '../../port/logger.ts'
import type { NavigationRef, Route } from '../../port/navigation.ts'
import { noop } from '../../port/noop.ts'
import { createScreenReport } from './create-screen-report.ts'

/**
 * Calls `onScreen` with the name of the current screen, and of each one that follows.
 *
 * @param getName Returns the name of a route. An empty result and an exception skip the route.
 * @returns Stops it.
 */
export const watchNavigation = (
  ref: NavigationRef,
  onScreen: (name: string) => void,
  logger: Logger,
  getName?: (route: Route) => string | undefined,
): (() => void) => {
  let stop = noop
  const reportScreen = createScreenReport(onScreen)
  const checkScreen = (): void =>
    callSafely(logger, 'trackNavigation', () =>
      reportScreen(ref.isReady() ? ref.getCurrentRoute() : undefined, getName),
    )
  checkScreen()
  // The event is also sent when the container mounts.
  callSafely(logger, 'trackNavigation', () => {
    stop = ref.addListener('state', checkScreen)
  })
  return () => stop()
}
