import { createHmac } from 'node:crypto'
import type * as ClickHouse from '@clickhouse/client'
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client'

/** A ClickHouse server, as the operator names it. */
export interface ClickHouseOptions {
  /** The HTTP interface: scheme, host and port. */
  readonly url: string
  /** A user who may create databases, tables and users. */
  readonly username: string
  readonly password: string
  /** Databases of projects are named `<prefix>_<project id>`: letters, digits and underscores. */
  readonly databasePrefix: string
  /** Certificates in PEM of those who may sign the certificate of the server. Default: those of Node.js. */
  readonly certificateAuthority?: Buffer
}

/** The connections of one project. */
export interface ClickHouseConnection {
  readonly database: string
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

const SETTINGS: ClickHouseSettings = {
  // The time since 1970 in ISO 8601 and UTC.
  date_time_output_format: 'iso',
  // A list of a thousand uuids or conditions is a long query.
  max_query_size: '16777216',
  // Errors after the first rows then have a status of their own.
  wait_end_of_query: 1,
}

/** Loads the client, which is installed only where it is used. */
const loadClient = async (): Promise<typeof ClickHouse> => {
  try {
    return await import('@clickhouse/client')
  } catch (cause) {
    throw new Error(
      'ClickHouse needs the package "@clickhouse/client": install it with "npm install @clickhouse/client".',
      {
        cause,
      },
    )
  }
}

/** Connects to the database of a project. Nothing is sent yet. */
export const connectClickHouse = async (
  { url, username, password, databasePrefix, certificateAuthority }: ClickHouseOptions,
  projectId: number,
): Promise<ClickHouseConnection> => {
  const { createClient, ClickHouseLogLevel } = await loadClient()
  const database = `${databasePrefix}_${projectId}`
  const memberName = `${database}_member`
  // It is not stored: every node derives the same one.
  const memberPassword = createHmac('sha256', password).update(`member of ${database}`).digest('base64url')
  const options = {
    url,
    application: 'waymark',
    request_timeout: REQUEST_TIMEOUT_MS,
    // Callers report errors in their own way.
    log: { level: ClickHouseLogLevel.OFF },
    compression: { request: true, response: false },
    clickhouse_settings: SETTINGS,
    ...(certificateAuthority !== undefined && { tls: { ca_cert: certificateAuthority } }),
  }
  const server = createClient({ ...options, username, password })
  const administrator = createClient({ ...options, username, password, database })
  const member = createClient({ ...options, username: memberName, password: memberPassword, database })
  return {
    database,
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
