import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startLoad } from '../support/load.ts'
import {
  expectStoredOnce,
  isRunning,
  MANY_ROWS_ARGS,
  sendBatch,
  sendWhileIndexerStopped,
} from '../support/service-faults.ts'
import { listChildPids, eventually, parseKeys, SERVICE_SCRIPT, startService } from '../support/service-process.ts'
import type { ServiceProcess } from '../support/service-process.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const STOP_LIMIT_MS = 10_000

/** Ends the service by SIGTERM, and expects an orderly end in time, together with its indexer. */
const expectStop = async (service: ServiceProcess): Promise<void> => {
  const indexers = listChildPids(service.pid)
  const startedAt = performance.now()
  expect(await service.end('SIGTERM')).toBe(0)
  expect(performance.now() - startedAt).toBeLessThan(STOP_LIMIT_MS)
  expect(indexers.filter(isRunning)).toEqual([])
}

/** Starts an upload and sends only its beginning. Resolves to a function that aborts it. */
const beginUpload = async (url: string, contentLength: string): Promise<() => void> => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(`POST /batch/ HTTP/1.1\r\nHost: ${hostname}\r\n${contentLength}\r\n\r\n`)
  socket.write(contentLength.startsWith('Transfer') ? '5\r\n{"api\r\n' : '{"api')
  return () => socket.destroy()
}

test('stops within ten seconds with open uploads, queries, streams and senders', async () => {
  const folder = createTempFolder()
  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  const { apiKey, personalApiKey } = parseKeys(service.output())
  const uploads = await Promise.all(
    ['Content-Length: 1000000', 'Transfer-Encoding: chunked'].map((length) => beginUpload(service.url, length)),
  )
  const stream = await fetch(`${service.url}/flags/stream`, { headers: { authorization: `Bearer ${personalApiKey}` } })
  expect(stream.status).toBe(200)
  const streamText = stream.text().catch(() => 'cut')
  const query = fetch(`${service.url}/api/environments/1/query/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${personalApiKey}` },
    body: JSON.stringify({ query: 'select sum(a.range * b.range) from range(1000000) a, range(1000000) b' }),
  }).then(
    (response) => response.status,
    () => 'cut',
  )
  const load = startLoad(service.url, apiKey, 4)
  await eventually(() => load.acknowledged.size > 300)

  await expectStop(service)
  await load.stop()
  for (const abort of uploads) abort()
  expect(await query).toBe(503)
  expect(await streamText).toContain('event: definitions')
  // Each request either got 200 or lost its connection.
  expect([...load.statuses.keys()]).toEqual([200])
  const restarted = await startService(folder, { args: MANY_ROWS_ARGS })
  await expectStoredOnce(restarted.url, personalApiKey, load.acknowledged)
})

test('stops within ten seconds with a large backlog, and indexes it after a restart', async () => {
  const folder = createTempFolder()
  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  const { apiKey, personalApiKey } = parseKeys(service.output())
  const [indexer] = listChildPids(service.pid)
  const sent = (await sendWhileIndexerStopped(service, apiKey, 1)).flat()
  for (let batch = 0; batch < 20; batch++) {
    const events = Array.from({ length: 2000 }, (_, n) => ({
      event: '$identify',
      distinct_id: `user-${batch}-${n % 500}`,
      properties: { $set: { n }, text: 'x'.repeat(200) },
    }))
    sent.push(...(await sendBatch(service.url, apiKey, events)).uuids)
  }
  process.kill(indexer!, 'SIGCONT')
  await expectStop(service)
  const restarted = await startService(folder, { args: MANY_ROWS_ARGS })
  await expectStoredOnce(restarted.url, personalApiKey, sent)
})

test('stops within ten seconds when the indexer hangs', async () => {
  const folder = createTempFolder()
  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  const { apiKey, personalApiKey } = parseKeys(service.output())
  const sent = (await sendWhileIndexerStopped(service, apiKey, 3)).flat()
  await expectStop(service)
  const restarted = await startService(folder, { args: MANY_ROWS_ARGS })
  await expectStoredOnce(restarted.url, personalApiKey, sent)
})

test('stops on SIGTERM at any time of a start, and starts again afterwards', async () => {
  const folder = createTempFolder()
  for (const afterMs of [150, 300, 450, 600, 750]) {
    const child = spawn(process.execPath, [SERVICE_SCRIPT, 'serve', '--port', '0', '--data-folder', folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    const ended = once(child, 'exit')
    // The test needs a fixed delay, not a condition.
    await new Promise((resolve) => setTimeout(resolve, afterMs))
    const startedAt = performance.now()
    child.kill('SIGTERM')
    const [code, signal] = await ended
    expect(performance.now() - startedAt).toBeLessThan(STOP_LIMIT_MS)
    // Before its handler is installed, SIGTERM kills the process.
    expect([0, 'SIGTERM']).toContain(code ?? signal)
    if (output.includes('stopping')) expect(code).toBe(0)
  }
  const service = await startService(folder, { args: MANY_ROWS_ARGS })
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
})
