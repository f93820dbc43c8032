import { callSafely } from '../../port/call-safely.ts'
import type { Logger } from '../../port/logger.ts'
import type { NavigationRef, Route } from '../../port/navigation.ts'
import { noop } from '../../port/noop.ts'

/**
 * Calls `onScreen` with the name of the current screen, and of each one that follows. Parameters of a route are not part of its name.
 *
 * A screen counts once until another one is shown, so a change of its parameters alone is none.
 *
 * @param getName Returns the name of a route. An empty result and an exception skip the route.
 * @returns Stops it.
 */
export const watchNavigation = (
  ref: NavigationRef,
  onScreen: (name: string) => void,
  logger: Logger,
  getName: (route: Route) => string | undefined = ({ name }) => name,
): (() => void) => {
  let stop = noop
  let lastScreen: string | undefined
  const checkScreen = (): void =>
    callSafely(logger, 'trackNavigation', () => {
      const route = ref.isReady() ? ref.getCurrentRoute() : undefined
      const name = route && getName(route)
      const screen = JSON.stringify([route?.key, name])
      if (!name || screen === lastScreen) return
      lastScreen = screen
      onScreen(name)
    })
  checkScreen()
  // The event is also sent when the container mounts.
  callSafely(logger, 'trackNavigation', () => {
    stop = ref.addListener('state', checkScreen)
  })
  return () => stop()
}
