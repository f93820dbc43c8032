import { expect, it } from 'vitest'
import { readInitialUrl, watchDeepLinks } from '../../../src/autocapture/react-native/watch-deep-links.ts'
import type { Linking } from '../../../src/autocapture/react-native/watch-deep-links.ts'

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const createLinking = (getInitialURL: Linking['getInitialURL']) => {
  const listeners = new Set<(event: { url: string }) => void>()
  const events: unknown[][] = []
  const linking: Linking = {
    getInitialURL,
    addEventListener(_type, listener) {
      listeners.add(listener)
      return { remove: () => void listeners.delete(listener) }
    },
  }
  const capture = (...event: unknown[]): void => void events.push(event)
  return {
    events,
    listeners,
    watch: (apiKey = 'wm_1') => watchDeepLinks(linking, readInitialUrl(linking), apiKey, capture),
    open(url: unknown) {
      for (const listener of listeners) listener({ url } as { url: string })
    },
  }
}

it('captures the URL that has started the app, and each later one, until it is stopped', async () => {
  const { watch, open, events, listeners } = createLinking(async () => 'shop://cart')
  const stop = watch()
  await nextTurn()
  open('shop://item/7')
  stop()
  open('shop://item/8')
  expect(events).toEqual([
    ['Deep Link Opened', { url: 'shop://cart' }],
    ['Deep Link Opened', { url: 'shop://item/7' }],
  ])
  expect(listeners.size).toBe(0)
})

it('captures the URL that has started the app once per agent, also when it is stopped and started again', async () => {
  const { watch, events } = createLinking(async () => 'shop://cart')
  watch()()
  watch()
  await nextTurn()
  expect(events).toHaveLength(1)
  watch()
  await nextTurn()
  expect(events).toHaveLength(1)
  watch('wm_2')
  await nextTurn()
  expect(events).toHaveLength(2)
})

it('captures nothing for an app that is started without a URL, nor for an event without one', async () => {
  const { watch, open, events } = createLinking(async () => null)
  watch()
  await nextTurn()
  open(undefined)
  open('')
  expect(events).toEqual([])
})

it('captures no URL that becomes known after the stop', async () => {
  const { watch, events } = createLinking(async () => 'shop://cart')
  watch()()
  await nextTurn()
  expect(events).toEqual([])
})

it.each([
  ['throws', () => expect.unreachable('no native module')],
  ['rejects', () => Promise.reject(new Error('no native module'))],
])('knows no URL where getInitialURL %s', async (_name, getInitialURL) => {
  expect(await readInitialUrl({ getInitialURL, addEventListener: () => undefined })).toBeUndefined()
})

it('works where the native module is missing', () => {
  const addEventListener = (): never => expect.unreachable('no native module')
  const linking = { getInitialURL: async () => null, addEventListener }
  watchDeepLinks(linking, readInitialUrl(linking), 'wm_1', () => undefined)()
})
