import { expect, it } from 'vitest'
import { createIdleAgent } from '../../../src/agent/node/idle-agent.ts'
import { createSafeVerbs } from '../../../src/agent/node/safe-verbs.ts'
import type { Waymark } from '../../../src/agent/node/waymark.ts'
import { createRequestContexts } from '../../../src/platform/web/request-contexts.ts'

const open = (verbs: Partial<Waymark>) => {
  const warnings: unknown[][] = []
  const idle = createIdleAgent(createRequestContexts())
  const logger = { warn: (...message: unknown[]) => void warnings.push(message), debug: () => undefined }
  return { safe: createSafeVerbs({ ...idle, ...verbs }, idle, logger), warnings }
}
const failure = new Error('inside')
const fail = (): never => {
  throw failure
}

it('turns an exception into a warning that names the method', () => {
  const { safe, warnings } = open({ identify: fail, isOptedOut: fail })
  expect(safe.identify({ distinctId: 'a' })).toBeUndefined()
  expect(safe.isOptedOut()).toBe(true)
  expect(warnings).toEqual([
    ['identify() failed:', failure],
    ['isOptedOut() failed:', failure],
  ])
})

it("never rejects: promises resolve with the idle agent's result", async () => {
  const { safe, warnings } = open({ flush: fail, getFeatureFlags: fail, isFeatureEnabled: async () => fail() })
  await expect(safe.flush()).resolves.toBeUndefined()
  await expect(safe.getFeatureFlags('a')).resolves.toEqual({})
  await expect(safe.isFeatureEnabled('beta', 'a', { defaultValue: true })).resolves.toBe(true)
  expect(warnings.map(([message]) => message)).toEqual([
    'flush() failed:',
    'getFeatureFlags() failed:',
    'isFeatureEnabled() failed:',
  ])
})

it('turns null arguments into undefined, and keeps all others', () => {
  const calls: unknown[][] = []
  const { safe } = open({ overrideFeatureFlags: (...args) => void calls.push(args) })
  safe.overrideFeatureFlags(null as never, { beta: 0 })
  expect(calls).toEqual([[undefined, { beta: 0 }]])
})

it('does not catch exceptions of the task of withContext', () => {
  const { safe, warnings } = open({})
  expect(() => safe.withContext({}, fail)).toThrow(failure)
  expect(warnings).toEqual([])
})
