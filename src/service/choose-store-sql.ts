import type { Config } from './config.ts'
import { clickHouseDraftDialect, duckDbDraftDialect } from './draft/draft-dialect.ts'
import type { DraftDialect } from './draft/draft-dialect.ts'
import type { SqlSyntax } from './sql/sql-syntax.ts'
import { readTokens as readClickHouseTokens } from './store/events/clickhouse/sql-tokens.ts'
import { clickHouseEngine } from './store/events/clickhouse/question/clickhouse-engine.ts'
import { readTokens } from './store/events/duckdb/query/sql-tokens.ts'
import { duckDbEngine } from './store/events/duckdb/question/duckdb-engine.ts'
import type { Engine } from './store/events/question/engine.ts'

/** How the front writes SQL for the engine of the event stores. */
export interface StoreSql {
  readonly engine: Engine
  readonly draftDialect: DraftDialect
  readonly syntax: SqlSyntax
}

const DUCKDB: StoreSql = {
  engine: duckDbEngine,
  draftDialect: duckDbDraftDialect,
  syntax: { readTokens, quoteString: duckDbEngine.quoteString },
}

const CLICKHOUSE: StoreSql = {
  engine: clickHouseEngine,
  draftDialect: clickHouseDraftDialect,
  syntax: { readTokens: readClickHouseTokens, quoteString: clickHouseEngine.quoteString },
}

export const chooseStoreSql = ({ events }: Pick<Config, 'events'>): StoreSql => (events === null ? DUCKDB : CLICKHOUSE)
