/** The part of the package pg that the service uses. Users install the package only for PostgreSQL, so its own types are not there. */
export interface PgPackage {
  readonly default: {
    readonly Pool: new (config: PgConfig & PoolConfig) => PgPool
    readonly Client: new (config: PgConfig) => PgClient
    readonly types: PgTypes
  }
}

export interface PgPool {
  connect(): Promise<PgPoolClient>
  end(): Promise<void>
  on(event: 'error', listener: (error: unknown) => void): unknown
}

export interface PgPoolClient {
  query(sql: string, parameters: readonly unknown[]): Promise<unknown>
  /** @param isBroken Closes the connection instead of keeping it for the next user. */
  release(isBroken: boolean): void
}

/** A connection of its own. */
export interface PgClient {
  connect(): Promise<void>
  query(sql: string): Promise<unknown>
  end(): Promise<void>
  on(event: 'notification', listener: (message: { readonly payload?: string }) => void): unknown
  on(event: 'error' | 'end', listener: () => void): unknown
}

export interface PgTypes {
  getTypeParser(type: number, format?: string): (value: string) => unknown
}

export interface PgConfig {
  readonly connectionString: string
  readonly password?: () => Promise<string>
  readonly application_name: string
  readonly connectionTimeoutMillis: number
  readonly query_timeout: number
  readonly keepAlive: boolean
  readonly types: PgTypes
}

export interface PoolConfig {
  readonly max: number
  readonly idleTimeoutMillis: number
}
