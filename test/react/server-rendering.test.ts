import { describe, expect, it } from 'vitest'
import type { WaymarkClient } from '../../src/entry/react.ts'
import { REACT_VERSIONS, setUpReact } from './load-react.ts'
import { expectNoComplaints, hydrate, openFlagPage } from './react-page.ts'

const BOOTSTRAP = { featureFlags: { hero: 'bold', beta: false }, featureFlagPayloads: { hero: '{"title":"Hi"}' } }

describe.each(REACT_VERSIONS)('a page of a server with React %s', (version) => {
  const react = setUpReact(version)
  expectNoComplaints()

  /** An app that records what it has shown. */
  const createApp = (shown: string[] = []) => {
    const { createElement } = react.React
    const { Feature, useFeatureFlag, useFeatureFlagPayload } = react.waymark
    const Hero = () => {
      const payload = useFeatureFlagPayload('hero') as { title: string } | undefined
      const text = [useFeatureFlag('hero'), payload?.title, useFeatureFlag('beta')].join()
      shown.push(text)
      return createElement('h1', null, text)
    }
    return (client: WaymarkClient | undefined) =>
      createElement(
        react.waymark.WaymarkProvider,
        { client, bootstrap: { ...BOOTSTRAP } },
        createElement(Hero),
        createElement(Feature, { flag: 'hero', fallback: 'off' }, 'on'),
      )
  }
  const renderOnServer = () => react.load('react-dom/server').renderToString(createApp()(undefined))

  it('has the bootstrapped values in its HTML', () => {
    expect(renderOnServer()).toBe('<h1>bold,Hi,false</h1>on')
  })

  it('has the same HTML when the server has an agent', () => {
    const { agent } = openFlagPage(react, { featureFlags: { hero: 'calm' } })
    expect(react.load('react-dom/server').renderToString(createApp()(agent))).toBe(renderOnServer())
  })

  it('is taken over without a change, by an agent with the same values', async () => {
    const page = openFlagPage(react, BOOTSTRAP)
    const shown: string[] = []
    const { container, unmount } = await hydrate(react, renderOnServer(), createApp(shown)(page.agent))
    expect(container.innerHTML).toBe(renderOnServer())
    expect(shown).toEqual(['bold,Hi,false'])
    expect(await page.reportedReads()).toContainEqual(['hero', 'bold'])

    await page.load({ hero: 'bold', beta: false }, { hero: '{"title":"Hi"}' })
    expect(shown).toEqual(['bold,Hi,false'])
    await page.load({ hero: 'calm', beta: true })
    expect(container.textContent).toBe('calm,,trueon')
    await unmount()
  })

  it('keeps the bootstrapped values of flags that the agent does not know until the service has answered', async () => {
    const page = openFlagPage(react)
    const shown: string[] = []
    const { container, unmount } = await hydrate(react, renderOnServer(), createApp(shown)(page.agent))
    expect(shown).toEqual(['bold,Hi,false'])
    await page.load({ beta: true })
    expect(container.textContent).toBe(',,trueoff')
    await unmount()
  })

  it('is taken over without a warning when the agent has other values, which it shows then', async () => {
    const page = openFlagPage(react, { featureFlags: { hero: 'calm' } })
    const shown: string[] = []
    const { container, unmount } = await hydrate(react, renderOnServer(), createApp(shown)(page.agent))
    expect(shown[0]).toBe('bold,Hi,false')
    expect(container.textContent).toBe('calm,,falseon')
    await unmount()
  })
})
