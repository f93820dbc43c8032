import { expect, onTestFinished, test } from 'vitest'
import { createProjectKeys } from '../../../src/service/auth/project-keys.ts'
import { openMetadata } from '../../../src/service/store/metadata/open.ts'
import { createProject } from '../../../src/service/store/metadata/projects.ts'

const NOW = 1_800_000_000_000

const open = async () => {
  const metadata = await openMetadata(':memory:')
  onTestFinished(() => metadata.destroy())
  const { id, apiKey } = await createProject(metadata, 'Shop', 1000)
  const takeAway = () => metadata.updateTable('projects').set({ api_key: 'wm_other' }).where('id', '=', id).execute()
  return { id, apiKey, takeAway, projectOfKey: createProjectKeys(metadata) }
}

const refused = (code: string) =>
  expect.objectContaining({ status: 401, body: expect.objectContaining({ code, attr: 'api_key' }) })

test('finds the project of a key, and refuses a missing and an unknown one', async () => {
  const { id, apiKey, projectOfKey } = await open()
  expect(await projectOfKey(apiKey, NOW)).toMatchObject({ id, apiKey })
  await expect(projectOfKey(null, NOW)).rejects.toEqual(refused('missing_api_key'))
  await expect(projectOfKey('wm_none', NOW)).rejects.toEqual(refused('invalid_api_key'))
})

test('believes a key for ten seconds, and finds a new one at once', async () => {
  const { id, apiKey, projectOfKey, takeAway } = await open()
  await expect(projectOfKey('wm_other', NOW)).rejects.toEqual(refused('invalid_api_key'))
  await projectOfKey(apiKey, NOW)
  await takeAway()
  expect(await projectOfKey('wm_other', NOW)).toMatchObject({ id })
  expect(await projectOfKey(apiKey, NOW + 9999)).toMatchObject({ id })
  await expect(projectOfKey(apiKey, NOW + 10_000)).rejects.toEqual(refused('invalid_api_key'))
})

test('believes no key longer because the clock was turned back', async () => {
  const { apiKey, projectOfKey, takeAway } = await open()
  await projectOfKey(apiKey, NOW)
  await takeAway()
  await expect(projectOfKey(apiKey, NOW - 10_000)).rejects.toEqual(refused('invalid_api_key'))
})
