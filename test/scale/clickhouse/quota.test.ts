import { expect, onTestFinished, test } from 'vitest'
import { startQuotaTracker } from '../../../src/service/ingest/quota-tracker.ts'
import { clickHouseEngine } from '../../../src/service/store/events/clickhouse/question/clickhouse-engine.ts'
import { createMemoryIndexer } from '../../service/support/memory-indexer.ts'
import { batchOf, storedEvent } from '../../contract/service-event-store.ts'
import { useClickHouse } from './store-under-test.ts'

const { create } = useClickHouse()

test('a quota counts the events that were received this month, without migrations', async () => {
  const store = await create().open()
  const now = Date.UTC(2026, 10, 20)
  const times = [now, Date.UTC(2026, 10, 1), Date.UTC(2026, 10, 1) - 1]
  const events = times.map((receivedAt, index) => storedEvent(index + 1, { receivedAt }))
  await store.commit(batchOf([...events, storedEvent(4, { receivedAt: now, isHistorical: true })]))
  const quota = startQuotaTracker({
    indexer: createMemoryIndexer((request) => store.query(request)),
    engine: clickHouseEngine,
    now: () => now,
    onWarning: () => undefined,
  })
  onTestFinished(async () => {
    quota.stop()
    await store.close()
  })
  const isExceeded = (eventQuota: number) => quota.isExceeded({ id: 1, name: 'Shop', apiKey: 'wm_x', eventQuota }, now)
  await expect.poll(() => isExceeded(2), { timeout: 20_000 }).toBe(true)
  expect(isExceeded(3)).toBe(false)
})
