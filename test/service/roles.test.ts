import { spawn } from 'node:child_process'
import { expect, onTestFinished, test } from 'vitest'
import { parseKeys, queryRows, SERVICE_SCRIPT, startService, waitForIndexer } from './support/service-process.ts'
import type { ServiceProcess } from './support/service-process.ts'
import { createTempFolder } from './support/temp-folder.ts'

/** Runs `serve --role indexer` until its end. It is killed at the end of the test. */
const launchIndexer = (folder: string) => {
  const child = spawn(process.execPath, [SERVICE_SCRIPT, 'serve', '--role', 'indexer', '--data-folder', folder], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ended = new Promise<number | NodeJS.Signals>((resolve) =>
    child.on('exit', (code, signal) => resolve(signal ?? code ?? 0)),
  )
  const end = (signal: NodeJS.Signals): Promise<number | NodeJS.Signals> => {
    child.kill(signal)
    return ended
  }
  onTestFinished(async () => void (await end('SIGKILL')))
  return { end, ended, output: () => output }
}

/** Longest wait for the start of a process, or for the events after it, on a busy machine. */
const LONG = { timeout: 40_000 }

const startFront = (folder: string): Promise<ServiceProcess> => startService(folder, { args: ['--role', 'front'] })

const send = async ({ url }: ServiceProcess, apiKey: string, event: string): Promise<number> => {
  const body = JSON.stringify({ api_key: apiKey, event, distinct_id: 'ada', properties: {} })
  return (await fetch(`${url}/i/v0/e/`, { method: 'POST', body })).status
}

const readHealth = async ({ url }: ServiceProcess) => (await fetch(`${url}/healthz`)).json()

test('a front takes events without an indexer, and an indexer stores them without a front', async () => {
  const folder = createTempFolder()
  let front = await startFront(folder)
  const { apiKey, personalApiKey } = parseKeys(front.output())
  expect(await send(front, apiKey, 'one')).toBe(200)
  expect(await readHealth(front)).toMatchObject({
    status: 'failing',
    inbox: { ok: true },
    store: { ok: false, detail: expect.stringContaining('--role indexer') },
    indexer: { behindEvents: 1 },
  })

  let indexer = launchIndexer(folder)
  const events = 'SELECT event, count(*) FROM events GROUP BY event ORDER BY event'
  await expect.poll(() => readHealth(front), LONG).toMatchObject({ status: 'ok', indexer: { behindEvents: 0 } })
  expect(await queryRows(front.url, personalApiKey, events)).toEqual([['one', 1]])

  expect(await indexer.end('SIGKILL')).toBe('SIGKILL')
  await expect.poll(() => readHealth(front), LONG).toMatchObject({ store: { ok: false } })
  expect(await send(front, apiKey, 'two')).toBe(200)
  await front.end('SIGKILL')
  indexer = launchIndexer(folder)
  await expect.poll(indexer.output, LONG).toContain('stores the events')
  front = await startFront(folder)
  await waitForIndexer(front.url)
  await expect.poll(() => readHealth(front), LONG).toMatchObject({ status: 'ok', indexer: { behindEvents: 0 } })
  expect(await send(front, apiKey, 'three')).toBe(200)
  await waitForIndexer(front.url)
  const all = [
    ['one', 1],
    ['three', 1],
    ['two', 1],
  ]
  expect(await queryRows(front.url, personalApiKey, events)).toEqual(all)
  expect(await indexer.end('SIGTERM')).toBe(0)
  expect(await front.end('SIGTERM')).toBe(0)

  const both = await startService(folder)
  expect(await queryRows(both.url, personalApiKey, events)).toEqual(all)
}, 240_000)

test('each role has a data folder for itself, and an indexer needs the folder of a front', async () => {
  const folder = createTempFolder()
  const early = launchIndexer(folder)
  expect(await early.ended).toBe(1)
  expect(early.output()).toContain(`The folder ${folder} holds no data`)

  const front = await startFront(folder)
  await expect(startFront(folder)).rejects.toThrow('Another waymark-service uses the data folder')
  const indexer = launchIndexer(folder)
  await expect.poll(indexer.output, LONG).toContain('stores the events')
  const second = launchIndexer(folder)
  expect(await second.ended).toBe(1)
  expect(second.output()).toContain('Another waymark-service uses the data folder')
  await front.end('SIGTERM')
  await expect(startService(folder)).rejects.toThrow('Another waymark-service uses the data folder')
}, 240_000)
