import { expect, it } from 'vitest'
import { createMemoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import { createDecideResponse, createFixture } from './flags-fixture.ts'

/** A page that rests when the test says so. */
const createPage = () => {
  const tasks = new Set<() => void>()
  return {
    rest: () => tasks.forEach((task) => task()),
    whenAtRest(task: () => void) {
      tasks.add(task)
      return () => void tasks.delete(task)
    },
  }
}

it('loads at once on a first visit, because nothing is known', async () => {
  const { flags, clock, requests } = createFixture({}, createPage())
  flags.start()
  await clock.advance(0)
  expect(requests).toHaveLength(1)
})

it('reads stored flags at once, and loads them again when the page rests', async () => {
  const storage = createMemoryKeyValue()
  const first = createFixture({}, { storage })
  first.respond = () => createDecideResponse({ beta: true })
  first.flags.start()
  await first.clock.advance(0)

  const page = createPage()
  const next = createFixture({}, { storage, whenAtRest: page.whenAtRest })
  next.flags.start()
  await next.clock.advance(10_000)
  expect(next.flags.verbs.getFeatureFlag('beta')).toBe(true)
  expect(next.requests).toHaveLength(0)
  page.rest()
  await next.clock.advance(0)
  expect(next.requests).toHaveLength(1)
})

it('loads bootstrapped flags when the page rests, unless a call has loaded them by then', async () => {
  const page = createPage()
  const { flags, clock, requests } = createFixture({ bootstrap: { featureFlags: { beta: true } } }, page)
  flags.start()
  await clock.advance(0)
  expect(requests).toHaveLength(0)
  await flags.verbs.reloadFeatureFlags()
  page.rest()
  await clock.advance(0)
  expect(requests).toHaveLength(1)
})

it('loads nothing after its end', async () => {
  const page = createPage()
  const { flags, clock, requests } = createFixture({ bootstrap: { featureFlags: { beta: true } } }, page)
  flags.start()()
  page.rest()
  await clock.advance(0)
  expect(requests).toHaveLength(0)
})
