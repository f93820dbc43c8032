import type { Clock } from '../port/clock.ts'
import { createTitleWait } from './await-title.ts'
import { watchPageviews } from './pageview.ts'
import type { Listen } from './pageview.ts'

/** The verbs that page views and screens are captured with. */
interface CapturingAgent {
  pageview(properties: object, options?: { readonly timestamp: Date }): void
  screen(name: string): void
}

interface PageOptions {
  readonly capturePageview?: boolean | undefined
  readonly captureScreen?: boolean | ((route: string) => string | undefined) | undefined
  readonly hashRouting?: boolean | undefined
}

/** The path, with the hash of a hash router but without that hash's query. */
const readHashRoute = (): string => location.pathname + (/^#!?\/[^?]*/.exec(location.hash)?.[0] ?? '')

/**
 * Creates the function that starts page views and screens by route.
 *
 * Called before the agent is created, so that its listener of `pagehide` runs before the agent's own, which sends the last events.
 *
 * @param onError Called for an exception of the function `captureScreen`.
 */
export const createWatchPage = (
  clock: Clock,
  listen: Listen,
  onError: (error: unknown) => void,
): ((agent: CapturingAgent, options: PageOptions, cleanups: (() => void)[]) => void) => {
  let agent: CapturingAgent
  const endWait: (() => void)[] = []
  const captureWithTitle = createTitleWait((...view) => agent.pageview(...view), clock, listen, endWait)

  return (startedAgent, { capturePageview, captureScreen, hashRouting }, cleanups) => {
    agent = startedAgent
    const getRoute = hashRouting ? readHashRoute : undefined
    cleanups.push(...endWait)
    if (capturePageview !== false) watchPageviews(captureWithTitle, listen, cleanups, getRoute)()
    if (!captureScreen) return
    const captureRoute = (): void => {
      try {
        const route = getRoute?.() ?? location.pathname
        const name = captureScreen === true ? route : captureScreen(route)
        if (name) agent.screen(name)
      } catch (error) {
        onError(error)
      }
    }
    watchPageviews(captureRoute, listen, cleanups, getRoute)()
  }
}
