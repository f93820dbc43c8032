import { expect, it } from 'vitest'
import { createCurrentDefinitions } from '../../../../src/flags/node/definitions/current-definitions.ts'
import { createResultHandler } from '../../../../src/flags/node/definitions/result-handler.ts'
import type { ResultHandler } from '../../../../src/flags/node/definitions/result-handler.ts'
import type { LoadResult } from '../../../../src/flags/node/definitions/classify-definitions-response.ts'
import { parseDefinitions } from '../../../../src/flags/node/definitions/classify-definitions-response.ts'
import { manualClock } from '../../../support/manual-clock.ts'
import { definitionsOf } from './loader-fixture.ts'

const INTERVAL_MS = 30_000
const FAILED: LoadResult = { kind: 'failed', reason: 'status 500' }
const REFUSED: LoadResult = { kind: 'refused', reason: 'status 401' }
const NOT_MODIFIED: LoadResult = { kind: 'not_modified', etag: '"2"' }

const handlerFixture = () => {
  const clock = manualClock()
  const definitions = createCurrentDefinitions(clock, () => {})
  const warnings: unknown[] = []
  const calls = { quotaExceeded: 0 }
  const logger = { warn: (message: unknown) => warnings.push(message), debug() {} }
  const results = createResultHandler(definitions, INTERVAL_MS, logger, () => calls.quotaExceeded++)
  const use = async (...keys: readonly string[]): Promise<void> => {
    const applied = results.apply(parseDefinitions(JSON.stringify(definitionsOf(...keys)), '"1"'))
    await clock.advance(0)
    await applied
  }
  return { definitions, warnings, calls, results, use }
}

const stateOf = (results: ResultHandler) => ({
  nextDelayMs: results.nextDelayMs(),
  hasLastLoadSucceeded: results.hasLastLoadSucceeded(),
  canLoadAtOnce: results.canLoadAtOnce(),
  isRefused: results.isRefused(),
})

it('takes loaded definitions into use, and the tag of a 304', async () => {
  const { definitions, results, use } = handlerFixture()
  await use('a')
  expect(definitions.current()?.definitions.flags[0]!.key).toBe('a')
  await results.apply(NOT_MODIFIED)
  expect(definitions.latest()?.etag).toBe('"2"')
  expect(stateOf(results)).toEqual({
    nextDelayMs: INTERVAL_MS,
    hasLastLoadSucceeded: true,
    canLoadAtOnce: true,
    isRefused: false,
  })
})

it('keeps the definitions after a failure and a refusal, and removes them when the quota is exceeded', async () => {
  const { definitions, calls, results, use } = handlerFixture()
  await use('a')
  await results.apply(FAILED)
  await results.apply(REFUSED)
  expect([definitions.current() !== undefined, calls.quotaExceeded]).toEqual([true, 0])
  await results.apply({ kind: 'quota_exceeded', reason: 'status 402' })
  expect([definitions.current(), calls.quotaExceeded, results.isRefused()]).toEqual([undefined, 1, true])
})

it('warns once of each reason until a load succeeds', async () => {
  const { warnings, results } = handlerFixture()
  for (const result of [FAILED, FAILED, REFUSED, NOT_MODIFIED, REFUSED]) await results.apply(result)
  expect(warnings).toEqual([
    'flag definitions not loaded: status 500',
    'flag definitions not loaded: status 401',
    'flag definitions not loaded: status 401',
  ])
})

it('allows a load at once after a stream, but does not call the failed load a success', async () => {
  const { results } = handlerFixture()
  await results.apply(FAILED)
  results.streamIsLive()
  expect(stateOf(results)).toEqual({
    nextDelayMs: INTERVAL_MS,
    hasLastLoadSucceeded: false,
    canLoadAtOnce: true,
    isRefused: false,
  })
})

it('warns once of a reason although streams are live between the failed loads', async () => {
  const { warnings, results } = handlerFixture()
  for (let loads = 0; loads < 3; loads++) {
    await results.apply(FAILED)
    results.streamIsLive()
  }
  expect(warnings).toHaveLength(1)
})

it('ends the back-off of refusals when a stream is live', async () => {
  const { results } = handlerFixture()
  await results.apply(REFUSED)
  expect([results.nextDelayMs(), results.isRefused()]).toEqual([60_000, true])
  results.streamIsLive()
  expect([results.nextDelayMs(), results.isRefused()]).toEqual([INTERVAL_MS, false])
})

it('respects Retry-After although a stream has been live since', async () => {
  const { results } = handlerFixture()
  await results.apply(REFUSED, 100_000)
  results.streamIsLive()
  expect([results.nextDelayMs(), results.canLoadAtOnce()]).toEqual([100_000, false])
})
