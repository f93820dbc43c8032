import { expect, onTestFinished, test } from 'vitest'
import { createProjectAuthenticator } from '../../../src/service/auth/project-authenticator.ts'
import { openTestMetadata } from '../support/open-test-metadata.ts'
import { createWrongKeyCounter } from '../../../src/service/auth/wrong-keys.ts'
import { createProject } from '../../../src/service/store/metadata/projects.ts'

const IP = '192.0.2.1'
const NOW = 1_800_000_000_000

const open = async () => {
  const metadata = await openTestMetadata()
  onTestFinished(() => metadata.destroy())
  const { id, apiKey } = await createProject(metadata, 'Shop', 1000)
  const changeKey = () => metadata.updateTable('projects').set({ api_key: 'wm_other' }).where('id', '=', id).execute()
  const hide = () => metadata.schema.alterTable('projects').renameTo('hidden').execute()
  return {
    id,
    apiKey,
    changeKey,
    hide,
    authenticateProject: createProjectAuthenticator(metadata, createWrongKeyCounter(60)),
  }
}

const httpError = (code: string) =>
  expect.objectContaining({ status: 401, body: expect.objectContaining({ code, attr: 'api_key' }) })

test('returns the project of a key, and rejects missing and unknown keys', async () => {
  const { id, apiKey, authenticateProject } = await open()
  expect(await authenticateProject(apiKey, NOW, IP)).toMatchObject({ id, apiKey })
  await expect(authenticateProject(null, NOW, IP)).rejects.toEqual(httpError('missing_api_key'))
  await expect(authenticateProject('wm_none', NOW, IP)).rejects.toEqual(httpError('invalid_api_key'))
})

test('caches a key for ten seconds, and accepts a new key at once', async () => {
  const { id, apiKey, authenticateProject, changeKey } = await open()
  await expect(authenticateProject('wm_other', NOW, IP)).rejects.toEqual(httpError('invalid_api_key'))
  await authenticateProject(apiKey, NOW, IP)
  await changeKey()
  expect(await authenticateProject('wm_other', NOW, IP)).toMatchObject({ id })
  expect(await authenticateProject(apiKey, NOW + 9999, IP)).toMatchObject({ id })
  await expect(authenticateProject(apiKey, NOW + 10_000, IP)).rejects.toEqual(httpError('invalid_api_key'))
})

test('keeps accepting a known key while the metadata cannot be read', async () => {
  const { id, apiKey, authenticateProject, hide } = await open()
  await authenticateProject(apiKey, NOW, IP)
  await hide()
  expect(await authenticateProject(apiKey, NOW + 3_600_000, IP)).toMatchObject({ id })
  await expect(authenticateProject('wm_other', NOW, IP)).rejects.toThrow(/no such table|does not exist/)
})

test('does not cache a key for longer when the clock is set back', async () => {
  const { apiKey, authenticateProject, changeKey } = await open()
  await authenticateProject(apiKey, NOW, IP)
  await changeKey()
  await expect(authenticateProject(apiKey, NOW - 10_000, IP)).rejects.toEqual(httpError('invalid_api_key'))
})

test('counts wrong keys of an IP address; beyond the limit it gets 429, but for a right key its project', async () => {
  const { id, apiKey, authenticateProject } = await open()
  const statusOf = (key: string, ip: string) => authenticateProject(key, NOW, ip).catch(({ status }) => status)
  for (let n = 0; n < 60; n++) expect(await statusOf(`wm_wrong${n}`, IP)).toBe(401)
  expect(await statusOf('wm_wrong', IP)).toBe(429)
  expect(await statusOf('wm_wrong', '192.0.2.2')).toBe(401)
  expect(await authenticateProject(apiKey, NOW, IP)).toMatchObject({ id })
})
