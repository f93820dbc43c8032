import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { startService } from '../../service/support/service-process.ts'
import type { ServiceProcess } from '../../service/support/service-process.ts'
import { createTempFolder } from '../../service/support/temp-folder.ts'
import type { TestClickHouse } from '../clickhouse/start-clickhouse.ts'
import { startClickHouse } from '../clickhouse/start-clickhouse.ts'
import { createEmptyDatabase } from '../support/create-empty-database.ts'
import { SERVICE_ENVIRONMENT } from '../support/start-on-postgres.ts'

/** The stores of several nodes. */
export interface Cluster {
  readonly clickHouse: TestClickHouse
  /** The URL of the database in PostgreSQL. */
  readonly metadata: string
  /** The settings that all nodes have. */
  readonly args: readonly string[]
  /** Starts a node, which is killed at the end of the test. Default: with a new data folder, and the clock of the machine. */
  readonly start: (folder?: string, clockOffsetMs?: number) => Promise<ServiceProcess>
}

/**
 * Opens a new PostgreSQL database, and starts a ClickHouse, which ends with the test.
 *
 * @param postgresUrl Default: the server of the Vitest project.
 */
export const openCluster = async (postgresUrl?: string): Promise<Cluster> => {
  const server = await startClickHouse()
  onTestFinished(() => server.cleanUp())
  const { url: metadata } = await createEmptyDatabase(postgresUrl)
  const passwordFile = join(createTempFolder(), 'password')
  writeFileSync(passwordFile, server.options.password)
  const events = `clickhouse://${new URL(server.options.url).host}/nodes`
  const args = ['--metadata', metadata, '--events', events, '--events-password-file', passwordFile]
  const start = (folder = createTempFolder(), clockOffsetMs = 0) =>
    startService(folder, { args, env: clockOffsetMs === 0 ? SERVICE_ENVIRONMENT : withClockOffset(clockOffsetMs) })
  return { clickHouse: server, metadata, args, start }
}

const CLOCK = new URL('../support/shift-clock.mjs', import.meta.url).href

const withClockOffset = (offsetMs: number): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `${SERVICE_ENVIRONMENT.NODE_OPTIONS} --import=${CLOCK}`,
  WAYMARK_TEST_CLOCK_OFFSET_MS: String(offsetMs),
})

/** Sends JSON, and returns that of the response. Rejects when the request is refused. */
export const post = async (url: string, body: object, key?: string): Promise<Record<string, unknown>> => {
  const headers = { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) }
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body), headers })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  return (await response.json()) as Record<string, unknown>
}
