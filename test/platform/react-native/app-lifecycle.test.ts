import { expect, it } from 'vitest'
import { createAppLifecycle } from '../../../src/platform/react-native/app-lifecycle.ts'

const createAppState = (currentState: string | null) => {
  const listeners = new Set<(state: string) => void>()
  return {
    currentState,
    listeners,
    addEventListener(_type: 'change', listener: (state: string) => void) {
      listeners.add(listener)
      return { remove: () => void listeners.delete(listener) }
    },
    set(state: string) {
      this.currentState = state
      for (const listener of listeners) listener(state)
    },
  }
}

it('reports each transition once, and passes over inactive', () => {
  const appState = createAppState('active')
  const lifecycle = createAppLifecycle(appState, undefined)
  const calls: string[] = []
  lifecycle.onWake((cause) => calls.push(cause))
  lifecycle.onHidden(() => calls.push('hidden'))
  for (const state of ['inactive', 'active', 'inactive', 'background', 'background', 'inactive', 'active', 'active'])
    appState.set(state)
  expect(calls).toEqual(['hidden', 'visible'])
  expect(lifecycle.isActive()).toBe(true)
})

it('reports the first return of an app that was started in the background', () => {
  const appState = createAppState('background')
  const lifecycle = createAppLifecycle(appState, undefined)
  const calls: string[] = []
  lifecycle.onWake((cause) => calls.push(cause))
  expect(lifecycle.isActive()).toBe(false)
  appState.set('active')
  expect(calls).toEqual(['visible'])
})

it('tells every listener when the network is back, and knows when there is none', () => {
  const listeners: ((state: { isConnected: boolean | null }) => void)[] = []
  const lifecycle = createAppLifecycle(undefined, {
    addEventListener: (listener) => (listeners.push(listener), () => undefined),
  })
  const calls: string[] = []
  lifecycle.onWake((cause) => calls.push(`first ${cause}`))
  lifecycle.onWake((cause) => calls.push(`second ${cause}`))
  const set = (isConnected: boolean | null): void => listeners.forEach((listener) => listener({ isConnected }))
  set(null)
  set(false)
  expect(lifecycle.isOnline()).toBe(false)
  set(true)
  set(true)
  expect(lifecycle.isOnline()).toBe(true)
  expect(calls).toEqual(['first online', 'second online'])
})

it('removes its listeners, and counts as active without AppState', () => {
  const appState = createAppState(null)
  const lifecycle = createAppLifecycle(appState, undefined)
  const stop = lifecycle.onWake(() => undefined)
  lifecycle.onHidden(() => undefined)()
  stop()
  expect(appState.listeners.size).toBe(0)
  expect(createAppLifecycle(undefined, undefined).isActive()).toBe(true)
})

it('works without the native modules of AppState and NetInfo', () => {
  const addEventListener = (): never => {
    throw new Error('no native module')
  }
  const lifecycle = createAppLifecycle({ addEventListener }, { addEventListener })
  lifecycle.onWake(() => undefined)()
  lifecycle.onHidden(() => undefined)()
  expect([lifecycle.isActive(), lifecycle.isOnline()]).toEqual([true, true])
})
