import { expect, test } from 'vitest'
import { LEVELS } from '../../../src/service/permission/levels.ts'
import { updateProject } from '../../../src/service/store/metadata/projects.ts'
import { openManagement } from '../support/management.ts'

/** A comment "API:" quotes the description of the API that the service implements. */

const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
const TIME = '2027-01-15T08:00:00.000Z'

/** A project with an owner (of its organisation), an administrator and two members. */
const openProject = async ({ isPrivate = false } = {}) => {
  const management = await openManagement()
  const { addUser, metadata, project } = management
  const owner = await addUser('owner@shop.example', LEVELS.owner)
  const administrator = await addUser('administrator@shop.example', LEVELS.administrator)
  const ann = await addUser('ann@shop.example', LEVELS.member)
  const bob = await addUser('bob@shop.example', LEVELS.member)
  await updateProject(metadata, project.id, { isPrivate }, 1000)
  const base = `/api/environments/${project.id}`
  const url = `${base}/explicit_members/`
  const urlOf = ({ user }: { user: { uuid: string } }) => `${url}${user.uuid}/`
  const add = ({ user }: { user: { uuid: string } }, level?: number) =>
    owner.send('POST', url, { user_uuid: user.uuid, ...(level !== undefined && { level }) })
  return { ...management, owner, administrator, ann, bob, base, url, urlOf, add }
}

// API: | POST | /api/environments/:project_id/explicit_members/ | body: level, user_uuid (string) | 201, explicit member |
// API: | GET | .../explicit_members/:parent_membership__user__uuid/ | … | 200, explicit member |
test('adds a member with every field, and reads it under both paths', async () => {
  const { owner, ann, add, url, urlOf, project } = await openProject()
  const created = await add(ann)
  expect(created.status).toBe(201)
  expect(created.body).toEqual({
    id: UUID,
    level: 1,
    parent_level: 1,
    parent_membership_id: UUID,
    joined_at: TIME,
    updated_at: TIME,
    user: {
      id: ann.user.id,
      uuid: ann.user.uuid,
      distinct_id: ann.user.distinctId,
      first_name: '',
      last_name: '',
      email: 'ann@shop.example',
      is_email_verified: false,
      hedgehog_config: {},
      role_at_organization: '',
    },
    user_uuid: ann.user.uuid,
    effective_level: 1,
    version: 1,
  })
  expect((await owner.send('GET', urlOf(ann))).body).toEqual(created.body)
  expect((await owner.send('GET', urlOf(ann).replace('environments', 'projects').slice(0, -1))).body).toEqual(
    created.body,
  )
  expect((await ann.send('GET', `${url}@me/`)).body).toEqual(created.body)
  expect((await ann.send('GET', `/api/projects/@current/explicit_members/@me/`)).body).toEqual(created.body)
  expect(project.id).toBe(1)
})

// API: "whether the list is paginated or an array: not shown". It is an array, as the clients of the protocol expect.
test('lists all members as an array', async () => {
  const { owner, ann, bob, add, url } = await openProject()
  expect((await owner.send('GET', url)).body).toEqual([])
  await add(bob, 8)
  await add(ann)
  const { status, body } = await ann.send('GET', `${url}?limit=1`)
  expect([status, body.map((member: { user: { email: string } }) => member.user.email)]).toEqual([
    200,
    ['ann@shop.example', 'bob@shop.example'],
  ])
})

test.each([
  [LEVELS.member, 1, 1],
  [LEVELS.member, 8, 8],
  [LEVELS.administrator, 1, 8],
  [LEVELS.owner, 1, 15],
])('a parent level of %s and a level of %s make %s', async (parent, level, effective) => {
  const { add, addUser, base } = await openProject({ isPrivate: true })
  const user = await addUser('x@shop.example', parent)
  expect((await add(user, level)).body).toMatchObject({ level, parent_level: parent, effective_level: effective })
  expect((await user.send('GET', `${base}/`)).body.effective_membership_level).toBe(effective)
})

// API: | PATCH | .../explicit_members/:parent_membership__user__uuid/ | body: level, user_uuid | 200, explicit member |
test('changes the level, and refuses a change based on an old version', async () => {
  const { administrator, ann, bob, add, urlOf } = await openProject()
  await add(ann)
  const changed = await administrator.send('PATCH', urlOf(ann), { level: 8, version: 1, other: 'ignored' })
  expect(changed).toMatchObject({ status: 200, body: { level: 8, effective_level: 8, version: 2 } })
  expect(await administrator.send('PATCH', urlOf(ann), { level: 1, version: 1 })).toMatchObject({
    status: 409,
    body: { code: 'version_conflict', attr: 'version' },
  })
  expect((await administrator.send('PATCH', urlOf(ann), { user_uuid: ann.user.uuid })).body).toEqual(changed.body)
  for (const [body, code, attr] of [
    [{ level: 15 }, 'invalid_choice', 'level'],
    [{ level: '8' }, 'invalid_choice', 'level'],
    [{ user_uuid: bob.user.uuid }, 'immutable', 'user_uuid'],
  ] as const)
    expect(await administrator.send('PATCH', urlOf(ann), body)).toMatchObject({ status: 400, body: { code, attr } })
})

