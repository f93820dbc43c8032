import * as fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import type { EventLog, EventLogLimits } from '../../src/port/event-log.ts'

/** An event that a log has dropped. */
export interface DroppedEvent {
  readonly json: string
  readonly reason: string
}

/** Limits that no test reaches. */
const HIGH_LIMITS: EventLogLimits = { maxEvents: 1_000, maxBytes: 1e6 }
/** The arguments of `readOldest` for a batch without limits. */
const NO_LIMITS = [Infinity, Infinity] as const

/**
 * The JSON of an event, in one line as the pipeline writes it. With an ASCII name it has as many bytes as characters, so that limits in
 * characters and in bytes give the same result.
 */
const eventJson = (name: string, length = 0): string => JSON.stringify({ event: name, text: 'x'.repeat(length) })

/** Removes and returns all events, oldest first. Reads several batches, because a log in files ends a batch with its file. */
const removeAll = async (log: EventLog): Promise<readonly string[]> => {
  const events: string[] = []
  for (let batch = await log.readOldest(...NO_LIMITS); batch; batch = await log.readOldest(...NO_LIMITS)) {
    events.push(...batch.events)
    batch.remove()
  }
  return events
}

/** Reads the first batch without limits: all events, while they are in one file. */
const readEvents = async (log: EventLog): Promise<readonly string[]> =>
  (await log.readOldest(...NO_LIMITS))?.events ?? []

/**
 * Tests that every event log (the Node agent's queue of events) must pass.
 *
 * @param open Creates a new, empty log that reports dropped events. The suite closes it.
 */
