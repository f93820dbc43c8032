import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openEventStream } from './support/event-stream.ts'
import { startLoad } from './support/load.ts'
import {
  caughtUp,
  childrenOf,
  eventually,
  keysIn,
  queryRows,
  SERVICE_SCRIPT,
  startService,
} from './support/service-process.ts'
import { tempFolder } from './support/temp-folder.ts'

/** Runs the command to its end. */
const run = (...args: string[]): Promise<{ code: number; output: string; errors: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, [SERVICE_SCRIPT, ...args], (error, output, errors) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output, errors })
    })
  })

test('shows the keys of the first project on the first start and never again', async () => {
  const folder = tempFolder()
  const first = await startService(folder)
  const { apiKey, personalApiKey } = keysIn(first.output())
  await fetch(`${first.url}/i/v0/e/`, {
    method: 'POST',
    body: JSON.stringify({ api_key: apiKey, event: 'a', distinct_id: 'u' }),
  })
  await caughtUp(first.url)
  expect(await first.end('SIGTERM')).toBe(0)

  const second = await startService(folder)
  expect(second.output()).not.toContain('wm')
  expect(await queryRows(second.url, personalApiKey, 'select event, distinct_id from events')).toEqual([['a', 'u']])
  expect(await second.end('SIGINT')).toBe(0)
})

test('shows the keys on the first start that gets as far, whatever failed before', async () => {
  const folder = join(tempFolder(), 'data')
  const flags = join(tempFolder(), 'flags.json')
  writeFileSync(flags, '{"key":"a"}')
  const failed = await run('serve', '--data-folder', folder, '--port', '0', '--flags', flags)
  expect(failed).toMatchObject({
    code: 1,
    output: '',
    errors: 'waymark-service: Flag "a": filters must be an object.\n',
  })

  const service = await startService(folder)
  const { apiKey, personalApiKey } = keysIn(service.output())
  expect((await run('project', 'list', '--data-folder', folder)).output).toContain(`project 1  ${apiKey}`)
  expect(await queryRows(service.url, personalApiKey, 'select 1')).toEqual([[1]])
})

test('gives a project that was made before the first start its first personal key', async () => {
  const folder = join(tempFolder(), 'data')
  const [apiKey] = /wm_[\w-]+/.exec((await run('project', 'create', 'Shop', '--data-folder', folder)).output)!
  const service = await startService(folder)
  const keys = keysIn(service.output())
  expect(keys.apiKey).toBe(apiKey)
  expect(await queryRows(service.url, keys.personalApiKey, 'select 1')).toEqual([[1]])
})

test('opens a new folder beside other commands that do the same', async () => {
  const folder = join(tempFolder(), 'data')
  const [service, ...created] = await Promise.all([
    startService(folder),
    ...['a', 'b', 'c'].map((name) => run('project', 'create', name, '--data-folder', folder)),
  ])
  expect(created.map(({ code, errors }) => [code, errors])).toEqual([
    [0, ''],
    [0, ''],
    [0, ''],
  ])
  expect(keysIn(service.output()).personalApiKey).toMatch(/^wmx_/)
})

test('stores new events after its inbox was lost', async () => {
  const folder = tempFolder()
  const first = await startService(folder)
  const { apiKey, personalApiKey } = keysIn(first.output())
  const send = async (url: string, name: string): Promise<void> => {
    for (let index = 0; index < 5; index++) {
      const body = JSON.stringify({ api_key: apiKey, event: name, distinct_id: 'u' })
      expect((await fetch(`${url}/i/v0/e/`, { method: 'POST', body })).status).toBe(200)
    }
    await caughtUp(url)
  }
  await send(first.url, 'before')
  expect(await first.end('SIGTERM')).toBe(0)
  for (const file of readdirSync(folder)) if (file.startsWith('inbox.sqlite')) rmSync(join(folder, file))

  const second = await startService(folder)
  await send(second.url, 'after')
  const rows = await queryRows(second.url, personalApiKey, 'select event, count(*) from events group by 1 order by 1')
  expect(rows).toEqual([
    ['after', 5],
    ['before', 5],
  ])
})

