import { expect, test } from 'vitest'
import { LEVELS } from '../../../src/service/permission/levels.ts'
import { createPersonalApiKey } from '../../../src/service/store/metadata/keys.ts'
import { addOrganizationMember } from '../../../src/service/store/metadata/organization-members.ts'
import { createOrganization } from '../../../src/service/store/metadata/organizations.ts'
import { openTestMetadata } from '../support/open-test-metadata.ts'
import { createProject } from '../../../src/service/store/metadata/projects.ts'
import { createUser } from '../../../src/service/store/metadata/users.ts'
import { OWNER_ID } from '../support/app.ts'
import { createSender, openManagement } from '../support/management.ts'

const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
const TIME = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)

// API: "`project_id` is a string. It identifies the project in every management path. It is obtained from the projects listing."
test('lists projects with the id that all paths take', async () => {
  const { send, project } = await openManagement()
  for (const family of ['projects', 'environments']) {
    const { status, body } = await send('GET', `/api/${family}/`)
    expect([status, body.count, body.next, body.previous]).toEqual([200, 1, null, null])
    expect(body.results).toEqual([
      {
        id: project.id,
        project_id: String(project.id),
        uuid: UUID,
        organization: UUID,
        name: 'Shop',
        api_token: project.apiKey,
        is_private: false,
        effective_membership_level: LEVELS.owner,
        event_quota: null,
        timezone: 'UTC',
        week_start_day: 0,
        test_account_filters: [],
        version: 1,
        created_at: '1970-01-01T00:00:01.000Z',
        updated_at: '1970-01-01T00:00:01.000Z',
      },
    ])
    for (const id of [body.results[0].project_id, '@current'])
      for (const slash of ['', '/'])
        expect((await send('GET', `/api/${family}/${id}${slash}`)).body).toEqual(body.results[0])
  }
})

test('creates and changes projects at the level of an administrator', async () => {
  const { addUser } = await openManagement()
  const { send: owner } = await addUser('owner@shop.example', LEVELS.owner)
  const { send: administrator } = await addUser('administrator@shop.example', LEVELS.administrator)
  const { send: member } = await addUser('member@shop.example', LEVELS.member)
  const created = await owner('POST', '/api/projects/', { name: 'Blog', is_private: true, later: 1 })
  expect(created).toMatchObject({ status: 201, body: { name: 'Blog', is_private: true, version: 1 } })
  const url = `/api/projects/${created.body.project_id}/`
  const changed = await administrator('PATCH', url, { is_private: false, version: 1 })
  expect(changed).toMatchObject({ status: 200, body: { name: 'Blog', is_private: false, version: 2 } })
  expect(await administrator('PATCH', url, { name: 'Late', version: 1 })).toMatchObject({
    status: 409,
    body: { code: 'version_conflict' },
  })
  expect((await administrator('PATCH', url, {})).body).toMatchObject({ version: 2 })
  const filter = { key: 'email', type: 'person', operator: 'not_icontains', value: '@shop.example' }
  const settings = { timezone: 'Europe/Berlin', week_start_day: 1, test_account_filters: [filter] }
  expect(await administrator('PATCH', url, settings)).toMatchObject({ status: 200, body: { ...settings, version: 3 } })
  expect((await administrator('PATCH', url, settings)).body).toMatchObject({ version: 3 })
  expect(await administrator('PATCH', url, { week_start_day: null })).toMatchObject({ body: { week_start_day: 0 } })
  for (const [body, attr] of [
    [{ timezone: 'Mars' }, 'timezone'],
    [{ timezone: null }, 'timezone'],
    [{ week_start_day: 2 }, 'week_start_day'],
    [{ test_account_filters: [{ key: 'a', operator: 'like' }] }, 'test_account_filters[0].operator'],
  ] as const)
    expect(await administrator('PATCH', url, body)).toMatchObject({ status: 400, body: { attr } })
  for (const response of [
    await member('POST', '/api/projects/', { name: 'x' }),
    await member('PATCH', url, { name: 'x' }),
  ])
    expect(response).toMatchObject({ status: 403, body: { code: 'permission_denied' } })
  expect((await member('GET', url)).body.name).toBe('Blog')
  for (const [body, code, attr] of [
    [{}, 'required', 'name'],
    [{ name: ' ' }, 'invalid_input', 'name'],
    [{ name: 'x', organization: 'x' }, 'invalid_input', 'organization'],
  ] as const)
    expect(await owner('POST', '/api/projects/', body)).toMatchObject({ status: 400, body: { code, attr } })
})

