import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { Metadata, MetadataSource } from '../../../src/service/store/metadata/open.ts'
import { openMetadata } from '../../../src/service/store/metadata/open.ts'
import { queryPostgres } from '../../scale/support/query-postgres.ts'
import { createTempFolder } from './temp-folder.ts'
import { TEMPLATE_DATABASE } from './template-database.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL of a PostgreSQL server on which the tests of the metadata run; undefined for SQLite. */
    readonly postgresUrl: string | undefined
    /** The package of that server, for tests that start their own. */
    readonly postgresPackage: string | undefined
  }
}

/** Whether the tests run on PostgreSQL. */
export const isOnPostgres = (): boolean => inject('postgresUrl') !== undefined

/** Where a test can open empty metadata, more than once: a file, or on PostgreSQL a new database. */
export const createTestSource = async (): Promise<MetadataSource> => {
  const server = inject('postgresUrl')
  if (server === undefined) return join(createTempFolder(), 'metadata.sqlite')
  const name = `waymark_test_${randomUUID().replaceAll('-', '')}`
  await queryPostgres(server, `create database ${name} template ${TEMPLATE_DATABASE}`)
  return { url: new URL(`/${name}`, server).href, passwordFile: null }
}

/** Opens empty metadata of a test: SQLite in memory, or on PostgreSQL a new database. */
export const openTestMetadata = async (): Promise<Metadata> =>
  openMetadata(isOnPostgres() ? await createTestSource() : ':memory:')
