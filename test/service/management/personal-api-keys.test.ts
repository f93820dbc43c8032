import { expect, test } from 'vitest'
import { withDefaults } from '../../../src/service/config.ts'
import { SCOPES } from '../../../src/service/permission/scopes.ts'
import { LEVELS } from '../../../src/service/permission/levels.ts'
import { createProject, updateProject } from '../../../src/service/store/metadata/projects.ts'
import { createSender, openManagement } from '../support/management.ts'

const URL = '/api/personal_api_keys/'
const NOW = 1_800_000_000_000
const forbidden = (attr: string) => ({ status: 403, body: { code: 'permission_denied', attr } })

const openAnn = async (parts: Parameters<typeof openManagement>[0] = {}) => {
  const management = await openManagement(parts)
  const ann = await management.addUser('ann@shop.example', LEVELS.member)
  return { ...management, ...ann, ann, as: (key: string) => createSender(management.app, key) }
}

test('creates a key that is shown once and stored as a hash', async () => {
  const { send, as, metadata, user, project } = await openAnn()
  const created = await send('POST', URL, { label: 'script', scopes: ['project:read'], id: 99, later: 1 })
  expect(created).toMatchObject({ status: 201 })
  const { value, ...rest } = created.body
  expect(value).toMatch(/^wmx_[\w-]{43}$/)
  expect(rest).toEqual({
    id: '3',
    label: 'script',
    scopes: ['project:read'],
    scoped_teams: [],
    scoped_organizations: [],
    expires_at: null,
    mask_value: `${value.slice(0, 8)}…`,
    user_id: user.id,
    last_used_at: null,
    version: 1,
    created_at: '2027-01-15T08:00:00.000Z',
  })
  expect(JSON.stringify(await metadata.selectFrom('personal_api_keys').selectAll().execute())).not.toContain(value)
  expect((await as(value)('GET', '/api/projects/@current/')).body.id).toBe(project.id)
  const list = await send('GET', URL)
  expect(list.body.map(({ id }: { id: string }) => id)).toEqual(['2', '3'])
  expect(JSON.stringify(list.body)).not.toContain(value)
  expect((await send('GET', `${URL}3/`)).body).toEqual({ ...rest, last_used_at: '2027-01-15T08:00:00.000Z' })
  expect((await send('GET', `${URL}@current/`)).body).toMatchObject({ id: '2', label: 'ann@shop.example' })
})

test('records the minute of the last use', async () => {
  let now = NOW + 61_000
  const { send } = await openAnn({ now: () => now })
  const lastUse = async () => (await send('GET', `${URL}@current/`)).body.last_used_at
  await lastUse()
  expect(await lastUse()).toBe('2027-01-15T08:01:00.000Z')
  now += 50_000
  expect(await lastUse()).toBe('2027-01-15T08:01:00.000Z')
  now += 10_000
  await lastUse()
  expect(await lastUse()).toBe('2027-01-15T08:02:00.000Z')
})

test('never gives more than the key of the request has', async () => {
  const { send, as, metadata, project } = await openAnn()
  const other = await createProject(metadata, 'Other', 1000)
  const expires_at = '2027-02-01T00:00:00.000Z'
  const scopes = ['personal_api_key:read', 'personal_api_key:write', 'project:read']
  const narrow = { label: 'narrow', scopes, scoped_teams: [project.id], expires_at }
  const { value, id } = (await send('POST', URL, narrow)).body
  const limited = as(value)
  // What the body leaves out is that of the key itself.
  expect((await limited('POST', URL, { label: 'a', scopes: ['project:read'] })).body).toMatchObject({
    scoped_teams: [project.id],
    expires_at,
  })
  for (const [fields, attr] of [
    [{ scopes: ['project:write'] }, 'scopes'],
    [{ scopes: ['*'] }, 'scopes'],
    [{ scoped_teams: [] }, 'scoped_teams'],
    [{ scoped_teams: [project.id, other.id] }, 'scoped_teams'],
    [{ expires_at: null }, 'expires_at'],
    [{ expires_at: '2027-03-01T00:00:00Z' }, 'expires_at'],
  ] as const) {
    const body = { label: 'b', scopes: ['project:read'], ...fields }
    expect(await limited('POST', URL, body)).toMatchObject(forbidden(attr))
    expect(await limited('PATCH', `${URL}${id}/`, fields)).toMatchObject(forbidden(attr))
  }
})

