import { describe, expect, it } from 'vitest'
import { createMemoryEventLog } from '../../../src/platform/memory/memory-event-log.ts'
import { eventLogContract } from '../../contract/event-log.ts'

eventLogContract('memory', createMemoryEventLog)

describe('the memory event log', () => {
  it('returns the remaining events at its close, those in flight first', async () => {
    const log = createMemoryEventLog({ maxEvents: 9, maxBytes: 999 }, () => {})
    for (const event of ['1', '2', '3']) log.append(event)
    await log.readOldest(1, Infinity)
    log.writeSync()
    expect(log.close()).toEqual(['1', '2', '3'])
    expect([log.size(), log.close()]).toEqual([0, []])
  })

  it('keeps 200,000 events of one loop in order, and drops the oldest one by one', async () => {
    const dropped: string[] = []
    const log = createMemoryEventLog({ maxEvents: 200_000, maxBytes: 1e9 }, (json) => dropped.push(json))
    for (let n = 0; n < 200_010; n++) log.append(String(n))
    expect(dropped).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
    const delivered: string[] = []
    for (let batch = await log.readOldest(999, 1e9); batch; batch = await log.readOldest(999, 1e9)) {
      delivered.push(...batch.events)
      batch.remove()
    }
    expect(delivered.length).toBe(200_000)
    expect(delivered.findIndex((event, index) => event !== String(index + 10))).toBe(-1)
  })
})