export const eventLogContract = (
  name: string,
  open: (limits: EventLogLimits, onDrop: (json: string, reason: string) => void) => Promise<EventLog> | EventLog,
): void => {
  const openLogs: EventLog[] = []

  const openLog = async (limits: Partial<EventLogLimits> = {}): Promise<{ log: EventLog; dropped: DroppedEvent[] }> => {
    const dropped: DroppedEvent[] = []
    const log = await open({ ...HIGH_LIMITS, ...limits }, (json, reason) => dropped.push({ json, reason }))
    openLogs.push(log)
    return { log, dropped }
  }

  describe(`event log: ${name}`, () => {
    afterEach(() => {
      for (const log of openLogs.splice(0)) log.close()
    })

    it('returns undefined when it is empty', async () => {
      const { log } = await openLog()
      expect(await log.readOldest(...NO_LIMITS)).toBeUndefined()
      expect(log.size()).toBe(0)
    })

    it('returns events unchanged, oldest first', async () => {
      const { log } = await openLog()
      const events = [eventJson('a'), eventJson('"\n\u2028😀', 5), eventJson('c')]
      for (const event of events) log.append(event)
      await log.whenDurable()
      expect(await readEvents(log)).toEqual(events)
      expect(log.size()).toBe(3)
    })

    it('returns at most maxEvents events', async () => {
      const { log } = await openLog()
      for (const name of ['a', 'b', 'c']) log.append(eventJson(name))
      await log.whenDurable()
      expect((await log.readOldest(2, Infinity))?.events).toEqual([eventJson('a'), eventJson('b')])
    })

    it('returns at most maxLength characters with commas, or one longer event', async () => {
      const { log } = await openLog()
      for (const name of ['a', 'b', 'c']) log.append(eventJson(name))
      log.append(eventJson('long', 200))
      await log.whenDurable()
      const lengthOfTwo = 2 * (eventJson('a').length + 1)
      const batch = await log.readOldest(9, lengthOfTwo)
      expect(batch?.events).toEqual([eventJson('a'), eventJson('b')])
      expect((await log.readOldest(9, lengthOfTwo - 1))?.events).toEqual([eventJson('a')])
      ;(await log.readOldest(3, Infinity))?.remove()
      expect((await log.readOldest(9, 1))?.events).toEqual([eventJson('long', 200)])
    })

    it('returns the same events until they are removed, then the events after them', async () => {
      const { log } = await openLog()
      for (const name of ['a', 'b', 'c']) log.append(eventJson(name))
      await log.whenDurable()
      await log.readOldest(1, Infinity)
      const batch = await log.readOldest(2, Infinity)
      expect(batch?.events).toEqual([eventJson('a'), eventJson('b')])
      batch?.remove()
      expect(log.size()).toBe(1)
      expect(await readEvents(log)).toEqual([eventJson('c')])
    })

    it('removes a batch once, however often remove() is called', async () => {
      const { log } = await openLog()
      for (const name of ['a', 'b', 'c']) log.append(eventJson(name))
      await log.whenDurable()
      const batch = await log.readOldest(1, Infinity)
      batch?.remove()
      batch?.remove()
      expect(await readEvents(log)).toEqual([eventJson('b'), eventJson('c')])
      batch?.remove()
      expect(await readEvents(log)).toEqual([eventJson('b'), eventJson('c')])
    })

    it('keeps events that are added after a batch was read', async () => {
      const { log } = await openLog()
      log.append(eventJson('a'))
      await log.whenDurable()
      const batch = await log.readOldest(...NO_LIMITS)
      log.append(eventJson('b'))
      batch?.remove()
      await log.whenDurable()
      expect(await readEvents(log)).toEqual([eventJson('b')])
    })

    it('drops the oldest events above maxEvents', async () => {
      const { log, dropped } = await openLog({ maxEvents: 3 })
      for (const name of ['a', 'b', 'c', 'd', 'e']) {
        log.append(eventJson(name))
        expect(log.size()).toBeLessThanOrEqual(3)
      }
      await log.whenDurable()
      expect(dropped).toEqual(['a', 'b'].map((name) => ({ json: eventJson(name), reason: 'queue_overflow' })))
      expect(await readEvents(log)).toEqual(['c', 'd', 'e'].map((name) => eventJson(name)))
    })

    it('drops the oldest events above maxBytes', async () => {
      const { log, dropped } = await openLog({ maxBytes: 2 * eventJson('a', 100).length })
      for (const name of ['a', 'b', 'c']) log.append(eventJson(name, 100))
      await log.whenDurable()
      expect(dropped).toEqual([{ json: eventJson('a', 100), reason: 'queue_overflow' }])
      expect(await readEvents(log)).toEqual([eventJson('b', 100), eventJson('c', 100)])
    })

    it('counts the bytes of UTF-8 for maxBytes, not characters', async () => {
      const event = (name: string): string => JSON.stringify({ event: name, text: 'я'.repeat(100) })
      const { log, dropped } = await openLog({ maxBytes: 2 * Buffer.byteLength(event('a')) + 20 })
      for (const name of ['a', 'b', 'c']) log.append(event(name))
      // Some logs enforce the limit when they write, at the end of the turn.
      await log.whenDurable()
      log.append(event('large'.repeat(200)))
      expect(dropped).toEqual([
        { json: event('a'), reason: 'queue_overflow' },
        { json: event('large'.repeat(200)), reason: 'too_large' },
      ])
      expect(await readEvents(log)).toEqual([event('b'), event('c')])
    })

    it('drops only the event that is larger than the whole log may be', async () => {
      const { log, dropped } = await openLog({ maxBytes: 100 })
      log.append(eventJson('a'))
      log.append(eventJson('large', 100))
      await log.whenDurable()
      expect(dropped).toEqual([{ json: eventJson('large', 100), reason: 'too_large' }])
      expect(await readEvents(log)).toEqual([eventJson('a')])
    })

    it('never drops events of a batch that was read', async () => {
      const { log, dropped } = await openLog({ maxEvents: 3 })
      for (const name of ['a', 'b', 'c']) log.append(eventJson(name))
      await log.whenDurable()
      const batch = await log.readOldest(2, Infinity)
      for (const name of ['d', 'e']) log.append(eventJson(name))
      expect(dropped.map(({ json }) => json)).toEqual([eventJson('c'), eventJson('d')])
      batch?.remove()
      await log.whenDurable()
      expect(await readEvents(log)).toEqual([eventJson('e')])
    })

    it('returns all events in order, and none twice, except those reported as dropped', async () => {
      const step = fc.oneof(
        { weight: 4, arbitrary: fc.record({ append: fc.integer({ min: 0, max: 60 }) }) },
        {
          weight: 2,
          arbitrary: fc.record({ read: fc.integer({ min: 1, max: 6 }), maxLength: fc.integer({ min: 1, max: 300 }) }),
        },
        { weight: 2, arbitrary: fc.constant('remove' as const) },
      )
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { maxLength: 60 }),
          fc.integer({ min: 1, max: 8 }),
          fc.integer({ min: 100, max: 800 }),
          async (steps, maxEvents, maxBytes) => {
            const { log, dropped } = await openLog({ maxEvents, maxBytes })
            const appended: string[] = []
            const removed: string[] = []
            let batch: Awaited<ReturnType<EventLog['readOldest']>>
            for (const action of steps) {
              if (action === 'remove') {
                if (batch) removed.push(...batch.events)
                batch?.remove()
                batch = undefined
              } else if ('append' in action) {
                const event = eventJson(String(appended.length), action.append)
                appended.push(event)
                log.append(event)
                if (!batch) expect(log.size()).toBeLessThanOrEqual(maxEvents)
              } else {
                await log.whenDurable()
                batch = await log.readOldest(action.read, action.maxLength)
                const length = batch?.events.reduce((sum, { length }) => sum + length + 1, 0) ?? 0
                expect(batch?.events.length ?? 1).toBeLessThanOrEqual(action.read)
                if (batch && batch.events.length > 1) expect(length).toBeLessThanOrEqual(action.maxLength)
                for (const event of batch?.events ?? []) expect(dropped.map(({ json }) => json)).not.toContain(event)
              }
              expect(log.size()).toBe(appended.length - removed.length - dropped.length)
            }
            await log.whenDurable()
            const remaining = await removeAll(log)
            const reported = [...dropped.map(({ json }) => json), ...removed]
            expect([...reported, ...remaining].toSorted()).toEqual(appended.toSorted())
            expect(remaining).toEqual(appended.filter((event) => !reported.includes(event)))
            expect(removed).toEqual(appended.filter((event) => removed.includes(event)))
          },
        ),
        { numRuns: 200 },
      )
    }, 60_000)
  })
}