test('neither changes nor revokes a key that can do more, or for longer', async () => {
  const { send, as, project } = await openAnn()
  const scopes = ['personal_api_key:read', 'personal_api_key:write', 'project:read']
  const expires_at = '2027-02-01T00:00:00.000Z'
  const create = async (fields: object) => (await send('POST', URL, { label: 'x', scopes, ...fields })).body
  const own = await create({ expires_at })
  for (const [stronger, attr] of [
    [await create({ scopes: [...scopes, 'project:write'], expires_at }), 'scopes'],
    [await create({ scopes: ['*'], expires_at }), 'scopes'],
    [await create({}), 'expires_at'],
    [await create({ expires_at: '2027-03-01T00:00:00Z' }), 'expires_at'],
  ]) {
    const url = `${URL}${stronger.id}/`
    for (const change of [{ label: 'y' }, { scopes, expires_at }])
      expect(await as(own.value)('PATCH', url, change)).toMatchObject(forbidden(attr))
    expect(await as(own.value)('DELETE', url)).toMatchObject(forbidden(attr))
    expect((await as(own.value)('GET', url)).body).toMatchObject({ label: 'x', version: 1 })
  }
  const weaker = await create({ scopes: ['project:read'], scoped_teams: [project.id], expires_at })
  expect(await as(own.value)('PATCH', `${URL}${weaker.id}/`, { label: 'y' })).toMatchObject({ status: 200 })
  expect(await as(own.value)('DELETE', `${URL}${weaker.id}/`)).toMatchObject({ status: 204 })
  expect(await as(weaker.value)('GET', '/api/projects/')).toMatchObject({ status: 401 })
  expect(await as(own.value)('DELETE', `${URL}@current/`)).toMatchObject({ status: 204 })
})

test('shows a limited key only the keys within its limits', async () => {
  const { send, as, project } = await openAnn()
  const limits = [{ scoped_teams: [project.id] }, { scoped_organizations: [project.organizationId] }]
  const keys = []
  for (const each of [...limits, { ...limits[0], ...limits[1] }])
    keys.push((await send('POST', URL, { label: 'x', scopes: ['*'], ...each })).body)
  const [ofProject, ofOrganization, ofBoth] = keys
  const idsOf = async (key: { value: string }) =>
    (await as(key.value)('GET', URL)).body.map(({ id }: { id: string }) => id)
  expect(await idsOf(ofProject)).toEqual([ofProject.id, ofBoth.id])
  expect(await idsOf(ofOrganization)).toEqual([ofOrganization.id, ofBoth.id])
  expect(await idsOf(ofBoth)).toEqual([ofBoth.id])
  for (const [method, body] of [
    ['GET', undefined],
    ['PATCH', { label: 'y' }],
    ['DELETE', undefined],
  ] as const)
    for (const id of ['2', ofProject.id])
      expect(await as(ofOrganization.value)(method, `${URL}${id}/`, body)).toMatchObject({ status: 404 })
})

test('changes a key, with effect on its next request', async () => {
  const { send, as, project } = await openAnn()
  const { value, id } = (await send('POST', URL, { label: 'a', scopes: ['project:read'] })).body
  const changed = await send('PATCH', `${URL}${id}/`, { label: 'b', scopes: ['user:read'], version: 1 })
  expect(changed).toMatchObject({ status: 200, body: { label: 'b', scopes: ['user:read'], version: 2 } })
  expect(changed.body.value).toBeUndefined()
  expect(await as(value)('GET', `/api/projects/${project.id}/`)).toMatchObject({ status: 403 })
  expect(await as(value)('GET', '/api/users/@me/')).toMatchObject({ status: 200 })
  expect((await send('PATCH', `${URL}${id}/`, { label: 'b' })).body.version).toBe(2)
  expect(await send('PATCH', `${URL}${id}/`, { label: 'c', version: 1 })).toMatchObject({ status: 409 })
})

test('changes a key that names a project which its user has lost, but not to another such project', async () => {
  const { send, metadata, project } = await openAnn()
  const closed = await createProject(metadata, 'Closed', 1000)
  const scoped_teams = [project.id, closed.id]
  const { id } = (await send('POST', URL, { label: 'x', scopes: ['*'], scoped_teams })).body
  await updateProject(metadata, closed.id, { isPrivate: true }, 2000)
  const { id: other } = await createProject(metadata, 'Other', 1000, { isPrivate: true })
  const change = (body: object) => send('PATCH', `${URL}${id}/`, body)
  expect(await change({ scopes: ['project:read'] })).toMatchObject({ status: 200, body: { scoped_teams } })
  expect(await change({ scopes: ['user:read'], scoped_teams })).toMatchObject({ status: 200, body: { scoped_teams } })
  for (const teams of [[other], [...scoped_teams, other]])
    expect(await change({ scoped_teams: teams })).toMatchObject({ status: 400, body: { attr: 'scoped_teams' } })
  expect(await change({ scoped_teams: [project.id] })).toMatchObject({ status: 200 })
  expect(await change({ scoped_teams: [closed.id] })).toMatchObject({ status: 400, body: { attr: 'scoped_teams' } })
})

test('does not show, change or revoke the keys of another user', async () => {
  const { send, addUser } = await openAnn()
  await addUser('bob@shop.example', LEVELS.owner)
  for (const [method, body] of [
    ['GET', undefined],
    ['PATCH', { label: 'x' }],
    ['DELETE', undefined],
  ] as const)
    for (const id of ['1', '3', '99', 'x', '9'.repeat(30)])
      expect(await send(method, `${URL}${id}/`, body)).toMatchObject({ status: 404, body: { code: 'not_found' } })
})

