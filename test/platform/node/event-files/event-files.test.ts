import * as fc from 'fast-check'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test, vi } from 'vitest'
import { eventLogContract } from '../../../contract/event-log.ts'
import { manualClock } from '../../../support/manual-clock.ts'
import { until } from '../../../support/until.ts'
import { canMount, mountMemoryDisk } from '../../../service/support/disk.ts'
import { createTempFolder } from '../../../service/support/temp-folder.ts'
import {
  declareDead,
  drain,
  endOfTurn,
  eventOf,
  FOREIGN_OWNER,
  logsIn,
  openHarness,
  rootOf,
} from './support/log-harness.ts'

// On busy machines a sync may take seconds.
vi.setConfig({ testTimeout: 60_000 })

const testOnFullDisk = test.skipIf(!canMount)

eventLogContract('files', async (limits, onDrop) => (await openHarness({ limits, onDrop })).log)

/** Events with the names `from` to `to - 1`. */
const range = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => eventOf(from + index))

/** The path of a segment of the only log. */
const segmentIn = (directory: string, segment = 0): string =>
  join(rootOf(directory), logsIn(directory)[0]!, `${String(segment).padStart(8, '0')}.jsonl`)

describe('the event log in files', () => {
  it('creates no file before the first event, and leaves none after the last delivery', async () => {
    const { log, directory } = await openHarness()
    expect(await log.readOldest(1, 1)).toBeUndefined()
    expect(readdirSync(directory)).toEqual([])
    log.append(eventOf(1))
    await endOfTurn()
    expect(logsIn(directory)).toHaveLength(1)
    expect(await drain(log)).toEqual([eventOf(1)])
    log.close()
    expect(logsIn(directory)).toEqual([])
  })

  it('writes the events of a turn at its end, one per line', async () => {
    const { log, directory } = await openHarness()
    for (const json of range(0, 3)) log.append(json)
    expect(logsIn(directory)).toEqual([])
    await endOfTurn()
    expect(readFileSync(segmentIn(directory), 'utf8')).toBe(`${range(0, 3).join('\n')}\n`)
  })

  it('creates files that other users cannot read', async () => {
    const { log, directory } = await openHarness()
    log.append(eventOf(1))
    log.writeSync()
    ;(await log.readOldest(1, 1000))!.remove()
    const folder = join(rootOf(directory), logsIn(directory)[0]!)
    const modes = [rootOf(directory), folder, ...readdirSync(folder).map((file) => join(folder, file))]
    expect(modes.map((path) => (statSync(path).mode & 0o777).toString(8))).toEqual(['700', '700', '600', '600'])
  })

  it('writes during a long turn, so that memory holds about a megabyte at most', async () => {
    const { log, directory } = await openHarness()
    const json = eventOf('x'.repeat(1000))
    for (let count = 0; count < 5000; count++) log.append(json)
    expect(statSync(segmentIn(directory)).size).toBeGreaterThan(3 * 2 ** 20)
    expect(log.size()).toBe(5000)
  })

  it('drops the oldest events of a long turn by bytes of UTF-8, not by characters', async () => {
    const dropped: string[] = []
    const { log } = await openHarness({
      limits: { maxEvents: 1_000, maxBytes: 1_000 },
      onDrop: (json) => dropped.push(json),
    })
    for (const name of ['a', 'b', 'c', 'd']) log.append(eventOf(name + '語'.repeat(100)))
    expect(dropped).toContain(eventOf(`a${'語'.repeat(100)}`))
  })

  it('reads all events in order when a long turn starts during a read', async () => {
    for (let ticks = 0; ticks < 14; ticks++) {
      const { log } = await openHarness()
      log.append(eventOf('warm'))
      ;(await log.readOldest(1000, 1000))!.remove()
      const reading = log.readOldest(1000, 2 ** 22)
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve()
      const events = ['x'.repeat(2 ** 20), 'small'].map(eventOf)
      for (const json of events) log.append(json)
      const batch = await reading
      await endOfTurn()
      batch?.remove()
      expect([...(batch?.events ?? []), ...(await drain(log))]).toEqual(events)
      expect(log.size()).toBe(0)
    }
  })

  it('leaves events captured after its close to the next process', async () => {
    const first = await openHarness()
    first.log.append(eventOf('before'))
    expect(first.log.close()).toEqual([])
    first.log.append(eventOf('late'))
    expect(first.log.close()).toEqual([])
    const second = await openHarness({ directory: first.directory })
    expect((await drain(second.log)).toSorted()).toEqual(['before', 'late'].map(eventOf).toSorted())
  })

  it('keeps its folder when the process changes its working directory', async () => {
    const originalFolder = process.cwd()
    const folder = createTempFolder()
    try {
      process.chdir(folder)
      const { log, directory } = await openHarness({ directory: 'relative' })
      log.append(eventOf('before'))
      log.writeSync()
      process.chdir(originalFolder)
      log.append(eventOf('after'))
      expect(await drain(log)).toEqual(['before', 'after'].map(eventOf))
      expect(readdirSync(join(folder, directory))).toHaveLength(1)
    } finally {
      process.chdir(originalFolder)
    }
  })

  it('delivers each event once over a clean restart', async () => {
    const first = await openHarness()
    for (const json of range(0, 10)) first.log.append(json)
    ;(await first.log.readOldest(4, 1000))!.remove()
    expect(first.log.close()).toEqual([])
    const second = await openHarness({ directory: first.directory })
    expect(await drain(second.log)).toEqual(range(4, 10))
    expect(second.warnings).toEqual([])
  })

  it('delivers a batch again that was in flight at the restart', async () => {
    const first = await openHarness()
    for (const json of range(0, 3)) first.log.append(json)
    const batch = await first.log.readOldest(2, 1000)
    first.log.close()
    batch!.remove()
    const second = await openHarness({ directory: first.directory })
    expect(await drain(second.log)).toEqual(range(0, 3))
  })

  it('counts and announces the pending events of earlier processes', async () => {
    const first = await openHarness()
    for (const json of range(0, 5)) first.log.append(json)
    ;(await first.log.readOldest(2, 1000))!.remove()
    first.log.close()
    const second = await openHarness({ directory: first.directory })
    await until(
      () => second.takeOvers(),
      (count) => count > 0,
    )
    expect(second.log.size()).toBe(3)
    expect((await second.log.readOldest(9, 1000))!.events).toEqual(range(2, 5))
    expect(second.takeOvers()).toBe(1)
  })

  it('delivers the logs of earlier processes first, oldest log first', async () => {
    const clock = manualClock()
    const directory = createTempFolder()
    for (const name of ['a', 'b', 'c']) {
      const { log } = await openHarness({ directory, clock })
      log.append(eventOf(name))
      await endOfTurn()
      await clock.advance(5)
      log.close()
    }
    const { log } = await openHarness({ directory, clock })
    log.append(eventOf('own'))
    expect(await drain(log)).toEqual(['a', 'b', 'c', 'own'].map(eventOf))
  })

  it('separates the events of two projects', async () => {
    const first = await openHarness({ project: 'one' })
    first.log.append(eventOf('one'))
    first.log.close()
    const second = await openHarness({ directory: first.directory, project: 'two' })
    expect(await second.log.readOldest(9, 1000)).toBeUndefined()
    expect(await drain((await openHarness({ directory: first.directory, project: 'one' })).log)).toEqual([
      eventOf('one'),
    ])
  })

  it('separates two running agents of one thread', async () => {
    const first = await openHarness()
    first.log.append(eventOf('one'))
    await endOfTurn()
    const second = await openHarness({ directory: first.directory })
    second.log.append(eventOf('two'))
    expect(await drain(second.log)).toEqual([eventOf('two')])
    expect(await drain(first.log)).toEqual([eventOf('one')])
  })

  it('removes delivered segments, and starts a new segment when one is full', async () => {
    const { log, directory } = await openHarness()
    const json = eventOf('x'.repeat(10_000))
    for (let count = 0; count < 1500; count++) log.append(json)
    await endOfTurn()
    const folder = join(rootOf(directory), logsIn(directory)[0]!)
    const segments = (): string[] => readdirSync(folder).filter((file) => file.endsWith('.jsonl'))
    expect(segments().length).toBeGreaterThan(3)
    const segmentCount = segments().length
    const batch = await log.readOldest(450, Infinity)
    batch!.remove()
    expect(segments().length).toBeLessThan(segmentCount)
    expect((await drain(log, 1000, Infinity)).length).toBe(1500 - batch!.events.length)
    // A small last segment is appended to again.
    expect(segments().length).toBeLessThan(2)
    expect(log.size()).toBe(0)
  })

  it('keeps characters whose UTF-8 form has one to four bytes', async () => {
    const { log } = await openHarness()
    const events = ['é', '漢字', '🧵', 'a\nb', '\u2028', '\0'].map(eventOf)
    for (const json of events) log.append(json)
    expect(await drain(log, 2)).toEqual(events)
  })

  it('reads an event that exceeds the batch limit in a batch of its own', async () => {
    const { log } = await openHarness()
    const long = eventOf('x'.repeat(300_000))
    for (const json of [eventOf(1), long, eventOf(2)]) log.append(json)
    const batchSizes: number[] = []
    for (let batch = await log.readOldest(10, 1000); batch; batch = await log.readOldest(10, 1000)) {
      batchSizes.push(batch.events.length)
      batch.remove()
    }
    expect(batchSizes).toEqual([1, 1, 1])
  })

  it('behaves like an array, also after clean restarts and crashes', async () => {
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ do: fc.constant('append' as const), sizes: fc.array(fc.nat(3000), { maxLength: 30 }) }),
      },
      {
        weight: 3,
        arbitrary: fc.record({
          do: fc.constant('read' as const),
          events: fc.integer({ min: 1, max: 40 }),
          length: fc.nat(20_000),
        }),
      },
      { weight: 3, arbitrary: fc.constant({ do: 'remove' as const }) },
      { weight: 2, arbitrary: fc.constant({ do: 'turn' as const }) },
      { weight: 1, arbitrary: fc.constant({ do: 'close' as const }) },
      { weight: 1, arbitrary: fc.constant({ do: 'crash' as const }) },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const clock = manualClock()
        let { log, directory, warnings } = await openHarness({ clock })
        let model: string[] = []
        let batch: Awaited<ReturnType<typeof log.readOldest>>
        let count = 0
        const reopen = async (): Promise<void> => {
          batch = undefined
          await clock.advance(1)
          ;({ log, warnings } = await openHarness({ directory, clock }))
        }
        for (const step of steps) {
          if (step.do === 'append') {
            for (const size of step.sizes) {
              const json = eventOf(`${count++}${'é'.repeat(size)}`)
              model.push(json)
              log.append(json)
            }
          } else if (step.do === 'read') {
            batch = await log.readOldest(step.events, step.length)
            expect(batch?.events ?? []).toEqual(model.slice(0, batch?.events.length ?? 0))
            expect(batch?.events.length ?? 0).toBeGreaterThanOrEqual(Math.min(model.length, 1))
            expect(batch?.events.length ?? 0).toBeLessThanOrEqual(step.events)
            if (batch && batch.events.length > 1) expect(batch.events.join('').length).toBeLessThanOrEqual(step.length)
          } else if (step.do === 'remove') {
            model = model.slice(batch?.events.length ?? 0)
            batch?.remove()
            batch = undefined
          } else if (step.do === 'turn') {
            await endOfTurn()
          } else if (step.do === 'close') {
            expect(log.close()).toEqual([])
            await reopen()
          } else {
            await endOfTurn()
            declareDead(directory)
            const logOfDeadOwner = log
            await reopen()
            await log.readOldest(1, 1)
            logOfDeadOwner.close()
          }
          expect(warnings).toEqual([])
        }
        expect(await drain(log, 7, 10_000)).toEqual(model)
        expect(log.size()).toBe(0)
        log.close()
        expect(logsIn(directory)).toEqual([])
      }),
      { numRuns: 60 },
    )
  })
})

