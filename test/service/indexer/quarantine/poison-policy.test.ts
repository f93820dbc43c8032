import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ExitKind, WorkRecord } from '../../../../src/service/indexer/quarantine/poison-policy.ts'
import { planProcessing, attemptsAfterExit } from '../../../../src/service/indexer/quarantine/poison-policy.ts'

/** Start-up time of a process. */
const START_MS = 400

/** A simulation of one project's rows and the successive processes that process them. */
interface Simulation {
  readonly rows: number
  /** How a process dies on these rows, or the milliseconds that it needs for them. */
  readonly processRows: (first: number, last: number) => ExitKind | number
  /** Milliseconds after the start at which the process is killed from outside; Infinity for never. */
  readonly killAt: () => number
  /** Maximum number of processes. */
  readonly maxProcesses: number
}

/** Returns the stored and quarantined rows, and the number of processes that died. */
const simulate = ({ rows, processRows, killAt, maxProcesses }: Simulation) => {
  let record: WorkRecord = { working: null, suspicions: [] }
  let exit: ExitKind = 'killed'
  const stored: number[] = []
  const quarantined: number[] = []
  let next = 1
  let deaths = 0
  while (next <= rows && deaths < maxProcesses) {
    let attempts = attemptsAfterExit(record, exit)
    record = { working: null, suspicions: attempts }
    const killedAt = killAt()
    let now = START_MS
    while (next <= rows) {
      const waiting = { projectId: 1, place: String(next), firstRow: next, lastRow: rows }
      const { action, delayMs, attempt } = planProcessing(attempts[0], waiting)
      if (action === 'stop') return { stored, quarantined, deaths, isStopped: true }
      now += delayMs
      if (now >= killedAt) break
      attempts = [attempt]
      record = { working: 1, suspicions: attempts }
      const last = action === 'batch' ? rows : next
      const result = action === 'quarantine' ? 1 : processRows(next, last)
      if (typeof result === 'string') {
        exit = result
        break
      }
      now += result
      if (now >= killedAt) {
        exit = 'killed'
        break
      }
      for (let row = next; row <= last; row++) (action === 'quarantine' ? quarantined : stored).push(row)
      next = last + 1
      record = { working: null, suspicions: attempts }
    }
    if (record.working === null) exit = 'killed'
    if (next <= rows) deaths += 1
  }
  return { stored, quarantined, deaths, isStopped: false }
}

const NEVER = (): number => Number.POSITIVE_INFINITY

test.each([
  ['crashed', 3],
  ['killed', 8],
] as const)('quarantines exactly the rows at which the process %s each time', (exit, maxDeaths) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.uniqueArray(fc.integer({ min: 1, max: 40 })), (rows, marked) => {
      const poison = marked.filter((row) => row <= rows)
      const processRows = (first: number, last: number): ExitKind | number =>
        poison.some((row) => row >= first && row <= last) ? exit : 1
      const { stored, quarantined, deaths } = simulate({ rows, processRows, killAt: NEVER, maxProcesses: 10_000 })
      expect(quarantined).toEqual(poison.toSorted((a, b) => a - b))
      expect(stored.length + quarantined.length).toBe(rows)
      // After the first poison message, rows are processed one at a time without a batch attempt.
      expect(deaths).toBeLessThanOrEqual(poison.length === 0 ? 0 : maxDeaths * (poison.length + 1))
    }),
  )
})

test('never quarantines a row because of random kills from outside', () => {
  fc.assert(
    fc.property(
      fc.infiniteStream(fc.integer({ min: 0, max: 6000 })),
      fc.integer({ min: 1, max: 1500 }),
      fc.integer({ min: 1, max: 5 }),
      (kills, workMs, rows) => {
        const killAt = (): number => kills.next().value ?? 0
        const { stored, quarantined } = simulate({ rows, processRows: () => workMs, killAt, maxProcesses: 200 })
        expect(quarantined).toEqual([])
        expect(stored).toHaveLength(rows)
      },
    ),
    { numRuns: 500, seed: 1 },
  )
})

test('never quarantines a row because processes are killed at the same age', () => {
  for (let age = 0; age <= 8000; age += 50) {
    for (const workMs of [5, 50, 500, 1500]) {
      const { quarantined } = simulate({ rows: 3, processRows: () => workMs, killAt: () => age, maxProcesses: 100 })
      expect({ age, workMs, quarantined }).toEqual({ age, workMs, quarantined: [] })
    }
  }
})

test('ignores requested ends, and forgets attempts when an idle process dies', () => {
  const attempt = { projectId: 1, place: '3', lastRow: 9, aloneThrough: 0, crashes: 2, kills: 1 }
  const other = { ...attempt, projectId: 2 }
  const record = { working: 1, suspicions: [attempt, other] }
  expect(attemptsAfterExit(record, 'requested')).toEqual([attempt, other])
  expect(attemptsAfterExit(record, 'crashed')).toEqual([{ ...attempt, crashes: 3 }, other])
  expect(attemptsAfterExit(record, 'killed')).toEqual([{ ...attempt, kills: 2 }, other])
  expect(attemptsAfterExit({ ...record, working: null }, 'killed')).toEqual([])
})

test('resets the counts after progress', () => {
  const previous = { projectId: 1, place: '3', lastRow: 9, aloneThrough: 0, crashes: 2, kills: 7 }
  const { action, attempt } = planProcessing(previous, { projectId: 1, place: '4', firstRow: 5, lastRow: 9 })
  expect({ action, attempt }).toEqual({ action: 'batch', attempt: { ...previous, place: '4', crashes: 0, kills: 0 } })
})

test('stops a project whose row cannot even be quarantined', () => {
  const previous = { projectId: 1, place: '3', lastRow: 4, aloneThrough: 9, crashes: 6, kills: 0 }
  expect(planProcessing(previous, { projectId: 1, place: '3', firstRow: 4, lastRow: 20 }).action).toBe('stop')
})
