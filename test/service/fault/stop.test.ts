import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startLoad } from '../support/load.ts'
import { expectEachOnce, isRunning, MANY_ROWS, sendBatch, sendWaiting } from '../support/service-faults.ts'
import { childrenOf, eventually, keysIn, SERVICE_SCRIPT, startService } from '../support/service-process.ts'
import type { ServiceProcess } from '../support/service-process.ts'
import { tempFolder } from '../support/temp-folder.ts'

const WITHIN_MS = 10_000

/** Ends the service by SIGTERM; it must end in order, in time, and with its indexer. */
const expectStop = async (service: ServiceProcess): Promise<void> => {
  const indexers = childrenOf(service.pid)
  const startedAt = performance.now()
  expect(await service.end('SIGTERM')).toBe(0)
  expect(performance.now() - startedAt).toBeLessThan(WITHIN_MS)
  expect(indexers.filter(isRunning)).toEqual([])
}

/** An upload of which only the beginning ever comes. */
const beginUpload = async (url: string, contentLength: string): Promise<() => void> => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(`POST /batch/ HTTP/1.1\r\nHost: ${hostname}\r\n${contentLength}\r\n\r\n`)
  socket.write(contentLength.startsWith('Transfer') ? '5\r\n{"api\r\n' : '{"api')
  return () => socket.destroy()
}

test('stops within ten seconds with uploads that never end, running queries, open streams, and senders that go on', async () => {
  const folder = tempFolder()
  const service = await startService(folder, { args: MANY_ROWS })
  const { apiKey, personalApiKey } = keysIn(service.output())
  const uploads = await Promise.all(
    ['Content-Length: 1000000', 'Transfer-Encoding: chunked'].map((length) => beginUpload(service.url, length)),
  )
  const stream = await fetch(`${service.url}/flags/stream`, { headers: { authorization: `Bearer ${personalApiKey}` } })
  expect(stream.status).toBe(200)
  const read = stream.text().catch(() => 'cut')
  const query = fetch(`${service.url}/api/environments/1/query/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${personalApiKey}` },
    body: JSON.stringify({ query: 'select sum(a.range * b.range) from range(1000000) a, range(1000000) b' }),
  }).then(
    (answer) => answer.status,
    () => 'cut',
  )
  const load = startLoad(service.url, apiKey, 4)
  await eventually(() => load.acknowledged.size > 300)

  await expectStop(service)
  await load.stop()
  for (const end of uploads) end()
  expect(await query).toBe(503)
  expect(await read).toContain('event: definitions')
  // An answer was 200, or the connection was gone: nothing in between.
  expect([...load.statuses.keys()]).toEqual([200])
  const again = await startService(folder, { args: MANY_ROWS })
  await expectEachOnce(again.url, personalApiKey, load.acknowledged)
})

test('stops within ten seconds with a big backlog that the indexer is busy with, and goes on with it at the next start', async () => {
  const folder = tempFolder()
  const service = await startService(folder, { args: MANY_ROWS })
  const { apiKey, personalApiKey } = keysIn(service.output())
  const [indexer] = childrenOf(service.pid)
  const sent = (await sendWaiting(service, apiKey, 1)).flat()
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
  const again = await startService(folder, { args: MANY_ROWS })
  await expectEachOnce(again.url, personalApiKey, sent)
})

test('stops within ten seconds when the indexer does not answer', async () => {
  const folder = tempFolder()
  const service = await startService(folder, { args: MANY_ROWS })
  const { apiKey, personalApiKey } = keysIn(service.output())
  const sent = (await sendWaiting(service, apiKey, 3)).flat()
  await expectStop(service)
  const again = await startService(folder, { args: MANY_ROWS })
  await expectEachOnce(again.url, personalApiKey, sent)
})

test('stops when SIGTERM comes at any moment of a start, and starts again afterwards', async () => {
  const folder = tempFolder()
  for (const afterMs of [150, 300, 450, 600, 750]) {
    const child = spawn(process.execPath, [SERVICE_SCRIPT, 'serve', '--port', '0', '--data-folder', folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    const ended = once(child, 'exit')
    // The moment is the subject.
    await new Promise((resolve) => setTimeout(resolve, afterMs))
    const startedAt = performance.now()
    child.kill('SIGTERM')
    const [code, signal] = await ended
    expect(performance.now() - startedAt).toBeLessThan(WITHIN_MS)
    // Before the program has begun, the system ends it.
    expect([0, 'SIGTERM']).toContain(code ?? signal)
    if (output.includes('stopping')) expect(code).toBe(0)
  }
  const service = await startService(folder, { args: MANY_ROWS })
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
})
