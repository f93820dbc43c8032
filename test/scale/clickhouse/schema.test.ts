import { expect, test } from 'vitest'
import { connectClickHouse } from '../../../src/service/store/events/clickhouse/connect.ts'
import { openClickHouseStore } from '../../../src/service/store/events/clickhouse/open-store.ts'
import { batchOf, select, storedEvent } from '../../contract/service-event-store.ts'
import { useClickHouse } from './store-under-test.ts'

const { getServer } = useClickHouse()

test('adds the columns that an earlier version did not have, also for the events that are stored already', async () => {
  const server = { ...getServer().options, databasePrefix: getServer().createPrefix() }
  const open = () => openClickHouseStore({ server, projectId: 1 })
  const store = await open()
  await store.commit(batchOf([storedEvent(1, { properties: { utm_source: 'news' } })]))
  await store.close()
  const { administrator, close } = await connectClickHouse(server, 1)
  await administrator.command({ query: 'DROP VIEW events' })
  await administrator.command({ query: 'ALTER TABLE stored_events DROP COLUMN utm_source' })
  await close()
  const reopened = await open()
  expect(await select(reopened, 'SELECT utm_source FROM events')).toEqual([['news']])
  await reopened.close()
})
