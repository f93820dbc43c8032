import { describe, expect, it } from 'vitest'
import type { FlagResult } from '../../src/flags/flag-verbs.ts'
import { REACT_VERSIONS, setUpReact } from './load-react.ts'
import { expectNoComplaints, mount, openFlagPage } from './react-page.ts'

describe.each(REACT_VERSIONS)('the flag hooks in React %s', (version) => {
  const react = setUpReact(version)
  expectNoComplaints()

  it('return the value, and each further one', async () => {
    const page = openFlagPage(react, { featureFlags: { hero: 'calm' } })
    const { createElement } = react.React
    const Hero = () => String(react.waymark.useFeatureFlag('hero'))
    const app = createElement(react.waymark.WaymarkProvider, { client: page.agent }, createElement(Hero))
    const { container, unmount } = await mount(react, app)
    expect(container.textContent).toBe('calm')
    await page.load({ hero: 'bold' })
    expect(container.textContent).toBe('bold')
    await page.load({ hero: false })
    expect(container.textContent).toBe('false')
    await page.load({})
    expect(container.textContent).toBe('undefined')
    await unmount()
  })

  it('read another flag when their key changes', async () => {
    const page = openFlagPage(react, { featureFlags: { hero: 'calm', beta: true } })
    const { createElement } = react.React
    const Flag = ({ name }: { name: string }) => String(react.waymark.useFeatureFlag(name))
    const app = (name: string) =>
      createElement(react.waymark.WaymarkProvider, { client: page.agent }, createElement(Flag, { name }))
    const { container, render, unmount } = await mount(react, app('hero'))
    await render(app('beta'))
    expect(container.textContent).toBe('true')
    expect(await page.reportedReads()).toEqual([
      ['hero', 'calm'],
      ['beta', true],
    ])
    await unmount()
  })

  it('render again only when what they have read changes', async () => {
    const page = openFlagPage(react)
    await page.load({ hero: 'calm', beta: false }, { hero: '{"title":"Hi"}' })
    const renders = { value: 0, payload: 0, result: 0 }
    const payloads = new Set<unknown>()
    const results = new Set<FlagResult | undefined>()
    const { createElement } = react.React
    const Value = () => {
      renders.value++
      return react.waymark.useFeatureFlag('hero')
    }
    const Payload = () => {
      renders.payload++
      payloads.add(react.waymark.useFeatureFlagPayload('hero'))
      return null
    }
    const Result = () => {
      renders.result++
      results.add(react.waymark.useFeatureFlagResult('hero'))
      return null
    }
    const children = [Value, Payload, Result].map((component, key) => createElement(component, { key }))
    const app = createElement(react.waymark.WaymarkProvider, { client: page.agent }, children)
    const { unmount } = await mount(react, app)
    await page.load({ hero: 'calm', beta: false }, { hero: '{"title":"Hi"}' })
    await page.load({ hero: 'calm', beta: true, gamma: 'new' }, { hero: '{"title":"Hi"}' })
    expect(renders).toEqual({ value: 1, payload: 1, result: 1 })

    await page.load({ hero: 'bold' }, { hero: '{"title":"Hi"}' })
    expect(renders).toEqual({ value: 2, payload: 1, result: 2 })
    expect([...payloads]).toEqual([{ title: 'Hi' }])
    expect([...results].map((result) => [result?.variant, payloads.has(result?.payload)])).toEqual([
      ['calm', true],
      ['bold', true],
    ])

    await page.load({ hero: 'bold' }, { hero: '{"title":"Hello"}' })
    expect(renders).toEqual({ value: 2, payload: 2, result: 3 })
    await unmount()
  })

  it('keep payloads and results when the provider renders again', async () => {
    const page = openFlagPage(react)
    await page.load({ hero: 'calm' }, { hero: '{"title":"Hi"}' })
    const results = new Set<unknown>()
    const { createElement } = react.React
    const Result = () => {
      results.add(react.waymark.useFeatureFlagResult('hero'))
      return null
    }
    const app = () =>
      createElement(
        react.waymark.WaymarkProvider,
        { client: page.agent, bootstrap: { featureFlags: { hero: 'calm' } } },
        createElement(Result),
      )
    const { render, unmount } = await mount(react, app())
    await render(app())
    expect([...results]).toEqual([{ key: 'hero', enabled: true, variant: 'calm', payload: { title: 'Hi' } }])
    await unmount()
  })

  it('do not begin with a bootstrapped value that the service has removed before they are mounted', async () => {
    const bootstrap = { featureFlags: { hero: 'calm' } }
    const page = openFlagPage(react, bootstrap)
    await page.load({})
    const shown: unknown[] = []
    const { createElement } = react.React
    const Hero = () => {
      shown.push(react.waymark.useFeatureFlag('hero'), react.waymark.useFeatureFlagResult('hero'))
      return null
    }
    const app = createElement(react.waymark.WaymarkProvider, { client: page.agent, bootstrap }, createElement(Hero))
    const { unmount } = await mount(react, app)
    expect(shown).toEqual([undefined, undefined])
    await unmount()
  })

  it('report each value once, also in strict mode and from several components', async () => {
    const page = openFlagPage(react, { featureFlags: { hero: 'calm' } })
    const { createElement, StrictMode } = react.React
    const Value = () => react.waymark.useFeatureFlag('hero')
    const Result = () => react.waymark.useFeatureFlagResult('hero')?.variant
    const app = createElement(
      StrictMode,
      null,
      createElement(react.waymark.WaymarkProvider, { client: page.agent }, createElement(Value), createElement(Result)),
    )
    const { unmount } = await mount(react, app)
    expect(await page.reportedReads()).toEqual([['hero', 'calm']])
    await page.load({ hero: 'calm' })
    await page.load({ hero: 'bold' })
    expect(await page.reportedReads()).toEqual([['hero', 'bold']])
    await unmount()
  })

  it('report a flag that the service does not have, once it has answered', async () => {
    const page = openFlagPage(react)
    const { createElement } = react.React
    const Value = () => String(react.waymark.useFeatureFlag('gone'))
    const app = createElement(react.waymark.WaymarkProvider, { client: page.agent }, createElement(Value))
    const { unmount } = await mount(react, app)
    expect(await page.reportedReads()).toEqual([])
    await page.load({ hero: 'calm' })
    expect(await page.reportedReads()).toEqual([['gone', undefined]])
    await unmount()
  })

  it('do not report payloads', async () => {
    const page = openFlagPage(react, { featureFlags: { hero: 'calm' }, featureFlagPayloads: { hero: '"Hi"' } })
    const { createElement } = react.React
    const Payload = () => react.waymark.useFeatureFlagPayload('hero') as string
    const app = createElement(react.waymark.WaymarkProvider, { client: page.agent }, createElement(Payload))
    const { container, unmount } = await mount(react, app)
    expect(container.textContent).toBe('Hi')
    expect(await page.reportedReads()).toEqual([])
    await unmount()
  })

  it('do not report a render that React throws away', async () => {
    const page = openFlagPage(react, { featureFlags: { hero: 'calm' } })
    const { createElement, Suspense } = react.React
    const never = new Promise(() => undefined)
    const Waiting = () => {
      react.waymark.useFeatureFlag('hero')
      // oxlint-disable-next-line typescript/only-throw-error -- so a component says that it waits
      throw never
    }
    const app = createElement(
      react.waymark.WaymarkProvider,
      { client: page.agent },
      createElement(Suspense, { fallback: 'wait' }, createElement(Waiting)),
    )
    const { container, unmount } = await mount(react, app)
    expect(container.textContent).toBe('wait')
    expect(await page.reportedReads()).toEqual([])
    await unmount()
  })

  it('subscribe to the agent once, and unsubscribe with the last component', async () => {
    const page = openFlagPage(react, { featureFlags: { hero: 'calm' } })
    let subscriptions = 0
    const client: typeof page.agent = {
      ...page.agent,
      onFeatureFlags(listener) {
        subscriptions++
        const unsubscribe = page.agent.onFeatureFlags(listener)
        return () => {
          subscriptions--
          unsubscribe()
        }
      },
    }
    const { createElement, StrictMode } = react.React
    const Value = () => react.waymark.useFeatureFlag('hero')
    const app = (keys: readonly number[]) =>
      createElement(
        StrictMode,
        null,
        createElement(
          react.waymark.WaymarkProvider,
          { client },
          keys.map((key) => createElement(Value, { key })),
        ),
      )
    const { render, unmount } = await mount(react, app([1, 2, 3]))
    expect(subscriptions).toBe(1)
    await render(app([2]))
    expect(subscriptions).toBe(1)
    await render(app([]))
    expect(subscriptions).toBe(0)
    await render(app([4]))
    expect(subscriptions).toBe(1)
    await unmount()
    expect(subscriptions).toBe(0)
  })

  it('show no flags of the previous user after a reset, also while opted out', async () => {
    const page = openFlagPage(react)
    await page.load({ hero: 'bold' })
    const { createElement } = react.React
    const Hero = () => String(react.waymark.useFeatureFlag('hero'))
    const app = createElement(react.waymark.WaymarkProvider, { client: page.agent }, createElement(Hero))
    const { container, unmount } = await mount(react, app)
    expect(container.textContent).toBe('bold')
    await react.React.act(async () => {
      page.agent.optOut()
      page.agent.reset()
    })
    expect(container.textContent).toBe('undefined')
    await unmount()
  })

  it.each([true, false])(
    'show no bootstrapped values of the previous user after a reset (in the agent: %s)',
    async (inAgent) => {
      const bootstrap = { featureFlags: { hero: 'bold' }, featureFlagPayloads: { hero: { size: 2 } } }
      const page = openFlagPage(react, inAgent ? bootstrap : {})
      const { createElement } = react.React
      const Hero = () => {
        const { useFeatureFlag, useFeatureFlagPayload } = react.waymark
        return `${useFeatureFlag('hero')} ${JSON.stringify(useFeatureFlagPayload('hero'))}`
      }
      const app = createElement(react.waymark.WaymarkProvider, { client: page.agent, bootstrap }, createElement(Hero))
      const { container, unmount } = await mount(react, app)
      expect(container.textContent).toBe('bold {"size":2}')
      // Before the service can answer.
      react.React.act(() => page.agent.reset())
      expect(container.textContent).toBe('undefined undefined')
      await unmount()
    },
  )

  it('begin without bootstrapped values after a reset before their first read', async () => {
    const bootstrap = { featureFlags: { hero: 'bold' } }
    const page = openFlagPage(react)
    const { createElement } = react.React
    const Hero = () => String(react.waymark.useFeatureFlag('hero'))
    const app = (isSignedIn: boolean) =>
      createElement(
        react.waymark.WaymarkProvider,
        { client: page.agent, bootstrap },
        isSignedIn ? createElement(Hero) : 'Sign in',
      )
    const { container, render, unmount } = await mount(react, app(false))
    // While opted out, no response of the service ends the time of the bootstrapped values.
    page.agent.optOut()
    page.agent.reset()
    await render(app(true))
    expect(container.textContent).toBe('undefined')
    await unmount()
  })
})
