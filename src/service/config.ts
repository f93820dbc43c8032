import { resolve } from 'node:path'
import { MAX_BODY_BYTES } from '../wire/limits.ts'
import { MOST_BODY_BYTES } from './ingest/body.ts'

/** Everything about a service that can be set. Frozen: what runs is what was read at the start. */
export interface Config {
  /** Absolute path of the folder that holds all data. Default `.waymark` in the working folder. */
  readonly dataFolder: string
  /** Address to listen on. Default 127.0.0.1: reachable from this machine only. */
  readonly host: string
  /** TCP port, 0 to 65,535; 0 takes a free one. Default 8010. */
  readonly port: number
  /** Bodies of this many bytes or more are refused with 413, before and after decompression. Default 20 MiB; 1 KiB to 256 MiB. */
  readonly maxBodyBytes: number
  /**
   * Bytes of request bodies that the process holds at once; a body that does not fit is refused with 503 and `Retry-After`.
   * Default 256 MiB; at least 1 MiB. One body of the largest size always fits.
   */
  readonly maxBufferedBytes: number
  /**
   * When requests that wait for the indexer hold this many bytes, new ones are refused with 503 until it has caught up.
   * Default 4 GiB; at least 1 MiB. The disk should have as much room to spare.
   */
  readonly inboxLimitBytes: number
  /** Milliseconds after which a query is interrupted. Default 30,000; 100 to 600,000. */
  readonly queryTimeoutMs: number
  /** Most rows a query answers; `hasMore` tells that there were more. Default 10,000; 1 to 1,000,000. */
  readonly queryMaxRows: number
  /** Megabytes of memory for the event store of each project that is open. Default 512; 128 to 1,048,576. */
  readonly storeMemoryMb: number
  /** Projects whose event store is open at once; the one used longest ago is closed for another. Default 8; 1 to 1,000. */
  readonly maxOpenStores: number
  /** Absolute path of a JSON file of flag definitions, set in the first project at every start; flags it does not name stay. Default none (null). */
  readonly flags: string | null
  /** Milliseconds a stop may take before the process ends anyway; nothing acknowledged is lost then. Default 10,000; 100 to 600,000. */
  readonly stopTimeoutMs: number
  /** True when a proxy in front sets `X-Forwarded-For`: its address is then the client's. Default false. */
  readonly trustProxy: boolean
  /**
   * Absolute path of a MaxMind DB file (`.mmdb`) that tells where addresses are, for the `$geoip_…` properties of events and persons:
   * GeoLite2-City has all seven of them. Default none (null): the countries that come with the service, without city and
   * postal code.
   */
  readonly geoDatabase: string | null
  /**
   * True: events keep the address they came from, as `$ip`. Default false: it is used for `$geoip_…` properties when the
   * event is indexed, and then gone.
   */
  readonly storeAddresses: boolean
  /**
   * Absolute path of a folder whose files are served under `/static/`: the `dist` folder of posthog-js, for pages that load its
   * script, or lazy parts of it such as surveys, from the service. Default none (null).
   */
  readonly staticFolder: string | null
  /** `off` acknowledges before the disk has the event. For measuring only; default `full`. */
  readonly inboxSynchronous: 'full' | 'off'
}

/** One key of the configuration, as the command line and the environment know it. */
export interface ConfigKey {
  readonly key: keyof Config
  /** Environment variable. */
  readonly variable: string
  /** Long flag of `serve`, with its placeholder. */
  readonly flag: string
  readonly description: string
  readonly read: (value: string) => Config[keyof Config]
}

/** Wrong configuration. The message names the key, what was given and what would be right. */
export class ConfigError extends Error {
  override readonly name: string = 'ConfigError'
}

const text = (value: string): string => value

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
    const choice = choices.find((each) => each === value)
    if (choice !== undefined) return choice
    throw new ConfigError(`must be ${choices.join(' or ')}`)
  }

const yes = oneOf('true', 'false')

