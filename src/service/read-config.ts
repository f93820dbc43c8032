import { resolve } from 'node:path'
import { withDefaults } from './config.ts'
import type { Config } from './config.ts'
import { isNetwork, MAX_PROXY_HOPS } from './http/proxy-trust.ts'
import { MAX_BODY_LIMIT_BYTES } from './ingest/decode-body.ts'
import { parseClickHouseUrl } from './store/events/clickhouse/clickhouse-source.ts'

/** One setting, with its names on the command line and in the environment. */
export interface ConfigKey {
  readonly key: keyof Config
  /** Environment variable. */
  readonly variable: string
  /** Long flag of `serve`, with its placeholder. */
  readonly flag: string
  readonly description: string
  readonly read: (value: string) => Config[keyof Config]
}

/** A setting is invalid. The message names the flag or variable, the rule and the value. */
export class ConfigError extends Error {
  override readonly name: string = 'ConfigError'
}

const integer =
  (min: number, max: number) =>
  (value: string): number => {
    const number = Number(value)
    if (value.trim() !== '' && Number.isInteger(number) && number >= min && number <= max) return number
    throw new ConfigError(`must be a whole number from ${min} to ${max}`)
  }

const oneOf =
  <Choice extends string>(...choices: readonly Choice[]) =>
  (value: string): Choice => {
    const choice = choices.find((candidate) => candidate === value)
    if (choice !== undefined) return choice
    throw new ConfigError(`must be ${choices.join(' or ')}`)
  }

const postgresUrl = (value: string): string => {
  if (URL.canParse(value) && /^postgres(ql)?:$/.test(new URL(value).protocol)) return value
  throw new ConfigError('must be a URL such as postgres://user@host:5432/database')
}

const clickHouseUrl = (value: string): string => {
  parseClickHouseUrl(value)
  return value
}

/** Hides the password of a URL. */
const withoutPassword = (value: string): string => value.replace(/(:\/\/[^/@:]*:)[^/]*@/, '$1…@')

const proxies = (value: string): boolean | number | readonly string[] => {
  if (value === 'true' || value === 'false') return value === 'true'
  if (/^\d+$/.test(value) && Number(value) <= MAX_PROXY_HOPS) return Number(value)
  const networks = value.split(',').map((network) => network.trim())
  if (networks.every(isNetwork)) return networks
  throw new ConfigError(
    `must be a number of proxies up to ${MAX_PROXY_HOPS}, their networks such as 10.0.0.0/8,192.0.2.7, true or false`,
  )
}

const publicUrl = (value: string): string => {
  const url = URL.canParse(value) ? new URL(value) : null
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' && url.hash === '')
    return url.href.replace(/\/+$/, '')
  throw new ConfigError('must be a URL such as https://analytics.example.com, without user, query and fragment')
}

const trueOrFalse = oneOf('true', 'false')

