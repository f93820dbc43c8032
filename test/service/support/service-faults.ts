import { spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import {
  waitForIndexer,
  listChildPids,
  eventually,
  queryRows,
  SERVICE_SCRIPT,
  suspendProcess,
} from './service-process.ts'

/** Arguments that allow query results with every event of a test. */
export const MANY_ROWS_ARGS: readonly string[] = ['--query-max-rows', '1000000']

/** Expects every stored uuid once, and all acknowledged uuids to be stored except those in `mayMiss`. */
export const expectStoredOnce = async (
  url: string,
  personalApiKey: string,
  acknowledged: Iterable<string>,
  mayMiss: ReadonlySet<string> = new Set(),
): Promise<void> => {
  await waitForIndexer(url)
  const rows = await queryRows(url, personalApiKey, 'select uuid from events')
  const stored = new Set(rows.map(([uuid]) => String(uuid)))
  expect(stored.size).toBe(rows.length)
  expect([...acknowledged].filter((uuid) => !stored.has(uuid) && !mayMiss.has(uuid))).toEqual([])
}

/** The response to a batch. */
export interface BatchResponse {
  readonly status: number
  readonly body: string
  readonly retryAfter: string | null
}

/** Sends one batch of events and returns the response with their uuids. */
export const sendBatch = async (
  url: string,
  apiKey: string,
  events: readonly object[],
): Promise<BatchResponse & { readonly uuids: readonly string[] }> => {
  const batch = events.map((event) => ({ uuid: randomUUID(), distinct_id: 'u', ...event }))
  const response = await fetch(`${url}/batch/`, { method: 'POST', body: JSON.stringify({ api_key: apiKey, batch }) })
  const body = await response.text()
  return {
    status: response.status,
    body,
    retryAfter: response.headers.get('retry-after'),
    uuids: batch.map(({ uuid }) => uuid),
  }
}

/** Stops the indexer, sends batches that stay in the inbox and returns the uuids of each batch. */
export const sendWhileIndexerStopped = async (
  { url, pid }: { readonly url: string; readonly pid: number },
  apiKey: string,
  batches: number,
  text = 'x'.repeat(300),
): Promise<readonly (readonly string[])[]> => {
  suspendProcess(listChildPids(pid)[0]!)
  const sent: (readonly string[])[] = []
  for (let batch = 0; batch < batches; batch++) {
    const { status, uuids } = await sendBatch(url, apiKey, [{ event: 'waits', properties: { batch, text } }])
    expect(status).toBe(200)
    sent.push(uuids)
  }
  return sent
}

/** Kills the front and the indexer, also a stopped one, at one moment: an indexer without a front would close its files. */
export const crash = async (service: {
  readonly pid: number
  readonly end: (signal: NodeJS.Signals) => Promise<unknown>
}): Promise<void> => {
  const indexers = listChildPids(service.pid)
  for (const pid of indexers) process.kill(pid, 'SIGSTOP')
  await service.end('SIGKILL')
  for (const pid of indexers) process.kill(pid, 'SIGKILL')
  await eventually(() => indexers.every((pid) => !isRunning(pid)))
}

export const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Reads `/healthz`. */
export const readHealth = async (
  url: string,
): Promise<{ status: number; inbox: ComponentHealth; metadata: ComponentHealth; store: ComponentHealth }> => {
  const response = await fetch(`${url}/healthz`)
  return { ...(await response.json()), status: response.status }
}

interface ComponentHealth {
  readonly ok: boolean
  readonly detail: string | null
}

/** Runs a command of the service and waits for its end. */
export const runCommand = (
  dataFolder: string,
  ...args: readonly string[]
): { readonly status: number | null; readonly output: string } => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [SERVICE_SCRIPT, ...args, '--data-folder', dataFolder],
    { encoding: 'utf8', timeout: 50_000 },
  )
  return { status, output: `${stdout}${stderr}` }
}

/** Expects the service to refuse to start and returns its output. */
export const expectStartFailure = async (dataFolder: string): Promise<string> => {
  const child = spawn(process.execPath, [SERVICE_SCRIPT, 'serve', '--port', '0', '--data-folder', dataFolder])
  let output = ''
  const collectOutput = (chunk: Buffer): void => {
    output += chunk.toString()
    if (output.includes('listens on')) child.kill('SIGKILL')
  }
  child.stdout.on('data', collectOutput)
  child.stderr.on('data', collectOutput)
  const code = await new Promise<number | null>((resolve) => {
    child.on('close', resolve)
  })
  expect({ code, output }).toMatchObject({ code: 1 })
  // A message for people, without a stack trace.
  expect(output).not.toContain('    at ')
  return output
}
