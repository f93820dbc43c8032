/** The part of the package pg that the service uses. Users install the package only for PostgreSQL, so its own types are not there. */
export interface PgPackage {
  readonly default: {
    readonly Pool: new (config: PgConfig) => PgPool
    readonly Client: PgClientClass
    readonly types: PgTypes
  }
}

export type PgClientClass = new (config: object) => PgClient

export interface PgClient {
  /** A function is called once, by this connection. */
  password: string | null | (() => Promise<string>)
  connect(): Promise<unknown>
  query(sql: string): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>
  end(): Promise<void>
  on(event: 'error', listener: (error: unknown) => void): unknown
  on(event: 'end', listener: () => void): unknown
  on(event: 'notification', listener: (notification: PgNotification) => void): unknown
}

export interface PgNotification {
  readonly channel: string
  readonly payload?: string
}

export interface PgPool {
  connect(): Promise<PgPoolClient>
  end(): Promise<void>
  on(event: 'error', listener: (error: unknown) => void): unknown
  /** Calls the listener with each new connection. */
  on(event: 'connect', listener: (client: PgPoolClient) => void): unknown
}

export interface PgPoolClient {
  query(sql: string, parameters: readonly unknown[]): Promise<unknown>
  /** @param isBroken Closes the connection instead of keeping it for the next user. */
  release(isBroken: boolean): void
  on(event: 'error', listener: (error: unknown) => void): unknown
}

export interface PgTypes {
  getTypeParser(type: number, format?: string): (value: string) => unknown
}

/** Times are milliseconds. */
export interface PgConnectionSettings {
  /** Takes precedence over the other settings. */
  readonly connectionString: string
  readonly application_name: string
  readonly connectionTimeoutMillis: number
  readonly query_timeout: number
  readonly keepAlive: boolean
}

export interface PgConfig extends PgConnectionSettings {
  readonly Client: PgClientClass
  readonly max: number
  readonly idleTimeoutMillis: number
  readonly types: PgTypes
}
