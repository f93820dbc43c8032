import { expect, it } from 'vitest'
import { resolveNodeOptions } from '../../../src/agent/node/options.ts'
import type { NodeAgentOptions, NodeAgentSettings } from '../../../src/agent/node/options.ts'

const resolve = (options: NodeAgentOptions, warnings: string[] = []): NodeAgentSettings =>
  resolveNodeOptions(options, (message) => warnings.push(message))

it('fills in the documented defaults', () => {
  expect(resolve({})).toEqual({
    flushAt: 100,
    flushInterval: 3_000,
    maxBatchSize: 1_000,
    maxQueueSize: 250_000,
    maxQueueBytes: 100_663_296,
    fetchRetryCount: 3,
    fetchRetryDelay: 3_000,
    requestTimeout: 10_000,
    featureFlagsPollingInterval: 30_000,
    featureFlagsRequestTimeoutMs: 3_000,
    featureFlagsRequestMaxRetries: 1,
    maxFlagCalledEntries: 50_000,
  })
})

it('limits numbers to their bounds and rounds them down', () => {
  const low: NodeAgentOptions = {
    flushAt: 0,
    flushInterval: 1,
    maxBatchSize: -1,
    maxQueueBytes: 1,
    fetchRetryCount: -1,
    fetchRetryDelay: 0,
    requestTimeout: 0,
    featureFlagsPollingInterval: 1,
    featureFlagsRequestTimeoutMs: 1,
    featureFlagsRequestMaxRetries: -1,
    maxFlagCalledEntries: 0,
  }
  expect(resolve(low)).toMatchObject({
    flushAt: 1,
    flushInterval: 100,
    maxBatchSize: 1,
    maxQueueBytes: 65_536,
    fetchRetryCount: 0,
    fetchRetryDelay: 100,
    requestTimeout: 100,
    featureFlagsPollingInterval: 100,
    featureFlagsRequestTimeoutMs: 100,
    featureFlagsRequestMaxRetries: 0,
    maxFlagCalledEntries: 1,
  })
  expect(resolve({ flushAt: 20.7, featureFlagsRequestMaxRetries: 1_000 })).toMatchObject({
    flushAt: 20,
    featureFlagsRequestMaxRetries: 10,
  })
})

it('uses the default for a value that is not a number', () => {
  const odd = { flushAt: '5', maxQueueSize: NaN, requestTimeout: null, featureFlagsPollingInterval: 'often' }
  expect(resolve(odd as never)).toMatchObject({
    flushAt: 100,
    maxQueueSize: 250_000,
    requestTimeout: 10_000,
    featureFlagsPollingInterval: 30_000,
  })
})

it('keeps a polling interval of null', () => {
  expect(resolve({ featureFlagsPollingInterval: null }).featureFlagsPollingInterval).toBeNull()
})

it('raises maxQueueSize to flushAt, with a warning', () => {
  const warnings: string[] = []
  expect(resolve({ flushAt: 50, maxQueueSize: 10 }, warnings).maxQueueSize).toBe(50)
  expect(warnings).toEqual(['maxQueueSize: 10 replaced by 50'])
})

it('keeps all other options unchanged', () => {
  const onDrop = (): void => undefined
  expect(resolve({ host: 'https://a.test', onDrop, flagsApi: 'flags' })).toMatchObject({
    host: 'https://a.test',
    onDrop,
    flagsApi: 'flags',
  })
})