test('answers what it has begun, leaves no process, and loses nothing when it is told to stop under load', async () => {
  const folder = tempFolder()
  const service = await startService(folder)
  const { apiKey, personalApiKey } = keysIn(service.output())
  const load = startLoad(service.url, apiKey)
  await eventually(() => load.acknowledged.size > 200)
  const [indexer] = childrenOf(service.pid)
  const startedAt = Date.now()
  expect(await service.end('SIGTERM')).toBe(0)
  expect(Date.now() - startedAt).toBeLessThan(10_000)
  expect(() => process.kill(indexer!, 0)).toThrow(/ESRCH/)
  await load.stop()
  expect([...load.statuses.keys()]).toEqual([200])

  const again = await startService(folder, { args: ['--query-max-rows', '1000000'] })
  await caughtUp(again.url)
  const stored = new Set(
    (await queryRows(again.url, personalApiKey, 'select uuid from events')).map(([uuid]) => String(uuid)),
  )
  expect([...load.acknowledged].filter((uuid) => !stored.has(uuid))).toEqual([])
})

test('does not wait for a query that runs when it is told to stop', async () => {
  const service = await startService(tempFolder())
  const { personalApiKey } = keysIn(service.output())
  const endless = 'select count(*) from range(100000000) a, range(100000) b where hash(a.range + b.range) = 1'
  const answer = fetch(`${service.url}/api/environments/1/query/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${personalApiKey}` },
    body: JSON.stringify({ query: endless }),
  })
  // Sent later and answered: by now the other one runs.
  await queryRows(service.url, personalApiKey, 'select 1')
  const startedAt = Date.now()
  expect(await service.end('SIGTERM')).toBe(0)
  expect(Date.now() - startedAt).toBeLessThan(5000)
  expect((await answer).status).toBe(503)
})

test('pushes within a second what another process sets, and ends its streams when it is told to stop', async () => {
  const [folder, flags] = [tempFolder(), join(tempFolder(), 'flags.json')]
  writeFileSync(flags, '{"key":"a","filters":{"groups":[{}]}}')
  const service = await startService(folder)
  const { apiKey, personalApiKey } = keysIn(service.output())
  const url = `${service.url}/flags/stream?token=${apiKey}&send_cohorts`
  const stream = await openEventStream(url, { authorization: `Bearer ${personalApiKey}` })
  expect((await stream.next())!.data.flags).toEqual([])
  expect((await run('flag', 'set', flags, '--data-folder', folder)).errors).toBe('')
  const setAt = Date.now()
  expect((await stream.next())!.data.flags).toMatchObject([{ key: 'a' }])
  expect(Date.now() - setAt).toBeLessThan(1000)
  const answer = await fetch(`${service.url}/decide?v=3`, {
    method: 'POST',
    body: JSON.stringify({ api_key: apiKey, distinct_id: 'u' }),
  })
  expect((await answer.json()).featureFlags).toEqual({ a: true })

  const stoppedAt = Date.now()
  expect(await service.end('SIGTERM')).toBe(0)
  expect(Date.now() - stoppedAt).toBeLessThan(5000)
  expect(await stream.next()).toBeUndefined()
})

test('refuses a folder without data where nothing is to be created', async () => {
  const folder = join(tempFolder(), 'typo')
  for (const command of [
    ['project', 'list'],
    ['key', 'list'],
    ['flag', 'list'],
    ['key', 'create', 'x'],
  ]) {
    expect(await run(...command, '--data-folder', folder)).toMatchObject({
      code: 1,
      errors: `waymark-service: There is no data in the folder ${folder}; choose another with --data-folder.\n`,
    })
  }
  expect(existsSync(folder)).toBe(false)
})

