import { readFile } from 'node:fs/promises'
import { findParser } from './parse-value.ts'
import type { PgConfig, PgTypes } from './pg-package.ts'
import type { PostgresSource } from './postgres-source.ts'

/** Longest wait for a connection: of the pool, or to the server. */
const CONNECT_TIMEOUT_MS = 5_000

/** Longest wait for an answer. Without it, a server that is gone without a word would be waited for until TCP gives up. */
const QUERY_TIMEOUT_MS = 60_000

/** The settings of a connection. */
export const toPgConfig = ({ url, passwordFile }: PostgresSource, types: PgTypes): PgConfig => ({
  connectionString: url,
  ...(passwordFile === null ? {} : { password: async () => (await readFile(passwordFile, 'utf8')).trim() }),
  application_name: 'waymark-service',
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  query_timeout: QUERY_TIMEOUT_MS,
  keepAlive: true,
  types: { getTypeParser: (type, format) => findParser(type) ?? types.getTypeParser(type, format) },
})
