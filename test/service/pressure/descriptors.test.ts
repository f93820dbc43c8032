import { execFileSync } from 'node:child_process'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { caughtUp, childrenOf, eventually, keysIn, queryRows, startService } from '../support/service-process.ts'
import { tempFolder } from '../support/temp-folder.ts'

const eventOf = (apiKey: string): string => JSON.stringify({ api_key: apiKey, event: 'e', distinct_id: 'u' })

/** Asks over one connection that stays open: a process without descriptors takes no other. */
const openLine = (url: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  return (path: string, body?: string): Promise<{ status: number; text: string }> =>
    new Promise((resolve, reject) => {
      const asking = request(`${url}${path}`, { agent, method: body === undefined ? 'GET' : 'POST' }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => (text += chunk))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      })
      asking.on('error', reject)
      asking.end(body)
    })
}

const limitOpenFiles = (pid: number, soft: number): void => {
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${soft}:`])
}

test('takes events while no indexer can be started for want of descriptors, says so, and starts one when it can', async () => {
  const service = await startService(tempFolder())
  const { apiKey, personalApiKey } = keysIn(service.output())
  const ask = openLine(service.url)
  expect((await ask('/i/v0/e/', eventOf(apiKey))).status).toBe(200)
  limitOpenFiles(service.pid, 10)
  process.kill(childrenOf(service.pid)[0]!, 'SIGKILL')
  await eventually(() => /could not be started.*EMFILE[^]*could not be started/.test(service.output()))
  expect((await ask('/i/v0/e/', eventOf(apiKey))).status).toBe(200)
  const health = await ask('/healthz')
  expect(health.status).toBe(503)
  expect(JSON.parse(health.text).store.detail).toContain('EMFILE')
  limitOpenFiles(service.pid, 1024)
  await caughtUp(service.url)
  expect(await queryRows(service.url, personalApiKey, 'select count(*) from events')).toEqual([[2]])
})

test('stops in order while no indexer can be started', async () => {
  const service = await startService(tempFolder())
  limitOpenFiles(service.pid, 10)
  process.kill(childrenOf(service.pid)[0]!, 'SIGKILL')
  await eventually(() => /could not be started.*EMFILE/.test(service.output()))
  expect(await service.end('SIGTERM')).toBe(0)
})

test('leaves descriptors for the indexer, however many connections clients open', async () => {
  const service = await startService(tempFolder(), { maxOpenFiles: 512 })
  const { port } = new URL(service.url)
  for (let index = 0; index < 700; index++) {
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
    await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
  }
  const [before] = childrenOf(service.pid)
  process.kill(before!, 'SIGKILL')
  await eventually(() => childrenOf(service.pid).some((pid) => pid !== before))
  expect(service.output()).toContain('It is started again')
  expect(service.output()).not.toContain('could not be started')
})
