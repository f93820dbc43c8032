import { describe, expect, it } from 'vitest'
import type { Options } from '../../src/entry/index.ts'
import { createAgentHarness } from '../support/agent-harness.ts'
import type { AgentPage, AgentHarness } from '../support/agent-harness.ts'

const captureEvents = (page: AgentPage, count: number) => {
  for (let index = 0; index < count; index++) page.agent.capture(`event ${index}`)
}
const batchSizes = ({ service }: AgentHarness) => service.batches.map(({ batch }) => batch.length)

/** Captures three events without a flush and waits a second; each option changes what the service receives. */
const captureThree = async (options: Options, waitMs = 1_000): Promise<AgentHarness> => {
  const harness = createAgentHarness()
  const page = harness.open({ preloadFeatureFlags: false, ...options })
  await harness.waitUntilIdle()
  captureEvents(page, 3)
  await harness.clock.advance(waitMs)
  return harness
}

describe('the option', () => {
  it('flushAt delivers as soon as this many events are waiting', async () => {
    expect(batchSizes(await captureThree({}))).toEqual([])
    expect(batchSizes(await captureThree({ flushAt: 3 }))).toEqual([3])
  })

  it('flushInterval delivers after that time', async () => {
    expect(batchSizes(await captureThree({ flushInterval: 1_001 }))).toEqual([])
    expect(batchSizes(await captureThree({ flushInterval: 1_000 }))).toEqual([3])
  })

  it('maxBatchSize limits a request', async () => {
    expect(batchSizes(await captureThree({ flushAt: 3, maxBatchSize: 2 }))).toEqual([2, 1])
  })

  it('maxQueueSize limits the queue and drops the oldest events', async () => {
    const dropped: string[] = []
    const options: Options = {
      flushAt: 1,
      maxQueueSize: 2,
      onDrop: ({ event }, reason) => dropped.push(`${event}: ${reason}`),
    }
    const harness = createAgentHarness()
    harness.service.reply = () => ({ status: 503 })
    const page = harness.open(options)
    await harness.waitUntilIdle()
    captureEvents(page, 3)
    await harness.clock.advance(5_000)
    expect(dropped).toEqual(['event 0: queue_overflow'])
  })

  it('historicalMigration marks each batch', async () => {
    const migrationMarks = async (options: Options) =>
      (await captureThree({ flushAt: 3, ...options })).service.batches.map(({ historical_migration: mark }) => mark)
    expect(await migrationMarks({})).toEqual([undefined])
    expect(await migrationMarks({ historicalMigration: true })).toEqual([true])
  })

  it('onSend is called for each request', async () => {
    const reports: unknown[] = []
    await captureThree({ flushAt: 3, onSend: ({ url, status, events }) => reports.push([url, status, events]) })
    expect(reports).toEqual([['https://waymark.test/batch/', 200, 3]])
  })

  it('requestTimeout applies to each request', async () => {
    const harness = await captureThree({ flushAt: 3, requestTimeout: 7_000 })
    expect(harness.service.requests.map(({ timeoutMs }) => timeoutMs)).toEqual([7_000])
  })

  it('fetchRetryDelay delays the first retry, half of it at random', async () => {
    const harness = createAgentHarness()
    harness.service.reply = () => ({ status: 503 })
    const page = harness.open({ flushAt: 1, fetchRetryDelay: 400 })
    await harness.waitUntilIdle()
    captureEvents(page, 1)
    await harness.clock.advance(299)
    expect(harness.service.requests).toHaveLength(1)
    await harness.clock.advance(1)
    expect(harness.service.requests).toHaveLength(2)
  })

  it.each([0, 2])('fetchRetryCount: %i limits the retries that flush() waits for', async (fetchRetryCount) => {
    const harness = createAgentHarness()
    harness.service.reply = () => ({ status: 503 })
    const page = harness.open({ fetchRetryDelay: 100, fetchRetryCount })
    await harness.waitUntilIdle()
    captureEvents(page, 1)
    let requestsAtEnd: number | undefined
    void page.agent.flush().then(() => (requestsAtEnd = harness.service.requests.length))
    await harness.clock.advance(5_000)
    expect(requestsAtEnd).toBe(fetchRetryCount + 1)
  })
})
