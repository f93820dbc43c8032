import { expect, it } from 'vitest'
import { idleAgent } from '../../../src/agent/node/idle-agent.ts'
import { safeVerbs } from '../../../src/agent/node/safe-verbs.ts'
import type { Waymark } from '../../../src/agent/node/waymark.ts'
import { createRequestContexts } from '../../../src/platform/edge/request-contexts.ts'

const open = (verbs: Partial<Waymark>) => {
  const warnings: unknown[][] = []
  const idle = idleAgent(createRequestContexts())
  const logger = { warn: (...message: unknown[]) => void warnings.push(message), debug: () => undefined }
  return { safe: safeVerbs({ ...idle, ...verbs }, idle, logger), warnings }
}
const failure = new Error('inside')
const fail = (): never => {
  throw failure
}

it('turn an exception into a warning that names the verb', () => {
  const { safe, warnings } = open({ identify: fail, isOptedOut: fail })
  expect(safe.identify({ distinctId: 'a' })).toBeUndefined()
  expect(safe.isOptedOut()).toBe(true)
  expect(warnings).toEqual([
    ['identify() failed:', failure],
    ['isOptedOut() failed:', failure],
  ])
})

it('never reject: what was to be a promise is one, with the answer that nobody would get', async () => {
  const { safe, warnings } = open({ flush: fail, getFeatureFlags: fail, isFeatureEnabled: async () => fail() })
  await expect(safe.flush()).resolves.toBeUndefined()
  await expect(safe.getFeatureFlags('a')).resolves.toEqual({})
  await expect(safe.isFeatureEnabled('beta', 'a', { defaultValue: true })).resolves.toBe(true)
  expect(warnings.map(([text]) => text)).toEqual([
    'flush() failed:',
    'getFeatureFlags() failed:',
    'isFeatureEnabled() failed:',
  ])
})

it('take null as not given, and leave every other argument as it is', () => {
  const seen: unknown[][] = []
  const { safe } = open({ overrideFeatureFlags: (...args) => void seen.push(args) })
  safe.overrideFeatureFlags(null as never, { beta: 0 })
  expect(seen).toEqual([[undefined, { beta: 0 }]])
})

it("let through what the task of withContext throws: it is the caller's own", () => {
  const { safe, warnings } = open({})
  expect(() => safe.withContext({}, fail)).toThrow(failure)
  expect(warnings).toEqual([])
})
