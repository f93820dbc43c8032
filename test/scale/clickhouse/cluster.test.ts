import { expect, test } from 'vitest'
import { connectClickHouse } from '../../../src/service/store/events/clickhouse/connect.ts'
import { openClickHouseStore } from '../../../src/service/store/events/clickhouse/open-store.ts'
import { actorsContract } from '../../contract/questions/actors.ts'
import { funnelContract } from '../../contract/questions/funnel.ts'
import { retentionContract } from '../../contract/questions/retention.ts'
import { trendContract } from '../../contract/questions/trend.ts'
import { batchOf, select, storedEvent } from '../../contract/service-event-store.ts'
import './share-runs.ts'
import { clickHouseStoreContract } from './store-contract.ts'
import { useClickHouse } from './store-under-test.ts'

/** The test server as a cluster of one server, with Distributed tables. What needs Keeper is left out (`engine.mjs`). */
const CLUSTER = 'test_cluster'

const { getServer, create } = useClickHouse(CLUSTER)

clickHouseStoreContract(create)
trendContract(create)
funnelContract(create)
retentionContract(create)
actorsContract(create, { listsItems: false })

test('has events in the table of the shard, and finds them through the one without rows', async () => {
  const server = { ...getServer().options, databasePrefix: getServer().createPrefix(), cluster: CLUSTER }
  const store = await openClickHouseStore({ server, projectId: 1 })
  // Two deliveries of one event, of which the first stays.
  await store.commit(
    batchOf([storedEvent(1, { receivedAt: 5_000, timestamp: 5_000, properties: { utm_source: 'b' } })]),
  )
  await store.commit(
    batchOf([storedEvent(1, { receivedAt: 4_000, timestamp: 4_000, properties: { utm_source: 'a' } })]),
  )
  expect(await select(store, 'SELECT timestamp, utm_source FROM events')).toEqual([['1970-01-01T00:00:04.000Z', 'a']])
  const nested = "SELECT count() FROM events WHERE uuid IN (SELECT uuid FROM events WHERE event = 'a')"
  expect(await select(store, nested)).toEqual([[1]])
  await store.close()
  const { administrator, close } = await connectClickHouse(server, 1)
  const answer = await administrator.query({
    query:
      "SELECT name, engine, total_rows FROM system.tables WHERE database = currentDatabase() AND name LIKE 'stored_events%' ORDER BY name",
    format: 'JSONCompactEachRow',
  })
  expect(await answer.json()).toEqual([
    ['stored_events', 'Distributed', null],
    ['stored_events_of_shard', 'ReplacingMergeTree', '2'],
  ])
  await close()
})

test.each([
  [
    'one server',
    undefined,
    CLUSTER,
    /has tables of one server\. Leave out cluster=test_cluster, or choose another prefix/,
  ],
  ['a cluster', CLUSTER, undefined, /has tables of a cluster\. Name it in the URL of --events, as before/],
])('refuses tables of %s that are opened as others', async (_, first, second, message) => {
  const server = { ...getServer().options, databasePrefix: getServer().createPrefix() }
  await (await openClickHouseStore({ server: { ...server, cluster: first }, projectId: 1 })).close()
  await expect(openClickHouseStore({ server: { ...server, cluster: second }, projectId: 1 })).rejects.toThrow(message)
})
