import { expect, it } from 'vitest'
import { createPipelineHarness } from '../support/pipeline-harness.ts'
import type { PipelineHarness, Tab, TabOptions } from '../support/pipeline-harness.ts'

interface LatePage {
  readonly harness: PipelineHarness
  readonly tab: Tab
  /** The page rests; the code of the delivery comes, unless it is blocked. */
  rest(): Promise<void>
}

const openLatePage = (isBlocked = false, options: TabOptions = {}, harness = createPipelineHarness()): LatePage => {
  let begin = (): void => {}
  const tab = harness.open({
    ...options,
    late: {
      async whenLoaded() {
        if (isBlocked) throw new TypeError('blocked')
      },
      whenAtRest(task) {
        begin = task
        return () => (begin = () => {})
      },
    },
  })
  return {
    harness,
    tab,
    async rest() {
      begin()
      await harness.waitUntilIdle()
    },
  }
}

it('stores events before their delivery has come, and then sends them in order, each once', async () => {
  const { harness, tab, rest } = openLatePage()
  tab.capture('a', 'b')
  await harness.waitUntilIdle()
  expect(await harness.storedEventNames()).toEqual(['a', 'b'])
  expect(tab.pipeline.getStatus().waitingEvents).toBe(2)
  await rest()
  tab.capture('c')
  await harness.clock.advance(3_000)
  expect(harness.service.events().map(({ event }) => event)).toEqual(['a', 'b', 'c'])
  expect(tab.pipeline.getStatus().waitingEvents).toBe(0)
})

it('hands the events of a hidden page to the browser, and does not send them again at once when the delivery comes', async () => {
  const { harness, tab } = openLatePage()
  tab.capture('a', 'b')
  tab.lifecycle.hide()
  await harness.clock.advance(10_000)
  expect(harness.service.events().map(({ event }) => event)).toEqual(['a', 'b'])
  tab.kill()
})

it('keeps the limit of the queue although no delivery comes, and reports what it drops', async () => {
  const { harness, tab, rest } = openLatePage(true, { maxQueueSize: 3 })
  tab.capture('a', 'b', 'c', 'd', 'e')
  await harness.waitUntilIdle()
  await rest()
  expect(tab.dropped.map(({ event, reason }) => [event.event, reason])).toEqual([
    ['a', 'queue_overflow'],
    ['b', 'queue_overflow'],
  ])
  expect(await harness.storedEventNames()).toEqual(['c', 'd', 'e'])
})

it('hears, when its delivery comes, that the user has opted out in another tab', async () => {
  const { harness, tab, rest } = openLatePage()
  tab.capture('a')
  await harness.waitUntilIdle()
  const other = harness.open()
  await harness.waitUntilIdle()
  other.pipeline.state.change((state) => ({ ...state, isOptedOut: true }), true)
  await harness.waitUntilIdle()
  await rest()
  expect(tab.pipeline.state.current().isOptedOut).toBe(true)
})

it('tells other tabs, when its delivery comes, what has changed before', async () => {
  const harness = createPipelineHarness()
  const other = harness.open()
  await harness.waitUntilIdle()
  const { tab, rest } = openLatePage(false, {}, harness)
  tab.capture('a')
  await harness.waitUntilIdle()
  tab.pipeline.state.change((state) => ({ ...state, superProperties: { plan: 'pro' } }))
  await rest()
  expect(other.pipeline.state.current().superProperties).toEqual({ plan: 'pro' })
})
