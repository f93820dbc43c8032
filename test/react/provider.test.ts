import { describe, expect, it, vi } from 'vitest'
import { createTestAgent } from '../../src/entry/testing.ts'
import { REACT_VERSIONS, setUpReact } from './load-react.ts'
import { expectNoComplaints, mount, openFlagPage } from './react-page.ts'

describe.each(REACT_VERSIONS)('WaymarkProvider in React %s', (version) => {
  const react = setUpReact(version)
  expectNoComplaints()

  it('gives its agent to event handlers', async () => {
    const client = createTestAgent()
    const { act, createElement } = react.React
    const Buy = () => {
      const waymark = react.waymark.useWaymark()
      return createElement('button', { onClick: () => waymark?.capture('bought', { item: 'tea' }) })
    }
    const app = createElement(react.waymark.WaymarkProvider, { client }, createElement(Buy))
    const { container, unmount } = await mount(react, app)
    await act(async () => container.querySelector('button')!.click())
    expect(client.events).toMatchObject([{ event: 'bought', properties: { item: 'tea' } }])
    await unmount()
  })

  it('is found by the hooks of another copy of the package', async () => {
    const client = createTestAgent()
    const copy = await react.loadCopy()
    const { createElement } = react.React
    const Child = () => String(copy.useWaymark() === client)
    const app = createElement(react.waymark.WaymarkProvider, { client }, createElement(Child))
    const { container, unmount } = await mount(react, app)
    expect([container.textContent, copy.useWaymark === react.waymark.useWaymark]).toEqual(['true', false])
    await unmount()
  })

  it('hides the providers above it', async () => {
    const [outer, inner] = [createTestAgent({ flags: { hero: 'calm' } }), createTestAgent({ flags: { hero: 'bold' } })]
    const { createElement } = react.React
    const { WaymarkProvider } = react.waymark
    const Hero = () => `${String(react.waymark.useFeatureFlag('hero'))} `
    const app = createElement(
      WaymarkProvider,
      { client: outer },
      createElement(Hero),
      createElement(WaymarkProvider, { client: inner }, createElement(Hero)),
    )
    const { container, unmount } = await mount(react, app)
    expect(container.textContent).toBe('calm bold ')
    await unmount()
  })

  it('is needed by every hook and component', () => {
    const { createElement } = react.React
    const { renderToString } = react.load('react-dom/server')
    const { CaptureOnView, Feature, useFeatureFlag, useFeatureFlagPayload, useFeatureFlagResult, useWaymark } =
      react.waymark
    const hooks = [
      () => useWaymark(),
      () => useFeatureFlag('hero'),
      () => useFeatureFlagPayload('hero'),
      () => useFeatureFlagResult('hero'),
    ]
    const elements = [
      ...hooks.map((useHook) =>
        createElement(() => {
          useHook()
          return null
        }),
      ),
      createElement(Feature, { flag: 'hero' }),
      createElement(CaptureOnView, { event: 'seen' }),
    ]
    for (const element of elements) expect(() => renderToString(element)).toThrow('inside a <WaymarkProvider>')
    // React logs the error that it throws.
    vi.mocked(console.error).mockClear()
  })

  it('shows bootstrapped values before there is an agent, then the values of the agent', async () => {
    const page = openFlagPage(react, { featureFlags: { hero: 'bold' } })
    const { createElement } = react.React
    const Hero = () => {
      const agent = react.waymark.useWaymark()
      return `${typeof agent} ${String(react.waymark.useFeatureFlag('hero'))}`
    }
    const bootstrap = { featureFlags: { hero: 'calm' } }
    const app = (client: typeof page.agent | undefined) =>
      createElement(react.waymark.WaymarkProvider, { client, bootstrap }, createElement(Hero))
    const { container, render, unmount } = await mount(react, app(undefined))
    expect(container.textContent).toBe('undefined calm')
    await render(app(page.agent))
    expect(container.textContent).toBe('object bold')
    expect(await page.reportedReads()).toEqual([['hero', 'bold']])
    await unmount()
  })

  it('lets an agent that could not start have bootstrapped values', async () => {
    const nothing = (): never => undefined as never
    const client = {
      capture: nothing,
      getAnonymousId: nothing,
      getFeatureFlag: nothing,
      getFeatureFlagResult: nothing,
      onFeatureFlags: nothing,
    }
    const { createElement } = react.React
    const Hero = () => react.waymark.useFeatureFlag('hero')
    const app = createElement(
      react.waymark.WaymarkProvider,
      { client, bootstrap: { featureFlags: { hero: 'calm' } } },
      createElement(Hero),
    )
    const { container, unmount } = await mount(react, app)
    expect(container.textContent).toBe('calm')
    await unmount()
  })
})