describe('limits on the disk', () => {
  it('drops and reports the oldest events beyond the limit', async () => {
    const { log, drops } = await openHarness({ limits: { maxEvents: 10, maxBytes: Infinity } })
    for (const json of range(0, 14)) log.append(json)
    await endOfTurn()
    expect(log.size()).toBe(10)
    expect(drops).toEqual(range(0, 4).map((json) => ({ json, reason: 'queue_overflow' })))
    expect(await drain(log)).toEqual(range(4, 14))
  })

  it('counts bytes of JSON, and events that were taken over', async () => {
    const length = Buffer.byteLength(eventOf('é'))
    const first = await openHarness()
    for (let count = 0; count < 5; count++) first.log.append(eventOf('é'))
    first.log.close()
    const limits = { maxEvents: Infinity, maxBytes: 6 * length }
    const { log, drops } = await openHarness({ directory: first.directory, limits })
    await log.readOldest(1, 1)
    for (let count = 0; count < 3; count++) log.append(eventOf('ü'))
    await endOfTurn()
    expect(drops.map(({ json }) => json)).toEqual([eventOf('é'), eventOf('é')].slice(0, drops.length))
    // The first event is in a batch and stays.
    expect(await drain(log)).toEqual(['é', 'é', 'é', 'ü', 'ü', 'ü'].map(eventOf))
  })

  it('drops any excess after a limit was lowered before the restart', async () => {
    const first = await openHarness()
    for (let count = 0; count < 150_000; count++) first.log.append('{}')
    first.log.close()
    const { log, drops } = await openHarness({
      directory: first.directory,
      limits: { maxEvents: 10, maxBytes: Infinity },
    })
    log.append(eventOf('new'))
    await endOfTurn()
    expect(log.size()).toBe(10)
    expect(drops).toHaveLength(149_991)
  })

  it('drops no event of a batch in flight', async () => {
    const { log, drops } = await openHarness({ limits: { maxEvents: 4, maxBytes: Infinity } })
    for (const json of range(0, 4)) log.append(json)
    const batch = await log.readOldest(2, 1000)
    for (const json of range(4, 9)) log.append(json)
    await endOfTurn()
    expect(drops.map(({ json }) => json)).toEqual(range(2, 7))
    expect((await log.readOldest(2, 1000))!.events).toEqual(batch!.events)
    batch!.remove()
    expect(await drain(log)).toEqual(range(7, 9))
  })

  it('drops an event that alone exceeds the limit', async () => {
    const { log, drops } = await openHarness({ limits: { maxEvents: 9, maxBytes: 100 } })
    const json = eventOf('x'.repeat(100))
    log.append(json)
    expect(drops).toEqual([{ json, reason: 'too_large' }])
    expect(log.size()).toBe(0)
  })

  it('frees disk space while a batch is in flight', async () => {
    const { log, directory } = await openHarness({ limits: { maxEvents: Infinity, maxBytes: 2 ** 20 } })
    const json = eventOf('x'.repeat(10_000))
    for (let count = 0; count < 100; count++) log.append(json)
    const batch = await log.readOldest(1, 1)
    for (let count = 0; count < 3000; count++) log.append(json)
    await endOfTurn()
    const folder = join(rootOf(directory), logsIn(directory)[0]!)
    const bytes = readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
    // The pending events, the segment of the batch, and a segment whose events are not yet all dropped.
    expect(bytes).toBeLessThan(12 * 2 ** 20)
    batch!.remove()
    expect((await drain(log, 1000, Infinity)).length).toBeLessThanOrEqual(104)
  })

  it('keeps and drops the same events as an array with the same limits', async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('append' as const), events: fc.nat(8) }),
      fc.record({ do: fc.constant('read' as const), events: fc.integer({ min: 1, max: 6 }) }),
      fc.constant({ do: 'remove' as const }),
      fc.constant({ do: 'remove' as const }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { log, drops } = await openHarness({ limits: { maxEvents: 10, maxBytes: Infinity } })
        const model: string[] = []
        const dropped: string[] = []
        let inFlightCount = 0
        let batch: Awaited<ReturnType<typeof log.readOldest>>
        let count = 0
        for (const step of steps) {
          if (step.do === 'append') {
            for (let remaining = step.events; remaining > 0; remaining--) {
              const json = eventOf(count++)
              model.push(json)
              log.append(json)
            }
            await endOfTurn()
            while (model.length > 10) dropped.push(...model.splice(inFlightCount, 1))
          } else if (step.do === 'read') {
            batch = await log.readOldest(step.events, 1000)
            expect(batch?.events ?? []).toEqual(model.slice(0, batch?.events.length ?? 0))
            expect(!!batch).toBe(model.length > 0)
            inFlightCount = Math.max(inFlightCount, batch?.events.length ?? 0)
          } else if (batch) {
            batch.remove()
            model.splice(0, batch.events.length)
            inFlightCount -= batch.events.length
            batch = undefined
          }
          expect(log.size()).toBe(model.length)
        }
        expect(drops.map(({ json }) => json)).toEqual(dropped)
        expect(await drain(log)).toEqual(model)
        log.close()
      }),
      { numRuns: 100 },
    )
  })
})

