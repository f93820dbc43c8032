import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/wire/json.ts'
import { readEventPages } from '../../../../src/service/export/table/event-pages.ts'

interface Event {
  readonly uuid: string
  readonly time: number
}

const isoOf = (time: number): string => new Date(time).toISOString()

/** Answers queries of events as the service does, from a list that grows. */
const createLog = (events: readonly Event[]) => {
  const log = [...events]
  return {
    log,
    ask: ({ select, before, offset, limit }: JsonObject) => {
      const end = typeof before === 'string' ? Date.parse(before) : Infinity
      const rows = log
        .filter(({ time }) => time < end)
        .toSorted((a, b) => b.time - a.time || b.uuid.localeCompare(a.uuid))
        .slice(Number(offset), Number(offset) + Number(limit))
        .map(({ uuid, time }) => (select as string[]).map((name) => (name === 'timestamp' ? isoOf(time) : uuid)))
      const count = log.filter(({ time }) => time < end).length
      return Promise.resolve({ columns: [], results: rows, hasMore: Number(offset) + Number(limit) < count })
    },
  }
}

test('each event that is there is read once, also while others arrive', async () => {
  const event = fc.record({ uuid: fc.uuid(), time: fc.nat({ max: 3 }) })
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(event, { selector: ({ uuid }) => uuid, minLength: 900, maxLength: 1600 }),
      fc.array(event, { maxLength: 20 }),
      async (events, arriving) => {
        const { log, ask } = createLog(events)
        const read: unknown[] = []
        for await (const { results } of readEventPages({ select: ['uuid'] }, ask)) {
          read.push(...results.map(([uuid]) => uuid))
          const next = arriving.pop()
          if (next) log.push(next)
        }
        expect(read).toEqual(expect.arrayContaining(events.map(({ uuid }) => uuid)))
        expect(new Set(read).size).toBe(read.length)
      },
    ),
    { numRuns: 20 },
  )
})

test('no more are read than the query wants', async () => {
  const { ask } = createLog(Array.from({ length: 1500 }, (_, index) => ({ uuid: String(index), time: 0 })))
  let count = 0
  for await (const { results } of readEventPages({ select: ['uuid'], limit: 1234 }, ask)) count += results.length
  expect(count).toBe(1234)
})
