import { createHmac } from 'node:crypto'
import type * as ClickHouse from '@clickhouse/client'
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client'
import { loadOptional } from '../../../load-optional.ts'

/** A ClickHouse server, as the operator names it. */
export interface ClickHouseOptions {
  /** The HTTP interface: scheme, host and port. */
  readonly url: string
  /** A user who may create databases, tables and users. */
  readonly username: string
  readonly password: string
  /** Databases of projects are named `<prefix>_<project id>`: letters, digits and underscores. */
  readonly databasePrefix: string
  /**
   * Name of a cluster of servers that have the events together: in shards, each with replicas. Every server needs the macros `shard` and
   * `replica`. Default: one server.
   */
  readonly cluster?: string | undefined
  /** Certificates in PEM of those who may sign the certificate of the server. Default: those of Node.js. */
  readonly certificateAuthority?: Buffer
}

/** The connections of one project. */
export interface ClickHouseConnection {
  readonly database: string
  readonly cluster: string | undefined
  /** The server and the database, for messages. */
  readonly place: string
  /** Without a database: for what creates it. */
  readonly server: ClickHouseClient
  /** For all but the SQL of members. */
  readonly administrator: ClickHouseClient
  /** The user for the SQL of members, who may read the tables of this project and nothing else. */
  readonly member: ClickHouseClient
  readonly memberName: string
  readonly memberPassword: string
  readonly close: () => Promise<void>
}

/** Longest wait for the next bytes of an answer; questions have limits of their own, which are shorter. */
const REQUEST_TIMEOUT_MS = 600_000

/** Connections of one client. More than the queries that the indexer runs at once, so that inserts and `KILL QUERY` wait for none of them. */
const MAX_CONNECTIONS = 32

const SETTINGS: ClickHouseSettings = {
  // The time since 1970 in ISO 8601 and UTC.
  date_time_output_format: 'iso',
  // A list of a thousand uuids or conditions is a long query.
  max_query_size: '16777216',
  // Errors after the first rows then have a status of their own.
  wait_end_of_query: 1,
  // All rows of a key are in the same partition (`schema.ts`), so that FINAL may merge each partition for itself. Newer servers find that out.
  do_not_merge_across_partitions_select_final: 1,
  // Persons and groups that have changes are read without having all of them in memory (`createPartsTable`).
  optimize_aggregation_in_order: 1,
  aggregation_in_order_max_block_bytes: '1000000',
}

/** Settings beside those, for tables whose rows are on several servers. */
const CLUSTER_SETTINGS: ClickHouseSettings = {
  // A server that is away does the statement later; the others do not wait for it.
  distributed_ddl_task_timeout: '15',
  distributed_ddl_output_mode: 'null_status_on_timeout',
  // The answer to an INSERT says that all shards have their rows.
  insert_distributed_sync: 1,
  // A SELECT of events in a condition or a join of another one is run once, and not by each shard for its own part.
  distributed_product_mode: 'global',
}

interface Login {
  readonly username: string
  readonly password: string
  readonly database?: string
}

/** Loads the package. Throws `StartError` when it is not installed. */
const createClientFactory = async (
  { url, cluster, certificateAuthority }: Pick<ClickHouseOptions, 'url' | 'cluster' | 'certificateAuthority'>,
  settings: ClickHouseSettings = cluster === undefined ? SETTINGS : { ...SETTINGS, ...CLUSTER_SETTINGS },
): Promise<(login: Login) => ClickHouseClient> => {
  const { createClient, ClickHouseLogLevel } = await loadOptional<typeof ClickHouse>(
    '@clickhouse/client',
    '--events clickhouse://…',
  )
  return (login) =>
    createClient({
      url,
      ...login,
      application: 'waymark',
      request_timeout: REQUEST_TIMEOUT_MS,
      max_open_connections: MAX_CONNECTIONS,
      // Callers report errors in their own way.
      log: { level: ClickHouseLogLevel.OFF },
      compression: { request: true, response: false },
      clickhouse_settings: settings,
      ...(certificateAuthority !== undefined && { tls: { ca_cert: certificateAuthority } }),
    })
}

/** The server, for messages. */
export const describeServer = ({ url }: Pick<ClickHouseOptions, 'url'>): string => `ClickHouse at ${new URL(url).host}`

/** Connects to a server without a database. Nothing is sent yet. */
export const connectServer = async (options: ClickHouseOptions): Promise<ClickHouseClient> => {
  const { username, password } = options
  return (await createClientFactory(options))({ username, password })
}

/** The same without settings: a server that is too old refuses everything with a setting that it does not know. */
export const connectPlainly = async (options: ClickHouseOptions): Promise<ClickHouseClient> => {
  const { username, password } = options
  return (await createClientFactory(options, {}))({ username, password })
}

/** Connects to the database of a project. Nothing is sent yet. */
export const connectClickHouse = async (
  options: ClickHouseOptions,
  projectId: number,
): Promise<ClickHouseConnection> => {
  const createClient = await createClientFactory(options)
  const { username, password, databasePrefix, cluster } = options
  const database = `${databasePrefix}_${projectId}`
  const memberName = `${database}_member`
  // It is not stored: every node derives the same one.
  const memberPassword = createHmac('sha256', password).update(`member of ${database}`).digest('base64url')
  const server = createClient({ username, password })
  const administrator = createClient({ username, password, database })
  const member = createClient({ username: memberName, password: memberPassword, database })
  return {
    database,
    cluster,
    place: `${describeServer(options)}, database ${database}`,
    server,
    administrator,
    member,
    memberName,
    memberPassword,
    async close() {
      await Promise.all([server.close(), administrator.close(), member.close()])
    },
  }
}
