/** A PostgreSQL database that holds the metadata. It can be sent to another process. */
export interface PostgresSource {
  /** `postgres://user@host:port/database`, with the parameters of the package pg, such as `sslmode` and `sslrootcert`. */
  readonly url: string
  /** Absolute path of a file with the password; it is read again for each connection. Null when the URL has the password, or none is needed. */
  readonly passwordFile: string | null
}

/** The URL without its password, for messages. */
export const describePostgres = ({ url }: PostgresSource): string => {
  const { host, pathname } = new URL(url)
  return `PostgreSQL (${host}${pathname})`
}
