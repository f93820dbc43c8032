import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ProcessEnd, WorkRecord } from '../../../../src/service/indexer/quarantine/poison-policy.ts'
import { planWork, suspicionsAfter } from '../../../../src/service/indexer/quarantine/poison-policy.ts'

/** Times in milliseconds. */
const START_MS = 400

/** One project's rows, worked on by processes one after the other, each until something ends it. */
interface World {
  readonly rows: number
  /** What becomes of a process that works on these rows: it dies, or needs this long. */
  readonly workOn: (first: number, last: number) => ProcessEnd | number
  /** When somebody kills the process, after its start; never for Infinity. */
  readonly killAt: () => number
  /** Processes, at most. */
  readonly lives: number
}

/** Which rows were stored and set aside, and how many processes died. */
const play = ({ rows, workOn, killAt, lives }: World) => {
  let record: WorkRecord = { working: null, suspicions: [] }
  let end: ProcessEnd = 'killed'
  const stored: number[] = []
  const aside: number[] = []
  let next = 1
  let deaths = 0
  while (next <= rows && deaths < lives) {
    let suspicions = suspicionsAfter(record, end)
    record = { working: null, suspicions }
    const killed = killAt()
    let now = START_MS
    while (next <= rows) {
      const work = { projectId: 1, place: String(next), firstRow: next, lastRow: rows }
      const { how, restMs, suspicion } = planWork(suspicions[0], work)
      if (how === 'leave') return { stored, aside, deaths, isLeft: true }
      now += restMs
      if (now >= killed) break
      suspicions = [suspicion]
      record = { working: 1, suspicions }
      const last = how === 'together' ? rows : next
      const result = how === 'aside' ? 1 : workOn(next, last)
      if (typeof result === 'string') {
        end = result
        break
      }
      now += result
      if (now >= killed) {
        end = 'killed'
        break
      }
      for (let row = next; row <= last; row++) (how === 'aside' ? aside : stored).push(row)
      next = last + 1
      record = { working: null, suspicions }
    }
    if (record.working === null) end = 'killed'
    if (next <= rows) deaths += 1
  }
  return { stored, aside, deaths, isLeft: false }
}

const NEVER = (): number => Number.POSITIVE_INFINITY

test.each([
  ['crashed', 3],
  ['killed', 8],
] as const)(
  'sets only those rows aside at which the process %s each time, after a bounded number of deaths',
  (end, tries) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.uniqueArray(fc.integer({ min: 1, max: 40 })), (rows, marked) => {
        const poison = marked.filter((row) => row <= rows)
        const workOn = (first: number, last: number): ProcessEnd | number =>
          poison.some((row) => row >= first && row <= last) ? end : 1
        const { stored, aside, deaths } = play({ rows, workOn, killAt: NEVER, lives: 10_000 })
        expect(aside).toEqual(poison.toSorted((one, other) => one - other))
        expect(stored.length + aside.length).toBe(rows)
        // Those that come after the first are tried alone at once.
        expect(deaths).toBeLessThanOrEqual(poison.length === 0 ? 0 : tries * (poison.length + 1))
      }),
    )
  },
)

test('never sets a row aside because somebody kills the process at random moments', () => {
  fc.assert(
    fc.property(
      fc.infiniteStream(fc.integer({ min: 0, max: 6000 })),
      fc.integer({ min: 1, max: 1500 }),
      fc.integer({ min: 1, max: 5 }),
      (kills, workMs, rows) => {
        const killAt = (): number => kills.next().value ?? 0
        const { stored, aside } = play({ rows, workOn: () => workMs, killAt, lives: 200 })
        expect(aside).toEqual([])
        expect(stored).toHaveLength(rows)
      },
    ),
    { numRuns: 500, seed: 1 },
  )
})

test('never sets a row aside because somebody kills the process again and again at the same age', () => {
  for (let age = 0; age <= 8000; age += 50) {
    for (const workMs of [5, 50, 500, 1500]) {
      const { aside } = play({ rows: 3, workOn: () => workMs, killAt: () => age, lives: 100 })
      expect({ age, workMs, aside }).toEqual({ age, workMs, aside: [] })
    }
  }
})

test('counts no death of a process that was told to end, and forgets all at one that died while it did nothing', () => {
  const suspicion = { projectId: 1, place: '3', lastRow: 9, aloneThrough: 0, crashes: 2, kills: 1 }
  const other = { ...suspicion, projectId: 2 }
  const record = { working: 1, suspicions: [suspicion, other] }
  expect(suspicionsAfter(record, 'told')).toEqual([suspicion, other])
  expect(suspicionsAfter(record, 'crashed')).toEqual([{ ...suspicion, crashes: 3 }, other])
  expect(suspicionsAfter(record, 'killed')).toEqual([{ ...suspicion, kills: 2 }, other])
  expect(suspicionsAfter({ ...record, working: null }, 'killed')).toEqual([])
})

test('begins anew where rows got on', () => {
  const known = { projectId: 1, place: '3', lastRow: 9, aloneThrough: 0, crashes: 2, kills: 7 }
  const { how, suspicion } = planWork(known, { projectId: 1, place: '4', firstRow: 5, lastRow: 9 })
  expect({ how, suspicion }).toEqual({ how: 'together', suspicion: { ...known, place: '4', crashes: 0, kills: 0 } })
})

test('leaves a project alone whose row cannot even be set aside', () => {
  const known = { projectId: 1, place: '3', lastRow: 4, aloneThrough: 9, crashes: 6, kills: 0 }
  expect(planWork(known, { projectId: 1, place: '3', firstRow: 4, lastRow: 20 }).how).toBe('leave')
})
