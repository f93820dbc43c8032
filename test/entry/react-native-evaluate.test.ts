import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { init as initWithoutEvaluation } from '../../src/entry/react-native.ts'
import { init } from '../../src/entry/react-native-evaluate.ts'
import type { ReactNativeEvaluateOptions } from '../../src/entry/react-native-evaluate.ts'
import { getRunningAgents } from '../../src/entry/running-agents.ts'
import { createAppDisk } from '../support/app-disk.ts'
import { byProperty, flag } from '../flags/local-page.ts'

beforeEach(() => void vi.spyOn(console, 'warn').mockReturnValue())
afterEach(() => {
  getRunningAgents().clear()
  vi.restoreAllMocks()
})

const DEFINITIONS = { flags: [flag('on'), byProperty('by-plan', 'plan', 'pro')] }

/** Starts an agent over a storage that answers at once. */
const start = (options: Partial<ReactNativeEvaluateOptions> = {}, respond: (url: string) => unknown = () => ({})) => {
  const { storage } = createAppDisk(true, false)
  const requests: { readonly url: string; readonly body: Record<string, unknown> | undefined }[] = []
  const agent = init('key', {
    host: 'https://waymark.test',
    storage,
    captureLifecycle: false,
    preloadFeatureFlags: false,
    async fetch(url, request) {
      const body = request?.body
      const json = typeof body === 'string' ? (JSON.parse(body) as Record<string, unknown>) : undefined
      requests.push({ url: url as string, body: json })
      return Response.json(respond(url as string))
    },
    ...options,
  })
  const askedKeys = (): unknown[] =>
    requests.filter(({ url }) => url.includes('/decide/')).map(({ body }) => body?.['flag_keys_to_evaluate'])
  return { agent, requests, askedKeys }
}

it('evaluates the definitions of the app before any request, and again with each property', () => {
  const { agent, requests } = start({ bootstrap: { definitions: DEFINITIONS } })
  expect([agent.getFeatureFlag('on'), agent.getFeatureFlag('by-plan')]).toEqual([true, undefined])
  agent.setPersonPropertiesForFlags({ plan: 'pro' }, false)
  expect(agent.getFeatureFlag('by-plan')).toBe(true)
  expect(requests).toEqual([])
})

it('asks the service only for the flags that the definitions leave open', async () => {
  const { agent, askedKeys } = start({ bootstrap: { definitions: DEFINITIONS } }, () => ({
    featureFlags: { 'by-plan': true },
    featureFlagPayloads: {},
  }))
  await agent.reloadFeatureFlags()
  expect(askedKeys()).toEqual([['by-plan']])
  expect([agent.getFeatureFlag('on'), agent.getFeatureFlag('by-plan')]).toEqual([true, true])
})

it('loads newer definitions from their URL', async () => {
  const { agent, requests, askedKeys } = start({ definitionsUrl: 'https://app.test/flags.json' }, () => ({
    flags: [flag('new')],
  }))
  expect(agent.getFeatureFlag('new')).toBeUndefined()
  await agent.reloadFeatureFlags()
  expect(agent.getFeatureFlag('new')).toBe(true)
  expect([requests[0]?.url, askedKeys()]).toEqual(['https://app.test/flags.json', []])
})

it('knows its own options, which `waymark/react-native` does not', async () => {
  start({ bootstrap: { definitions: DEFINITIONS }, partialDefinitions: true })
  getRunningAgents().clear()
  await new Promise(setImmediate)
  expect(console.warn).not.toHaveBeenCalled()
  const { storage } = createAppDisk(true, false)
  initWithoutEvaluation('key', { host: 'https://waymark.test', storage, definitionsUrl: '/flags.json' } as never)
  await expect.poll(() => console.warn).toHaveBeenCalled()
  expect(vi.mocked(console.warn).mock.calls.join()).toContain('definitionsUrl')
})

it('warns without options, as JavaScript callers may, and throws nothing', () => {
  expect(() => init('key', undefined as never).getFeatureFlag('on')).not.toThrow()
})
