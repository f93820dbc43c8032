import type { ClickHouseSettings } from '@clickhouse/client'
import { QueryError } from '../../../indexer/query-error.ts'
import { readTokens } from './sql-tokens.ts'

/**
 * What the SQL of members may use. The user has the right to read the project's tables and no other one; `readonly` keeps the SQL
 * from changing these settings.
 */
export const MEMBER_SETTINGS: ClickHouseSettings = {
  readonly: '1',
  max_memory_usage: '2000000000',
  max_result_bytes: String(32 * 1024 * 1024),
  max_bytes_before_external_group_by: '1000000000',
  max_bytes_before_external_sort: '1000000000',
  max_threads: 4,
  priority: '10',
}

/** Throws `QueryError` unless SQL is one SELECT. The server refuses what it reads otherwise. */
export const checkSelect = (sql: string): void => {
  const tokens = Array.from(readTokens(sql), ({ text }) => text)
  const end = tokens.indexOf(';')
  const isOne = end < 0 || tokens.slice(end).every((token) => token === ';')
  if (!isOne || !/^(?:SELECT|WITH|\()$/i.test(tokens[0] ?? ''))
    throw new QueryError('not_select', 'The query must be one SELECT.')
}
