import * as fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import type { EventLog, EventLogBounds } from '../../src/port/event-log.ts'

/** An event that a log could not keep. */
export interface Dropped {
  readonly json: string
  readonly reason: string
}

const LARGE: EventLogBounds = { maxEvents: 1_000, maxLength: 1e6 }
const ALL = [Infinity, Infinity] as const

/** An event as the pipeline writes it: one line of JSON, which no two events share; as many bytes as characters, since files count those. */
const json = (name: string, length = 0): string => JSON.stringify({ event: name, text: 'x'.repeat(length) })

/** All that waits, oldest first, and no more. A run may be shorter than it might: files end. */
const drain = async (log: EventLog): Promise<readonly string[]> => {
  const events: string[] = []
  for (let run = await log.take(...ALL); run; run = await log.take(...ALL)) {
    events.push(...run.events)
    run.remove()
  }
  return events
}

/** All that waits, oldest first, where it is one run. */
const contents = async (log: EventLog): Promise<readonly string[]> => (await log.take(...ALL))?.events ?? []

/**
 * What every event log promises.
 *
 * @param open Gives a new, empty log each time, which tells what it drops. The suite closes it.
 */
export const eventLogContract = (
  name: string,
  open: (bounds: EventLogBounds, onDrop: (json: string, reason: string) => void) => Promise<EventLog> | EventLog,
): void => {
  const opened: EventLog[] = []

  const opening = async (bounds: Partial<EventLogBounds> = {}): Promise<{ log: EventLog; dropped: Dropped[] }> => {
    const dropped: Dropped[] = []
    const log = await open({ ...LARGE, ...bounds }, (json, reason) => dropped.push({ json, reason }))
    opened.push(log)
    return { log, dropped }
  }

  describe(`event log: ${name}`, () => {
    afterEach(() => {
      for (const log of opened.splice(0)) log.close()
    })

    it('answers undefined when nothing waits', async () => {
      const { log } = await opening()
      expect(await log.take(...ALL)).toBeUndefined()
      expect(log.size()).toBe(0)
    })

    it('gives events back as they were, oldest first', async () => {
      const { log } = await opening()
      const events = [json('a'), json('"\n\u2028😀', 5), json('c')]
      for (const event of events) log.append(event)
      await log.settled()
      expect(await contents(log)).toEqual(events)
      expect(log.size()).toBe(3)
    })

    it('gives at most as many as asked for', async () => {
      const { log } = await opening()
      for (const name of ['a', 'b', 'c']) log.append(json(name))
      await log.settled()
      expect((await log.take(2, Infinity))?.events).toEqual([json('a'), json('b')])
    })

    it('gives at most so many characters, a comma after each event included, and a longer one alone', async () => {
      const { log } = await opening()
      for (const name of ['a', 'b', 'c']) log.append(json(name))
      log.append(json('long', 200))
      await log.settled()
      const two = 2 * (json('a').length + 1)
      const run = await log.take(9, two)
      expect(run?.events).toEqual([json('a'), json('b')])
      expect((await log.take(9, two - 1))?.events).toEqual([json('a')])
      ;(await log.take(3, Infinity))?.remove()
      expect((await log.take(9, 1))?.events).toEqual([json('long', 200)])
    })

    it('gives the same events until they are removed, then the next ones', async () => {
      const { log } = await opening()
      for (const name of ['a', 'b', 'c']) log.append(json(name))
      await log.settled()
      await log.take(1, Infinity)
      const run = await log.take(2, Infinity)
      expect(run?.events).toEqual([json('a'), json('b')])
      run?.remove()
      expect(log.size()).toBe(1)
      expect(await contents(log)).toEqual([json('c')])
    })

    it('forgets a run once, however often it is told', async () => {
      const { log } = await opening()
      for (const name of ['a', 'b', 'c']) log.append(json(name))
      await log.settled()
      const run = await log.take(1, Infinity)
      run?.remove()
      run?.remove()
      expect(await contents(log)).toEqual([json('b'), json('c')])
      run?.remove()
      expect(await contents(log)).toEqual([json('b'), json('c')])
    })

    it('keeps events that come while others are in flight', async () => {
      const { log } = await opening()
      log.append(json('a'))
      await log.settled()
      const run = await log.take(...ALL)
      log.append(json('b'))
      run?.remove()
      await log.settled()
      expect(await contents(log)).toEqual([json('b')])
    })

    it('"Queue full: oldest dropped, newest kept, size never above the limit": events', async () => {
      const { log, dropped } = await opening({ maxEvents: 3 })
      for (const name of ['a', 'b', 'c', 'd', 'e']) {
        log.append(json(name))
        expect(log.size()).toBeLessThanOrEqual(3)
      }
      await log.settled()
      expect(dropped).toEqual(['a', 'b'].map((name) => ({ json: json(name), reason: 'queue_overflow' })))
      expect(await contents(log)).toEqual(['c', 'd', 'e'].map((name) => json(name)))
    })

    it('… and characters', async () => {
      const { log, dropped } = await opening({ maxLength: 2 * json('a', 100).length })
      for (const name of ['a', 'b', 'c']) log.append(json(name, 100))
      await log.settled()
      expect(dropped).toEqual([{ json: json('a', 100), reason: 'queue_overflow' }])
      expect(await contents(log)).toEqual([json('b', 100), json('c', 100)])
    })

    it('drops an event that alone is larger than all may be, and nothing else for it', async () => {
      const { log, dropped } = await opening({ maxLength: 100 })
      log.append(json('a'))
      log.append(json('large', 100))
      await log.settled()
      expect(dropped).toEqual([{ json: json('large', 100), reason: 'too_large' }])
      expect(await contents(log)).toEqual([json('a')])
    })

    it('never drops the run that is in flight', async () => {
      const { log, dropped } = await opening({ maxEvents: 3 })
      for (const name of ['a', 'b', 'c']) log.append(json(name))
      await log.settled()
      const run = await log.take(2, Infinity)
      for (const name of ['d', 'e']) log.append(json(name))
      expect(dropped.map(({ json }) => json)).toEqual([json('c'), json('d')])
      run?.remove()
      await log.settled()
      expect(await contents(log)).toEqual([json('e')])
    })

    it('loses, doubles and reorders nothing, whatever is done with it', async () => {
      const step = fc.oneof(
        { weight: 4, arbitrary: fc.record({ append: fc.integer({ min: 0, max: 60 }) }) },
        {
          weight: 2,
          arbitrary: fc.record({ take: fc.integer({ min: 1, max: 6 }), room: fc.integer({ min: 1, max: 300 }) }),
        },
        { weight: 2, arbitrary: fc.constant('remove' as const) },
      )
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { maxLength: 60 }),
          fc.integer({ min: 1, max: 8 }),
          fc.integer({ min: 100, max: 800 }),
          async (steps, maxEvents, maxLength) => {
            const { log, dropped } = await opening({ maxEvents, maxLength })
            const appended: string[] = []
            const removed: string[] = []
            let run: Awaited<ReturnType<EventLog['take']>>
            for (const one of steps) {
              if (one === 'remove') {
                if (run) removed.push(...run.events)
                run?.remove()
                run = undefined
              } else if ('append' in one) {
                const event = json(String(appended.length), one.append)
                appended.push(event)
                log.append(event)
                if (!run) expect(log.size()).toBeLessThanOrEqual(maxEvents)
              } else {
                await log.settled()
                run = await log.take(one.take, one.room)
                const length = run?.events.reduce((sum, { length }) => sum + length + 1, 0) ?? 0
                expect(run?.events.length ?? 1).toBeLessThanOrEqual(one.take)
                if (run && run.events.length > 1) expect(length).toBeLessThanOrEqual(one.room)
                for (const event of run?.events ?? []) expect(dropped.map(({ json }) => json)).not.toContain(event)
              }
              expect(log.size()).toBe(appended.length - removed.length - dropped.length)
            }
            await log.settled()
            const left = await drain(log)
            const gone = [...dropped.map(({ json }) => json), ...removed]
            expect([...gone, ...left].toSorted()).toEqual(appended.toSorted())
            expect(left).toEqual(appended.filter((event) => !gone.includes(event)))
            expect(removed).toEqual(appended.filter((event) => removed.includes(event)))
          },
        ),
        { numRuns: 200 },
      )
    }, 60_000)
  })
}
