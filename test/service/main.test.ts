import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { expectWithin } from '../support/expect-within.ts'
import { openEventStream } from './support/event-stream.ts'
import { waitForIndexer, parseKeys, queryRows, SERVICE_SCRIPT, startService } from './support/service-process.ts'
import { createTempFolder } from './support/temp-folder.ts'

/** Runs the command until it exits. */
const runCommand = (...args: string[]): Promise<{ code: number; output: string; errors: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, [SERVICE_SCRIPT, ...args], (error, output, errors) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output, errors })
    })
  })

test('shows the keys on the first start only, and the script tag on each', async () => {
  const folder = createTempFolder()
  const first = await startService(folder)
  const { apiKey, personalApiKey } = parseKeys(first.output())
  await fetch(`${first.url}/i/v0/e/`, {
    method: 'POST',
    body: JSON.stringify({ api_key: apiKey, event: 'a', distinct_id: 'u' }),
  })
  await waitForIndexer(first.url)
  expect(await first.end('SIGTERM')).toBe(0)

  const second = await startService(folder)
  for (const { output, url } of [first, second])
    expect(output()).toContain(`  <script defer src="${url}/waymark.js" data-key="${apiKey}"></script>\n`)
  expect(second.output()).not.toContain('wmx_')
  expect(second.output()).not.toContain('project api key')
  expect(await queryRows(second.url, personalApiKey, 'select event, distinct_id from events')).toEqual([['a', 'u']])
  expect(await second.end('SIGINT')).toBe(0)
})

test('shows the keys on the first successful start', async () => {
  const folder = join(createTempFolder(), 'data')
  const flags = join(createTempFolder(), 'flags.json')
  writeFileSync(flags, '{"key":"a"}')
  const failed = await runCommand('serve', '--data-folder', folder, '--port', '0', '--flags', flags)
  expect(failed).toMatchObject({
    code: 1,
    output: '',
    errors: 'waymark-service: Flag "a": filters must be an object.\n',
  })

  const service = await startService(folder)
  const { apiKey, personalApiKey } = parseKeys(service.output())
  expect((await runCommand('project', 'list', '--data-folder', folder)).output).toContain(`project 1  ${apiKey}`)
  expect(await queryRows(service.url, personalApiKey, 'select 1')).toEqual([[1]])
})

test('creates the first key for a project created before the first start', async () => {
  const folder = join(createTempFolder(), 'data')
  const [apiKey] = /wm_[\w-]+/.exec((await runCommand('project', 'create', 'Shop', '--data-folder', folder)).output)!
  const service = await startService(folder)
  const keys = parseKeys(service.output())
  expect(keys.apiKey).toBe(apiKey)
  expect(await queryRows(service.url, keys.personalApiKey, 'select 1')).toEqual([[1]])
})

test('opens a new data folder while other commands open it too', async () => {
  const folder = join(createTempFolder(), 'data')
  const [service, ...created] = await Promise.all([
    startService(folder),
    ...['a', 'b', 'c'].map((name) => runCommand('project', 'create', name, '--data-folder', folder)),
  ])
  expect(created.map(({ code, errors }) => [code, errors])).toEqual([
    [0, ''],
    [0, ''],
    [0, ''],
  ])
  expect(parseKeys(service.output()).personalApiKey).toMatch(/^wmx_/)
})

test('does not wait for a running query when it stops', async () => {
  const endless = 'select count(*) from range(100000000) a, range(100000) b where hash(a.range + b.range) = 1'
  // After five seconds the indexer would be killed.
  await expectWithin(5000, async () => {
    const service = await startService(createTempFolder())
    const { personalApiKey } = parseKeys(service.output())
    const response = fetch(`${service.url}/api/environments/1/query/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${personalApiKey}` },
      body: JSON.stringify({ query: endless }),
    })
    // After the response to a later query, the endless one is running.
    await queryRows(service.url, personalApiKey, 'select 1')
    const startMs = Date.now()
    expect(await service.end('SIGTERM')).toBe(0)
    const delayMs = Date.now() - startMs
    expect((await response).status).toBe(503)
    return delayMs
  })
})

test('streams a flag that another process sets, and ends the stream when it stops', async () => {
  const [folder, flags] = [createTempFolder(), join(createTempFolder(), 'flags.json')]
  const service = await startService(folder)
  const { apiKey, personalApiKey } = parseKeys(service.output())
  const url = `${service.url}/flags/stream?token=${apiKey}&send_cohorts`
  const stream = await openEventStream(url, { authorization: `Bearer ${personalApiKey}` })
  expect((await stream.next())!.data.flags).toEqual([])
  await expectWithin(1000, async (version) => {
    writeFileSync(flags, JSON.stringify({ key: 'a', filters: { groups: [{}] }, name: `${version}` }))
    expect((await runCommand('flag', 'set', flags, '--data-folder', folder)).errors).toBe('')
    const setMs = Date.now()
    expect((await stream.next())!.data.flags).toMatchObject([{ key: 'a', name: `${version}` }])
    return Date.now() - setMs
  })
  const response = await fetch(`${service.url}/decide?v=3`, {
    method: 'POST',
    body: JSON.stringify({ api_key: apiKey, distinct_id: 'u' }),
  })
  expect((await response.json()).featureFlags).toEqual({ a: true })

  expect(await service.end('SIGTERM')).toBe(0)
  expect(await stream.next()).toBeUndefined()
})