test('a private project exists only for its members and the administrators of the organisation', async () => {
  const { owner, administrator, ann, bob, add, base } = await openProject({ isPrivate: true })
  await add(ann)
  for (const [{ send }, status] of [
    [owner, 200],
    [administrator, 200],
    [ann, 200],
    [bob, 404],
  ] as const) {
    const responses = [
      await send('GET', `${base}/`),
      await send('GET', `${base}/explicit_members/`),
      await send('GET', `${base}/feature_flags/`),
      await send('POST', `${base}/query/`, { query: 'select 1' }),
      await send('GET', base.replace('environments', 'projects')),
    ]
    expect(responses.map((response) => response.status)).toEqual(Array(5).fill(status))
    expect((await send('GET', '/api/projects/')).body.count).toBe(status === 200 ? 1 : 0)
  }
})

test('nobody adds themselves, changes their own level, or goes beyond it', async () => {
  const { owner, administrator, ann, bob, add, url, urlOf } = await openProject()
  await add(ann, 8)
  const forbidden = { status: 403, body: { code: 'permission_denied' } }
  expect(await administrator.send('POST', url, { user_uuid: administrator.user.uuid })).toMatchObject(forbidden)
  expect(await bob.send('POST', url, { user_uuid: bob.user.uuid })).toMatchObject(forbidden)
  expect(await ann.send('PATCH', `${url}@me/`, { level: 1 })).toMatchObject(forbidden)
  // An administrator of the project only is below an owner.
  const added = await administrator.send('POST', url, { user_uuid: owner.user.uuid })
  expect(added).toMatchObject({ status: 201, body: { effective_level: 15 } })
  expect(await ann.send('PATCH', urlOf(owner), { level: 8 })).toMatchObject(forbidden)
  expect(await ann.send('DELETE', urlOf(owner))).toMatchObject(forbidden)
  // A member reads, and changes nobody.
  expect(await bob.send('GET', urlOf(ann))).toMatchObject({ status: 200 })
  expect(await bob.send('PATCH', urlOf(ann), { level: 1 })).toMatchObject(forbidden)
  expect(await bob.send('DELETE', urlOf(ann))).toMatchObject(forbidden)
})

// API: | DELETE | .../explicit_members/:parent_membership__user__uuid/ | none | 204, no body |
test('removes a member, and lets a member leave', async () => {
  const { administrator, ann, bob, add, base, url, urlOf } = await openProject({ isPrivate: true })
  await add(ann)
  await add(bob)
  await add(administrator, 8)
  expect(await ann.send('DELETE', `${url}@me/`)).toMatchObject({ status: 204, body: undefined })
  expect(await ann.send('GET', `${base}/`)).toMatchObject({ status: 404 })
  expect(await administrator.send('DELETE', urlOf(bob))).toMatchObject({ status: 204 })
  expect(await administrator.send('DELETE', urlOf(bob))).toMatchObject({ status: 404, body: { code: 'not_found' } })
  expect(await administrator.send('GET', urlOf(bob))).toMatchObject({ status: 404 })
})

test('keeps the last administrator of a private project', async () => {
  const { owner, ann, bob, add, url, urlOf, metadata, project } = await openProject({ isPrivate: true })
  await add(ann, 8)
  await add(bob)
  const refused = { status: 409, body: { code: 'last_administrator' } }
  expect(await ann.send('DELETE', `${url}@me/`)).toMatchObject(refused)
  expect(await owner.send('DELETE', urlOf(ann))).toMatchObject(refused)
  expect(await owner.send('PATCH', urlOf(ann), { level: 1 })).toMatchObject(refused)
  const leave = await ann.send('DELETE', '/api/organizations/@current/members/@me/')
  expect(leave).toMatchObject(refused)
  expect(await owner.send('DELETE', urlOf(bob))).toMatchObject({ status: 204 })
  await add(bob, 8)
  expect(await ann.send('DELETE', `${url}@me/`)).toMatchObject({ status: 204 })
  // An open project needs no administrator of its own.
  await updateProject(metadata, project.id, { isPrivate: false }, 1000)
  expect(await bob.send('DELETE', `${url}@me/`)).toMatchObject({ status: 204 })
})

test('adds only members of the organisation, once', async () => {
  const { ann, add, owner, url } = await openProject()
  await add(ann)
  for (const [body, code] of [
    [{}, 'required'],
    [{ user_uuid: 5 }, 'invalid_input'],
    [{ user_uuid: 'x' }, 'invalid_input'],
    [{ user_uuid: ann.user.uuid }, 'unique'],
    [{ user_uuid: '0190a3c4-7d2f-4b1e-9a57-3f1f0c2d9e10' }, 'does_not_exist'],
  ] as const)
    expect(await owner.send('POST', url, body)).toMatchObject({ status: 400, body: { code, attr: 'user_uuid' } })
})

test('needs the scopes project:read and project:write', async () => {
  const { addUser, url, urlOf, ann, add } = await openProject()
  await add(ann)
  const reader = await addUser('r@shop.example', LEVELS.owner, { scopes: ['project:read'] })
  const writer = await addUser('w@shop.example', LEVELS.owner, { scopes: ['project:write'] })
  expect(await reader.send('GET', url)).toMatchObject({ status: 200 })
  expect(await writer.send('GET', url)).toMatchObject({ status: 403 })
  const refused = await reader.send('DELETE', urlOf(ann))
  expect(refused).toMatchObject({ status: 403, body: { detail: expect.stringContaining('"project:write"') } })
  expect(await writer.send('DELETE', urlOf(ann))).toMatchObject({ status: 204 })
})
