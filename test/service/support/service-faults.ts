import { spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { waitForIndexer, listChildPids, eventually, queryRows, SERVICE_SCRIPT } from './service-process.ts'

/** Room in an answer for every event of a test. */
export const MANY_ROWS_ARGS: readonly string[] = ['--query-max-rows', '1000000']

/** Every stored uuid is there once, and those acknowledged are among them, but for those that may be missing. */
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

/** What the service answered to a request. */
export interface BatchResponse {
  readonly status: number
  readonly body: string
  readonly retryAfter: string | null
}

/** Sends one batch of events; answers their uuids with the answer. */
export const sendBatch = async (
  url: string,
  apiKey: string,
  events: readonly object[],
): Promise<BatchResponse & { readonly uuids: readonly string[] }> => {
  const batch = events.map((event) => ({ uuid: randomUUID(), distinct_id: 'u', ...event }))
  const answer = await fetch(`${url}/batch/`, { method: 'POST', body: JSON.stringify({ api_key: apiKey, batch }) })
  const body = await answer.text()
  return {
    status: answer.status,
    body,
    retryAfter: answer.headers.get('retry-after'),
    uuids: batch.map(({ uuid }) => uuid),
  }
}

/** Sends batches while the indexer stands still, so that all of them wait; answers the uuids of each. */
export const sendWhileIndexerStopped = async (
  { url, pid }: { readonly url: string; readonly pid: number },
  apiKey: string,
  batches: number,
  text = 'x'.repeat(300),
): Promise<readonly (readonly string[])[]> => {
  process.kill(listChildPids(pid)[0]!, 'SIGSTOP')
  const sent: (readonly string[])[] = []
  for (let batch = 0; batch < batches; batch++) {
    const { status, uuids } = await sendBatch(url, apiKey, [{ event: 'waits', properties: { batch, text } }])
    expect(status).toBe(200)
    sent.push(uuids)
  }
  return sent
}

/** Ends front and indexer as a crash does, also an indexer that stands still. */
export const crash = async (service: {
  readonly pid: number
  readonly end: (signal: NodeJS.Signals) => Promise<unknown>
}): Promise<void> => {
  const indexers = listChildPids(service.pid)
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

/** What `/healthz` answers. */
export const readHealth = async (
  url: string,
): Promise<{ status: number; inbox: ComponentHealth; metadata: ComponentHealth; store: ComponentHealth }> => {
  const answer = await fetch(`${url}/healthz`)
  return { ...(await answer.json()), status: answer.status }
}

interface ComponentHealth {
  readonly ok: boolean
  readonly detail: string | null
}

/** Runs a command of the service to its end. */
export const runCommand = (
  dataFolder: string,
  ...args: readonly string[]
): { readonly status: number | null; readonly output: string } => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [SERVICE_SCRIPT, ...args, '--data-folder', dataFolder],
    { encoding: 'utf8', timeout: 30_000 },
  )
  return { status, output: `${stdout}${stderr}` }
}

/** Starts the service where it must refuse; answers what it printed. */
export const expectStartFailure = async (dataFolder: string): Promise<string> => {
  const child = spawn(process.execPath, [SERVICE_SCRIPT, 'serve', '--port', '0', '--data-folder', dataFolder])
  let output = ''
  const hear = (chunk: Buffer): void => {
    output += chunk.toString()
    if (output.includes('listens on')) child.kill('SIGKILL')
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  const code = await new Promise<number | null>((resolve) => {
    child.on('close', resolve)
  })
  expect({ code, output }).toMatchObject({ code: 1 })
  // One sentence for people, and no stack.
  expect(output).not.toContain('    at ')
  return output
}
