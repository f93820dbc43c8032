import type { Route } from '../../port/navigation.ts'

/** Takes the route that is shown, and `getName`, which names it: an empty result skips the route. Throws what `getName` throws. */
export type ReportScreen = (route: Route | undefined, getName?: (route: Route) => string | undefined) => void

/**
 * Creates the function that reports the current screen. A screen counts once until another one is shown, so a change of its parameters
 * alone is none. Parameters are not part of its name.
 *
 * @param onScreen Called with the name of each new screen.
 */
export const createScreenReport = (onScreen: (name: string) => void): ReportScreen => {
  let lastScreen: string | undefined
  return (route, getName = ({ name }) => name) => {
    const name = route && getName(route)
    const screen = JSON.stringify([route?.key, name])
    if (!name || screen === lastScreen) return
    lastScreen = screen
    onScreen(name)
  }
}
