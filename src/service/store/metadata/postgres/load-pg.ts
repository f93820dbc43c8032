import { readFile } from 'node:fs/promises'
import { loadOptional } from '../../../load-optional.ts'
import type { PgClientClass, PgConnectionSettings, PgPackage } from './pg-package.ts'
import type { PostgresSource } from './postgres-source.ts'

/** Longest wait for a connection: of the pool, or to the server. */
const CONNECT_TIMEOUT_MS = 5_000

/** Longest wait for an answer. Without it, a server that is gone without a word would be waited for until TCP gives up. */
const QUERY_TIMEOUT_MS = 60_000

/** The package pg, and how it connects to a database. */
export interface LoadedPg {
  readonly pg: PgPackage['default']
  readonly Client: PgClientClass
  readonly settings: PgConnectionSettings
}

/** Throws `StartError` when the package pg is not installed. */
export const loadPg = async ({ url, passwordFile }: PostgresSource): Promise<LoadedPg> => {
  const { default: pg } = await loadOptional<PgPackage>('pg', '--metadata postgres://…')
  return {
    pg,
    Client: passwordFile === null ? pg.Client : withPasswordFile(pg.Client, passwordFile),
    settings: {
      connectionString: url,
      application_name: 'waymark-service',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      keepAlive: true,
    },
  }
}

/** Reads the password for each connection. A setting could not: the URL takes precedence, even without a password. */
const withPasswordFile = (Client: PgClientClass, path: string): PgClientClass =>
  class extends Client {
    constructor(config: object) {
      super(config)
      this.password = async () => (await readFile(path, 'utf8')).trim()
    }
  }
