import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { FromIndexer, ToIndexer } from '../../../src/service/indexer/protocol.ts'
import { openSqliteInbox } from '../../../src/service/store/inbox/sqlite-inbox.ts'
import { ONLY_NODE } from '../../../src/service/store/metadata/node-id.ts'
import { openMetadata } from '../../../src/service/store/metadata/open.ts'
import { createProject } from '../../../src/service/store/metadata/projects.ts'
import { createTempFolder } from '../support/temp-folder.ts'
import { until } from './indexer-test-bed.ts'

const SCRIPT = new URL('../../../src/service/dist/indexer.js', import.meta.url).pathname

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

it('ends when its parent is killed', async () => {
  const parent = spawn(
    process.execPath,
    [
      '-e',
      `console.log(require('node:child_process').fork(${JSON.stringify(SCRIPT)}).pid); setInterval(() => 0, 1000)`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const [line] = await once(parent.stdout, 'data')
  const pid = Number(String(line))
  expect(isAlive(pid)).toBe(true)
  parent.kill('SIGKILL')
  await until(() => !isAlive(pid))
})

/** An indexer process that runs a query of hours. */
const startWithQuery = async () => {
  const folder = createTempFolder()
  const inboxFile = join(folder, 'inbox.sqlite')
  const metadataFile = join(folder, 'metadata.sqlite')
  const inbox = openSqliteInbox({ path: inboxFile })
  const metadata = await openMetadata(metadataFile)
  await createProject(metadata, 'one', 0)
  const events = Array.from({ length: 200 }, () => ({ event: 'bought', distinct_id: 'ada' }))
  const body = Buffer.from(JSON.stringify({ api_key: 'key', batch: events }))
  const row = await inbox.append({ projectId: 1, receivedAt: 1, address: null, form: '{}', body })
  inbox.close()
  await metadata.destroy()

  const child = fork(SCRIPT, { serialization: 'advanced', stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let errors = ''
  child.stderr?.on('data', (chunk) => (errors += String(chunk)))
  const exit = once(child, 'exit')
  const send = (message: ToIndexer): void => void child.send(message)
  const received = (isIt: (message: FromIndexer) => boolean): Promise<void> =>
    new Promise((resolve) => {
      child.on('message', (message: FromIndexer) => {
        if (isIt(message)) resolve()
      })
    })
  const isStored = received((message) => message.type === 'progress' && message.position === row)
  const isRunning = received(({ type }) => type === 'query_progress')
  const stores = { inboxFile, events: join(folder, 'events'), memoryMb: 256, maxOpenStores: 1 }
  const settings = { ...stores, metadata: metadataFile, nodeId: ONLY_NODE, geoDatabase: null, storeAddresses: false }
  send({ type: 'start', settings, position: 0, previousExit: 'requested' })
  send({ type: 'wake' })
  await isStored
  const sql = `SELECT count(*) FROM events a, events b, events c, events d, events e
    WHERE hash(a.uuid) % 7 = hash(e.uuid) % 11`
  send({ type: 'query', id: 1, projectId: 1, name: 'query', question: { sql, timeoutMs: 3_600_000, maxRows: 1 } })
  await isRunning
  return { child, exit, errors: () => errors }
}

it('ends when its parent is gone, also while a query runs', async () => {
  const { child, exit } = await startWithQuery()
  child.disconnect()
  expect(await exit).toEqual([0, null])
})

it('ends in order when it is asked to, also while it is pinged', async () => {
  const { child, exit, errors } = await startWithQuery()
  child.send({ type: 'stop' } satisfies ToIndexer)
  // Each is answered by a thread that the stop ends.
  const pings = setInterval(() => {
    if (child.connected) child.send({ type: 'ping' } satisfies ToIndexer, () => undefined)
  }, 1)
  expect(await exit).toEqual([0, null])
  clearInterval(pings)
  expect(errors()).toBe('')
})

it('ends at once after an error that nothing handles, also while a query runs', async () => {
  const { child, exit, errors } = await startWithQuery()
  child.send(null as never)
  expect(await exit).toEqual([null, 'SIGABRT'])
  expect(errors()).toMatch(/^\S+Z error indexer: TypeError: .*type/)
  expect(errors()).not.toMatch(/native stack/i)
})
