import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startJourneyService } from '../../support/service.ts'
import { shareService } from '../support/shared-service.ts'
import { COMMAND, runCommand, startCommand } from './import-command.ts'
import { removeFolder } from '../../support/remove-folder.ts'

// These tests run the built command against the real service.

const service = shareService()
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-import-'))
})
afterEach(() => removeFolder(folder))

const target = (): string[] => ['--key', service.apiKey, '--host', service.url]

const timeAt = (second: number): string => new Date(Date.UTC(2024, 0, 1) + second * 1000).toISOString()

/** Lines with events of one user; every 500th line is invalid. */
const createHistory = (user: string, count: number): string =>
  Array.from({ length: count }, (_, place) =>
    place % 500 === 499
      ? `bad ${place}\n`
      : `${JSON.stringify({ event: 'step', distinct_id: user, timestamp: timeAt(place), properties: { place, $set: { last: place }, $set_once: { first: place } } })}\n`,
  ).join('')

/** Returns the numbers of a user's stored events, distinct uuids and distinct places, and the properties of each person with that id. */
const readStored = async (user: string): Promise<unknown[]> => {
  const [counts] = await service.queryStored(
    `select count(*), count(distinct uuid), count(distinct properties->>'place') from events where distinct_id = '${user}'`,
  )
  const persons = await service.queryStored(
    `select p.properties from persons p join person_distinct_ids d on d.person_id = p.id where d.distinct_id = '${user}'`,
  )
  return [...counts!, ...persons.map(([properties]) => JSON.parse(properties as string))]
}

/** The result of `readStored` if each event is stored once and they arrived in order. */
const expectedStored = (count: number): unknown[] => {
  const validCount = count - count / 500
  return [validCount, validCount, validCount, { first: 0, last: count - 2 }]
}

test('imports a file with invalid rows, writes rejects and prints a summary', async () => {
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
    { event: 'nobody', timestamp: timeAt(0) },
    { distinct_id: 'mixed', timestamp: timeAt(0), team_id: 7 },
  ]
  writeFileSync(path, `\uFEFF${rows.map((row) => JSON.stringify(row)).join('\r\n')}\r\n\r\n{"event"\n`)
  const { code, out, err } = await runCommand(['import', path, ...target()])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toContain('Imported 3 events in 1 batch.')
  expect(out).toContain('Rejected 5 rows:')
  expect(out).toContain('Not imported, because an event has no such field: team_id.')
  expect(
    await service.queryStored(
      "select uuid, event, timestamp, historical, properties->'a' from events where distinct_id = 'mixed' order by event desc, timestamp",
    ),
  ).toEqual([
    [uuid.toLowerCase(), 'first', '2024-01-01T08:00:00.000Z', true, '{"b":[1,"ü"]}'],
    [expect.any(String), '$identify', '2023-01-01T00:00:00.000Z', true, null],
    [expect.any(String), '$identify', '2024-01-01T09:00:00.000Z', true, null],
  ])
  // Person changes apply in the order of the file, not of the times.
  const [[properties]] = (await service.queryStored(
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
  const secondRun = await runCommand(['import', path, ...target()])
  expect(secondRun).toMatchObject({ code: 0, out: expect.stringContaining('was already complete') })
})

test('imports CSV from standard input, compressed with gzip', async () => {
  const csv =
    'event,distinct_id,timestamp,properties.price,properties.note\nbought,csv,2024-01-01,9.50,"two\nlines, ""quoted"""\n'
  const rejects = ['--rejects', join(folder, 'rejects')]
  const { code, out } = await runCommand(['import', '-', ...target(), ...rejects], gzipSync(csv))
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('Imported 1 event in 1 batch.') })
  const [[properties]] = (await service.queryStored("select properties from events where distinct_id = 'csv'")) as [
    [string],
  ]
  expect(JSON.parse(properties)).toEqual({ price: '9.50', note: 'two\nlines, "quoted"', distinct_id: 'csv' })
  expect(existsSync(join(folder, 'rejects'))).toBe(false)
})

test('stores each event and reject once and in order, although it is killed six times', async () => {
  const path = join(folder, 'killed.ndjson')
  const count = 40_000
  writeFileSync(path, createHistory('killed', count))
  const args = ['import', path, ...target()]
  // The first kills come before the first batch, the last ones may come after the end.
  for (const ms of [350, 700, 900, 1100, 800, 1000]) {
    const { child, result } = startCommand(args)
    await sleep(ms)
    child.kill('SIGKILL')
    await result
  }
  const { code, out } = await runCommand(args)
  expect(code).toBe(0)
  // On a fast machine the last kill comes after the end; the output is then "already complete, with …".
  expect(out).toContain(`${(count - count / 500).toLocaleString('en-US')} events`)
  expect(await readStored('killed')).toEqual(expectedStored(count))
  const rejects = readFileSync(`${path}.rejects.ndjson`, 'utf8').trim().split('\n')
  expect(rejects.map((line) => JSON.parse(line).row)).toEqual(
    Array.from({ length: count / 500 }, (_, index) => `bad ${index * 500 + 499}`),
  )
})

