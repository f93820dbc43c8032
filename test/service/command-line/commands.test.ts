import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { VERSION } from '../../../src/wire/version.ts'
import { findClosedPort } from '../../support/find-closed-port.ts'
import { COMMAND, runCommand, startCommand } from '../import/import-command.ts'
import { eventually, waitForIndexer } from '../support/service-process.ts'
import { shareService } from '../support/shared-service.ts'
import { createTempFolder } from '../support/temp-folder.ts'

/** `waymark query` and `waymark api` of the built package, with a real service. */

const service = shareService()

beforeEach(() => {
  vi.stubEnv('WAYMARK_URL', service.url)
  vi.stubEnv('WAYMARK_PERSONAL_API_KEY', service.personalApiKey)
})
afterEach(() => {
  vi.unstubAllEnvs()
})

const SQL = "select 'paid' as event, 12 as count union all select 'left', null order by event"
const FLAGS = '/api/environments/{project_id}/feature_flags/'

describe('waymark query', () => {
  it.each([
    ['table', 'event  count\n-----  -----\nleft    null\npaid      12\n\n2 rows\n'],
    ['csv', 'event,count\nleft,\npaid,12\n'],
    ['ndjson', '{"event":"left","count":null}\n{"event":"paid","count":12}\n'],
  ])('prints rows as %s', async (format, out) => {
    expect(await runCommand(['query', SQL, '--format', format])).toEqual({ code: 0, out, err: '' })
  })

  it('prints NDJSON into a pipe, and a table on a terminal', async () => {
    expect((await runCommand(['query', 'select 1 as one'])).out).toBe('{"one":1}\n')
    const command = [process.execPath, COMMAND, 'query', "'select 1 as one'"].join(' ')
    // `script` runs the command in a terminal.
    const screen = execFileSync('script', ['-qec', command, '/dev/null'], { encoding: 'utf8' })
    // On a busy machine a line of progress comes before, which the terminal removes again.
    expect(screen.replaceAll('\r', '')).toMatch(/one\n---\n {2}1\n\n1 row\n$/)
  })

  it('reads SQL from standard input', async () => {
    expect((await runCommand(['query', '-'], '-- a comment\nselect 2 as two')).out).toBe('{"two":2}\n')
  })

  it('says that there are more rows', async () => {
    const { code, out, err } = await runCommand(['query', 'select * from range(10001)', '--format', 'csv'])
    expect([code, out.split('\n').length]).toEqual([0, 10_002])
    expect(err).toBe('waymark query: There are more rows; these are the first 10000.\n')
  })

  it('ends quietly when the reader of its output ends first', () => {
    const query = `${process.execPath} ${COMMAND} query 'select repeat(chr(120), 1000) from range(10000)'`
    expect(execFileSync('bash', ['-c', `${query} | head -c 5`], { encoding: 'utf8', stdio: 'pipe' })).toBe('{"rep')
  })

  it('shows on a terminal how far the query is, and removes it', () => {
    const runOnTerminal = (rows: number): string => {
      const sql = `WITH t AS MATERIALIZED (SELECT hash(range) AS h FROM range(${rows})) SELECT count(*) > 0 AS ok FROM t a, t b WHERE a.h % 7 = b.h % 11`
      const command = [process.execPath, COMMAND, 'query', `'${sql}'`, '--format', 'csv', '2>&1'].join(' ')
      return execFileSync('script', ['-qec', command, '/dev/null'], { encoding: 'utf8' })
    }
    // The line is shown after half a second, so a fast machine gets a longer query.
    let rows = 30_000
    let screen = runOnTerminal(rows)
    while (!screen.includes('running') && rows < 500_000) screen = runOnTerminal((rows *= 2))
    expect(screen).toMatch(/running, (\d+ % of [\d,]+ rows read, )?\d\.\d s/)
    // The line is erased before the rows.
    expect(screen.lastIndexOf('\u001B[0K')).toBeGreaterThan(screen.lastIndexOf('running'))
    expect(stripVTControlCharacters(screen)).toMatch(/ok\r\ntrue\r\n$/)
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('cancels the query on the service with %s', async (signal) => {
    const sql = `WITH t AS MATERIALIZED (SELECT hash(range) AS h FROM range(1000000))
      SELECT count(*) FROM t a, t b WHERE a.h % 7 = b.h % 11`
    const paths: string[] = []
    // Passes requests on to the service.
    const proxy = createServer((incoming, response) => {
      paths.push(incoming.url!)
      incoming.pipe(
        request(service.url + incoming.url, { method: incoming.method!, headers: incoming.headers }, (answer) => {
          answer.pipe(response.writeHead(answer.statusCode!, answer.headers))
        }),
      )
    })
    await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void proxy.close())
    vi.stubEnv('WAYMARK_URL', `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`)
    const { child, result } = startCommand(['query', sql])
    // The second path is that of the query.
    await eventually(() => paths.length > 1)
    const headers = { authorization: `Bearer ${service.personalApiKey}` }
    const readStatus = async () => (await (await fetch(service.url + paths[1]!, { headers })).json()).query_status
    expect(await readStatus()).toMatchObject({ complete: false })
    child.kill(signal)
    expect(await result).toEqual({ code: 130, out: '', err: '' })
    expect(await readStatus()).toMatchObject({ complete: true, error_code: 'query_cancelled' })
  })

  it('stops with Ctrl-C', async () => {
    // Responds to nothing. The signal must not arrive before the command handles it.
    const server = createServer(() => void child.kill('SIGINT'))
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    vi.stubEnv('WAYMARK_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const { child, result } = startCommand(['query', 'select 1'])
    expect(await result).toMatchObject({ code: 130, out: '', err: '' })
  })
})

describe('waymark api', () => {
  it('calls a path, and prints the JSON of the response', async () => {
    const file = join(createTempFolder(), 'flag.json')
    writeFileSync(file, '{"key":"from-file","filters":{"groups":[]}}')
    const created = await runCommand(['api', 'post', FLAGS, '--data', `@${file}`])
    expect(created).toMatchObject({ code: 0, err: '' })
    const { id } = JSON.parse(created.out)
    const item = `/api/environments/{project_id}/feature_flags/${id}/`
    expect(JSON.parse((await runCommand(['api', 'PATCH', item, '--data', '-'], '{"active":false}')).out)).toMatchObject(
      {
        key: 'from-file',
        active: false,
      },
    )
    expect(JSON.parse((await runCommand(['api', 'GET', `${FLAGS}?limit=1`])).out)).toMatchObject({ count: 1 })
    expect(await runCommand(['api', 'DELETE', item])).toEqual({ code: 0, out: '', err: '' })
  })

  it('prints the error of the service in one line', async () => {
    expect(await runCommand(['api', 'GET', FLAGS, '--project', '99'])).toEqual({
      code: 1,
      out: '',
      err: 'waymark api: There is no project 99 that this personal API key may see. (404 not_found)\n',
    })
    const playlists = '/api/environments/1/session_recording_playlists/'
    const { out } = await runCommand(['api', 'POST', playlists, '--data', '{"name":"Kept"}'])
    expect(await runCommand(['api', 'DELETE', `${playlists}${JSON.parse(out).short_id}/`])).toMatchObject({
      code: 1,
      err: 'waymark api: This path does not have the method. (405 method_not_allowed)\n',
    })
  })
})

describe('the settings', () => {
  it('come from options first, then from the environment', async () => {
    const closed = await findClosedPort()
    vi.stubEnv('WAYMARK_URL', closed)
    vi.stubEnv('WAYMARK_PROJECT', '99')
    const options = ['--host', service.url, '--project', '1']
    expect(await runCommand(['query', 'select 1 as one', ...options])).toMatchObject({ code: 0 })
    expect(await runCommand(['query', 'select 1', '--host', service.url])).toMatchObject({
      code: 1,
      err: expect.stringContaining('There is no project 99'),
    })
    expect(await runCommand(['query', 'select 1'])).toMatchObject({
      code: 1,
      err: `waymark query: ${new URL(closed).host} cannot be reached (ECONNREFUSED). (unreachable)\n`,
    })
  }, 60_000)

  it.each([
    [['query'], 'The SQL is missing.'],
    [['query', 'select', '1'], 'There is more than one argument. Put the SQL in quotes.'],
    [['query', 'select 1', '--format', 'xml'], '--format must be table, csv or ndjson, not "xml".'],
    [['query', 'select 1', '--bogus'], "Unknown option '--bogus'"],
    [['query', 'select 1', '--host', 'analytics'], '"analytics" is not the URL of a service.'],
    [['api', 'GET'], 'The method or the path is missing.'],
    [['api', 'FETCH', '/api/users/'], 'The method must be GET, POST, PUT, PATCH, DELETE, not "FETCH".'],
    [['api', 'GET', 'api/users/'], 'The path must begin with a slash'],
    [['api', 'GET', '/api/users/', 'x'], 'There are more arguments than a method and a path.'],
    [['api', 'POST', '/api/projects/', '--data', '{'], '--data is not JSON'],
    [['api', 'POST', '/api/projects/', '--data', '@missing.json'], 'The file "missing.json" cannot be read'],
  ])('reject the command line %j', async (args, problem) => {
    const { code, out, err } = await runCommand(args)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(`waymark ${args[0]}: ${problem}`)
    expect(err).toMatch(/\nSee waymark (query|api) --help\.\n$/)
  })

  it('are missing', async () => {
    vi.stubEnv('WAYMARK_URL', '')
    expect((await runCommand(['query', 'select 1'])).err).toContain('Set WAYMARK_URL, or use --host.')
    vi.stubEnv('WAYMARK_URL', service.url)
    vi.stubEnv('WAYMARK_PERSONAL_API_KEY', '')
    expect((await runCommand(['query', 'select 1'])).err).toContain('Set WAYMARK_PERSONAL_API_KEY, or use')
  })

  it.each(['wmx_sécret-sécret', 'wmx_secret-secret'])('never print the key %s', async (key) => {
    for (const args of [
      ['query', 'select 1', '--personal-key', key],
      ['api', 'GET', FLAGS, '--personal-key', key],
      ['query', 'select 1', key],
    ]) {
      const { code, out, err } = await runCommand(args)
      expect(code).not.toBe(0)
      expect(out + err).not.toMatch(/s[eé]cret/)
    }
  })
})

describe('waymark', () => {
  it('explains itself', async () => {
    for (const args of [[], ['--help'], ['-h']]) expect((await runCommand(args)).out).toContain('waymark query --help')
    expect(await runCommand(['--version'])).toEqual({ code: 0, out: `${VERSION}\n`, err: '' })
    for (const name of ['query', 'api', 'import'])
      expect(await runCommand([name, '--help'])).toMatchObject({
        code: 0,
        out: expect.stringContaining(`waymark ${name} <`),
      })
    expect(await runCommand(['export'])).toEqual({
      code: 2,
      out: '',
      err: 'waymark: There is no command "export".\nSee waymark --help.\n',
    })
  })
})

describe('waymark types', () => {
  /** What the project has in these tests, besides names of other tests. */
  const createNames = async (): Promise<void> => {
    const headers = { authorization: `Bearer ${service.personalApiKey}` }
    const variants = [{ key: 'calm', rollout_percentage: 100 }]
    const body = {
      key: 'typed-hero',
      filters: { groups: [{}], multivariate: { variants }, payloads: { calm: '{"title":"Hi"}' } },
    }
    await service.post('/api/environments/@current/feature_flags/', body, headers)
    await service.capture({ event: 'typed event', distinct_id: 'u' })
    await waitForIndexer(service.url)
  }

  it('prints the events and flags of the project as declarations', async () => {
    await createNames()
    const { code, out, err } = await runCommand(['types'])
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(/interface WaymarkEvents \{\n(?: {2}.*\n)* {2}"typed event": object\n/)
    expect(out).toMatch(/interface WaymarkFlags \{\n(?: {2}.*\n)* {2}"typed-hero": "calm" \| false\n/)
    expect(out).toMatch(/interface WaymarkFlagPayloads \{\n(?: {2}.*\n)* {2}"typed-hero": \{ title: string \}\n/)
  })

  it('writes one kind into a file', async () => {
    await createNames()
    const path = join(createTempFolder(), 'waymark.d.ts')
    expect(await runCommand(['types', '--only', 'flags', '--out', path])).toEqual({ code: 0, out: '', err: '' })
    const content = readFileSync(path, 'utf8')
    expect(content).toContain('"typed-hero"')
    expect(content).not.toContain('WaymarkEvents')
  })

  it.each([
    [['types', 'out.d.ts'], 'There is an argument too many. Name the file with --out.'],
    [['types', '--only', 'persons'], '--only must be events or flags, not "persons".'],
    [['types', '--out', '/nowhere/out.d.ts'], 'The file "/nowhere/out.d.ts" cannot be written: '],
  ])('%j is a wrong command', async (args, message) => {
    const { code, out, err } = await runCommand(args)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(`waymark types: ${message}`)
  })
})
