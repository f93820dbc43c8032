import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  createPersonalApiKey,
  findPersonalApiKey,
  listPersonalApiKeys,
} from '../../../../src/service/store/metadata/keys.ts'
import { openMetadata } from '../../../../src/service/store/metadata/open.ts'
import type { Metadata } from '../../../../src/service/store/metadata/open.ts'
import {
  createProject,
  listProjects,
  projectByApiKey,
  projectById,
} from '../../../../src/service/store/metadata/projects.ts'

let metadata: Metadata
beforeEach(async () => {
  metadata = await openMetadata(':memory:')
})
afterEach(() => metadata.destroy())

test('a project is found by its key and its id', async () => {
  const project = await createProject(metadata, 'Shop', 1000)
  expect(project.apiKey).toMatch(/^wm_[\w-]{32}$/)
  expect(await projectByApiKey(metadata, project.apiKey)).toEqual(project)
  expect(await projectById(metadata, project.id)).toEqual(project)
  expect(await projectByApiKey(metadata, 'wm_unknown')).toBeUndefined()
  expect(await listProjects(metadata)).toEqual([project])
})

test('a personal api key is found by the key alone, which is stored nowhere', async () => {
  const project = await createProject(metadata, 'Shop', 1000)
  const { key, ...stored } = await createPersonalApiKey(metadata, {
    projectId: project.id,
    label: 'script',
    scopes: ['query:read'],
    now: 1000,
  })
  expect(key).toMatch(/^wmx_[\w-]{43}$/)
  expect(await findPersonalApiKey(metadata, key)).toEqual(stored)
  expect(await findPersonalApiKey(metadata, `${key}x`)).toBeUndefined()
  expect(await listPersonalApiKeys(metadata)).toEqual([stored])
  const rows = await metadata.selectFrom('personal_api_keys').selectAll().execute()
  expect(JSON.stringify(rows)).not.toContain(key)
})
