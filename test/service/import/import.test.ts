import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startJourneyService } from '../../support/service.ts'
import { shareService } from '../support/shared-service.ts'
import { COMMAND, runCommand, startCommand } from './import-command.ts'

/** The command as its users start it, and the real service. */

const service = shareService()
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-import-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const target = (): string[] => ['--key', service.apiKey, '--host', service.url]

const at = (second: number): string => new Date(Date.UTC(2024, 0, 1) + second * 1000).toISOString()

/** Lines of events of one user, some of which are none. */
const history = (user: string, count: number): string =>
  Array.from({ length: count }, (_, place) =>
    place % 500 === 499
      ? `bad ${place}\n`
      : `${JSON.stringify({ event: 'step', distinct_id: user, timestamp: at(place), properties: { place, $set: { last: place }, $set_once: { first: place } } })}\n`,
  ).join('')

/** What is stored of a user: events, different ones, and the first and last of them that the person has seen. */
const storedOf = async (user: string): Promise<unknown[]> => {
  const [counts] = await service.stored(
    `select count(*), count(distinct uuid), count(distinct properties->>'place') from events where distinct_id = '${user}'`,
  )
  const persons = await service.stored(
    `select p.properties from persons p join person_distinct_ids d on d.person_id = p.id where d.distinct_id = '${user}'`,
  )
  return [...counts!, ...persons.map(([properties]) => JSON.parse(properties as string))]
}

/** The same when each event is there once, and they came in their order. */
const allOf = (count: number): unknown[] => {
  const good = count - count / 500
  return [good, good, good, { first: 0, last: count - 2 }]
}

test('a file of good and bad rows: what is stored, as history; what is rejected, and why; what is said', async () => {
  const path = join(folder, 'mixed.ndjson')
  const uuid = '018CC251-F400-7000-8000-000000000001'
  const rows = [
    {
      event: 'first',
      distinct_id: 'mixed',
      timestamp: '2024-01-01T10:00:00+02:00',
      properties: { a: { b: [1, 'ü'] } },
      uuid,
    },
    {
      event: '$identify',
      properties: { distinct_id: 'mixed', $set: { plan: 'free' } },
      timestamp: '2024-01-01 09:00:00',
    },
    { event: '$identify', distinct_id: 'mixed', $set: { plan: 'pro' }, timestamp: '2023-01-01' },
    { event: 'no time', distinct_id: 'mixed' },
    { event: 'bad time', distinct_id: 'mixed', timestamp: 'yesterday' },
    { event: 'nobody', timestamp: at(0) },
    { distinct_id: 'mixed', timestamp: at(0), team_id: 7 },
  ]
  writeFileSync(path, `\uFEFF${rows.map((row) => JSON.stringify(row)).join('\r\n')}\r\n\r\n{"event"\n`)
  const { code, out, err } = await runCommand(['import', path, ...target()])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toContain('Imported 3 events in 1 batch.')
  expect(out).toContain('Rejected 5 rows:')
  expect(out).toContain('Left out, because an event has no such field: team_id.')
  expect(
    await service.stored(
      "select uuid, event, timestamp, historical, properties->'a' from events where distinct_id = 'mixed' order by event desc, timestamp",
    ),
  ).toEqual([
    [uuid.toLowerCase(), 'first', '2024-01-01T08:00:00.000Z', true, '{"b":[1,"ü"]}'],
    [expect.any(String), '$identify', '2023-01-01T00:00:00.000Z', true, null],
    [expect.any(String), '$identify', '2024-01-01T09:00:00.000Z', true, null],
  ])
  // In the order of the file, whatever the times.
  const [[properties]] = (await service.stored(
    "select p.properties from persons p join person_distinct_ids d on d.person_id = p.id where d.distinct_id = 'mixed'",
  )) as [[string]]
  expect(JSON.parse(properties)).toMatchObject({ plan: 'pro' })
  const rejects = readFileSync(`${path}.rejects.ndjson`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(rejects).toEqual([
    { line: 4, reason: 'no_timestamp', detail: expect.any(String), row: rows[3] },
    { line: 5, reason: 'invalid_timestamp', detail: expect.stringContaining('"yesterday"'), row: rows[4] },
    { line: 6, reason: 'no_distinct_id', detail: expect.any(String), row: rows[5] },
    { line: 7, reason: 'no_event_name', detail: expect.any(String), row: rows[6] },
    { line: 9, reason: 'invalid_json', detail: expect.any(String), row: '{"event"' },
  ])
  const again = await runCommand(['import', path, ...target()])
  expect(again).toMatchObject({ code: 0, out: expect.stringContaining('was complete already') })
})

test('CSV by standard input, packed with gzip', async () => {
  const csv =
    'event,distinct_id,timestamp,properties.price,properties.note\nbought,csv,2024-01-01,9.50,"two\nlines, ""quoted"""\n'
  const rejects = ['--rejects', join(folder, 'rejects')]
  const { code, out } = await runCommand(['import', '-', ...target(), ...rejects], gzipSync(csv))
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('Imported 1 event in 1 batch.') })
  const [[properties]] = (await service.stored("select properties from events where distinct_id = 'csv'")) as [[string]]
  expect(JSON.parse(properties)).toEqual({ price: '9.50', note: 'two\nlines, "quoted"', distinct_id: 'csv' })
  expect(existsSync(join(folder, 'rejects'))).toBe(false)
})

