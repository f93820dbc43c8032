import type { ReactNode } from 'react'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import { createAgentHarness } from '../support/agent-harness.ts'
import type { AgentHarness, AgentPage } from '../support/agent-harness.ts'
import type { Options } from '../../src/agent/options.ts'
import type { ReactFixture, Root } from './load-react.ts'

/** A part of the page that React renders. */
export interface Mounted {
  readonly container: HTMLElement
  render(node: ReactNode): Promise<void>
  unmount(): Promise<void>
}

/** Renders into a new element of the page, and lets effects run. */
export const mount = async ({ React: { act }, load }: ReactFixture, node: ReactNode): Promise<Mounted> => {
  const container = appendContainer('')
  const mounted = control(container, act, load('react-dom/client').createRoot(container))
  await mounted.render(node)
  return mounted
}

/** Takes over the HTML that a server has rendered. */
export const hydrate = async (
  { React: { act }, load }: ReactFixture,
  html: string,
  node: ReactNode,
): Promise<Mounted> => {
  const container = appendContainer(html)
  let root: Root
  await act(async () => {
    root = load('react-dom/client').hydrateRoot(container, node)
  })
  return control(container, act, root!)
}

const appendContainer = (html: string): HTMLElement => {
  const container = document.createElement('div')
  container.innerHTML = html
  document.body.append(container)
  return container
}

const control = (container: HTMLElement, act: ReactFixture['React']['act'], root: Root): Mounted => ({
  container,
  render: (node) => act(async () => root.render(node)),
  async unmount() {
    await act(async () => root.unmount())
    container.remove()
  },
})

/** The flags of a service, and the agent of one page that reads them. */
export interface FlagPage extends AgentPage {
  /** Changes the service's flags and payloads (as JSON strings), and loads them. */
  load(flags: AgentHarness['flags'], payloads?: Readonly<Record<string, string>>): Promise<void>
  /** Returns flag and value of each `$feature_flag_called` since the last call. */
  reportedReads(): Promise<unknown[]>
}

/** Opens a page whose agent loads flags only on demand. */
export const openFlagPage = ({ React }: ReactFixture, bootstrap: Options['bootstrap'] = {}): FlagPage => {
  const harness = createAgentHarness()
  const page = harness.open({ preloadFeatureFlags: false, bootstrap })
  return Object.assign(page, {
    load(flags: AgentHarness['flags'], featureFlagPayloads: Readonly<Record<string, string>> = {}) {
      harness.flags = flags
      harness.extraFlagResponse = { featureFlagPayloads }
      return React.act(async () => {
        const reload = page.agent.reloadFeatureFlags()
        await harness.waitUntilIdle()
        await reload
      })
    },
    async reportedReads() {
      const events = await harness.deliver(page)
      return events
        .filter(({ event }) => event === '$feature_flag_called')
        .map(({ properties }) => [properties['$feature_flag'], properties['$feature_flag_response']])
    },
  })
}

/** Fails tests in which React complains: about hydration, an update outside of `act`, or a snapshot that is not cached. */
export const expectNoComplaints = (): void => {
  beforeEach(() => void vi.spyOn(console, 'error').mockReturnValue())
  afterEach(() => {
    const complaints = vi.mocked(console.error).mock.calls
    vi.restoreAllMocks()
    expect(complaints).toEqual([])
  })
}
