/** The part of the package pg that tests use. It is installed for the tests of this folder only, so its types are not there. */
interface PostgresPackage {
  readonly default: {
    readonly Client: new (options: { readonly connectionString: string }) => {
      connect(): Promise<void>
      query(sql: string): Promise<{ readonly rows: readonly Record<string, unknown>[] }>
      end(): Promise<void>
    }
  }
}

const PACKAGE = 'pg'

/** Runs one statement on a connection of its own. */
export const queryPostgres = async (url: string, sql: string): Promise<readonly Record<string, unknown>[]> => {
  const { default: pg } = (await import(PACKAGE)) as PostgresPackage
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