test('kill -9 at any moment, again and again: every event is stored once and in order, and no reject stands twice', async () => {
  const path = join(folder, 'killed.ndjson')
  const count = 40_000
  writeFileSync(path, history('killed', count))
  const args = ['import', path, ...target()]
  // The first moments are before the first batch, the last ones may be after the end.
  for (const ms of [350, 700, 900, 1100, 800, 1000]) {
    const { child, ended } = startCommand(args)
    await sleep(ms)
    child.kill('SIGKILL')
    await ended
  }
  const { code, out } = await runCommand(args)
  expect(code).toBe(0)
  // On a fast machine the last kill comes after the end: "complete already, with …".
  expect(out).toContain(`${(count - count / 500).toLocaleString('en-US')} events`)
  expect(await storedOf('killed')).toEqual(allOf(count))
  const rejects = readFileSync(`${path}.rejects.ndjson`, 'utf8').trim().split('\n')
  expect(rejects.map((line) => JSON.parse(line).row)).toEqual(
    Array.from({ length: count / 500 }, (_, at) => `bad ${at * 500 + 499}`),
  )
})

test('Ctrl-C ends after the running batch and says how to go on, which the same command then does', async () => {
  const path = join(folder, 'stopped.ndjson')
  writeFileSync(path, history('stopped', 60_000))
  const args = ['import', path, ...target()]
  const { child, ended } = startCommand(args)
  while (!existsSync(`${path}.waymark-import.json`)) await sleep(5)
  child.kill('SIGINT')
  const { code, out, err } = await ended
  expect({ code, err }).toEqual({ code: 130, err: expect.stringContaining('Ending after the batch') })
  expect(out).toContain('Run the same command again to go on.')
  expect(await runCommand(args)).toMatchObject({ code: 0, out: expect.stringContaining('Imported 59,880 events') })
  expect(await storedOf('stopped')).toEqual(allOf(60_000))
})

test('a service that is killed meanwhile is waited for, and has every event once', async () => {
  const data = join(folder, 'data')
  const own = await startJourneyService(data)
  try {
    const path = join(folder, 'outage.ndjson')
    writeFileSync(path, history('outage', 40_000))
    const { ended } = startCommand(['import', path, '--key', own.apiKey, '--host', own.url])
    const state = (): { batches: number } => JSON.parse(readFileSync(`${path}.waymark-import.json`, 'utf8')).state
    while (!existsSync(`${path}.waymark-import.json`) || state().batches === 0) await sleep(5)
    await own.kill()
    await own.restart()
    const { code, out, err } = await ended
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('The service does not take events now') })
    expect(out).toContain('Imported 39,920 events')
    await own.settled()
    expect(await own.query('select count(*), count(distinct uuid) from events')).toEqual([[39_920, 39_920]])
  } finally {
    await own.kill()
  }
}, 180_000)

