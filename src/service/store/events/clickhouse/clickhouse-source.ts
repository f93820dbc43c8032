import { readFile } from 'node:fs/promises'
import type { ClickHouseOptions } from './connect.ts'

/** A ClickHouse server that holds the events. It can be sent to another process. */
export interface ClickHouseSource {
  /** See `parseClickHouseUrl`. */
  readonly url: string
  /** Absolute path of a file with the password; it is read again whenever a store is opened. Null when the URL has the password, or none is needed. */
  readonly passwordFile: string | null
}

/** A URL's parts. */
interface ParsedUrl extends Omit<ClickHouseOptions, 'certificateAuthority'> {
  /** Path of a file of certificates. */
  readonly authorityFile: string | undefined
}

const PREFIX = /^[A-Za-z_][A-Za-z0-9_]*$/

const CLUSTER = /^[\w.-]+$/

const PARAMETERS: ReadonlySet<string> = new Set(['secure', 'ca_cert', 'cluster'])

/**
 * Parses `clickhouse://user:password@host:port/prefix?secure=true&ca_cert=/path/ca.pem&cluster=name`. The port is that of the HTTP interface, by default
 * 8123, or 8443 with `secure=true`; the user is `default` and the prefix of the databases `waymark` if they are missing. Throws an error
 * whose message goes on the name of a setting.
 */
export const parseClickHouseUrl = (value: string): ParsedUrl => {
  const url = URL.canParse(value) ? new URL(value) : null
  if (url?.protocol !== 'clickhouse:' || url.hostname === '')
    throw new Error('must be a URL such as clickhouse://user@host:8123/waymark')
  const databasePrefix = url.pathname.replace(/^\/|\/$/g, '') || 'waymark'
  if (!PREFIX.test(databasePrefix))
    throw new Error('must have a prefix of letters, digits and underscores behind the host, such as /waymark')
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.has(name))
  if (unknown !== undefined) throw new Error(`may have the parameters secure, ca_cert and cluster, and not ${unknown}`)
  const secure = url.searchParams.get('secure') ?? 'false'
  if (secure !== 'true' && secure !== 'false') throw new Error('must have true or false as secure')
  const isSecure = secure === 'true'
  const authorityFile = url.searchParams.get('ca_cert') || undefined
  if (authorityFile !== undefined && !isSecure) throw new Error('must have secure=true beside ca_cert')
  const cluster = url.searchParams.get('cluster') || undefined
  if (cluster !== undefined && !CLUSTER.test(cluster))
    throw new Error('must have a name of letters, digits, dots, dashes and underscores as cluster')
  const scheme = isSecure ? 'https' : 'http'
  return {
    url: `${scheme}://${url.hostname}:${url.port || (isSecure ? 8443 : 8123)}`,
    username: decodeURIComponent(url.username) || 'default',
    password: decodeURIComponent(url.password),
    databasePrefix,
    cluster,
    authorityFile,
  }
}

/** Reads the password and the certificates from their files. Rejects when they cannot be read. */
export const readClickHouseOptions = async ({ url, passwordFile }: ClickHouseSource): Promise<ClickHouseOptions> => {
  const { authorityFile, ...options } = parseClickHouseUrl(url)
  return {
    ...options,
    ...(passwordFile !== null && { password: (await readFile(passwordFile, 'utf8')).trim() }),
    ...(authorityFile !== undefined && { certificateAuthority: await readFile(authorityFile) }),
  }
}