/** All settings except the one for benchmarks. */
export const CONFIG_KEYS: readonly ConfigKey[] = [
  {
    key: 'dataFolder',
    variable: 'WAYMARK_DATA_FOLDER',
    flag: '--data-folder <path>',
    description: 'folder that holds all data (default ".waymark")',
    read: (value) => resolve(value),
  },
  {
    key: 'metadata',
    variable: 'WAYMARK_METADATA',
    flag: '--metadata <url>',
    description: 'postgres:// URL for the metadata (default: a SQLite file in the data folder)',
    read: postgresUrl,
  },
  {
    key: 'metadataPasswordFile',
    variable: 'WAYMARK_METADATA_PASSWORD_FILE',
    flag: '--metadata-password-file <path>',
    description: 'file with the password for --metadata (default: it is in the URL)',
    read: (value) => resolve(value),
  },
  {
    key: 'events',
    variable: 'WAYMARK_EVENTS',
    flag: '--events <url>',
    description: 'clickhouse:// URL for the events (default: files in the data folder)',
    read: clickHouseUrl,
  },
  {
    key: 'eventsPasswordFile',
    variable: 'WAYMARK_EVENTS_PASSWORD_FILE',
    flag: '--events-password-file <path>',
    description: 'file with the password for --events (default: it is in the URL)',
    read: (value) => resolve(value),
  },
  {
    key: 'role',
    variable: 'WAYMARK_ROLE',
    flag: '--role <role>',
    description:
      'front: take requests only; indexer: store the events of the front on the same data folder (default: all)',
    read: oneOf('all', 'front', 'indexer'),
  },
  {
    key: 'host',
    variable: 'WAYMARK_HOST',
    flag: '--host <address>',
    description: 'host name or IP address to listen on (default "127.0.0.1")',
    read: (value) => value,
  },
  {
    key: 'port',
    variable: 'WAYMARK_PORT',
    flag: '--port <number>',
    description: 'port to listen on, 0 for a free one (default 8010)',
    read: integer(0, 65_535),
  },
  {
    key: 'maxBodyBytes',
    variable: 'WAYMARK_MAX_BODY_BYTES',
    flag: '--max-body-bytes <bytes>',
    description: 'reject bodies of this size or more, also after decompression (default 20 MiB)',
    read: integer(1024, MAX_BODY_LIMIT_BYTES),
  },
  {
    key: 'maxBufferedBytes',
    variable: 'WAYMARK_MAX_BUFFERED_BYTES',
    flag: '--max-buffered-bytes <bytes>',
    description: 'memory for request bodies; reject more (default 256 MiB)',
    read: integer(2 ** 20, Number.MAX_SAFE_INTEGER),
  },
  {
    key: 'maxUnsentBytes',
    variable: 'WAYMARK_MAX_UNSENT_BYTES',
    flag: '--max-unsent-bytes <bytes>',
    description: 'memory for answers that clients have not read yet; reject more (default 256 MiB)',
    read: integer(2 ** 20, Number.MAX_SAFE_INTEGER),
  },
  {
    key: 'inboxLimitBytes',
    variable: 'WAYMARK_INBOX_LIMIT_BYTES',
    flag: '--inbox-limit-bytes <bytes>',
    description: 'reject new events while more bytes wait for the indexer (default 4 GiB)',
    read: integer(2 ** 20, Number.MAX_SAFE_INTEGER),
  },
  {
    key: 'queryTimeoutMs',
    variable: 'WAYMARK_QUERY_TIMEOUT_MS',
    flag: '--query-timeout-ms <ms>',
    description: 'interrupt queries after this time (default 30000)',
    read: integer(100, 600_000),
  },
  {
    key: 'queryMaxRows',
    variable: 'WAYMARK_QUERY_MAX_ROWS',
    flag: '--query-max-rows <rows>',
    description: 'maximum rows of a query response (default 10000)',
    read: integer(1, 1_000_000),
  },
  {
    key: 'queryResultsBytes',
    variable: 'WAYMARK_QUERY_RESULTS_BYTES',
    flag: '--query-results-bytes <bytes>',
    description: 'memory for the results of jobs, and as much again for kept answers of insights (default 64 MiB)',
    read: integer(2 ** 20, Number.MAX_SAFE_INTEGER),
  },
  {
    key: 'exportsBytes',
    variable: 'WAYMARK_EXPORTS_BYTES',
    flag: '--exports-bytes <bytes>',
    description: 'disk space for the files of exports (default 1 GiB)',
    read: integer(2 ** 20, Number.MAX_SAFE_INTEGER),
  },
  {
    key: 'storeMemoryMb',
    variable: 'WAYMARK_STORE_MEMORY_MB',
    flag: '--store-memory-mb <megabytes>',
    description: 'memory for the event store of each open project (default 512)',
    read: integer(128, 2 ** 20),
  },
  {
    key: 'maxOpenStores',
    variable: 'WAYMARK_MAX_OPEN_STORES',
    flag: '--max-open-stores <projects>',
    description: 'event stores that are open at once, one per project (default 8)',
    read: integer(1, 1000),
  },
  {
    key: 'flags',
    variable: 'WAYMARK_FLAGS',
    flag: '--flags <file>',
    description: 'save the flag definitions of this JSON file at the start',
    read: (value) => resolve(value),
  },
  {
    key: 'stopTimeoutMs',
    variable: 'WAYMARK_STOP_TIMEOUT_MS',
    flag: '--stop-timeout-ms <ms>',
    description: 'end the process when a stop takes longer (default 10000)',
    read: integer(100, 600_000),
  },
  {
    key: 'maxKeyRequestsPerMinute',
    variable: 'WAYMARK_MAX_KEY_REQUESTS_PER_MINUTE',
    flag: '--max-key-requests-per-minute <requests>',
    description: 'requests of one personal API key to the management API (default 1200)',
    read: integer(1, 100_000),
  },
  {
    key: 'maxWrongKeysPerMinute',
    variable: 'WAYMARK_MAX_WRONG_KEYS_PER_MINUTE',
    flag: '--max-wrong-keys-per-minute <keys>',
    description: 'wrong API keys from one IP address (default 60)',
    read: integer(1, 100_000),
  },
  {
    key: 'trustProxy',
    variable: 'WAYMARK_TRUST_PROXY',
    flag: '--trust-proxy <networks|number>',
    description: 'proxies that set X-Forwarded-For: networks, or how many; true means 1 (default false)',
    read: proxies,
  },
  {
    key: 'publicUrl',
    variable: 'WAYMARK_PUBLIC_URL',
    flag: '--public-url <url>',
    description: 'URL under which clients reach the service, for the URLs in answers',
    read: publicUrl,
  },
  {
    key: 'geoDatabase',
    variable: 'WAYMARK_GEO_DATABASE',
    flag: '--geo-database <file>',
    description: 'MaxMind DB file for geo properties (default: countries only)',
    read: (value) => resolve(value),
  },
  {
    key: 'storeAddresses',
    variable: 'WAYMARK_STORE_ADDRESSES',
    flag: '--store-addresses <true|false>',
    description: 'keep the IP address of each event as $ip (default false)',
    read: (value) => trueOrFalse(value) === 'true',
  },
  {
    key: 'staticFolder',
    variable: 'WAYMARK_STATIC_FOLDER',
    flag: '--static-folder <path>',
    description: 'serve the scripts in this folder under /static/ (default: none)',
    read: (value) => resolve(value),
  },
  {
    key: 'fontsFolder',
    variable: 'WAYMARK_FONTS_FOLDER',
    flag: '--fonts-folder <path>',
    description: 'further fonts for exported pictures (default: none)',
    read: (value) => resolve(value),
  },
]