test('shows a limited key its projects and their organisation only', async () => {
  const { app, metadata, project } = await openManagement()
  const other = await createProject(metadata, 'Other', 1000)
  const { key } = await createPersonalApiKey(metadata, {
    userId: OWNER_ID,
    projectIds: [other.id],
    label: 'x',
    scopes: ['*'],
    now: 1,
  })
  const send = createSender(app, key)
  expect((await send('GET', '/api/projects/')).body.results.map(({ id }: { id: number }) => id)).toEqual([other.id])
  expect((await send('GET', '/api/projects/@current/')).body.id).toBe(other.id)
  expect(await send('GET', `/api/projects/${project.id}/`)).toMatchObject({ status: 404, body: { code: 'not_found' } })
  expect((await send('GET', '/api/organizations/')).body.count).toBe(1)
  expect(await send('POST', '/api/projects/', { name: 'x' })).toMatchObject({ status: 403 })
})

test('takes the first project that a key is limited to as @current, and no other one instead', async () => {
  const { app, metadata, project } = await openManagement()
  const shop = await createOrganization(metadata, 'Shop', 2000)
  await addOrganizationMember(
    metadata,
    { organizationId: shop.id, userId: OWNER_ID, level: LEVELS.member },
    Date.now() + 1000,
  )
  const second = await createProject(metadata, 'Second', 2000, { organizationId: shop.id })
  const createKey = async (limits: { projectIds?: number[]; organizationIds?: string[] }) => {
    const { key } = await createPersonalApiKey(metadata, {
      userId: OWNER_ID,
      label: 'x',
      scopes: ['*'],
      now: 1,
      ...limits,
    })
    return createSender(app, key)
  }
  const readCurrent = async (send: Awaited<ReturnType<typeof createKey>>) => [
    (await send('GET', '/api/projects/@current/')).body.id,
    (await send('GET', '/api/organizations/@current/')).body.id,
  ]
  const limited = await createKey({ projectIds: [second.id, project.id] })
  expect(await readCurrent(limited)).toEqual([second.id, shop.id])
  expect(await readCurrent(await createKey({ organizationIds: [shop.id] }))).toEqual([second.id, shop.id])
  expect(await readCurrent(await createKey({}))).toEqual([project.id, project.organizationId])

  const flags = { name: 'second', key: 'second', filters: { groups: [] } }
  expect(await limited('POST', `/api/projects/${second.id}/feature_flags/`, flags)).toMatchObject({ status: 201 })
  const { body } = await limited('GET', '/api/feature_flag/local_evaluation/')
  expect(body.flags).toMatchObject([{ key: 'second' }])

  await metadata.updateTable('projects').set({ is_private: 1 }).where('id', '=', second.id).execute()
  for (const path of ['projects/@current/', 'feature_flag/local_evaluation/', 'organizations/@current/'])
    expect(await limited('GET', `/api/${path}`)).toMatchObject({ status: 404, body: { code: 'not_found' } })
})

