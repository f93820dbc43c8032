import { expect, it } from 'vitest'
import { createScreenReport } from '../../../src/autocapture/react-native/create-screen-report.ts'
import { watchNavigation } from '../../../src/autocapture/react-native/watch-navigation.ts'
import type { Route } from '../../../src/port/navigation.ts'

const createNavigation = () => {
  const listeners = new Set<() => void>()
  const screens: string[] = []
  const warnings: unknown[][] = []
  let route: Route | undefined
  const ref = {
    isReady: () => route !== undefined,
    getCurrentRoute: () => (route ? route : expect.unreachable('writes an error to the console')),
    addListener(_type: 'state', listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  return {
    ref,
    screens,
    warnings,
    listeners,
    logger: { warn: (...message: unknown[]) => void warnings.push(message), debug: () => undefined },
    reportScreen: createScreenReport((name) => void screens.push(name)),
    show(newRoute: Route) {
      route = newRoute
      for (const listener of listeners) listener()
    },
  }
}

it('reports the screen that is shown now, and each one that follows', () => {
  const { ref, screens, logger, reportScreen, show } = createNavigation()
  show({ key: 'home-1', name: 'Home' })
  watchNavigation(ref, reportScreen, logger)
  show({ key: 'cart-1', name: 'Cart' })
  show({ key: 'home-1', name: 'Home' })
  expect(screens).toEqual(['Home', 'Cart', 'Home'])
})

it('waits for a navigator that is mounted later', () => {
  const { ref, screens, logger, reportScreen, show } = createNavigation()
  watchNavigation(ref, reportScreen, logger)
  show({ key: 'home-1', name: 'Home' })
  expect(screens).toEqual(['Home'])
})

it('reports a screen once while only its parameters change, and again when it is pushed again', () => {
  const { ref, screens, logger, reportScreen, show } = createNavigation()
  watchNavigation(ref, reportScreen, logger)
  show({ key: 'item-1', name: 'Item', params: { id: 1 } })
  show({ key: 'item-1', name: 'Item', params: { id: 2 } })
  show({ key: 'item-2', name: 'Item', params: { id: 3 } })
  expect(screens).toEqual(['Item', 'Item'])
})

it('takes the name from the app, and skips a route without one', () => {
  const { ref, screens, warnings, logger, reportScreen, show } = createNavigation()
  watchNavigation(ref, reportScreen, logger, ({ name }) => {
    if (name === 'Secret') return undefined
    if (name === 'Broken') throw new Error('no name')
    return name.toLowerCase()
  })
  for (const name of ['Home', 'Secret', 'Broken', 'Cart']) show({ key: name, name })
  expect(screens).toEqual(['home', 'cart'])
  expect(warnings.map(String)).toEqual(['trackNavigation failed:,Error: no name'])
})

it('never throws for a ref of another kind, and stops', () => {
  const { ref, screens, warnings, listeners, logger, reportScreen, show } = createNavigation()
  watchNavigation({} as typeof ref, reportScreen, logger)()
  expect(warnings).toHaveLength(2)
  watchNavigation(ref, reportScreen, logger)()
  show({ key: 'home-1', name: 'Home' })
  expect([screens, listeners.size]).toEqual([[], 0])
})

it("reports a screen once in React's strict mode, which starts and stops each effect before it starts it", () => {
  const { ref, screens, logger, reportScreen, show } = createNavigation()
  show({ key: 'home-1', name: 'Home' })
  watchNavigation(ref, reportScreen, logger)()
  watchNavigation(ref, reportScreen, logger)
  show({ key: 'cart-1', name: 'Cart' })
  expect(screens).toEqual(['Home', 'Cart'])
})