const BENCHMARK_KEY: ConfigKey = {
  key: 'inboxSynchronous',
  variable: 'WAYMARK_INBOX_SYNCHRONOUS',
  flag: '--inbox-synchronous <full|off>',
  description: 'benchmarks only',
  read: oneOf('full', 'off'),
}

/**
 * Reads the settings. Command-line flags (by key) take precedence over environment variables, and these over defaults. Throws
 * `ConfigError`.
 */
export const readConfig = (
  environment: Readonly<Record<string, string | undefined>>,
  flags: Readonly<Record<string, string | undefined>>,
): Config => {
  const settings: [string, unknown][] = []
  for (const { key, variable, flag, read } of [...CONFIG_KEYS, BENCHMARK_KEY]) {
    const fromFlag = flags[key]
    const value = fromFlag ?? environment[variable]
    if (value === undefined || (fromFlag === undefined && value === '')) continue
    try {
      settings.push([key, read(value)])
    } catch (error) {
      const source = fromFlag === undefined ? variable : flag.split(' ')[0]
      throw new ConfigError(
        `${source} ${error instanceof Error ? error.message : String(error)}; it is "${withoutPassword(value)}".`,
        {
          cause: error,
        },
      )
    }
  }
  return withDefaults(Object.fromEntries(settings))
}