test('reads lists of people with as many statements for many as for one', async () => {
  let statements = 0
  const metadata = (await openTestMetadata()).withPlugin({
    transformQuery({ node }) {
      statements += 1
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  })
  const { addUser, request, send } = await openManagement({ metadata })
  const { user } = await addUser('first@shop.example', LEVELS.member)
  await request('POST', 'explicit_members/', { user_uuid: user.uuid })
  const count = async () => {
    const counts: number[] = []
    for (const read of [
      () => request('GET', 'explicit_members/'),
      () => send('GET', '/api/organizations/@current/members/'),
      () => send('GET', '/api/users/'),
      () => send('GET', '/api/organizations/'),
    ]) {
      const before = statements
      expect(await read()).toMatchObject({ status: 200 })
      counts.push(statements - before)
    }
    return counts
  }
  const ofOne = await count()
  for (const name of ['second', 'third', 'fourth']) {
    const { user: added } = await addUser(`${name}@shop.example`, LEVELS.member)
    await request('POST', 'explicit_members/', { user_uuid: added.uuid })
  }
  expect((await request('GET', 'explicit_members/')).body).toHaveLength(4)
  expect(await count()).toEqual(ofOne)
})

test('lets a key that is limited to projects change nothing outside of them', async () => {
  const { app, addUser, metadata, project } = await openManagement()
  const { user, send: owner } = await addUser('owner@shop.example', LEVELS.owner)
  const { user: bob } = await addUser('bob@shop.example', LEVELS.member)
  const fields = { userId: user.id, label: 'x', scopes: ['*'] as const, now: 1 }
  const ofProject = createSender(app, (await createPersonalApiKey(metadata, { ...fields, projectIds: [1] })).key)
  for (const [method, path, body] of [
    ['PATCH', '/api/organizations/@current/', { name: 'x' }],
    ['PATCH', `/api/organizations/@current/members/${bob.uuid}/`, { level: 8 }],
    ['DELETE', `/api/organizations/@current/members/${bob.uuid}/`, undefined],
    ['DELETE', '/api/organizations/@current/members/@me/', undefined],
    ['PATCH', '/api/users/@me/', { first_name: 'x' }],
    ['POST', '/api/projects/', { name: 'x' }],
  ] as const)
    expect(await ofProject(method, path, body)).toMatchObject({ status: 403, body: { code: 'permission_denied' } })
  expect((await owner('GET', '/api/organizations/@current/members/')).body.count).toBe(3)
  expect(await ofProject('PATCH', `/api/projects/${project.id}/`, { name: 'x' })).toMatchObject({ status: 200 })
  const organizationIds = [project.organizationId]
  const ofOrganization = createSender(app, (await createPersonalApiKey(metadata, { ...fields, organizationIds })).key)
  expect(await ofOrganization('PATCH', '/api/organizations/@current/', { name: 'x' })).toMatchObject({ status: 200 })
  expect(await ofOrganization('PATCH', '/api/users/@me/', { first_name: 'x' })).toMatchObject({ status: 403 })
})

test('shows a limited key the users of its organisations only', async () => {
  const { app, addUser, metadata, project } = await openManagement()
  const { user, send } = await addUser('ann@shop.example', LEVELS.owner)
  const other = await createOrganization(metadata, 'Other', 1000)
  const eve = await createUser(metadata, { email: 'eve@other.example' }, 1000)
  for (const userId of [user.id, eve.id])
    await addOrganizationMember(metadata, { organizationId: other.id, userId, level: LEVELS.member }, 1000)
  const emails = async (as: typeof send) =>
    (await as('GET', '/api/users/')).body.results.map(({ email }: { email: string }) => email)
  expect(await emails(send)).toEqual(['owner@waymark.invalid', 'ann@shop.example', 'eve@other.example'])
  for (const limits of [{ projectIds: [project.id] }, { organizationIds: [project.organizationId] }]) {
    const fields = { userId: user.id, label: 'x', scopes: ['*'] as const, now: 1 }
    const limited = createSender(app, (await createPersonalApiKey(metadata, { ...fields, ...limits })).key)
    expect(await emails(limited)).toEqual(['owner@waymark.invalid', 'ann@shop.example'])
    expect(await limited('GET', `/api/users/${eve.uuid}/`)).toMatchObject({ status: 404 })
  }
})

test('returns the user of the key with every field, and changes it', async () => {
  const { addUser } = await openManagement()
  const { send, user } = await addUser('Ann@Shop.example', LEVELS.member)
  const me = await send('GET', '/api/users/@me/')
  expect(me).toMatchObject({
    status: 200,
    body: {
      id: user.id,
      uuid: UUID,
      distinct_id: expect.any(String),
      first_name: '',
      last_name: '',
      email: 'ann@shop.example',
      is_email_verified: false,
      hedgehog_config: {},
      role_at_organization: '',
      version: 1,
      created_at: TIME,
    },
  })
  const change = {
    first_name: 'Ann',
    role_at_organization: 'product',
    hedgehog_config: { skin: 'x', deep: { a: [1] } },
  }
  const changed = await send('PATCH', `/api/users/${user.uuid}/`, { ...change, id: 99, version: 1 })
  expect(changed).toMatchObject({ status: 200, body: { ...change, id: user.id, version: 2 } })
  expect((await send('GET', '/api/users/@me')).body).toEqual(changed.body)
  for (const [body, code, attr] of [
    [{ email: 'no' }, 'invalid_input', 'email'],
    [{ email: 'owner@waymark.invalid' }, 'unique', 'email'],
    [{ role_at_organization: 'king' }, 'invalid_choice', 'role_at_organization'],
    [{ first_name: null }, 'invalid_input', 'first_name'],
    [{ hedgehog_config: { x: 'é'.repeat(2045) } }, 'invalid_input', 'hedgehog_config'],
  ] as const)
    expect(await send('PATCH', '/api/users/@me/', body)).toMatchObject({ status: 400, body: { code, attr } })
  const largest = { hedgehog_config: { x: 'é'.repeat(2044) } }
  expect(await send('PATCH', '/api/users/@me/', largest)).toMatchObject({ status: 200, body: largest })
  expect(await send('PATCH', '/api/users/@me/', { version: 1, first_name: 'Late' })).toMatchObject({ status: 409 })
})

test('shows the users of the own organisations, and lets nobody change another user', async () => {
  const { addUser, metadata } = await openManagement()
  const { send } = await addUser('ann@shop.example', LEVELS.administrator)
  const { user: bob } = await addUser('bob@shop.example', LEVELS.member)
  const emails = (await send('GET', '/api/users/')).body.results.map(({ email }: { email: string }) => email)
  expect(emails).toEqual(['owner@waymark.invalid', 'ann@shop.example', 'bob@shop.example'])
  expect((await send('GET', '/api/users/?limit=1&offset=1')).body).toMatchObject({
    count: 3,
    results: [{ email: 'ann@shop.example' }],
  })
  expect((await send('GET', `/api/users/${bob.uuid.toUpperCase()}/`)).body.email).toBe('bob@shop.example')
  expect(await send('PATCH', `/api/users/${bob.uuid}/`, { first_name: 'x' })).toMatchObject({ status: 403 })
  await metadata.deleteFrom('organization_members').where('user_id', '=', bob.id).execute()
  expect(await send('GET', `/api/users/${bob.uuid}/`)).toMatchObject({ status: 404 })
})

test('reads and renames the organisation of the key', async () => {
  const { addUser, project } = await openManagement()
  const { send: administrator } = await addUser('a@shop.example', LEVELS.administrator)
  const { send: member } = await addUser('m@shop.example', LEVELS.member)
  const current = await member('GET', '/api/organizations/@current/')
  expect(current).toMatchObject({
    status: 200,
    body: { id: project.organizationId, name: 'Organization', membership_level: LEVELS.member, version: 1 },
  })
  expect((await member('GET', '/api/organizations/')).body).toMatchObject({ count: 1, results: [current.body] })
  const url = `/api/organizations/${project.organizationId}/`
  expect(await member('PATCH', url, { name: 'x' })).toMatchObject({ status: 403 })
  expect(await administrator('PATCH', url, { name: 'Shop Ltd', version: 1 })).toMatchObject({
    status: 200,
    body: { name: 'Shop Ltd', version: 2 },
  })
  expect(await administrator('PATCH', url, { name: 'x', version: 1 })).toMatchObject({ status: 409 })
  expect(await member('GET', '/api/organizations/0190a3c4-7d2f-4b1e-9a57-3f1f0c2d9e10/')).toMatchObject({ status: 404 })
})

test('changes and removes members of an organisation, within the own level', async () => {
  const { addUser } = await openManagement()
  const owner = await addUser('owner@shop.example', LEVELS.owner)
  const administrator = await addUser('administrator@shop.example', LEVELS.administrator)
  const member = await addUser('member@shop.example', LEVELS.member)
  const url = ({ user }: { user: { uuid: string } }) => `/api/organizations/@current/members/${user.uuid}/`
  expect((await member.send('GET', '/api/organizations/@current/members/')).body).toMatchObject({
    count: 4,
    results: [{ level: 15 }, { level: 8 }, { level: 1 }, { level: 15 }],
  })
  expect((await member.send('GET', '/api/organizations/@current/members/@me/')).body).toMatchObject({
    id: UUID,
    level: 1,
    user: { email: 'member@shop.example' },
    joined_at: TIME,
    updated_at: TIME,
  })
  for (const [sender, target, level] of [
    [member, member, 8],
    [administrator, member, 15],
    [administrator, owner, 1],
    [administrator, administrator, 1],
    [owner, owner, 1],
  ] as const)
    expect(await sender.send('PATCH', url(target), { level })).toMatchObject({ status: 403 })
  expect(await owner.send('PATCH', url(member), { level: 3 })).toMatchObject({
    status: 400,
    body: { code: 'invalid_choice', attr: 'level' },
  })
  expect(await administrator.send('PATCH', url(member), { level: 8, version: 1 })).toMatchObject({
    status: 200,
    body: { level: 8, version: 2 },
  })
  expect(await administrator.send('PATCH', url(member), { level: 1, version: 1 })).toMatchObject({ status: 409 })
  expect(await administrator.send('DELETE', url(owner))).toMatchObject({ status: 403 })
  expect(await member.send('DELETE', '/api/organizations/@current/members/@me/')).toMatchObject({ status: 204 })
  expect(await member.send('GET', '/api/projects/@current/')).toMatchObject({ status: 404 })
  expect(await administrator.send('GET', url(member))).toMatchObject({ status: 404 })
})

test('keeps the last owner of an organisation', async () => {
  const { addUser } = await openManagement()
  const owner = await addUser('owner@shop.example', LEVELS.owner)
  const [first] = (await owner.send('GET', '/api/users/')).body.results
  const url = `/api/organizations/@current/members/${first.uuid}/`
  expect(await owner.send('PATCH', url, { level: 1 })).toMatchObject({ status: 200 })
  const leave = await owner.send('DELETE', '/api/organizations/@current/members/@me/')
  expect(leave).toMatchObject({ status: 409, body: { code: 'last_owner' } })
  expect(await owner.send('PATCH', url, { level: 15 })).toMatchObject({ status: 200 })
  expect(await owner.send('DELETE', '/api/organizations/@current/members/@me/')).toMatchObject({ status: 204 })
})