describe('a disk that refuses writes', () => {
  it('keeps events in memory with one warning, and writes them later', async () => {
    const directory = join(createTempFolder(), 'file')
    writeFileSync(directory, 'not a folder')
    const clock = manualClock()
    const { log, warnings } = await openHarness({ directory, clock })
    for (const json of range(0, 3)) log.append(json)
    await endOfTurn()
    log.append(eventOf(3))
    await endOfTurn()
    expect(log.size()).toBe(4)
    expect(warnings).toEqual([expect.stringContaining('events stay in memory')])
    rmSync(directory)
    await clock.advance(1000)
    expect(readFileSync(segmentIn(directory), 'utf8')).toBe(`${range(0, 4).join('\n')}\n`)
    expect(await drain(log)).toEqual(range(0, 4))
  })

  it('delivers events from memory', async () => {
    const directory = join(createTempFolder(), 'file')
    writeFileSync(directory, 'not a folder')
    const { log } = await openHarness({ directory })
    for (const json of range(0, 5)) log.append(json)
    const batch = await log.readOldest(2, 1000)
    expect(batch!.events).toEqual(range(0, 2))
    expect((await log.readOldest(2, 1000))!.events).toEqual(range(0, 2))
    expect(await drain(log)).toEqual(range(0, 5))
    // After a second read, the first batch object has no effect.
    batch!.remove()
    log.append(eventOf(5))
    expect(await drain(log)).toEqual(range(5, 6))
  })

  it('removes a batch from the disk that was written while in flight', async () => {
    const directory = join(createTempFolder(), 'file')
    writeFileSync(directory, 'not a folder')
    const { log } = await openHarness({ directory })
    for (const json of range(0, 5)) log.append(json)
    const batch = await log.readOldest(2, 1000)
    rmSync(directory)
    log.writeSync()
    expect(log.size()).toBe(5)
    batch!.remove()
    expect(log.size()).toBe(3)
    expect(log.close()).toEqual([])
    expect(await drain((await openHarness({ directory })).log)).toEqual(range(2, 5))
  })

  it('drops the oldest events beyond the memory limit, and returns the others at close', async () => {
    const directory = join(createTempFolder(), 'file')
    writeFileSync(directory, 'not a folder')
    const { log, drops } = await openHarness({ directory, memoryLimits: { maxEvents: 4, maxBytes: 1000 } })
    for (const json of range(0, 4)) log.append(json)
    await log.readOldest(2, 1000)
    for (const json of range(4, 6)) log.append(json)
    expect(drops).toEqual(range(2, 4).map((json) => ({ json, reason: 'queue_overflow' })))
    expect(log.close()).toEqual([...range(0, 2), ...range(4, 6)])
    expect(log.size()).toBe(0)
    log.append(eventOf(9))
    expect(log.close()).toEqual([eventOf(9)])
  })

  it.each([
    ['all logs', (directory: string) => rootOf(directory)],
    ['its log', (directory: string) => join(rootOf(directory), logsIn(directory)[0]!)],
  ])('continues when the folder of %s is deleted, and reports the lost events', async (_description, folderIn) => {
    const { log, directory, warnings } = await openHarness()
    for (const json of range(0, 3)) log.append(json)
    await endOfTurn()
    ;(await log.readOldest(1, 1000))!.remove()
    rmSync(folderIn(directory), { recursive: true })
    log.append(eventOf(3))
    await endOfTurn()
    expect(await drain(log)).toEqual([eventOf(3)])
    expect(warnings).toEqual([expect.stringContaining('up to 2 events')])
  })

  it('does not warn about a deleted folder without pending events', async () => {
    const { log, directory, warnings } = await openHarness()
    log.append(eventOf(1))
    await drain(log)
    rmSync(rootOf(directory), { recursive: true })
    log.append(eventOf(2))
    expect(await drain(log)).toEqual([eventOf(2)])
    expect(warnings).toEqual([])
  })

  it('notices a deleted folder without a further event', async () => {
    const clock = manualClock()
    const { log, directory, warnings } = await openHarness({ clock })
    log.append(eventOf(1))
    log.writeSync()
    rmSync(rootOf(directory), { recursive: true })
    await clock.advance(10_000)
    expect(warnings).toEqual([expect.stringContaining('up to 1 events')])
    await clock.advance(10_000)
    expect([log.size(), warnings.length]).toEqual([0, 1])
  })

  testOnFullDisk(
    'loses and repeats nothing when a full disk has room again',
    async () => {
      const disk = mountMemoryDisk(8)
      const { log, warnings } = await openHarness({
        directory: disk.path,
        memoryLimits: { maxEvents: 1e5, maxBytes: 2 ** 26 },
      })
      const events = Array.from({ length: 3000 }, (_, index) => eventOf(`${index}${'x'.repeat(5000)}`))
      for (const json of events) {
        log.append(json)
        if (json.length % 7 === 0) await endOfTurn()
      }
      await endOfTurn()
      expect(warnings).toEqual([expect.stringContaining('ENOSPC')])
      expect(log.size()).toBe(3000)
      // The delivery frees space.
      expect(await drain(log, 100, 2 ** 20)).toEqual(events)
      expect(log.size()).toBe(0)
      log.append(eventOf('more'))
      await endOfTurn()
      expect(log.close()).toEqual([])
      expect(await drain((await openHarness({ directory: disk.path })).log)).toEqual([eventOf('more')])
    },
    20_000,
  )
})

