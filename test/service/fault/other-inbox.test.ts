import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { crash, expectEachOnce, MANY_ROWS, sendBatch, sendWaiting } from '../support/service-faults.ts'
import { caughtUp, keysIn, queryRows, startService } from '../support/service-process.ts'
import { tempFolder } from '../support/temp-folder.ts'

const ENDS = ['', '-wal', '-shm']

test('stores what comes after the inbox file was lost, though its ids begin anew', async () => {
  const folder = tempFolder()
  const inbox = join(folder, 'inbox.sqlite')
  const first = await startService(folder, { args: MANY_ROWS })
  const { apiKey, personalApiKey } = keysIn(first.output())
  const stored: string[] = []
  for (let n = 0; n < 20; n++) stored.push(...(await sendBatch(first.url, apiKey, [{ event: 'before' }])).uuids)
  await caughtUp(first.url)
  expect(await first.end('SIGTERM')).toBe(0)
  for (const end of ENDS) rmSync(`${inbox}${end}`, { force: true })
  const again = await startService(folder, { args: MANY_ROWS })
  const after = await sendBatch(again.url, apiKey, [{ event: 'after' }])
  await expectEachOnce(again.url, personalApiKey, [...stored, ...after.uuids])
})

test('stores what comes after an older inbox file was put back, in which rows wait that were stored since', async () => {
  const folder = tempFolder()
  const inbox = join(folder, 'inbox.sqlite')
  const first = await startService(folder, { args: MANY_ROWS })
  const { apiKey, personalApiKey } = keysIn(first.output())
  const waiting = (await sendWaiting(first, apiKey, 10)).flat()
  await crash(first)
  for (const end of ENDS) cpSync(`${inbox}${end}`, join(folder, `old${end}`))
  const second = await startService(folder, { args: MANY_ROWS })
  const stored: string[] = []
  for (let n = 0; n < 20; n++) stored.push(...(await sendBatch(second.url, apiKey, [{ event: 'since' }])).uuids)
  await expectEachOnce(second.url, personalApiKey, [...waiting, ...stored])
  expect(await second.end('SIGTERM')).toBe(0)
  for (const end of ENDS) cpSync(join(folder, `old${end}`), `${inbox}${end}`)
  const third = await startService(folder, { args: MANY_ROWS })
  for (let n = 0; n < 20; n++) stored.push(...(await sendBatch(third.url, apiKey, [{ event: 'after' }])).uuids)
  await expectEachOnce(third.url, personalApiKey, [...waiting, ...stored])
})

/** A folder of which an old backup of the metadata is kept, while its stores have gone on for two more runs. */
const folderWithBackup = async (kept: readonly string[]) => {
  const folder = tempFolder()
  const stored: string[] = []
  const backup = tempFolder()
  let keys = { apiKey: '', personalApiKey: '' }
  for (let run = 0; run < 3; run++) {
    const service = await startService(folder, { args: MANY_ROWS })
    if (run === 0) keys = keysIn(service.output())
    for (let n = 0; n < 5; n++) stored.push(...(await sendBatch(service.url, keys.apiKey, [{ event: 'before' }])).uuids)
    await caughtUp(service.url)
    expect(await service.end('SIGTERM')).toBe(0)
    if (run === 0) for (const file of kept) cpSync(join(folder, file), join(backup, file))
  }
  for (const file of ['inbox.sqlite', 'metadata.sqlite'])
    for (const end of ENDS) rmSync(join(folder, `${file}${end}`), { force: true })
  for (const file of kept) cpSync(join(backup, file), join(folder, file))
  return { folder, stored, ...keys }
}

test.each([[['metadata.sqlite']], [['metadata.sqlite', 'inbox.sqlite']]])(
  'stores what comes after an old backup of %j alone was put back beside newer stores',
  async (kept) => {
    const { folder, stored, apiKey, personalApiKey } = await folderWithBackup(kept)
    const service = await startService(folder, { args: MANY_ROWS })
    for (let n = 0; n < 5; n++) stored.push(...(await sendBatch(service.url, apiKey, [{ event: 'after' }])).uuids)
    await expectEachOnce(service.url, personalApiKey, stored)
  },
)

test('stores what waits where a store is later than all that the folder knows, and says so', async () => {
  const { folder, stored, apiKey, personalApiKey } = await folderWithBackup(['metadata.sqlite'])
  rmSync(join(folder, 'events', 'inbox-mark'))
  const service = await startService(folder, { args: MANY_ROWS })
  const first = await fetch(`${service.url}/i/v0/e/`, {
    method: 'POST',
    body: JSON.stringify({ api_key: apiKey, event: 'without a uuid', distinct_id: 'u' }),
  })
  expect(first.status).toBe(200)
  for (let n = 0; n < 5; n++) stored.push(...(await sendBatch(service.url, apiKey, [{ event: 'after' }])).uuids)
  await expectEachOnce(service.url, personalApiKey, stored)
  expect(service.output()).toContain('which this inbox never gave')
  expect(
    await queryRows(service.url, personalApiKey, "select count(*) from events where event = 'without a uuid'"),
  ).toEqual([[1]])
  await crash(service)
  const again = await startService(folder, { args: MANY_ROWS })
  stored.push(...(await sendBatch(again.url, apiKey, [{ event: 'later' }])).uuids)
  await expectEachOnce(again.url, personalApiKey, stored)
})
