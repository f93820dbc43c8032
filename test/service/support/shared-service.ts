import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { waitForIndexer, parseKeys, launchService, queryRows, SERVICE_SCRIPT } from './service-process.ts'
import type { ServiceProcess } from './service-process.ts'

/** What a service answered. */
export interface JsonResponse {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers
  readonly body: any
  readonly headers: Headers
}

/** One real service for all tests of a file, which keep apart by the ids and names that they use. */
export interface SharedService {
  readonly url: string
  readonly apiKey: string
  /** The folder that holds its data. */
  readonly folder: string
  readonly personalApiKey: string
  /** All that it printed so far. */
  readonly output: () => string
  /** Posts JSON, or a body as it is, and reads the JSON of the answer. */
  readonly post: (
    path: string,
    body: object | string | Uint8Array<ArrayBuffer>,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<JsonResponse>
  /** Posts one event of this project to `/i/v0/e/`. */
  readonly capture: (event: object) => Promise<JsonResponse>
  /** Posts events of this project to `/batch/`. */
  readonly batch: (events: readonly unknown[], around?: object) => Promise<JsonResponse>
  /** The rows that a query finds once all that was acknowledged is stored. */
  readonly queryStored: (query: string) => Promise<unknown[][]>
  /** Runs a command on the service's data folder, beside it, and answers what it printed. */
  readonly runCommand: (...args: string[]) => Promise<string>
}

/** Starts the built service before the first test of a file and ends it after the last. To be called once, at the top. */
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
    rmSync(folder, { recursive: true, force: true })
  })

  const post: SharedService['post'] = async (path, body, headers = {}) => {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array
    const sent = isRaw ? body : JSON.stringify(body)
    const answer = await fetch(`${service.url}${path}`, { method: 'POST', body: sent, headers })
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text), headers: answer.headers }
  }
  return {
    get url() {
      return service.url
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
    batch: (batch, around = {}) => post('/batch/', { api_key: keys.apiKey, batch, ...around }),
    queryStored: async (query) => {
      await waitForIndexer(service.url)
      return queryRows(service.url, keys.personalApiKey, query)
    },
    runCommand: (...given) =>
      new Promise((resolve, reject) => {
        execFile(process.execPath, [SERVICE_SCRIPT, ...given, '--data-folder', folder], (error, output, errors) => {
          if (error === null) resolve(output)
          else reject(new Error(errors, { cause: error }))
        })
      }),
  }
}

/** JSON of a column that holds JSON. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers
export const parseJsonColumn = (value: unknown): any => (typeof value === 'string' ? JSON.parse(value) : value)
