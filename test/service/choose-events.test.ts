import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { chooseEvents } from '../../src/service/choose-events.ts'
import { openDataFolder, StartError } from '../../src/service/data-folder.ts'
import { createTempFolder } from './support/temp-folder.ts'

/** A data folder that has used ClickHouse before, which is away now: nothing listens on the ports. */
const open = (mark: string) => {
  const folder = openDataFolder(createTempFolder())
  const file = join(folder.events, 'in-clickhouse')
  writeFileSync(file, mark)
  const warnings: string[] = []
  const choose = (url: string | null) =>
    chooseEvents(folder, { events: url, eventsPasswordFile: null }, (message) => warnings.push(message))
  return { folder, choose, warnings, readMark: () => readFileSync(file, 'utf8') }
}

test('notes where the events of a folder with the empty mark of an earlier release are', async () => {
  const { choose, warnings, readMark } = open('')
  const url = 'clickhouse://user:secret@127.0.0.1:1/shop'
  expect(await choose(url)).toEqual({ url, passwordFile: null })
  expect(readMark()).toBe('127.0.0.1:1/shop\n')
  expect(warnings).toEqual([expect.stringContaining('Events wait in the inbox')])
  await choose(url)
  expect(readMark()).toBe('127.0.0.1:1/shop\n')
})

test('refuses databases with another prefix, and keeps the mark', async () => {
  const { choose, warnings, readMark } = open('127.0.0.1:1/shop\n')
  const refused = choose('clickhouse://127.0.0.1:2/blog')
  await expect(refused).rejects.toThrow(StartError)
  await expect(refused).rejects.toThrow(
    /are in the databases shop_… on 127\.0\.0\.1:1, and --events names the databases blog_… on 127\.0\.0\.1:2\./,
  )
  await expect(choose(null)).rejects.toThrow('set --events as before')
  expect([warnings, readMark()]).toEqual([[], '127.0.0.1:1/shop\n'])
})

test('warns once when the server has another host', async () => {
  const { choose, warnings } = open('127.0.0.1:1/shop\n')
  await choose('clickhouse://127.0.0.1:2/shop')
  await choose('clickhouse://127.0.0.1:2/shop')
  expect(warnings.filter((message) => message.includes('were in the databases shop_… on 127.0.0.1:1'))).toHaveLength(1)
})

test('refuses a folder whose move was interrupted, and one that has events of its own', async () => {
  const { choose, folder } = open('127.0.0.1:1/shop\n')
  writeFileSync(join(folder.events, '1.duckdb'), '')
  await expect(choose('clickhouse://127.0.0.1:1/shop')).rejects.toThrow(
    /are both in ClickHouse and in .*: a migration was interrupted\. Run "waymark-service migrate" again/,
  )
  rmSync(join(folder.events, 'in-clickhouse'))
  await expect(choose('clickhouse://127.0.0.1:1/shop')).rejects.toThrow(
    /has events of its own, in .*move them with "waymark-service migrate"/,
  )
})
