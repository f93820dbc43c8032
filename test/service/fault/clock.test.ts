import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { openService } from '../../../src/service/index.ts'
import { waitForIndexer, queryRows } from '../support/service-process.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const HOUR_MS = 3_600_000
const YEAR_MS = 365 * 24 * HOUR_MS

/** Creates a version 7 uuid, which contains a time, as senders do with their own clock. */
const createUuidAt = (ms: number): string => {
  const time = ms.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

/** A service in this process with a clock that the test controls. */
const openWithClock = async (dataFolder: string, clock: { now: number }) => {
  const service = await openService({ dataFolder, port: 0 }, undefined, { now: () => clock.now })
  onTestFinished(() => service.close())
  const { url } = await service.listen()
  const send = async (uuids: readonly string[]): Promise<number> => {
    const batch = uuids.map((uuid) => ({ uuid, event: 'tick', distinct_id: 'u' }))
    const { status } = await fetch(`${url}/batch/`, {
      method: 'POST',
      body: JSON.stringify({ api_key: service.project.apiKey, batch }),
    })
    return status
  }
  return { ...service, url, send }
}

test('stores each event once when the clock jumps by a year', async () => {
  const folder = createTempFolder()
  const startMs = Date.now()
  const clock = { now: startMs }
  const sent: string[] = []
  let personalApiKey: string | null = null
  for (const jumpMs of [0, YEAR_MS, -YEAR_MS, -2 * YEAR_MS, HOUR_MS]) {
    clock.now = startMs + jumpMs
    const service = await openWithClock(folder, clock)
    personalApiKey ??= service.project.personalApiKey
    for (const offsetMs of [0, 10 * HOUR_MS, -10 * HOUR_MS, YEAR_MS, -YEAR_MS]) {
      clock.now = startMs + jumpMs + offsetMs
      const uuids = [createUuidAt(clock.now), randomUUID()]
      sent.push(...uuids)
      // Sent twice, before and after a jump.
      expect(await service.send(uuids)).toBe(200)
      clock.now -= 3 * HOUR_MS
      expect(await service.send(uuids)).toBe(200)
      const decide = await fetch(`${service.url}/decide?v=3`, {
        method: 'POST',
        body: JSON.stringify({ api_key: service.project.apiKey, distinct_id: 'u' }),
      })
      expect(decide.status).toBe(200)
      await waitForIndexer(service.url)
    }
    const rows = await queryRows(service.url, personalApiKey!, 'select uuid from events')
    expect(rows.map(([uuid]) => String(uuid)).toSorted()).toEqual([...new Set(sent)].toSorted())
    await service.close()
  }
})
