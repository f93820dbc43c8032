import { execFileSync } from 'node:child_process'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import {
  waitForIndexer,
  listChildPids,
  eventually,
  parseKeys,
  queryRows,
  startService,
} from '../support/service-process.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const eventOf = (apiKey: string): string => JSON.stringify({ api_key: apiKey, event: 'e', distinct_id: 'u' })

/** Sends requests over one open connection: a process without file descriptors accepts no other. */
const openConnection = (url: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  return (path: string, body?: string): Promise<{ status: number; text: string }> =>
    new Promise((resolve, reject) => {
      const clientRequest = request(
        `${url}${path}`,
        { agent, method: body === undefined ? 'GET' : 'POST' },
        (response) => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (chunk: string) => (text += chunk))
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
        },
      )
      clientRequest.on('error', reject)
      clientRequest.end(body)
    })
}

const limitOpenFiles = (pid: number, soft: number): void => {
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${soft}:`])
}

test('accepts events while no indexer can start for lack of descriptors', async () => {
  const service = await startService(createTempFolder())
  const { apiKey, personalApiKey } = parseKeys(service.output())
  const send = openConnection(service.url)
  expect((await send('/i/v0/e/', eventOf(apiKey))).status).toBe(200)
  limitOpenFiles(service.pid, 10)
  process.kill(listChildPids(service.pid)[0]!, 'SIGKILL')
  await eventually(() => /could not be started.*EMFILE[^]*could not be started/.test(service.output()))
  expect((await send('/i/v0/e/', eventOf(apiKey))).status).toBe(200)
  const health = await send('/healthz')
  expect(health.status).toBe(503)
  expect(JSON.parse(health.text).store.detail).toContain('EMFILE')
  limitOpenFiles(service.pid, 1024)
  await waitForIndexer(service.url)
  expect(await queryRows(service.url, personalApiKey, 'select count(*) from events')).toEqual([[2]])
})

test('stops cleanly while no indexer can start', async () => {
  const service = await startService(createTempFolder())
  limitOpenFiles(service.pid, 10)
  process.kill(listChildPids(service.pid)[0]!, 'SIGKILL')
  await eventually(() => /could not be started.*EMFILE/.test(service.output()))
  expect(await service.end('SIGTERM')).toBe(0)
})

test('keeps descriptors for the indexer when clients open many connections', async () => {
  const service = await startService(createTempFolder(), { maxOpenFiles: 512 })
  const { port } = new URL(service.url)
  for (let index = 0; index < 700; index++) {
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
    await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
  }
  const [oldIndexer] = listChildPids(service.pid)
  process.kill(oldIndexer!, 'SIGKILL')
  await eventually(() => listChildPids(service.pid).some((pid) => pid !== oldIndexer))
  expect(service.output()).toContain('It is restarted in')
  expect(service.output()).not.toContain('could not be started')
})
