import type { ReactNode } from 'react'
import { describe, expect, it } from 'vitest'
import type { FeatureProps } from '../../src/entry/react.ts'
import { REACT_VERSIONS, setUpReact } from './load-react.ts'
import { expectNoComplaints, mount, openFlagPage } from './react-page.ts'

const FLAGS = { hero: 'calm', on: true, off: false }

describe.each(REACT_VERSIONS)('Feature in React %s', (version) => {
  const react = setUpReact(version)
  expectNoComplaints()

  const show = async (props: FeatureProps, payloads?: Readonly<Record<string, string>>) => {
    const page = openFlagPage(react)
    await page.load(FLAGS, payloads)
    const { createElement } = react.React
    const { Feature, WaymarkProvider } = react.waymark
    const app = createElement(
      WaymarkProvider,
      { client: page.agent },
      createElement(Feature, { fallback: 'other', children: 'shown', ...props }),
    )
    const { container, unmount } = await mount(react, app)
    const text = container.textContent
    await unmount()
    return { text, reads: await page.reportedReads() }
  }

  it.each([
    [{ flag: 'on' }, 'shown'],
    [{ flag: 'hero' }, 'shown'],
    [{ flag: 'off' }, 'other'],
    [{ flag: 'unknown' }, 'other'],
    [{ flag: 'off', fallback: undefined }, ''],
    [{ flag: 'hero', match: 'calm' }, 'shown'],
    [{ flag: 'hero', match: 'bold' }, 'other'],
    [{ flag: 'hero', match: true }, 'other'],
    [{ flag: 'off', match: false }, 'shown'],
    [{ flag: 'unknown', match: false }, 'other'],
  ] satisfies [FeatureProps, string][])('shows for %j: %s', async (props, text) => {
    expect((await show(props)).text).toBe(text)
  })

  it('calls a function with the parsed payload, only while the flag is on', async () => {
    const children = (payload: unknown): ReactNode => JSON.stringify(payload) ?? 'none'
    expect((await show({ flag: 'hero', children }, { hero: '[1, 2]' })).text).toBe('[1,2]')
    expect((await show({ flag: 'on', children })).text).toBe('none')
    expect((await show({ flag: 'off', children })).text).toBe('other')
  })

  it('reports the read', async () => {
    expect((await show({ flag: 'off' })).reads).toEqual([['off', false]])
  })
})
