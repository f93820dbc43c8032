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

/** Imports a file; returns the summary and the events that the service received. */
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

const createFile = (name: string, content: string): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

test('does not overwrite the input, a link to it, or another file', async () => {
  const path = createFile('a.ndjson', `${EVENT}bad\n`)
  const symbolicLink = join(folder, 'link')
  const hardLink = join(folder, 'hard-link')
  symlinkSync(path, symbolicLink)
  linkSync(path, hardLink)
  for (const rejects of [path, symbolicLink, hardLink]) {
    await expect(importFile(path, { rejects })).rejects.toMatchObject({ code: 'invalid_option' })
  }
  const notes = createFile('notes', 'my notes')
  await expect(importFile(path, { rejects: notes })).rejects.toMatchObject({ code: 'unusable_file' })
  const samePath = join(folder, 'new')
  await expect(importFile(path, { rejects: samePath, journal: samePath })).rejects.toMatchObject({
    code: 'invalid_option',
  })
  expect([readFileSync(path, 'utf8'), readFileSync(notes, 'utf8'), existsSync(samePath)]).toEqual([
    `${EVENT}bad\n`,
    'my notes',
    false,
  ])
})

test('writes rejects to a device without replacing it', async () => {
  const path = createFile('a.ndjson', `${EVENT}bad\n`)
  const { summary } = await importFile(path, { rejects: '/dev/null' })
  expect(summary).toMatchObject({ sent: 1, rejected: 1 })
  expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true)
})

test('replaces the rejects of an earlier import', async () => {
  const rejects = join(folder, 'rejects')
  await importFile(createFile('a.ndjson', 'bad\nworse\n' + EVENT), { rejects })
  await importFile(createFile('b.ndjson', `${EVENT}other\n`), { rejects })
  expect(JSON.parse(readFileSync(rejects, 'utf8'))).toMatchObject({ line: 2, row: 'other' })
  await importFile(createFile('c.ndjson', EVENT), { rejects })
  expect(readFileSync(rejects, 'utf8')).toBe('')
})

test.each(['', '*.'])('a rejected CSV row, corrected, becomes the same event (column prefix "%s")', async (prefix) => {
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
  const importOfValidRow = await importFile(
    createFile('good.csv', `${header}\n${cells.replace('TIME', '2024-01-31')}`),
    {},
  )
  await importFile(createFile('bad.csv', `${header}\n${cells.replace('TIME', 'yesterday')}`), { rejects })
  const { row } = JSON.parse(readFileSync(rejects, 'utf8'))
  expect(row).toMatchObject({ [`row_number`]: '17' })
  const importOfCorrectedRow = await importFile(
    createFile('corrected.ndjson', JSON.stringify({ ...row, timestamp: '2024-01-31' })),
    {},
  )
  const uuid = expect.any(String)
  expect(importOfCorrectedRow.events).toEqual([{ ...(importOfValidRow.events[0] as object), uuid }])
  expect(importOfCorrectedRow.events).toMatchObject([
    { properties: { plan: 'pro, gold', $set: { email: 'a@b' }, zip: '01067' } },
  ])
})