/** All keys but the one that only measures. */
export const CONFIG_KEYS: readonly ConfigKey[] = [
  {
    key: 'dataFolder',
    variable: 'WAYMARK_DATA_FOLDER',
    flag: '--data-folder <path>',
    description: 'folder that holds all data (default ".waymark")',
    read: (value) => resolve(text(value)),
  },
  {
    key: 'host',
    variable: 'WAYMARK_HOST',
    flag: '--host <address>',
    description: 'address to listen on (default "127.0.0.1")',
    read: text,
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
    description: 'refuse bodies of this size, also after decompression (default 20 MiB)',
    read: integer(1024, MOST_BODY_BYTES),
  },
  {
    key: 'maxBufferedBytes',
    variable: 'WAYMARK_MAX_BUFFERED_BYTES',
    flag: '--max-buffered-bytes <bytes>',
    description: 'refuse bodies while those being received or read come to this (default 256 MiB)',
    read: integer(2 ** 20, Number.MAX_SAFE_INTEGER),
  },
  {
    key: 'inboxLimitBytes',
    variable: 'WAYMARK_INBOX_LIMIT_BYTES',
    flag: '--inbox-limit-bytes <bytes>',
    description: 'refuse new events while this much waits for the indexer (default 4 GiB)',
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
    description: 'most rows of a query answer (default 10000)',
    read: integer(1, 1_000_000),
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
    description: 'projects whose event store is open at once (default 8)',
    read: integer(1, 1000),
  },
  {
    key: 'flags',
    variable: 'WAYMARK_FLAGS',
    flag: '--flags <file>',
    description: 'set the flags of this JSON file at the start',
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
    key: 'trustProxy',
    variable: 'WAYMARK_TRUST_PROXY',
    flag: '--trust-proxy <true|false>',
    description: 'take client addresses from X-Forwarded-For (default false)',
    read: (value) => yes(value) === 'true',
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
    description: 'keep the address of each event as $ip (default false)',
    read: (value) => yes(value) === 'true',
  },
  {
    key: 'staticFolder',
    variable: 'WAYMARK_STATIC_FOLDER',
    flag: '--static-folder <path>',
    description: 'serve the scripts in this folder under /static/ (default: none)',
    read: (value) => resolve(value),
  },
]

const MEASURING_KEY: ConfigKey = {
  key: 'inboxSynchronous',
  variable: 'WAYMARK_INBOX_SYNCHRONOUS',
  flag: '--inbox-synchronous <full|off>',
  description: 'measuring only',
  read: oneOf('full', 'off'),
}

/** Given values over the defaults: what an embedding program writes. */
export const withDefaults = (given: Partial<Config> = {}): Config =>
  Object.freeze({
    dataFolder: resolve('.waymark'),
    host: '127.0.0.1',
    port: 8010,
    maxBodyBytes: MAX_BODY_BYTES,
    maxBufferedBytes: 256 * 2 ** 20,
    inboxLimitBytes: 4 * 2 ** 30,
    queryTimeoutMs: 30_000,
    queryMaxRows: 10_000,
    storeMemoryMb: 512,
    maxOpenStores: 8,
    flags: null,
    stopTimeoutMs: 10_000,
    trustProxy: false,
    geoDatabase: null,
    storeAddresses: false,
    staticFolder: null,
    inboxSynchronous: 'full',
    ...given,
  })

/** Reads flags (by key) over environment variables over defaults. Throws `ConfigError`. */
export const readConfig = (
  environment: Readonly<Record<string, string | undefined>>,
  flags: Readonly<Record<string, string | undefined>>,
): Config => {
  const given: [string, unknown][] = []
  for (const { key, variable, flag, read } of [...CONFIG_KEYS, MEASURING_KEY]) {
    const fromFlag = flags[key]
    const value = fromFlag ?? environment[variable]
    if (value === undefined || (fromFlag === undefined && value === '')) continue
    try {
      given.push([key, read(value)])
    } catch (error) {
      const source = fromFlag === undefined ? variable : flag.split(' ')[0]
      throw new ConfigError(`${source} ${error instanceof Error ? error.message : String(error)}; it is "${value}".`, {
        cause: error,
      })
    }
  }
  return withDefaults(Object.fromEntries(given))
}
