import 'fake-indexeddb/auto'
import type { FunctionComponent } from 'react'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { init } from '../../src/entry/index.ts'
import type { Waymark } from '../../src/entry/index.ts'
import { stubPageNetwork } from '../support/page-network.ts'
import type { PageNetwork } from '../support/page-network.ts'
import { REACT_VERSIONS, setUpReact } from './load-react.ts'
import type { FastRefresh } from './load-react.ts'
import { expectNoComplaints, mount } from './react-page.ts'

describe.each(REACT_VERSIONS)('Fast Refresh of React %s', (version) => {
  const react = setUpReact(version)
  let refresh: FastRefresh
  beforeAll(() => {
    Reflect.deleteProperty(globalThis, '__REACT_DEVTOOLS_GLOBAL_HOOK__')
    refresh = react.load('react-refresh/runtime')
    refresh.injectIntoGlobalHook(globalThis)
  })
  expectNoComplaints()

  let network: PageNetwork
  const agents = new Set<Waymark | undefined>()
  let agentModuleRuns = 0
  beforeEach(() => {
    network = stubPageNetwork()
    agents.clear()
    agentModuleRuns = 0
  })
  afterEach(async () => {
    for (const agent of agents) await agent?.shutdown(1_000)
    localStorage.clear()
    vi.unstubAllGlobals()
  })

  /** Starts the agent as a module of the app does, which is run again when it is edited. */
  const runAgentModule = (): Waymark => {
    const agent = init(`fast refresh ${version}`, {
      host: 'https://waymark.test',
      bootstrap: { featureFlags: { hero: 'bold' } },
      capturePageview: false,
      preloadFeatureFlags: false,
      disableCompression: true,
    })
    agents.add(agent)
    agentModuleRuns++
    return agent
  }

  it('keeps the value of a flag in an edited component, and makes no second agent', async () => {
    const { act, createElement, useState } = react.React
    const { useFeatureFlag, useWaymark, WaymarkProvider } = react.waymark
    const shown: string[] = []
    /** Runs the module of a component, with `title` as the edited text. */
    const runHeroModule = (title: string): FunctionComponent => {
      const Hero = () => {
        agents.add(useWaymark())
        shown.push(`${title} ${String(useFeatureFlag('hero'))}`)
        return shown.at(-1)
      }
      refresh.register(Hero, 'Hero')
      return Hero
    }
    /** Runs the module of the root, which creates the agent in a state, as the README shows for Next.js. Other `hooks` are another state. */
    const runRootModule = (Hero: FunctionComponent, hooks: string): FunctionComponent => {
      const Root = () => {
        const [waymark] = useState(() => runAgentModule())
        return createElement(WaymarkProvider, { client: waymark }, createElement(Hero))
      }
      refresh.register(Root, 'Root')
      refresh.setSignature(Root, hooks)
      return Root
    }

    const Hero = runHeroModule('Hello')
    const { container, unmount } = await mount(react, createElement(runRootModule(Hero, 'useState')))
    await act(async () => {
      runHeroModule('Welcome')
      refresh.performReactRefresh()
    })
    expect(container.textContent).toBe('Welcome bold')
    expect(agentModuleRuns).toBe(1)
    // The root gets a new state, and calls `init` once more.
    await act(async () => {
      runRootModule(Hero, 'useState edited')
      refresh.performReactRefresh()
    })
    expect(container.textContent).toBe('Welcome bold')
    expect(new Set(shown)).toEqual(new Set(['Hello bold', 'Welcome bold']))
    expect([agentModuleRuns, agents.size]).toEqual([2, 1])
    const [agent] = agents
    await agent!.flush()
    expect(network.events().map(({ event }) => event)).toEqual(['$feature_flag_called'])
    await unmount()
  })
})
