import { describe, expect, test } from 'vitest'
import { POSTGRES_PACKAGES, startPostgres } from '../support/postgres-server.ts'
import { queryPostgres } from '../support/query-postgres.ts'

describe.each(POSTGRES_PACKAGES)('%s', (name) => {
  test('starts, and again after it was stopped', async () => {
    const server = await startPostgres(name)
    try {
      await server.stop()
      await server.start()
      expect(await queryPostgres(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
    } finally {
      await server.remove()
    }
  })
})
