import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { openPersonsTestBed } from './persons-test-bed.ts'

/** One generated event; distinct ids are letters. */
interface GeneratedEvent {
  readonly event: '$set' | '$identify' | '$create_alias' | 'anonymous'
  readonly id: string
  readonly other: string
  readonly changes: object
  /** Milliseconds; many events have the same time. */
  readonly at: number
}

const id = fc.constantFrom('a', 'b', 'c', 'd')
const properties = fc.dictionary(
  fc.constantFrom('p', 'q', 'r'),
  fc.constantFrom(1, null, 'text', [1, { deep: null }]),
  {
    maxKeys: 2,
  },
)
const generatedEvent: fc.Arbitrary<GeneratedEvent> = fc.record({
  event: fc.constantFrom('$set', '$set', '$identify', '$identify', '$create_alias', '$create_alias', 'anonymous'),
  id,
  other: id,
  changes: fc.record(
    { $set: properties, $set_once: properties, $unset: fc.subarray(['p', 'q'], { maxLength: 1 }) },
    { requiredKeys: ['$set'] },
  ),
  at: fc.nat(3),
})

const START = Date.UTC(2026, 4, 1)
/** Converts generated events to events to send, whose distinct ids begin with `prefix`. */
const createEvents = (list: readonly GeneratedEvent[], prefix: string, run: number): unknown[] =>
  list.map(({ event, id, other, changes, at }, n) => {
    const [time, counter] = [run.toString(16).padStart(12, '0'), n.toString(16).padStart(3, '0')]
    const merges = { $identify: { $anon_distinct_id: prefix + other }, $create_alias: { alias: prefix + other } }
    return {
      uuid: `${time.slice(0, 8)}-${time.slice(8)}-7${counter}-8000-000000000000`,
      event,
      distinct_id: prefix + id,
      timestamp: new Date(START + at).toISOString(),
      properties: {
        ...changes,
        ...(event in merges ? merges[event as keyof typeof merges] : {}),
        ...(event === 'anonymous' ? { $process_person_profile: false } : {}),
      },
    }
  })

/** Each run takes about 20 ms: at least two requests through SQLite and DuckDB. */
const RUNS = { numRuns: 40 }

test('the order of events in a request does not change the resulting persons', async () => {
  const testBed = await openPersonsTestBed()
  const shuffled = fc
    .array(generatedEvent, { minLength: 2, maxLength: 14 })
    .chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray([...list.keys()], { minLength: list.length })))
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(generatedEvent, { maxLength: 8 }), shuffled, async (before, [list, order]) => {
      const indexInOrder = async (indexes: readonly number[]) => {
        const prefix = `${++run}-`
        await testBed.index([testBed.createRow(createEvents(before, prefix, ++run))])
        const events = createEvents(list, prefix, ++run)
        await testBed.index([testBed.createRow(indexes.map((index) => events[index]))])
        const persons = await testBed.readMetadataPersons(prefix)
        expect(await testBed.readStorePersons(prefix)).toEqual(persons)
        return persons
      }
      expect(await indexInOrder(order)).toEqual(await indexInOrder([...list.keys()]))
    }),
    RUNS,
  )
}, 60_000)

test('one commit, many commits and failed commits result in the same persons', async () => {
  const testBed = await openPersonsTestBed()
  const request = fc.array(generatedEvent, { minLength: 1, maxLength: 9 })
  const commits = fc.array(
    fc.record({
      requests: fc.array(request, { minLength: 1, maxLength: 3 }),
      failures: fc.array(fc.constantFrom('killed', 'disk full'), { minLength: 1, maxLength: 3 }),
    }),
    {
      maxLength: 4,
    },
  )
  let run = 0
  await fc.assert(
    fc.asyncProperty(commits, async (list) => {
      const inOne = `${++run}-`
      const requests = list.flatMap((commit) => commit.requests)
      if (requests.length > 0)
        await testBed.index(requests.map((events) => testBed.createRow(createEvents(events, inOne, ++run))))

      const inMany = `${++run}-`
      for (const commit of list) {
        const rows = commit.requests.map((events) => testBed.createRow(createEvents(events, inMany, ++run)))
        // Each attempt may read more or fewer rows than the one before.
        for (const [n, failure] of commit.failures.entries())
          await testBed.failIndexing(rows.slice(0, 1 + (n % rows.length)), failure)
        await testBed.index(rows)
      }
      const persons = await testBed.readMetadataPersons(inMany)
      expect(persons).toEqual(await testBed.readMetadataPersons(inOne))
      expect(await testBed.readStorePersons(inMany)).toEqual(persons)
      expect(await testBed.readStorePersons(inOne)).toEqual(persons)
    }),
    RUNS,
  )
}, 60_000)
