import { expect, inject, test } from 'vitest'
import { startPostgres } from '../support/postgres-server.mjs'
import { queryPostgres } from '../support/query-postgres.ts'

test('a server of a test starts, and again after it was stopped', async () => {
  const server = await startPostgres(inject('postgresPackage')!)
  try {
    await server.stop()
    await server.start()
    expect(await queryPostgres(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
  } finally {
    await server.remove()
  }
})
