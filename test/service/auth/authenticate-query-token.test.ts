import { UTC_CALENDAR } from '../../../src/service/insight/time/calendar.ts'
import { expect, test } from 'vitest'
import { authenticateQueryToken } from '../../../src/service/auth/authenticate-query-token.ts'

const project = {
  id: 7,
  uuid: '0190a3c4-7d2f-4b1e-9a57-3f1f0c2d9e10',
  organizationId: '0190a3c4-7d2f-4b1e-9a57-3f1f0c2d9e11',
  name: 'Shop',
  apiKey: 'wm_x',
  isPrivate: false,
  eventQuota: null,
  calendar: UTC_CALENDAR,
  testAccountFilters: [],
  version: 1,
  createdAt: 1,
  updatedAt: 1,
}
const authenticateProject = async (key: string | null) => ({ ...project, apiKey: String(key) })

test.each([
  [{ token: 'wm_a' }, 'wm_a'],
  [{ api_key: 'wm_b' }, 'wm_b'],
  [{ token: 'wm_a', api_key: 'wm_b' }, 'wm_a'],
])('reads the project API key in the parameters %j', async (query, apiKey) => {
  expect(await authenticateQueryToken(query, authenticateProject, 1, '192.0.2.1')).toMatchObject({ apiKey })
})

test('rejects a request without a key with the name of the parameter', async () => {
  await expect(authenticateQueryToken({}, authenticateProject, 1, '192.0.2.1')).rejects.toEqual(
    expect.objectContaining({ status: 401, body: expect.objectContaining({ code: 'missing_api_key', attr: 'token' }) }),
  )
})
