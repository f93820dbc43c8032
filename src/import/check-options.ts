import { ImportError } from './import-error.ts'
import type { ImportOptions, InputOptions } from './import-options.ts'

/** Options as JavaScript callers pass them: any value of any type, for example an unset environment variable. */
type Unchecked<Options> = { readonly [Name in keyof Options]?: unknown }

/** The service and the project that an import sends to. */
export interface ImportTarget {
  /** URL of the service, without a slash at its end. */
  readonly host: string
  /** The project API key. */
  readonly key: string
}

/** Checks the options that say what to read. Throws `ImportError` with `invalid_option`. */
export const checkInputOptions = ({ source, format }: Unchecked<InputOptions>): void => {
  if (typeof source === 'string' ? source === '' : !isAsyncIterable(source)) {
    fail('"source" must be the path of a file or an async iterable of bytes (a Readable, the body of a Response).')
  }
  if (format !== undefined && format !== 'ndjson' && format !== 'csv') fail('"format" must be "ndjson" or "csv".')
}

/** Checks all options of an import and returns its target. Throws `ImportError` with `invalid_option`. */
export const checkImportOptions = (options: Unchecked<ImportOptions>): ImportTarget => {
  checkInputOptions(options)
  const { maxRetries } = options
  if (maxRetries !== undefined && !(typeof maxRetries === 'number' && maxRetries >= 0)) {
    fail('"maxRetries" must be a number of 0 or more.')
  }
  return { host: parseHost(options.host), key: parseKey(options.key) }
}

const fail = (problem: string): never => {
  throw new ImportError('invalid_option', problem)
}

const isAsyncIterable = (source: unknown): boolean =>
  typeof source === 'object' && source !== null && Symbol.asyncIterator in source

const parseKey = (input: unknown): string => {
  const key = typeof input === 'string' ? input.trim() : ''
  return key === '' ? fail('The project API key is missing.') : key
}

const parseHost = (input: unknown): string => {
  const host = typeof input === 'string' ? input.trim() : ''
  const url = URL.canParse(host) ? new URL(host) : null
  // The host is written to the journal and into messages, where a password must not appear.
  if (url !== null && url.username + url.password !== '')
    fail('The URL of the service must not contain a user name or password.')
  if (url === null || !/^https?:$/.test(url.protocol) || /[?#]/.test(host)) {
    return fail(`"${host}" is not the URL of a service. Use a URL such as https://analytics.example.com.`)
  }
  return host.replace(/\/+$/, '')
}
