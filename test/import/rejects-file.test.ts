import { existsSync, linkSync, lstatSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { importHistory } from '../../src/import/import-history.ts'
import type { ImportOptions } from '../../src/import/import-options.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-import-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const EVENT = '{"event":"e","distinct_id":"u","timestamp":"2024-01-31"}\n'

/** Imports a file, and answers the summary and the events that the service got. */
const importFile = async (source: string, options: Partial<ImportOptions>) => {
  const events: unknown[] = []
  const summary = await importHistory({
    source,
    key: 'k',
    host: 'http://127.0.0.1:1',
    fetch: async (_, init) => {
      events.push(...JSON.parse(gunzipSync(init?.body as Uint8Array).toString()).batch)
      return Response.json({ status: 1 })
    },
    ...options,
  })
  return { summary, events }
}

const fileOf = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

test('what is no file of rejects is never written over: not the input, by whatever name, and no other file', async () => {
  const path = fileOf('a.ndjson', `${EVENT}bad\n`)
  const link = join(folder, 'link')
  const twin = join(folder, 'twin')
  symlinkSync(path, link)
  linkSync(path, twin)
  for (const rejects of [path, link, twin]) {
    await expect(importFile(path, { rejects })).rejects.toMatchObject({ code: 'invalid_option' })
  }
  const notes = fileOf('notes', 'my notes')
  await expect(importFile(path, { rejects: notes })).rejects.toMatchObject({ code: 'unusable_file' })
  const same = join(folder, 'new')
  await expect(importFile(path, { rejects: same, journal: same })).rejects.toMatchObject({ code: 'invalid_option' })
  expect([readFileSync(path, 'utf8'), readFileSync(notes, 'utf8'), existsSync(same)]).toEqual([
    `${EVENT}bad\n`,
    'my notes',
    false,
  ])
})

test('rejects may go to a device, which stays what it is', async () => {
  const path = fileOf('a.ndjson', `${EVENT}bad\n`)
  const { summary } = await importFile(path, { rejects: '/dev/null' })
  expect(summary).toMatchObject({ sent: 1, rejected: 1 })
  expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true)
})

test('rejects of an earlier import make room for those of the next', async () => {
  const rejects = join(folder, 'rejects')
  await importFile(fileOf('a.ndjson', 'bad\nworse\n' + EVENT), { rejects })
  await importFile(fileOf('b.ndjson', `${EVENT}other\n`), { rejects })
  expect(JSON.parse(readFileSync(rejects, 'utf8'))).toMatchObject({ line: 2, row: 'other' })
  await importFile(fileOf('c.ndjson', EVENT), { rejects })
  expect(readFileSync(rejects, 'utf8')).toBe('')
})

test.each(['', '*.'])(
  'a rejected row of CSV (columns with "%s" before them) can be mended as NDJSON, and is then the same event',
  async (prefix) => {
    const header = [
      'event',
      'distinct_id',
      'timestamp',
      'properties.plan',
      'properties.$set.email',
      'properties.zip',
      'row_number',
    ]
      .map((name) => prefix + name)
      .join()
    const rejects = join(folder, 'rejects')
    const cells = 'paid,u,TIME,"pro, gold",a@b,01067,17\n'
    const wanted = await importFile(fileOf('good.csv', `${header}\n${cells.replace('TIME', '2024-01-31')}`), {})
    await importFile(fileOf('bad.csv', `${header}\n${cells.replace('TIME', 'once')}`), { rejects })
    const { row } = JSON.parse(readFileSync(rejects, 'utf8'))
    expect(row).toMatchObject({ [`row_number`]: '17' })
    const mended = await importFile(fileOf('m.ndjson', JSON.stringify({ ...row, timestamp: '2024-01-31' })), {})
    const uuid = expect.any(String)
    expect(mended.events).toEqual([{ ...(wanted.events[0] as object), uuid }])
    expect(mended.events).toMatchObject([{ properties: { plan: 'pro, gold', $set: { email: 'a@b' }, zip: '01067' } }])
  },
)