test('standard input goes on by its journal, and another input is noticed', async () => {
  const journal = ['--journal', join(folder, 'journal'), '--rejects', join(folder, 'rejects')]
  const text = history('piped', 30_000)
  const args = ['import', '-', ...target(), ...journal]
  const { child, ended } = startCommand(args, text)
  while (!existsSync(join(folder, 'journal'))) await sleep(5)
  await sleep(150)
  child.kill('SIGKILL')
  await ended
  expect(await runCommand(args, text)).toMatchObject({ code: 0 })
  expect(await storedOf('piped')).toEqual(allOf(30_000))
})

test('what is wrong as a whole ends with 1 and one sentence', async () => {
  const path = join(folder, 'a.ndjson')
  writeFileSync(path, history('nobody', 10))
  const { url, apiKey } = service
  const cases: readonly (readonly [readonly string[], string])[] = [
    [[join(folder, 'missing'), ...target()], 'There is no file'],
    [[folder, ...target()], 'is a folder'],
    [[path, '--key', 'wm_wrong', '--host', url], 'The service refuses the key'],
    [
      [path, '--key', apiKey, '--host', 'http://127.0.0.1:65535', '--no-journal'],
      'The host cannot be reached (ECONNREFUSED)',
    ],
    [[path, '--key', apiKey, '--host', `${url}/nowhere`, '--no-journal'], 'is not the service'],
    [[path, '--key', apiKey, '--host', 'nonsense'], 'is no address of a service'],
    [[path, ...target(), '--format', 'csv'], 'is no header of a CSV'],
    [[path, ...target(), '--journal', '/nonexistent/journal'], 'cannot be written'],
  ]
  for (const [args, problem] of cases) {
    const { code, out, err } = await runCommand(['import', ...args])
    expect({ code, out, err }).toEqual({ code: 1, out: '', err: expect.stringContaining(problem) })
    expect(err.trim().split('\n').length).toBeLessThanOrEqual(3)
  }
  expect((await storedOf('nobody'))[0]).toBe(0)
})

test('a wrong command ends with 2, and help and version with 0', async () => {
  expect(await runCommand(['import', '--bogus'])).toMatchObject({ code: 2, err: expect.stringContaining("'--bogus'") })
  expect(await runCommand(['frobnicate'])).toMatchObject({ code: 2 })
  expect(await runCommand(['--version'])).toEqual({
    code: 0,
    out: `${JSON.parse(readFileSync('package.json', 'utf8')).version}\n`,
    err: '',
  })
  expect((await runCommand(['import', '--help'])).out).toContain('--dry-run')
  expect((await runCommand([])).out).toContain('waymark import --help')
})

test('a dry run says what would be, sends nothing and writes nothing', async () => {
  const path = join(folder, 'dry.ndjson')
  writeFileSync(path, history('dry', 1000))
  const { code, out } = await runCommand(['import', path, '--dry-run'])
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringContaining('998 events can be imported. Nothing was sent.'),
  })
  expect(out).toContain('Rejected 2 rows: 2 invalid_json. Name a file by --rejects to see them.')
  expect(existsSync(`${path}.rejects.ndjson`) || existsSync(`${path}.waymark-import.json`)).toBe(false)
})

test('on a terminal a bar shows rate and time left', () => {
  const path = join(folder, 'bar.ndjson')
  writeFileSync(path, history('bar', 20_000))
  const command = [process.execPath, COMMAND, 'import', path, ...target()].join(' ')
  // `script` gives the command a terminal.
  const screen = execFileSync('script', ['-qec', command, '/dev/null'], {
    encoding: 'utf8',
    env: { ...process.env, COLUMNS: '200' },
  })
  expect(screen).toMatch(/[█░]{20} \d+ %, [\d,]+ events sent, \d+ rejected, [\d,]+ events\/s/)
  expect(screen).toMatch(/s left/)
  expect(screen).toContain('Imported 19,960 events')
})
