import { resolve } from 'node:path'
import { MAX_BODY_BYTES } from '../wire/limits.ts'

/** All settings of a service. Frozen: they are read once, at the start. */
export interface Config {
  /** Absolute path of the folder that holds all data. Default `.waymark` in the working folder. */
  readonly dataFolder: string
  /**
   * URL of a PostgreSQL database (13 or newer) for the metadata: `postgres://user@host:port/database`, with the parameters of the package
   * pg, such as `sslmode` and `sslrootcert`. Default none (null): a SQLite file in the data folder.
   */
  readonly metadata: string | null
  /**
   * Absolute path of a file with the password for `metadata`, which is read again for each connection. Default none (null): the password is
   * in the URL, or none is needed.
   */
  readonly metadataPasswordFile: string | null
  /**
   * URL of a ClickHouse server (23.8 or newer) for the events: `clickhouse://user@host:8123/waymark`. Each project gets a database
   * `waymark_<project id>`. TLS with `?secure=true`, and `&ca_cert=<file>` for an authority of your own; `&cluster=<name>` for replicated
   * tables on all servers of a cluster. Default none (null): DuckDB files in the data folder.
   */
  readonly events: string | null
  /**
   * Absolute path of a file with the password for `events`, which is read again whenever the service connects anew. Default none (null): the
   * password is in the URL, or none is needed.
   */
  readonly eventsPasswordFile: string | null
  /**
   * What this process does: `front` takes requests, and `indexer` stores the events of a front that runs on the same data folder. Default
   * `all`, both.
   */
  readonly role: 'all' | 'front' | 'indexer'
  /** Host name or IP address to listen on. Default 127.0.0.1: reachable from this machine only. */
  readonly host: string
  /** TCP port, 0 to 65,535; 0 picks a free one. Default 8010. */
  readonly port: number
  /**
   * Bodies of this many bytes or more are rejected with 413, before and after decompression. Default 20 MiB; 1 KiB to
   * 256 MiB.
   */
  readonly maxBodyBytes: number
  /**
   * Bytes of request bodies in memory at once; a body that does not fit is rejected with 503 and `Retry-After`.
   * Default 256 MiB; at least 1 MiB. One body of the largest size always fits.
   */
  readonly maxBufferedBytes: number
  /**
   * Bytes of large answers in memory that clients have not read yet. When there are more, clients that read slowly are disconnected, and
   * then further large answers are rejected with 503 and `Retry-After`. Default 256 MiB; at least 1 MiB. One answer always fits.
   */
  readonly maxUnsentBytes: number
  /**
   * When requests that wait for the indexer hold this many bytes, new ones are rejected with 503 until it has caught up.
   * Default 4 GiB; at least 1 MiB. The disk needs as much free space.
   */
  readonly inboxLimitBytes: number
  /** Milliseconds after which a query is interrupted. Default 30,000; 100 to 600,000. */
  readonly queryTimeoutMs: number
  /** Maximum rows of a query response; `hasMore` is true when there were more. Default 10,000; 1 to 1,000,000. */
  readonly queryMaxRows: number
  /**
   * Bytes of the results of queries that run as jobs, kept in memory until they expire. When there are more, the project with the
   * most loses its oldest. The kept answers of insights may take as much again. Default 64 MiB; at least 1 MiB.
   */
  readonly queryResultsBytes: number
  /**
   * Bytes on disk of the contents of exports, of all projects together. An export that does not fit fails. Default 1 GiB; at least
   * 1 MiB.
   */
  readonly exportsBytes: number
  /** Megabytes of memory for the DuckDB store of each open project. Default 512; 128 to 1,048,576. */
  readonly storeMemoryMb: number
  /** Event stores (one per project) that are open at once; the least recently used one is closed for another. Default 8; 1 to 1,000. */
  readonly maxOpenStores: number
  /**
   * Absolute path of a JSON file of flag definitions, saved to the first project at every start; flags that it does not
   * contain stay. Default none (null).
   */
  readonly flags: string | null
  /**
   * Milliseconds a stop may take before the process exits anyway; acknowledged events are safe then, too. Default 10,000;
   * 100 to 600,000.
   */
  readonly stopTimeoutMs: number
  /**
   * Requests to the management API that one personal API key may send in a minute; more get 429. All keys of a user may send three times as
   * many together. Default 1,200; 1 to 100,000.
   */
  readonly maxKeyRequestsPerMinute: number
  /**
   * Wrong API keys, personal ones and those of projects, that one IP address may send in a minute; more get 429. Right ones are answered
   * nevertheless. Default 60; 1 to 100,000.
   */
  readonly maxWrongKeysPerMinute: number
  /**
   * Proxies whose `X-Forwarded-For` is believed, for the IP address of the client: how many stand in front (0 to 32), or their IP addresses
   * and networks (`10.0.0.0/8`, `loopback`, `linklocal`, `uniquelocal`). True means one. Default false: none.
   */
  readonly trustProxy: boolean | number | readonly string[]
  /**
   * URL under which clients reach the service, with an optional path: the start of all URLs in answers. Default none (null): clients on this
   * machine get URLs with their own `Host`, all others with the IP address that they have connected to.
   */
  readonly publicUrl: string | null
  /**
   * Absolute path of a MaxMind DB file (`.mmdb`) that locates IP addresses, for the `$geoip_…` properties of events and
   * persons; GeoLite2-City has all seven. Default none (null): the country database that comes with the service, without
   * city and postal code.
   */
  readonly geoDatabase: string | null
  /**
   * True: events keep the IP address they came from, as `$ip`. Default false: the address is used for `$geoip_…`
   * properties when the event is indexed, and then discarded.
   */
  readonly storeAddresses: boolean
  /**
   * Absolute path of a folder whose files are served under `/static/`: the `dist` folder of posthog-js. Pages can then load
   * its script, and lazy parts of it such as surveys, from the service. Default none (null).
   */
  readonly staticFolder: string | null
  /**
   * Absolute path of a folder of fonts (`.ttf`, `.otf`) for exported pictures, for characters that the built-in font lacks, such as
   * Chinese ones. Default none (null).
   */
  readonly fontsFolder: string | null
  /** `off` acknowledges events before they are on disk. For benchmarks only; default `full`. */
  readonly inboxSynchronous: 'full' | 'off'
}

/** Fills in defaults; embedding programs pass only the settings they change. */
export const withDefaults = (options: Partial<Config> = {}): Config =>
  Object.freeze({
    dataFolder: resolve('.waymark'),
    metadata: null,
    metadataPasswordFile: null,
    events: null,
    eventsPasswordFile: null,
    role: 'all',
    host: '127.0.0.1',
    port: 8010,
    maxBodyBytes: MAX_BODY_BYTES,
    maxBufferedBytes: 256 * 2 ** 20,
    maxUnsentBytes: 256 * 2 ** 20,
    inboxLimitBytes: 4 * 2 ** 30,
    queryTimeoutMs: 30_000,
    queryMaxRows: 10_000,
    queryResultsBytes: 64 * 2 ** 20,
    exportsBytes: 2 ** 30,
    storeMemoryMb: 512,
    maxOpenStores: 8,
    flags: null,
    stopTimeoutMs: 10_000,
    maxKeyRequestsPerMinute: 1200,
    maxWrongKeysPerMinute: 60,
    trustProxy: false,
    publicUrl: null,
    geoDatabase: null,
    storeAddresses: false,
    staticFolder: null,
    fontsFolder: null,
    inboxSynchronous: 'full',
    ...options,
  })
