import { callSafely } from '../../lib/call-safely.ts'
import type { Logger } from '../../port/logger.ts'
import type { NavigationRef, Route } from '../../port/navigation.ts'
import { noop } from '../../lib/noop.ts'
import type { ReportScreen } from './create-screen-report.ts'

/**
 * Reports the current screen, and each one that follows.
 *
 * @param reportScreen That of all navigators of the app. React's strict mode starts this twice, and must not capture a screen twice.
 * @param getName Returns the name of a route. An empty result and an exception skip the route.
 * @returns Stops it.
 */
export const watchNavigation = (
  ref: NavigationRef,
  reportScreen: ReportScreen,
  logger: Logger,
  getName?: (route: Route) => string | undefined,
): (() => void) => {
  let stop = noop
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
