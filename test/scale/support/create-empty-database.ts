import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import type { PostgresSource } from '../../../src/service/store/metadata/postgres/postgres-source.ts'
import { queryPostgres } from './query-postgres.ts'

/** Creates a database without tables on a server. Default: the server of the Vitest project. */
export const createEmptyDatabase = async (server: string = inject('postgresUrl')!): Promise<PostgresSource> => {
  const name = `waymark_test_${randomUUID().replaceAll('-', '')}`
  await queryPostgres(server, `create database ${name}`)
  return { url: new URL(`/${name}`, server).href, passwordFile: null }
}