test('refuses a key from the next request on when another process revokes it', async () => {
  const folder = createTempFolder()
  const service = await startService(folder)
  const created = await runCommand('key', 'create', 'script', '--data-folder', folder)
  const personalApiKey = /wmx_[\w-]+/.exec(created.output)![0]
  const readStatus = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${personalApiKey}` }
    const body = JSON.stringify({ query: 'select 1' })
    return (await fetch(`${service.url}/api/environments/1/query/`, { method: 'POST', headers, body })).status
  }
  expect(await readStatus()).toBe(200)
  expect((await runCommand('key', 'revoke', '2', '--data-folder', folder)).output).toBe('revoked key 2\n')
  expect(await readStatus()).toBe(401)
})

test('rejects a folder without data in commands that read data', async () => {
  const folder = join(createTempFolder(), 'typo')
  for (const command of [
    ['project', 'list'],
    ['key', 'list'],
    ['flag', 'list'],
    ['key', 'create', 'x'],
  ]) {
    expect(await runCommand(...command, '--data-folder', folder)).toMatchObject({
      code: 1,
      errors: `waymark-service: The folder ${folder} holds no data; choose another with --data-folder.\n`,
    })
  }
  expect(existsSync(folder)).toBe(false)
})

test('creates files that other users of the machine cannot read', async () => {
  const folder = join(createTempFolder(), 'deep', 'data')
  const service = await startService(folder)
  const { apiKey } = parseKeys(service.output())
  const body = JSON.stringify({ api_key: apiKey, event: 'a', distinct_id: 'u' })
  await fetch(`${service.url}/i/v0/e/`, { method: 'POST', body })
  await waitForIndexer(service.url)
  const modes = new Map(
    ['', ...readdirSync(folder, { recursive: true })].map((file) => [
      String(file),
      statSync(join(folder, String(file))).mode & 0o777,
    ]),
  )
  expect(modes.get('events/1.duckdb')).toBe(0o600)
  for (const [file, mode] of modes) expect([file, mode & 0o077]).toEqual([file, 0])
})

test('prints the version of the package', async () => {
  expect((await runCommand('--version')).output).toMatch(/^\d+\.\d+\.\d+\n$/)
})

test('locks the data folder for one service at a time', async () => {
  const folder = createTempFolder()
  const service = await startService(folder)
  const second = await runCommand('serve', '--data-folder', folder, '--port', '0')
  expect(second).toMatchObject({
    code: 1,
    output: '',
    errors: `waymark-service: Another waymark-service uses the data folder ${folder}; stop it, or choose another with --data-folder.\n`,
  })
  await service.end('SIGKILL')
  await startService(folder)
})

test('prints one sentence as the reason when it cannot start', async () => {
  const folder = createTempFolder()
  const file = join(folder, 'file')
  writeFileSync(file, '')
  expect((await runCommand('--data-folder', file)).errors).toMatch(
    /^waymark-service: The data folder .* cannot be written: .*\n$/,
  )
  // A file system that reports a folder's own parent as missing.
  expect((await runCommand('--data-folder', '/proc/nope')).errors).toMatch(
    /^waymark-service: The data folder \/proc\/nope cannot be written: .*\n$/,
  )
  expect((await runCommand('--data-folder', folder, '--port', 'x')).errors).toBe(
    'waymark-service: --port must be a whole number from 0 to 65535; it is "x".\n',
  )
  const otherServer = createServer()
  const port = await new Promise<number>((resolve) => {
    otherServer.listen(0, '127.0.0.1', () => {
      const address = otherServer.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
  const failedStart = await runCommand('--data-folder', join(folder, 'data'), '--port', String(port))
  otherServer.close()
  expect(failedStart).toMatchObject({
    code: 1,
    errors: `waymark-service: Port ${port} on 127.0.0.1 is in use; choose another with --port.\n`,
  })
  // The keys are shown by the start that works, not by this one.
  expect(failedStart.output).toBe('')
  expect((await runCommand('project', 'list', '--data-folder', join(folder, 'data'))).output).not.toContain('wm_')
  expect((await runCommand('servee', '--data-folder', folder)).errors).toBe(
    "error: unknown command 'servee'\n(Did you mean serve?)\n",
  )
})

test.skipIf(process.getuid?.() === 0)('reports a data folder without write permission', async () => {
  const folder = join(createTempFolder(), 'locked')
  mkdirSync(folder)
  chmodSync(folder, 0o500)
  expect((await runCommand('--data-folder', folder)).errors).toMatch(/cannot be written/)
})

test('creates and lists projects and keys while a service runs', async () => {
  const folder = createTempFolder()
  const service = await startService(folder)
  const created = await runCommand('project', 'create', 'Second', '--data-folder', folder)
  const apiKey = /wm_[\w-]+/.exec(created.output)?.[0]
  expect((await runCommand('project', 'list', '--data-folder', folder)).output.trim().split('\n')).toHaveLength(2)
  const key = await runCommand('key', 'create', 'script', '--project', '2', '--data-folder', folder)
  const personalApiKey = /wmx_[\w-]+/.exec(key.output)?.[0]
  expect((await runCommand('key', 'list', '--data-folder', folder)).output).toContain('query:read  script')
  expect((await runCommand('key', 'create', 'x', '--project', '9', '--data-folder', folder)).errors).toMatch(
    /no project 9/,
  )

  const post = await fetch(`${service.url}/i/v0/e/`, {
    method: 'POST',
    body: JSON.stringify({ api_key: apiKey, event: 'a', distinct_id: 'u' }),
  })
  expect(post.status).toBe(200)
  await waitForIndexer(service.url)
  const sendQuery = (project: number) =>
    fetch(`${service.url}/api/environments/${project}/query/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${personalApiKey}` },
      body: '{"query":"select event from events"}',
    })
  expect((await (await sendQuery(2)).json()).results).toEqual([['a']])
  expect((await sendQuery(1)).status).toBe(404)
})