describe('after a kill or a power loss, the log', () => {
  /** Opens a log of five events whose process died, after `damage` has changed its segment. */
  const openDamaged = async (damage: (segment: string) => void): ReturnType<typeof openHarness> => {
    const first = await openHarness()
    for (const json of range(0, 5)) first.log.append(json)
    await endOfTurn()
    damage(segmentIn(first.directory))
    declareDead(first.directory)
    return openHarness({ directory: first.directory })
  }

  it('skips an incomplete last line, with a warning', async () => {
    const { log, warnings, directory } = await openDamaged((segment) =>
      truncateSync(segment, statSync(segment).size - 4),
    )
    expect(await drain(log)).toEqual(range(0, 4))
    expect(warnings).toEqual([expect.stringContaining('is incomplete')])
    expect(log.size()).toBe(0)
    log.close()
    expect(logsIn(directory)).toEqual([])
  })

  it('skips a tail of zeros, which a power loss leaves in files', async () => {
    const { log, warnings } = await openDamaged((segment) => appendFileSync(segment, Buffer.alloc(100_000)))
    expect(await drain(log)).toEqual(range(0, 5))
    expect(warnings).toHaveLength(1)
  })

  it('moves a line that is not an event to the folder of damaged data', async () => {
    const { log, warnings, directory } = await openDamaged((segment) => {
      const content = readFileSync(segment, 'utf8')
      writeFileSync(segment, content.replace(eventOf(2), `{"event":"\0\0`))
    })
    expect(await drain(log)).toEqual([eventOf(0), eventOf(1), eventOf(3), eventOf(4)])
    expect(warnings).toEqual([expect.stringContaining('is not an event')])
    const damagedFolder = join(rootOf(directory), 'damaged')
    expect(readdirSync(damagedFolder).map((file) => readFileSync(join(damagedFolder, file), 'utf8'))).toEqual([
      `{"event":"\0\0\n`,
    ])
    expect(log.size()).toBe(0)
  })

  it('moves an unreadable file to the folder of damaged data, and delivers the others', async () => {
    const { log, warnings, directory } = await openDamaged((segment) => {
      renameSync(segment, segment.replace('00000000', '00000001'))
      // A folder, because file permissions do not stop root.
      mkdirSync(segment)
    })
    expect(await drain(log)).toEqual(range(0, 5))
    expect(warnings).toEqual([expect.stringContaining('EISDIR')])
    expect(readdirSync(join(rootOf(directory), 'damaged'))).toHaveLength(1)
  })

  it.each(['', 'garbage', '0000000000 0000000000000007\n', '0000000000 0000000000999999\n'])(
    'delivers all events again when the position file contains %j',
    async (position) => {
      const { log, warnings } = await openDamaged((segment) => writeFileSync(join(segment, '../position'), position))
      expect(await drain(log)).toEqual(range(0, 5))
      expect(warnings).toEqual([])
    },
  )

  it('ignores other files in its folder', async () => {
    const { log, directory, warnings } = await openDamaged((segment) => {
      writeFileSync(join(segment, '../notes.txt'), 'x')
      writeFileSync(join(segment, '../../x~y'), 'x')
      mkdirSync(join(segment, '../../00000000a-0~free~b'))
    })
    expect(await drain(log)).toEqual(range(0, 5))
    log.close()
    expect(warnings).toEqual([])
    // The log does not delete unknown files.
    expect(logsIn(directory).some((name) => existsSync(join(rootOf(directory), name, 'notes.txt')))).toBe(true)
  })
})

