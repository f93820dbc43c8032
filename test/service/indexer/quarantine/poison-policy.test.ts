import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ExitKind, WorkRecord } from '../../../../src/service/indexer/quarantine/poison-policy.ts'
import { planProcessing, attemptsAfterExit } from '../../../../src/service/indexer/quarantine/poison-policy.ts'

/** Start-up time of a process. */
const START_MS = 400

/** A simulation of one project's rows and the successive processes that process them. */
interface Simulation {
  /** Number of inbox rows; their ids are 1, 2, 3, …. */
  readonly rowCount: number
  /** Returns how a process dies on these rows, or the milliseconds that it needs for them. */
  readonly processRows: (first: number, last: number) => ExitKind | number
  /** Milliseconds after the start at which the process is killed from outside; Infinity for never. */
  readonly killAt: () => number
  /** Maximum number of processes. */
  readonly maxProcesses: number
}

/** Returns the stored and quarantined rows, and the number of processes that died. */
const simulate = ({ rowCount, processRows, killAt, maxProcesses }: Simulation) => {
  let record: WorkRecord = { currentProjectId: null, attempts: [] }
  let exit: ExitKind = 'killed'
  const stored: number[] = []
  const quarantined: number[] = []
  let nextRow = 1
  let deathCount = 0
  while (nextRow <= rowCount && deathCount < maxProcesses) {
    let attempts = attemptsAfterExit(record, exit)
    record = { currentProjectId: null, attempts }
    const killedAt = killAt()
    let now = START_MS
    while (nextRow <= rowCount) {
      const waitingRows = { projectId: 1, storePosition: String(nextRow), firstRowId: nextRow, lastRowId: rowCount }
      const { action, delayMs, attempt } = planProcessing(attempts[0], waitingRows)
      if (action === 'stop') return { stored, quarantined, deathCount, isStopped: true }
      now += delayMs
      if (now >= killedAt) break
      attempts = [attempt]
      record = { currentProjectId: 1, attempts }
      const lastRow = action === 'batch' ? rowCount : nextRow
      const result = action === 'quarantine' ? 1 : processRows(nextRow, lastRow)
      if (typeof result === 'string') {
        exit = result
        break
      }
      now += result
      if (now >= killedAt) {
        exit = 'killed'
        break
      }
      for (let row = nextRow; row <= lastRow; row++) (action === 'quarantine' ? quarantined : stored).push(row)
      nextRow = lastRow + 1
      record = { currentProjectId: null, attempts }
    }
    if (record.currentProjectId === null) exit = 'killed'
    if (nextRow <= rowCount) deathCount += 1
  }
  return { stored, quarantined, deathCount, isStopped: false }
}

const NEVER = (): number => Number.POSITIVE_INFINITY

test.each([
  // The limits `MAX_CRASHES` and `MAX_KILLS`.
  ['crashed', 3],
  ['killed', 8],
] as const)('quarantines exactly the rows at which the process %s each time', (exit, maxDeaths) => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40 }),
      fc.uniqueArray(fc.integer({ min: 1, max: 40 })),
      (rowCount, marked) => {
        const poison = marked.filter((row) => row <= rowCount)
        const processRows = (first: number, last: number): ExitKind | number =>
          poison.some((row) => row >= first && row <= last) ? exit : 1
        const { stored, quarantined, deathCount } = simulate({
          rowCount,
          processRows,
          killAt: NEVER,
          maxProcesses: 10_000,
        })
        expect(quarantined).toEqual(poison.toSorted((a, b) => a - b))
        expect(stored.length + quarantined.length).toBe(rowCount)
        // After the first poison message, rows are processed one at a time without a batch attempt.
        expect(deathCount).toBeLessThanOrEqual(poison.length === 0 ? 0 : maxDeaths * (poison.length + 1))
      },
    ),
  )
})

test('never quarantines a row because of random kills from outside', () => {
  fc.assert(
    fc.property(
      fc.infiniteStream(fc.integer({ min: 0, max: 6000 })),
      fc.integer({ min: 1, max: 1500 }),
      fc.integer({ min: 1, max: 5 }),
      (killTimes, workMs, rowCount) => {
        const killAt = (): number => killTimes.next().value ?? 0
        const { stored, quarantined } = simulate({ rowCount, processRows: () => workMs, killAt, maxProcesses: 200 })
        expect(quarantined).toEqual([])
        expect(stored).toHaveLength(rowCount)
      },
    ),
    { numRuns: 500, seed: 1 },
  )
})

test('never quarantines a row because processes are killed at the same age', () => {
  for (let age = 0; age <= 8000; age += 50) {
    for (const workMs of [5, 50, 500, 1500]) {
      const { quarantined } = simulate({ rowCount: 3, processRows: () => workMs, killAt: () => age, maxProcesses: 100 })
      expect({ age, workMs, quarantined }).toEqual({ age, workMs, quarantined: [] })
    }
  }
})

test('counts no requested end, and discards all attempts when an idle process dies', () => {
  const attempt = {
    projectId: 1,
    storePosition: '3',
    lastRowId: 9,
    processSinglyThroughRowId: 0,
    crashCount: 2,
    killCount: 1,
  }
  const otherAttempt = { ...attempt, projectId: 2 }
  const record = { currentProjectId: 1, attempts: [attempt, otherAttempt] }
  expect(attemptsAfterExit(record, 'requested')).toEqual([attempt, otherAttempt])
  expect(attemptsAfterExit(record, 'crashed')).toEqual([{ ...attempt, crashCount: 3 }, otherAttempt])
  expect(attemptsAfterExit(record, 'killed')).toEqual([{ ...attempt, killCount: 2 }, otherAttempt])
  expect(attemptsAfterExit({ ...record, currentProjectId: null }, 'killed')).toEqual([])
})

test('resets the death counts when the store position has changed', () => {
  const previousAttempt = {
    projectId: 1,
    storePosition: '3',
    lastRowId: 9,
    processSinglyThroughRowId: 0,
    crashCount: 2,
    killCount: 7,
  }
  const { action, attempt } = planProcessing(previousAttempt, {
    projectId: 1,
    storePosition: '4',
    firstRowId: 5,
    lastRowId: 9,
  })
  expect({ action, attempt }).toEqual({
    action: 'batch',
    attempt: { ...previousAttempt, storePosition: '4', crashCount: 0, killCount: 0 },
  })
})

test('stops the project when the process dies even while it quarantines a row', () => {
  const previousAttempt = {
    projectId: 1,
    storePosition: '3',
    lastRowId: 4,
    processSinglyThroughRowId: 9,
    crashCount: 6,
    killCount: 0,
  }
  expect(
    planProcessing(previousAttempt, { projectId: 1, storePosition: '3', firstRowId: 4, lastRowId: 20 }).action,
  ).toBe('stop')
})
