import { expect, it } from 'vitest'
import { fieldTable } from './field-table.mjs'

const agent = (name: string, overrides: object = {}): object => ({
  name,
  version: '1.0.0',
  start: { initMs: 10, mainThreadMs: 100 },
  window: {
    scriptGzip: 10_000,
    allScriptsGzip: 12_000,
    scripts: 2,
    startMainThreadMs: 40,
    mainThreadMs: 50,
    allThreadsMs: 80,
  },
  longestTask: { namedMs: 8, functionsMs: 9.9 },
  firstFlags: { firstFlagsMs: 20 },
  ...overrides,
})
const captures = (bytesPerEvent: number, longTasks: number): object => ({
  steady: { captureMeanMicroseconds: 10, captureP99Microseconds: 100, bytesPerEvent, requests: 10 },
  burst: {
    captured: 5000,
    delivered: 5000,
    deliveredTwice: 0,
    longTasks,
    captureMeanMicroseconds: 10,
    captureP99Microseconds: 100,
  },
})
const atTheGoals = {
  start: { initMs: 6, mainThreadMs: 70 },
  window: {
    scriptGzip: 6500,
    allScriptsGzip: 20_500,
    scripts: 3,
    startMainThreadMs: 60,
    mainThreadMs: 80,
    allThreadsMs: 90,
  },
  firstTransaction: { coldMs: 100, warmMs: 50 },
  ...captures(30, 0),
  oneTask: { longTasks: 1, longestTaskMs: 100 },
}
const tableOf = (ours: object): string[] =>
  fieldTable({
    chromium: '1.0',
    loadAverage: { before: 1, after: 2.5 },
    agents: [
      { ...agent('empty page', { firstFlags: undefined, longestTask: undefined }), version: undefined },
      agent('waymark', { ...atTheGoals, ...ours }),
      agent('waymark, `script-capture.js`'),
      agent('posthog-js-lite', captures(60, 3)),
      agent('posthog-js-lite 3.4', captures(60, 3)),
      agent('Amplitude', {
        ...captures(600, 0),
        steady: { captureMeanMicroseconds: 7.7, captureP99Microseconds: 67, bytesPerEvent: 600, requests: 10 },
      }),
    ],
  }).split('\n')
const findUnmet = (lines: string[]): string[] => lines.filter((line) => line.endsWith('**not met**'))

it('meets each goal at its limit', () => {
  const lines = tableOf({})
  expect(findUnmet(lines)).toEqual([])
  expect(lines.filter((line) => line.endsWith('**met**'))).toHaveLength(15)
})

it('misses each goal beyond its limit', () => {
  const unmet = findUnmet(
    tableOf({
      start: { initMs: 6.1, mainThreadMs: 101 },
      window: {
        scriptGzip: 6501,
        allScriptsGzip: 20_501,
        scripts: 3,
        startMainThreadMs: 60,
        mainThreadMs: 81,
        allThreadsMs: 90,
      },
      longestTask: { namedMs: 8, functionsMs: 10 },
      firstFlags: { firstFlagsMs: 200 },
      firstTransaction: { coldMs: 100, warmMs: 50.1 },
      ...captures(31, 1),
      steady: { captureMeanMicroseconds: 11, captureP99Microseconds: 101, bytesPerEvent: 31, requests: 10 },
      oneTask: { longTasks: 2, longestTaskMs: 60 },
    }),
  )
  // All but that of `script-capture.js`.
  expect(unmet).toHaveLength(14)
})

it('tells the figures behind a ratio', () => {
  expect(tableOf({})).toContain(
    '- main thread, 7 s: 80.0 ms beside 50.0 ms of posthog-js-lite, 1.60; goal ≤ 1.6: **met**',
  )
})

it('shows the ratio of other figures to ours, and a dash for what was not measured', () => {
  const lines = tableOf({})
  expect(lines.find((line) => line.startsWith('| posthog-js-lite 1.0.0 | 10.0 |'))).toContain('| 100 (1.4x) |')
  expect(lines.find((line) => line.startsWith('| empty page |'))).toContain('| – |')
})

it('shows figures of events only for agents that have them', () => {
  const events = tableOf({}).slice(tableOf({}).findIndex((line) => line.startsWith('| events')))
  expect(events.filter((line) => line.startsWith('| waymark'))).toHaveLength(1)
  expect(events.some((line) => line.startsWith('| empty page'))).toBe(false)
})
