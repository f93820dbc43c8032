import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { installPackages } from '../../support/install-packages.mjs'
import type { NavigationRef } from '../../../src/port/navigation.ts'
import { createPhone } from '../../support/phone.ts'

/** The parts of React and React Navigation that a small app needs. */
interface Packages {
  createElement(type: unknown, props?: object | null, ...children: unknown[]): unknown
  act(work: () => unknown): Promise<void>
  create(element: unknown): unknown
  BaseNavigationContainer: unknown
  createNavigationContainerRef(): NavigationRef & { navigate(name: string, params?: object): void; goBack(): void }
  createNavigatorFactory(navigator: unknown): () => { readonly Navigator: unknown; readonly Screen: unknown }
  useNavigationBuilder(
    router: unknown,
    options: object,
  ): {
    readonly state: { readonly index: number; readonly routes: readonly { readonly key: string }[] }
    readonly descriptors: Record<string, { render(): unknown }>
    readonly NavigationContent: unknown
  }
  StackRouter: unknown
}

const EmptyScreen = (): null => null

let requirePackage: NodeJS.Require
beforeAll(async () => {
  const folder = await installPackages('navigation', new URL('navigation-packages.json', import.meta.url))
  requirePackage = createRequire(join(folder, 'package.json'))
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  // The test renderer says that it is deprecated.
  vi.spyOn(console, 'error').mockReturnValue()
}, 240_000)
afterAll(() => void vi.unstubAllGlobals())

it.each(['@react-navigation/core', '@react-navigation/core-6'])('captures the screens of %s', async (name) => {
  const packages: Packages = Object.assign(
    {},
    ...['react', 'react-test-renderer', '@react-navigation/routers', name].map((id) => requirePackage(id) as object),
  )
  const { act, create, createElement, createNavigationContainerRef, StackRouter } = packages

  const Stack = packages.createNavigatorFactory(({ children }: { children: unknown }) => {
    const { state, descriptors, NavigationContent } = packages.useNavigationBuilder(StackRouter, { children })
    return createElement(NavigationContent, null, descriptors[state.routes[state.index]!.key]!.render())
  })()
  const screenOf = (name: string) => createElement(Stack.Screen, { key: name, name, component: EmptyScreen })
  const ref = createNavigationContainerRef()
  const phone = createPhone()
  const { agent, clock } = phone.open({ captureLifecycle: false, preloadFeatureFlags: false })

  agent.trackNavigation(ref)
  await act(() =>
    create(
      createElement(
        packages.BaseNavigationContainer,
        { ref },
        createElement(Stack.Navigator, null, screenOf('Home'), screenOf('Item')),
      ),
    ),
  )
  await act(() => ref.navigate('Item', { id: 'secret' }))
  await act(() => ref.navigate('Item', { id: 'other' }))
  await act(() => ref.goBack())
  await clock.advance(3_000)
  await agent.shutdown()
  const screens = [...phone.stored.values()].map(({ event, properties }) => [event, properties['$screen_name']])
  expect(screens).toEqual(['Home', 'Item', 'Home'].map((screen) => ['$screen', screen]))
  expect(JSON.stringify([...phone.stored.values()])).not.toContain('secret')
  // React Navigation writes an error when it is asked for a route too early.
  expect(vi.mocked(console.error).mock.calls.filter(([message]) => !/deprecated/.test(String(message)))).toEqual([])
})
