import { expect, test } from 'vitest'
import { createClickHouseEngine } from '../../../../src/service/indexer/engine/clickhouse-engine.ts'
import { StoreServerError } from '../../../../src/service/store/events/store-server-error.ts'
import { openTestMetadata } from '../../support/open-test-metadata.ts'

test.each([
  ['another password', '516', true],
  ['a table that was dropped', '60', true],
  ['a database that was dropped', '81', true],
  ['too many parts', '252', false],
])('opens a store again because of %s: code %s, %s', async (_, code, isExpected) => {
  const metadata = await openTestMetadata()
  const { mustReopen } = createClickHouseEngine({
    source: { url: 'clickhouse://127.0.0.1:1', passwordFile: null },
    metadata,
    isShared: false,
    nodeId: '',
  })
  const cause = Object.assign(new Error('refused'), { code, type: 'REFUSED' })
  expect(mustReopen(new StoreServerError('The server refuses.', { cause }))).toBe(isExpected)
  expect(mustReopen(new Error('The connection is closed.'))).toBe(false)
  await metadata.destroy()
})