describe('taking over a log', () => {
  it('lets an owner that was declared dead write its new events to a new log', async () => {
    const first = await openHarness()
    for (const json of range(0, 3)) first.log.append(json)
    await endOfTurn()
    declareDead(first.directory)
    const second = await openHarness({ directory: first.directory })
    expect(await drain(second.log)).toEqual(range(0, 3))
    for (const json of range(3, 5)) first.log.append(json)
    await endOfTurn()
    expect(await drain(first.log)).toEqual(range(3, 5))
    expect(first.log.size()).toBe(0)
    expect([first.drops, first.warnings]).toEqual([[], [expect.stringContaining('unless another process')]])
  })

  it('leaves the position to the new owner', async () => {
    const first = await openHarness()
    for (const json of range(0, 3)) first.log.append(json)
    const batch = await first.log.readOldest(2, 1000)
    declareDead(first.directory)
    const second = await openHarness({ directory: first.directory })
    expect((await second.log.readOldest(9, 1000))!.events).toEqual(range(0, 3))
    batch!.remove()
    expect([first.log.size(), first.warnings]).toEqual([0, []])
    second.log.close()
    expect(await drain((await openHarness({ directory: first.directory })).log)).toEqual(range(0, 3))
  })

  it('waits for 100 s without a heartbeat of a foreign owner, whatever the clock shows', async () => {
    const first = await openHarness()
    first.log.append(eventOf(1))
    await endOfTurn()
    declareDead(first.directory, FOREIGN_OWNER)
    const clock = manualClock(Date.now())
    const second = await openHarness({ directory: first.directory, clock })
    expect(await second.log.readOldest(9, 1000)).toBeUndefined()
    clock.set(Date.now() - 1e9)
    let elapsedSeconds = 0
    await until(
      async () => {
        await clock.advance(10_000)
        elapsedSeconds += 10
        return second.takeOvers()
      },
      (count) => count === 1,
      10_000,
      5,
    )
    expect(elapsedSeconds).toBeGreaterThanOrEqual(100)
    expect(await drain(second.log)).toEqual([eventOf(1)])
  })

  it('does not take the log of a foreign owner that sends heartbeats', async () => {
    const clock = manualClock(Date.now())
    const first = await openHarness({ clock })
    first.log.append(eventOf(1))
    await endOfTurn()
    const second = await openHarness({ directory: first.directory, clock })
    // The second log must believe that the first owner lives on another host.
    const name = logsIn(first.directory)[0]!
    const foreignPath = join(rootOf(first.directory), name.replace(/~.*/, `~${FOREIGN_OWNER}`))
    for (let heartbeats = 0; heartbeats < 15; heartbeats++) {
      await clock.advance(5_000)
      renameSync(join(rootOf(first.directory), name), foreignPath)
      await clock.advance(3_000)
      renameSync(foreignPath, join(rootOf(first.directory), name))
      await clock.advance(2_000)
    }
    expect(second.takeOvers()).toBe(0)
    expect(await drain(first.log)).toEqual([eventOf(1)])
  })

  it('happens immediately when the last heartbeat is ten minutes old', async () => {
    const first = await openHarness()
    first.log.append(eventOf(1))
    await endOfTurn()
    declareDead(first.directory, FOREIGN_OWNER)
    const clock = manualClock(Date.now() + 600_001)
    const second = await openHarness({ directory: first.directory, clock })
    expect(await drain(second.log)).toEqual([eventOf(1)])
  })

  it('leaves no timer after the close', async () => {
    const clock = manualClock()
    const { log } = await openHarness({ clock })
    log.append(eventOf(1))
    await log.whenDurable()
    await log.readOldest(1, 1)
    log.close()
    await clock.advance(1000)
    expect(clock.pending()).toBe(0)
    expect(log.close()).toEqual([])
    expect(await log.readOldest(1, 1)).toBeUndefined()
  })
})
