import { describe, expect, it } from 'vitest'
import { watchAppLifecycle } from '../../../src/autocapture/react-native/lifecycle-events.ts'
import type { AppStart } from '../../../src/autocapture/react-native/lifecycle-events.ts'
import { createMemoryKeyValue } from '../../../src/platform/memory/memory-key-value.ts'
import { fakeLifecycle } from '../../support/fake-lifecycle.ts'

/** A phone whose app can be started several times. */
const createFixture = () => {
  const storage = createMemoryKeyValue()
  const events: unknown[][] = []
  let isOptedOut = false
  return {
    events,
    optOut: (value: boolean) => void (isOptedOut = value),
    start(version: string | undefined, build: string | undefined, isActive = true, appStart?: AppStart) {
      const lifecycle = { ...fakeLifecycle(), isActive: () => isActive }
      const stop = watchAppLifecycle(
        (...event) => {
          if (!isOptedOut) events.push(event)
        },
        { version, build },
        storage,
        lifecycle,
        () => !isOptedOut,
        appStart,
      )
      return { lifecycle, stop }
    },
  }
}

const opened = (from_background: boolean) => ['Application Opened', { version: '1', build: '7', from_background }]

describe('lifecycle events', () => {
  it('are Installed and Opened at the first start, then only Opened', () => {
    const { start, events } = createFixture()
    start('1', '7')
    start('1', '7')
    expect(events).toEqual([['Application Installed', { version: '1', build: '7' }], opened(false), opened(false)])
  })

  it('are Updated when the version or the build has changed', () => {
    const { start, events } = createFixture()
    start('1', '7')
    start('1', '8')
    start('2', '8')
    expect(events.filter(([name]) => name === 'Application Updated')).toEqual([
      ['Application Updated', { version: '1', build: '8', previous_version: '1', previous_build: '7' }],
      ['Application Updated', { version: '2', build: '8', previous_version: '1', previous_build: '8' }],
    ])
  })

  it('are Backgrounded and Opened on each transition, until it stops', () => {
    const { start, events } = createFixture()
    const { lifecycle, stop } = start('1', '7')
    events.length = 0
    lifecycle.hide()
    lifecycle.wake('online')
    lifecycle.wake('visible')
    stop()
    lifecycle.hide()
    expect(events).toEqual([['Application Backgrounded'], opened(true)])
    expect(lifecycle.listenerCount()).toBe(0)
  })

  it('are not Opened by an app that starts in the background, before it comes to the foreground', () => {
    const { start, events } = createFixture()
    const { lifecycle } = start('1', '7', false)
    expect(events.map(([name]) => name)).toEqual(['Application Installed'])
    lifecycle.wake('visible')
    expect(events[1]).toEqual(opened(false))
  })

  it('are Opened with the URL that has started the app, at the time of the start, and later without one', async () => {
    const { start, events } = createFixture()
    const time = new Date(0)
    const { lifecycle } = start('1', '7', true, { time, url: Promise.resolve('shop://cart') })
    expect(events.map(([name]) => name)).toEqual(['Application Installed'])
    await Promise.resolve()
    lifecycle.wake('visible')
    expect(events.slice(1)).toEqual([
      [
        'Application Opened',
        { version: '1', build: '7', from_background: false, url: 'shop://cart' },
        { timestamp: time },
      ],
      opened(true),
    ])
  })

  it('are Opened once, and before Backgrounded, when the app is hidden before the URL is known', async () => {
    const { start, events } = createFixture()
    const time = new Date(0)
    const { lifecycle } = start('1', '7', true, { time, url: Promise.resolve('shop://cart') })
    lifecycle.hide()
    await Promise.resolve()
    lifecycle.hide()
    expect(events.slice(1)).toEqual([
      ['Application Opened', { version: '1', build: '7', from_background: false }, { timestamp: time }],
      ['Application Backgrounded'],
      ['Application Backgrounded'],
    ])
  })

  it('report an installation only after consent', () => {
    const { start, events, optOut } = createFixture()
    optOut(true)
    start('1', '7')
    optOut(false)
    start('1', '7')
    expect(events.map(([name]) => name)).toEqual(['Application Installed', 'Application Opened'])
  })
})
