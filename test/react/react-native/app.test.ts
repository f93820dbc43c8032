import type { ReactNode } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createPhone } from '../../support/phone.ts'
import { REACT_VERSIONS, setUpReact } from '../load-react.ts'
import { expectNoComplaints } from '../react-page.ts'

describe.each(REACT_VERSIONS)('an app with React %s', (version) => {
  const react = setUpReact(version)
  expectNoComplaints()
  beforeEach(() => void vi.stubGlobal('navigator', { product: 'ReactNative' }))
  afterEach(() => void vi.unstubAllGlobals())

  /** Renders without a page, as an app does. */
  const show = async (node: ReactNode) => {
    const { act } = react.React
    let screen: { toJSON(): unknown; unmount(): void }
    await act(async () => {
      screen = react.load('react-test-renderer').create(node, { unstable_isConcurrent: true })
    })
    return { read: () => screen.toJSON(), unmount: () => act(async () => screen.unmount()) }
  }

  it('shows bootstrapped flags before the storage was read, and loaded ones after it', async () => {
    const phone = createPhone()
    phone.flags = { featureFlags: { hero: 'bold' }, featureFlagPayloads: {} }
    const { act, createElement, StrictMode } = react.React
    const { agent, clock } = phone.open({ captureLifecycle: false, bootstrap: { featureFlags: { hero: 'calm' } } })
    const Hero = () => react.waymark.useFeatureFlag('hero')
    const { read, unmount } = await show(
      createElement(
        StrictMode,
        null,
        createElement(react.waymark.WaymarkProvider, { client: agent }, createElement(Hero)),
      ),
    )
    expect(read()).toBe('calm')
    await act(() => clock.advance(0))
    expect(read()).toBe('bold')
    await act(() => clock.advance(3_000))
    await unmount()
    await agent.shutdown()
    expect(
      [...phone.stored.values()].map(({ event, properties }) => [event, properties['$feature_flag_response']]),
    ).toEqual([
      ['$feature_flag_called', 'calm'],
      ['$feature_flag_called', 'bold'],
    ])
  })

  it('captures what it shows once, without an element around it', async () => {
    const phone = createPhone()
    const { createElement, StrictMode } = react.React
    const { agent, clock } = phone.open({ captureLifecycle: false, preloadFeatureFlags: false })
    const { CaptureOnView, WaymarkProvider } = react.waymark
    const { read, unmount } = await show(
      createElement(
        StrictMode,
        null,
        createElement(
          WaymarkProvider,
          { client: agent },
          createElement(CaptureOnView, { event: 'prices seen', properties: { page: 'shop' } }, 'Prices'),
        ),
      ),
    )
    expect(read()).toBe('Prices')
    await clock.advance(3_000)
    await unmount()
    await agent.shutdown()
    expect([...phone.stored.values()].map(({ event, properties }) => [event, properties['page']])).toEqual([
      ['prices seen', 'shop'],
    ])
  })
})
