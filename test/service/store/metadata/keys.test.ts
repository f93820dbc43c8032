import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  createPersonalApiKey,
  findPersonalApiKey,
  listPersonalApiKeys,
} from '../../../../src/service/store/metadata/keys.ts'
import { openTestMetadata } from '../../support/open-test-metadata.ts'
import type { Metadata } from '../../../../src/service/store/metadata/open.ts'
import {
  createProject,
  listProjects,
  findProjectByApiKey,
  findProjectById,
} from '../../../../src/service/store/metadata/projects.ts'

let metadata: Metadata
beforeEach(async () => {
  metadata = await openTestMetadata()
})
afterEach(() => metadata.destroy())

test('finds a project by its key and by its id', async () => {
  const project = await createProject(metadata, 'Shop', 1000)
  expect(project.apiKey).toMatch(/^wm_[\w-]{32}$/)
  expect(await findProjectByApiKey(metadata, project.apiKey)).toEqual(project)
  expect(await findProjectById(metadata, project.id)).toEqual(project)
  expect(await findProjectByApiKey(metadata, 'wm_unknown')).toBeUndefined()
  expect(await listProjects(metadata)).toEqual([project])
})

test('finds a personal API key by the plain key, which is not stored', async () => {
  const project = await createProject(metadata, 'Shop', 1000)
  const { key, ...storedKey } = await createPersonalApiKey(metadata, {
    userId: 1,
    projectIds: [project.id],
    label: 'script',
    scopes: ['query:read'],
    now: 1000,
  })
  expect(key).toMatch(/^wmx_[\w-]{43}$/)
  expect(await findPersonalApiKey(metadata, key)).toEqual(storedKey)
  expect(await findPersonalApiKey(metadata, `${key}x`)).toBeUndefined()
  expect(await listPersonalApiKeys(metadata)).toEqual([storedKey])
  const rows = await metadata.selectFrom('personal_api_keys').selectAll().execute()
  expect(JSON.stringify(rows)).not.toContain(key)
})

test('stores no expiry that is not a time, which would mean never', async () => {
  const create = createPersonalApiKey(metadata, { userId: 1, label: 'x', scopes: ['*'], expiresAt: NaN, now: 1000 })
  await expect(create).rejects.toThrow(RangeError)
})
