import { expect, test } from 'vitest'
import { authenticateQueryToken } from '../../../src/service/auth/authenticate-query-token.ts'

const project = { id: 7, name: 'Shop', apiKey: 'wm_x', eventQuota: null }
const authenticateProject = async (key: string | null) => ({ ...project, apiKey: String(key) })

test.each([
  [{ token: 'wm_a' }, 'wm_a'],
  [{ api_key: 'wm_b' }, 'wm_b'],
  [{ token: 'wm_a', api_key: 'wm_b' }, 'wm_a'],
])('reads the key of %j', async (query, apiKey) => {
  expect(await authenticateQueryToken(query, authenticateProject, 1)).toMatchObject({ apiKey })
})

test('names the parameter when the key is missing', async () => {
  await expect(authenticateQueryToken({}, authenticateProject, 1)).rejects.toEqual(
    expect.objectContaining({ status: 401, body: expect.objectContaining({ code: 'missing_api_key', attr: 'token' }) }),
  )
})
