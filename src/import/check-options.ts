import { ImportError } from './import-error.ts'
import type { ImportOptions, InputOptions } from './import-options.ts'

/** As JavaScript hands them over: a variable of the environment may not be set. */
type Unchecked<Options> = { readonly [Name in keyof Options]?: unknown }

/** Where an import goes. */
export interface Target {
  /** The address without a slash at its end. */
  readonly host: string
  readonly key: string
}

/** Throws `ImportError` for what is nothing to read, or no format. */
export const checkInputOptions = ({ source, format }: Unchecked<InputOptions>): void => {
  if (typeof source === 'string' ? source === '' : !isIterable(source)) {
    fail('"source" must be the path of a file, or bytes that come in turn (a Readable, the body of a Response).')
  }
  if (format !== undefined && format !== 'ndjson' && format !== 'csv') fail('"format" must be "ndjson" or "csv".')
}

/** Where an import with these options goes. Throws `ImportError` for what is wrong with any of them. */
export const checkedTarget = (options: Unchecked<ImportOptions>): Target => {
  checkInputOptions(options)
  const { maxRetries } = options
  if (maxRetries !== undefined && !(typeof maxRetries === 'number' && maxRetries >= 0)) {
    fail('"maxRetries" must be a number from 0 on.')
  }
  return { host: checkedHost(options.host), key: checkedKey(options.key) }
}

const fail = (problem: string): never => {
  throw new ImportError('invalid_option', problem)
}

const isIterable = (source: unknown): boolean =>
  typeof source === 'object' && source !== null && Symbol.asyncIterator in source

const checkedKey = (given: unknown): string => {
  const key = typeof given === 'string' ? given.trim() : ''
  return key === '' ? fail('The project API key is missing.') : key
}

const checkedHost = (given: unknown): string => {
  const host = typeof given === 'string' ? given.trim() : ''
  const url = URL.canParse(host) ? new URL(host) : null
  // The journal and messages tell the host, and neither is to hold a password.
  if (url !== null && url.username + url.password !== '')
    fail('The address of the service must hold no user and no password.')
  if (url === null || !/^https?:$/.test(url.protocol) || /[?#]/.test(host)) {
    return fail(`"${host}" is no address of a service, such as https://analytics.example.com.`)
  }
  return host.replace(/\/+$/, '')
}
