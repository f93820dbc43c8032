import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { expectStartFailure, expectStoredOnce, readHealth, sendBatch } from '../support/service-faults.ts'
import { eventually, parseKeys, queryRows, startService, waitForIndexer } from '../support/service-process.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const startWithEvent = async () => {
  const folder = join(createTempFolder(), 'data')
  const service = await startService(folder)
  const keys = parseKeys(service.output())
  const { uuids } = await sendBatch(service.url, keys.apiKey, [{ event: 'before' }])
  await waitForIndexer(service.url)
  return { ...service, ...keys, folder, uuids }
}

test('acknowledges nothing while its folder has another name, and goes on when it is back', async () => {
  const { url, apiKey, personalApiKey, folder, output, uuids } = await startWithEvent()
  renameSync(folder, `${folder}.moved`)
  const refused = await sendBatch(url, apiKey, [{ event: 'refused' }])
  expect(refused).toMatchObject({ status: 503, retryAfter: '5' })
  expect(JSON.parse(refused.body)).toMatchObject({
    code: 'inbox_unavailable',
    detail: expect.stringContaining('deleted'),
  })
  await eventually(
    async () =>
      (await readHealth(url)).inbox.detail?.includes(`${folder}/inbox.sqlite was deleted or replaced`) === true,
  )
  expect((await readHealth(url)).status).toBe(503)
  expect((await fetch(`${url}/readyz`)).status).toBe(503)
  await eventually(() => /Z error inbox: .*inbox\.sqlite was deleted or replaced .*put a backup/.test(output()))
  const created = await fetch(`${url}/api/projects/1/feature_flags/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${personalApiKey}` },
    body: JSON.stringify({ key: 'a', filters: { groups: [{}] } }),
  })
  expect(created.status).toBe(503)

  renameSync(`${folder}.moved`, folder)
  const taken = await sendBatch(url, apiKey, [{ event: 'after' }])
  expect(taken.status).toBe(200)
  await eventually(async () => (await readHealth(url)).status === 200)
  // An event that was refused may be stored all the same: its client sends it again.
  await expectStoredOnce(url, personalApiKey, [...uuids, ...taken.uuids])
})

test('acknowledges nothing when a copy of its folder is in its place', async () => {
  const { url, apiKey, folder } = await startWithEvent()
  renameSync(folder, `${folder}.moved`)
  mkdirSync(folder)
  for (const file of ['inbox.sqlite', 'metadata.sqlite'])
    copyFileSync(join(`${folder}.moved`, file), join(folder, file))
  expect((await sendBatch(url, apiKey, [{ event: 'refused' }])).status).toBe(503)
})

test('acknowledges nothing without its metadata', async () => {
  const { url, apiKey, folder } = await startWithEvent()
  rmSync(join(folder, 'metadata.sqlite'))
  expect((await sendBatch(url, apiKey, [{ event: 'refused' }])).status).toBe(503)
  await eventually(async () => (await readHealth(url)).inbox.detail?.includes('metadata.sqlite was deleted') === true)
})

test('refuses a start where the event store would look for its files elsewhere', async () => {
  const folder = join(createTempFolder(), 'data?1')
  expect(await expectStartFailure(folder)).toMatch(/data\?1 has a "\?".*Choose another with --data-folder/)
  expect(existsSync(join(folder, 'events', '1.duckdb'))).toBe(false)
})

test('keeps its data in a folder whose name has other special characters', async () => {
  const folder = join(createTempFolder(), 'a#b %41\n"\'é')
  const service = await startService(folder)
  const { apiKey, personalApiKey } = parseKeys(service.output())
  await sendBatch(service.url, apiKey, [{ event: 'a' }])
  await waitForIndexer(service.url)
  expect(await queryRows(service.url, personalApiKey, 'select event from events')).toEqual([['a']])
})