test('stops on Ctrl-C after the current batch, and continues with the same command', async () => {
  const path = join(folder, 'stopped.ndjson')
  writeFileSync(path, createHistory('stopped', 60_000))
  const args = ['import', path, ...target()]
  const { child, result } = startCommand(args)
  while (!existsSync(`${path}.waymark-import.json`)) await sleep(5)
  child.kill('SIGINT')
  const { code, out, err } = await result
  expect({ code, err }).toEqual({ code: 130, err: expect.stringContaining('Stopping after the current batch') })
  expect(out).toContain('Run the same command again to continue.')
  expect(await runCommand(args)).toMatchObject({ code: 0, out: expect.stringContaining('Imported 59,880 events') })
  expect(await readStored('stopped')).toEqual(expectedStored(60_000))
})

test('waits while the service is down, and stores each event once', async () => {
  const data = join(folder, 'data')
  const restartableService = await startJourneyService(data)
  try {
    const path = join(folder, 'outage.ndjson')
    writeFileSync(path, createHistory('outage', 40_000))
    const { result } = startCommand([
      'import',
      path,
      '--key',
      restartableService.apiKey,
      '--host',
      restartableService.url,
    ])
    const readState = (): { batches: number } => JSON.parse(readFileSync(`${path}.waymark-import.json`, 'utf8')).state
    while (!existsSync(`${path}.waymark-import.json`) || readState().batches === 0) await sleep(5)
    await restartableService.kill()
    await restartableService.restart()
    const { code, out, err } = await result
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('The service accepts no events now') })
    expect(out).toContain('Imported 39,920 events')
    await restartableService.settled()
    expect(await restartableService.query('select count(*), count(distinct uuid) from events')).toEqual([
      [39_920, 39_920],
    ])
  } finally {
    await restartableService.kill()
  }
}, 180_000)

test('resumes an import of standard input that has a journal', async () => {
  const journal = ['--journal', join(folder, 'journal'), '--rejects', join(folder, 'rejects')]
  const ndjson = createHistory('piped', 30_000)
  const args = ['import', '-', ...target(), ...journal]
  const { child, result } = startCommand(args, ndjson)
  while (!existsSync(join(folder, 'journal'))) await sleep(5)
  await sleep(150)
  child.kill('SIGKILL')
  await result
  expect(await runCommand(args, ndjson)).toMatchObject({ code: 0 })
  expect(await readStored('piped')).toEqual(expectedStored(30_000))
})

test('exits with 1 and a short message if the import as a whole fails', async () => {
  const path = join(folder, 'a.ndjson')
  writeFileSync(path, createHistory('nobody', 10))
  const { url, apiKey } = service
  const cases: readonly (readonly [readonly string[], string])[] = [
    [[join(folder, 'missing'), ...target()], 'does not exist'],
    [[folder, ...target()], 'is a folder'],
    [[path, '--key', 'wm_wrong', '--host', url], 'The service refuses the key'],
    [
      [path, '--key', apiKey, '--host', 'http://127.0.0.1:65535', '--no-journal'],
      'The host cannot be reached (ECONNREFUSED)',
    ],
    [[path, '--key', apiKey, '--host', `${url}/nowhere`, '--no-journal'], 'is not the service'],
    [[path, '--key', apiKey, '--host', 'nonsense'], 'is not the URL of a service'],
    [[path, ...target(), '--format', 'csv'], 'is not the header of a CSV file'],
    [[path, ...target(), '--journal', '/nonexistent/journal'], 'cannot be written'],
  ]
  for (const [args, problem] of cases) {
    const { code, out, err } = await runCommand(['import', ...args])
    expect({ code, out, err }).toEqual({ code: 1, out: '', err: expect.stringContaining(problem) })
    expect(err.trim().split('\n').length).toBeLessThanOrEqual(3)
  }
  expect((await readStored('nobody'))[0]).toBe(0)
})

test('exits with 2 for a wrong command, and with 0 for help and version', async () => {
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

test('a dry run prints a summary, sends nothing and writes no files', async () => {
  const path = join(folder, 'dry.ndjson')
  writeFileSync(path, createHistory('dry', 1000))
  const { code, out } = await runCommand(['import', path, '--dry-run'])
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringContaining('998 events can be imported. Nothing was sent.'),
  })
  expect(out).toContain('Rejected 2 rows: 2 invalid_json. Use --rejects PATH to write them to a file.')
  expect(existsSync(`${path}.rejects.ndjson`) || existsSync(`${path}.waymark-import.json`)).toBe(false)
})

test('shows a progress bar with rate and time left on a terminal', () => {
  const path = join(folder, 'bar.ndjson')
  writeFileSync(path, createHistory('bar', 20_000))
  const command = [process.execPath, COMMAND, 'import', path, ...target()].join(' ')
  // `script` runs the command in a terminal.
  const screen = execFileSync('script', ['-qec', command, '/dev/null'], {
    encoding: 'utf8',
    env: { ...process.env, COLUMNS: '200' },
  })
  expect(screen).toMatch(/[█░]{20} \d+ %, [\d,]+ events sent, \d+ rejected, [\d,]+ events\/s/)
  expect(screen).toMatch(/s left/)
  expect(screen).toContain('Imported 19,960 events')
})
