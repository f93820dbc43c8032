import type { Route } from '../../port/navigation.ts'

/**
 * Creates the function that reports the current screen. A screen counts once until another one is shown, so a change of its parameters
 * alone is none. Parameters are not part of its name.
 *
 * The created function takes the route and `getName`, which names it: an empty result skips the route. It throws what `getName` throws.
 *
 * @param onScreen Called with the name of each new screen.
 */
export const createScreenReport = (
  onScreen: (name: string) => void,
): ((route: Route | undefined, getName?: (route: Route) => string | undefined) => void) => {
  let lastScreen: string | undefined
  return (route, getName = ({ name }) => name) => {
    const name = route && getName(route)
    const screen = JSON.stringify([route?.key, name])
    if (!name || screen === lastScreen) return
    lastScreen = screen
    onScreen(name)
  }
}