test('lets no key with an expiry make itself last longer, in whatever form the time is', async () => {
  const { send, as } = await openAnn()
  const expires_at = '2027-02-01T00:00:00.000Z'
  const { value } = (await send('POST', URL, { label: 'x', scopes: ['*'], expires_at })).body
  const temporary = as(value)
  // A leap second at the end of a day exists.
  const leap = { expires_at: '2040-12-31T23:59:60Z' }
  expect(await temporary('PATCH', `${URL}@current/`, leap)).toMatchObject(forbidden('expires_at'))
  for (const time of ['2040-06-30T12:00:60Z', '2040-01-01T00:00:00Z[UTC]', '9999-12-31T23:59:59-12:00'])
    for (const [method, url] of [
      ['PATCH', `${URL}@current/`],
      ['POST', URL],
    ] as const)
      expect(await temporary(method, url, { label: 'y', scopes: ['*'], expires_at: time })).toMatchObject({
        status: 400,
        body: { code: 'invalid_input', attr: 'expires_at' },
      })
  expect((await temporary('GET', `${URL}@current/`)).body.expires_at).toBe(expires_at)
  expect((await send('GET', URL)).body).toHaveLength(2)
})

test.each([
  [{ scopes: ['project:read'] }, 'required', 'label'],
  [{ label: 'x' }, 'required', 'scopes'],
  [{ label: ' ', scopes: ['*'] }, 'invalid_input', 'label'],
  [{ label: 'x', scopes: [] }, 'invalid_input', 'scopes'],
  [{ label: 'x', scopes: ['all'] }, 'invalid_choice', 'scopes[0]'],
  [{ label: 'x', scopes: ['user:read', '*', 'user:read'] }, 'invalid_input', 'scopes'],
  [{ label: 'x', scopes: [...SCOPES, '*', '*'] }, 'invalid_input', 'scopes'],
  [{ label: 'x', scopes: ['*'], scoped_teams: [7] }, 'does_not_exist', 'scoped_teams'],
  [{ label: 'x', scopes: ['*'], scoped_organizations: ['x'] }, 'invalid_input', 'scoped_organizations[0]'],
  [{ label: 'x', scopes: ['*'], expires_at: 'soon' }, 'invalid_input', 'expires_at'],
  [{ label: 'x', scopes: ['*'], expires_at: '2020-01-01T00:00:00Z' }, 'invalid_input', 'expires_at'],
])('rejects %o', async (body, code, attr) => {
  const { send } = await openAnn()
  expect(await send('POST', URL, body)).toMatchObject({ status: 400, body: { type: 'validation_error', code, attr } })
})

test('refuses a key from its expiry on', async () => {
  let now = NOW
  const { send, as } = await openAnn({ now: () => now })
  const expires_at = new Date(NOW + 1000).toISOString()
  const { value } = (await send('POST', URL, { label: 'x', scopes: ['*'], expires_at })).body
  expect((await as(value)('GET', '/api/users/@me/')).status).toBe(200)
  now += 1000
  const refused = await as(value)('GET', '/api/users/@me/')
  expect(refused).toMatchObject({ status: 401, body: { code: 'expired_personal_api_key', attr: 'authorization' } })
})

test('limits the requests of a key, each by itself', async () => {
  let now = NOW
  const { send, addUser } = await openAnn({ now: () => now, config: withDefaults({ maxKeyRequestsPerMinute: 3 }) })
  const bob = await addUser('bob@shop.example', LEVELS.member)
  for (let count = 0; count < 3; count++) expect((await send('GET', '/api/users/@me/')).status).toBe(200)
  now += 20_000
  const limited = await send('GET', '/api/users/@me/')
  expect(limited).toMatchObject({ status: 429, body: { type: 'throttled_error', code: 'throttled', attr: null } })
  expect(limited.headers['retry-after']).toBe('40')
  expect((await bob.send('GET', '/api/users/@me/')).status).toBe(200)
  now += 40_000
  expect((await send('GET', '/api/users/@me/')).status).toBe(200)
})

test('limits the wrong keys of an address, and still accepts a right one', async () => {
  let now = NOW
  const { as, send } = await openAnn({ now: () => now, config: withDefaults({ maxWrongKeysPerMinute: 2 }) })
  for (const key of ['wmx_a', 'wmx_b']) expect((await as(key)('GET', '/api/users/@me/')).status).toBe(401)
  const limited = await as('wmx_c')('GET', '/api/users/@me/')
  expect([limited.status, limited.headers['retry-after']]).toEqual([429, '60'])
  expect((await send('GET', '/api/users/@me/')).status).toBe(200)
  now += 60_000
  expect((await as('wmx_d')('GET', '/api/users/@me/')).status).toBe(401)
})