test('keeps its data from other users of the machine', async () => {
  const folder = join(tempFolder(), 'deep', 'data')
  const service = await startService(folder)
  const { apiKey } = keysIn(service.output())
  const body = JSON.stringify({ api_key: apiKey, event: 'a', distinct_id: 'u' })
  await fetch(`${service.url}/i/v0/e/`, { method: 'POST', body })
  await caughtUp(service.url)
  const modes = new Map(
    ['', ...readdirSync(folder, { recursive: true })].map((file) => [
      String(file),
      statSync(join(folder, String(file))).mode & 0o777,
    ]),
  )
  expect(modes.get('events/1.duckdb')).toBe(0o600)
  for (const [file, mode] of modes) expect([file, mode & 0o077]).toEqual([file, 0])
})

test('tells its version', async () => {
  expect((await run('--version')).output).toMatch(/^\d+\.\d+\.\d+\n$/)
})

test('lets one service at a time have a data folder', async () => {
  const folder = tempFolder()
  const service = await startService(folder)
  const second = await run('serve', '--data-folder', folder, '--port', '0')
  expect(second).toMatchObject({
    code: 1,
    output: '',
    errors: `waymark-service: Another waymark-service is using the data folder ${folder}.\n`,
  })
  await service.end('SIGKILL')
  await startService(folder)
})

test('says in one sentence why it does not start', async () => {
  const folder = tempFolder()
  const file = join(folder, 'file')
  writeFileSync(file, '')
  expect((await run('--data-folder', file)).errors).toMatch(
    /^waymark-service: The data folder .* cannot be written: .*\n$/,
  )
  // A file system that says of a folder's own parent that it is missing.
  expect((await run('--data-folder', '/proc/nope')).errors).toMatch(
    /^waymark-service: The data folder \/proc\/nope cannot be written: .*\n$/,
  )
  expect((await run('--data-folder', folder, '--port', 'x')).errors).toBe(
    'waymark-service: --port must be a whole number from 0 to 65535; it is "x".\n',
  )
  const taken = createServer()
  const port = await new Promise<number>((resolve) => {
    taken.listen(0, '127.0.0.1', () => {
      const address = taken.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
  const refused = await run('--data-folder', join(folder, 'data'), '--port', String(port))
  taken.close()
  expect(refused).toMatchObject({
    code: 1,
    errors: `waymark-service: Port ${port} on 127.0.0.1 is taken; choose another with --port.\n`,
  })
})

test.skipIf(process.getuid?.() === 0)('says that it may not write into a folder', async () => {
  const folder = join(tempFolder(), 'locked')
  mkdirSync(folder)
  chmodSync(folder, 0o500)
  expect((await run('--data-folder', folder)).errors).toMatch(/cannot be written/)
})

test('creates and lists projects and keys beside a running service', async () => {
  const folder = tempFolder()
  const service = await startService(folder)
  const created = await run('project', 'create', 'Second', '--data-folder', folder)
  const apiKey = /wm_[\w-]+/.exec(created.output)?.[0]
  expect((await run('project', 'list', '--data-folder', folder)).output.trim().split('\n')).toHaveLength(2)
  const key = await run('key', 'create', 'script', '--project', '2', '--data-folder', folder)
  const personalApiKey = /wmx_[\w-]+/.exec(key.output)?.[0]
  expect((await run('key', 'list', '--data-folder', folder)).output).toContain('query:read  script')
  expect((await run('key', 'create', 'x', '--project', '9', '--data-folder', folder)).errors).toMatch(/no project 9/)

  const post = await fetch(`${service.url}/i/v0/e/`, {
    method: 'POST',
    body: JSON.stringify({ api_key: apiKey, event: 'a', distinct_id: 'u' }),
  })
  expect(post.status).toBe(200)
  await caughtUp(service.url)
  const ask = (project: number) =>
    fetch(`${service.url}/api/environments/${project}/query/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${personalApiKey}` },
      body: '{"query":"select event from events"}',
    })
  expect((await (await ask(2)).json()).results).toEqual([['a']])
  expect((await ask(1)).status).toBe(403)
})
