import * as fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import type { EventLog, EventLogLimits } from '../../src/port/event-log.ts'

/** An event that a log has dropped. */
export interface DroppedEvent {
  readonly json: string
  readonly reason: string
}

const LARGE: EventLogLimits = { maxEvents: 1_000, maxLength: 1e6 }
const ALL = [Infinity, Infinity] as const

/** An event as the pipeline writes it: one unique line of JSON. It has as many bytes as characters, because files count bytes. */
const json = (name: string, length = 0): string => JSON.stringify({ event: name, text: 'x'.repeat(length) })

/** Removes and returns all events, oldest first. A batch may be short, because it ends with its file. */
const drain = async (log: EventLog): Promise<readonly string[]> => {
  const events: string[] = []
  for (let batch = await log.readOldest(...ALL); batch; batch = await log.readOldest(...ALL)) {
    events.push(...batch.events)
    batch.remove()
  }
  return events
}

/** Reads all events, oldest first, when they fit one batch. */
const contents = async (log: EventLog): Promise<readonly string[]> => (await log.readOldest(...ALL))?.events ?? []

/**
 * Tests that every event log must pass.
 *
 * @param open Creates a new, empty log that reports what it drops. The suite closes it.
 */
export const eventLogContract = (
  name: string,
  open: (limits: EventLogLimits, onDrop: (json: string, reason: string) => void) => Promise<EventLog> | EventLog,
): void => {
  const opened: EventLog[] = []

  const openLog = async (limits: Partial<EventLogLimits> = {}): Promise<{ log: EventLog; dropped: DroppedEvent[] }> => {
    const dropped: DroppedEvent[] = []
    const log = await open({ ...LARGE, ...limits }, (json, reason) => dropped.push({ json, reason }))
    opened.push(log)
    return { log, dropped }
  }

  describe(`event log: ${name}`, () => {
    afterEach(() => {
      for (const log of opened.splice(0)) log.close()
    })

    it('returns undefined when it is empty', async () => {
      const { log } = await openLog()
      expect(await log.readOldest(...ALL)).toBeUndefined()
      expect(log.size()).toBe(0)
    })

    it('returns events unchanged, oldest first', async () => {
      const { log } = await openLog()
      const events = [json('a'), json('"\n\u2028😀', 5), json('c')]
      for (const event of events) log.append(event)
      await log.whenDurable()
      expect(await contents(log)).toEqual(events)
      expect(log.size()).toBe(3)
    })

    it('returns at most maxEvents events', async () => {
      const { log } = await openLog()
      for (const name of ['a', 'b', 'c']) log.append(json(name))
      await log.whenDurable()
      expect((await log.readOldest(2, Infinity))?.events).toEqual([json('a'), json('b')])
    })

    it('returns at most maxLength characters with commas, but a longer event alone', async () => {
      const { log } = await openLog()
      for (const name of ['a', 'b', 'c']) log.append(json(name))
      log.append(json('long', 200))
      await log.whenDurable()
      const two = 2 * (json('a').length + 1)
      const batch = await log.readOldest(9, two)
      expect(batch?.events).toEqual([json('a'), json('b')])
      expect((await log.readOldest(9, two - 1))?.events).toEqual([json('a')])
      ;(await log.readOldest(3, Infinity))?.remove()
      expect((await log.readOldest(9, 1))?.events).toEqual([json('long', 200)])
    })

    it('returns the same events until they are removed, then the next ones', async () => {
      const { log } = await openLog()
      for (const name of ['a', 'b', 'c']) log.append(json(name))
      await log.whenDurable()
      await log.readOldest(1, Infinity)
      const batch = await log.readOldest(2, Infinity)
      expect(batch?.events).toEqual([json('a'), json('b')])
      batch?.remove()
      expect(log.size()).toBe(1)
      expect(await contents(log)).toEqual([json('c')])
    })

    it('removes a batch once, however often remove() is called', async () => {
      const { log } = await openLog()
      for (const name of ['a', 'b', 'c']) log.append(json(name))
      await log.whenDurable()
      const batch = await log.readOldest(1, Infinity)
      batch?.remove()
      batch?.remove()
      expect(await contents(log)).toEqual([json('b'), json('c')])
      batch?.remove()
      expect(await contents(log)).toEqual([json('b'), json('c')])
    })

    it('keeps events that are added while others are in flight', async () => {
      const { log } = await openLog()
      log.append(json('a'))
      await log.whenDurable()
      const batch = await log.readOldest(...ALL)
      log.append(json('b'))
      batch?.remove()
      await log.whenDurable()
      expect(await contents(log)).toEqual([json('b')])
    })

    it('"Queue full: oldest dropped, newest kept, size never above the limit": events', async () => {
      const { log, dropped } = await openLog({ maxEvents: 3 })
      for (const name of ['a', 'b', 'c', 'd', 'e']) {
        log.append(json(name))
        expect(log.size()).toBeLessThanOrEqual(3)
      }
      await log.whenDurable()
      expect(dropped).toEqual(['a', 'b'].map((name) => ({ json: json(name), reason: 'queue_overflow' })))
      expect(await contents(log)).toEqual(['c', 'd', 'e'].map((name) => json(name)))
    })

    it('… and characters', async () => {
      const { log, dropped } = await openLog({ maxLength: 2 * json('a', 100).length })
      for (const name of ['a', 'b', 'c']) log.append(json(name, 100))
      await log.whenDurable()
      expect(dropped).toEqual([{ json: json('a', 100), reason: 'queue_overflow' }])
      expect(await contents(log)).toEqual([json('b', 100), json('c', 100)])
    })

    it('drops only the event that is larger than the whole log may be', async () => {
      const { log, dropped } = await openLog({ maxLength: 100 })
      log.append(json('a'))
      log.append(json('large', 100))
      await log.whenDurable()
      expect(dropped).toEqual([{ json: json('large', 100), reason: 'too_large' }])
      expect(await contents(log)).toEqual([json('a')])
    })

    it('never drops the batch in flight', async () => {
      const { log, dropped } = await openLog({ maxEvents: 3 })
      for (const name of ['a', 'b', 'c']) log.append(json(name))
      await log.whenDurable()
      const batch = await log.readOldest(2, Infinity)
      for (const name of ['d', 'e']) log.append(json(name))
      expect(dropped.map(({ json }) => json)).toEqual([json('c'), json('d')])
      batch?.remove()
      await log.whenDurable()
      expect(await contents(log)).toEqual([json('e')])
    })

    it('never loses, repeats or reorders events', async () => {
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
          async (steps, maxEvents, maxLength) => {
            const { log, dropped } = await openLog({ maxEvents, maxLength })
            const appended: string[] = []
            const removed: string[] = []
            let batch: Awaited<ReturnType<EventLog['readOldest']>>
            for (const action of steps) {
              if (action === 'remove') {
                if (batch) removed.push(...batch.events)
                batch?.remove()
                batch = undefined
              } else if ('append' in action) {
                const event = json(String(appended.length), action.append)
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
            const rest = await drain(log)
            const gone = [...dropped.map(({ json }) => json), ...removed]
            expect([...gone, ...rest].toSorted()).toEqual(appended.toSorted())
            expect(rest).toEqual(appended.filter((event) => !gone.includes(event)))
            expect(removed).toEqual(appended.filter((event) => removed.includes(event)))
          },
        ),
        { numRuns: 200 },
      )
    }, 60_000)
  })
}
