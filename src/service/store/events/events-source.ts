import type { ClickHouseSource } from './clickhouse/clickhouse-source.ts'

/** Where the events are: the folder of DuckDB files, one per project, or a ClickHouse server. It can be sent to another process. */
export type EventsSource = string | ClickHouseSource
