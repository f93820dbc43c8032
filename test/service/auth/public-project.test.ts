import { expect, test } from 'vitest'
import { publicProject } from '../../../src/service/auth/public-project.ts'

const project = { id: 7, name: 'Shop', apiKey: 'wm_x', eventQuota: null }
const projectOfKey = async (key: string | null) => ({ ...project, apiKey: String(key) })

test.each([
  [{ token: 'wm_a' }, 'wm_a'],
  [{ api_key: 'wm_b' }, 'wm_b'],
  [{ token: 'wm_a', api_key: 'wm_b' }, 'wm_a'],
])('takes the key of %j', async (query, apiKey) => {
  expect(await publicProject(query, projectOfKey, 1)).toMatchObject({ apiKey })
})

test('says where the key is to stand when there is none', async () => {
  await expect(publicProject({}, projectOfKey, 1)).rejects.toEqual(
    expect.objectContaining({ status: 401, body: expect.objectContaining({ code: 'missing_api_key', attr: 'token' }) }),
  )
})
