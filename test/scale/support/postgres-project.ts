import type { TestProject } from 'vitest/node'
import { openMetadata } from '../../../src/service/store/metadata/open.ts'
import { TEMPLATE_DATABASE } from '../../service/support/template-database.ts'
import { startPostgres } from './postgres-server.mjs'
import { queryPostgres } from './query-postgres.ts'

/**
 * Starts the server that a Vitest project is named after, or uses that of `WAYMARK_POSTGRES_URL`, and creates the database that tests copy.
 * Where the server can, it orders text by a language, so that a query that depends on the order of bytes must say so.
 */
export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const given = process.env['WAYMARK_POSTGRES_URL']
  const server = given === undefined ? await startPostgres(project.name) : null
  const url = given ?? server!.url
  const [{ server_version_num: version } = {}] = await queryPostgres(url, 'show server_version_num')
  const language = Number(version) >= 150_000 ? `template template0 locale_provider icu icu_locale 'en-US'` : ''
  await queryPostgres(url, `drop database if exists ${TEMPLATE_DATABASE}`)
  await queryPostgres(url, `create database ${TEMPLATE_DATABASE} ${language}`)
  await (await openMetadata({ url: new URL(`/${TEMPLATE_DATABASE}`, url).href, passwordFile: null })).destroy()
  project.provide('postgresUrl', url)
  project.provide('postgresPackage', project.name)
  return async () => {
    if (server !== null) return server.remove()
    const databases = await queryPostgres(url, `select datname from pg_database where datname like 'waymark_test_%'`)
    for (const { datname } of databases) await queryPostgres(url, `drop database "${String(datname)}" with (force)`)
  }
}
