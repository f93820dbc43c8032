import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { waitForIndexer, parseKeys, launchService, queryRows, SERVICE_SCRIPT } from './service-process.ts'
import type { ServiceProcess } from './service-process.ts'
import { removeFolder } from '../../support/remove-folder.ts'

/** A JSON response of the service. */
export interface JsonResponse {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- tests inspect response bodies
  readonly body: any
  readonly headers: Headers
}

/** One real service for all tests of a file. The tests must use different ids and names. */
export interface SharedService {
  readonly url: string
  readonly apiKey: string
  /** Id of the process. */
  readonly pid: number
  /** The data folder. */
  readonly folder: string
  readonly personalApiKey: string
  /** Output of the service so far. */
  readonly output: () => string
  /** Posts an object as JSON or a raw body, and parses the JSON response. */
  readonly post: (
    path: string,
    body: object | string | Uint8Array<ArrayBuffer>,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<JsonResponse>
  /** Posts one event of this project to `/i/v0/e/`. */
  readonly capture: (event: object) => Promise<JsonResponse>
  /** Posts events of this project to `/batch/`, with further fields beside them in the body. */
  readonly batch: (events: readonly unknown[], bodyFields?: object) => Promise<JsonResponse>
  /** Waits until all acknowledged events are stored and returns the rows of a query. */
  readonly queryStored: (query: string) => Promise<unknown[][]>
  /** Runs a command on the data folder of the running service and returns its output. */
  readonly runCommand: (...args: string[]) => Promise<string>
}

/** Starts the built service before the first test of a file and ends it after the last. Call it once, at the top level. */
export const shareService = (...args: readonly string[]): SharedService => {
  let folder = ''
  let service: ServiceProcess
  let keys: ReturnType<typeof parseKeys>
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'waymark-'))
    service = await launchService(folder, { args })
    keys = parseKeys(service.output())
  })
  afterAll(async () => {
    await service?.end('SIGTERM')
    await removeFolder(folder)
  })

  const post: SharedService['post'] = async (path, body, headers = {}) => {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array
    const payload = isRaw ? body : JSON.stringify(body)
    const response = await fetch(`${service.url}${path}`, { method: 'POST', body: payload, headers })
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text), headers: response.headers }
  }
  return {
    get url() {
      return service.url
    },
    get pid() {
      return service.pid
    },
    get folder() {
      return folder
    },
    get apiKey() {
      return keys.apiKey
    },
    get personalApiKey() {
      return keys.personalApiKey
    },
    output: () => service.output(),
    post,
    capture: (event) => post('/i/v0/e/', { api_key: keys.apiKey, ...event }),
    batch: (batch, bodyFields = {}) => post('/batch/', { api_key: keys.apiKey, batch, ...bodyFields }),
    queryStored: async (query) => {
      await waitForIndexer(service.url)
      return queryRows(service.url, keys.personalApiKey, query)
    },
    runCommand: (...args) =>
      new Promise((resolve, reject) => {
        execFile(process.execPath, [SERVICE_SCRIPT, ...args, '--data-folder', folder], (error, output, errors) => {
          if (error === null) resolve(output)
          else reject(new Error(errors, { cause: error }))
        })
      }),
  }
}

/** Parses the value of a JSON column. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests inspect response bodies
export const parseJsonColumn = (value: unknown): any => (typeof value === 'string' ? JSON.parse(value) : value)
