import { expect, onTestFinished, test } from 'vitest'
import { findBuiltScript } from '../../../src/service/find-built-script.ts'
import { createBodyReader } from '../../../src/service/ingest/body-reader.ts'
import { LEVELS } from '../../../src/service/permission/levels.ts'
import { removePersonalApiKey } from '../../../src/service/store/metadata/keys.ts'
import type { Metadata } from '../../../src/service/store/metadata/open.ts'
import {
  findOrganizationMember,
  setOrganizationLevel,
} from '../../../src/service/store/metadata/organization-members.ts'
import { createProject } from '../../../src/service/store/metadata/projects.ts'
import { openManagement } from '../support/management.ts'

/** What happens to the caller between the check of the key and the change: a large body takes seconds to decode. */

const SURVEY = { name: 'Opinion', type: 'popover', questions: [{ type: 'open', question: 'Why?' }] }

/** The API with Ann, an owner whose requests are interrupted by what `during` sets, and Bob, a member. */
const open = async () => {
  const reader = createBodyReader(findBuiltScript('body-thread'))
  onTestFinished(() => reader.close())
  let interrupt = (): Promise<unknown> => Promise.resolve()
  const bodyReader = {
    ...reader,
    readString: async (...parts: Parameters<typeof reader.readString>) => {
      const body = await reader.readString(...parts)
      await interrupt()
      return body
    },
  }
  const management = await openManagement({ bodyReader })
  const [ann, bob] = [
    await management.addUser('ann@shop.example', LEVELS.owner),
    await management.addUser('bob@shop.example', LEVELS.member),
  ]
  await management.request('POST', 'feature_flags/', { key: 'stored', filters: { groups: [] } })
  const survey = await management.request('POST', 'surveys/', SURVEY)
  const playlist = await management.request('POST', 'session_recording_playlists/', { name: 'Stored' })
  return {
    ...management,
    ann,
    bob,
    survey: String(survey.body.id),
    playlist: String(playlist.body.short_id),
    during: (run: () => Promise<unknown>) => {
      interrupt = run
    },
  }
}

type World = Awaited<ReturnType<typeof open>>

const membershipOf = async ({ metadata, project }: World, { user }: World['ann']) =>
  (await findOrganizationMember(metadata, project.organizationId, user.id))!

const LOSSES: readonly [string, number, (world: World) => Promise<unknown>][] = [
  ['was revoked', 401, ({ metadata }) => removePersonalApiKey(metadata, 2)],
  ['expired', 401, ({ metadata }) => metadata.updateTable('personal_api_keys').set({ expires_at: 1 }).execute()],
  [
    'lost its scopes',
    403,
    ({ metadata }) => metadata.updateTable('personal_api_keys').set({ scopes: '["query:read"]' }).execute(),
  ],
]

const LOST_LEVELS: readonly [string, number, (world: World) => Promise<unknown>][] = [
  [
    'belongs to a user who was made a member',
    403,
    async (world) =>
      setOrganizationLevel(world.metadata, (await membershipOf(world, world.ann)).id, LEVELS.member, 2000),
  ],
  [
    'belongs to a user who was removed from the organisation',
    404,
    async (world) => {
      const { id } = await membershipOf(world, world.ann)
      await world.metadata.deleteFrom('organization_members').where('id', '=', id).execute()
    },
  ],
]

const readAll = async (metadata: Metadata) => ({
  flags: await metadata.selectFrom('flags').select(['id', 'version']).execute(),
  cohorts: await metadata.selectFrom('cohorts').select(['id', 'version']).execute(),
  features: await metadata.selectFrom('early_access_features').select(['id']).execute(),
  surveys: await metadata.selectFrom('surveys').select(['id', 'version']).execute(),
  playlists: await metadata.selectFrom('playlists').select(['id', 'version']).execute(),
  settings: await metadata.selectFrom('flag_settings').select(['group_types']).execute(),
  keys: await metadata.selectFrom('personal_api_keys').select(['id', 'label', 'version']).execute(),
  members: await metadata.selectFrom('organization_members').select(['id', 'level', 'version']).execute(),
  projectMembers: await metadata.selectFrom('project_members').select(['id', 'level', 'version']).execute(),
  projects: await metadata.selectFrom('projects').select(['id', 'name', 'version']).execute(),
  organizations: await metadata.selectFrom('organizations').select(['name', 'version']).execute(),
  users: await metadata.selectFrom('users').select(['id', 'version']).execute(),
})

/** What a request needs besides its key: to be an administrator, a member, or nothing. */
type Need = 'administrator' | 'member' | 'nothing'
const LOSSES_OF: Readonly<Record<Need, typeof LOSSES>> = {
  administrator: [...LOSSES, ...LOST_LEVELS],
  member: [LOSSES[0]!, LOST_LEVELS[1]!],
  nothing: LOSSES,
}

const REQUESTS: readonly (readonly [Need, 'POST' | 'PATCH' | 'DELETE', string, (world: World) => object])[] = [
  ['nothing', 'POST', '/api/personal_api_keys/', () => ({ label: 'x', scopes: ['*'] })],
  ['nothing', 'PATCH', '/api/personal_api_keys/@current/', () => ({ label: 'x' })],
  ['nothing', 'PATCH', '/api/users/@me/', () => ({ first_name: 'x' })],
  ['administrator', 'POST', '/api/projects/', () => ({ name: 'x' })],
  ['administrator', 'PATCH', '/api/projects/1/', () => ({ name: 'x' })],
  ['administrator', 'PATCH', '/api/organizations/@current/', () => ({ name: 'x' })],
  ['administrator', 'PATCH', '/api/organizations/@current/members/<bob>/', () => ({ level: LEVELS.owner })],
  ['administrator', 'POST', '/api/projects/1/explicit_members/', ({ bob }) => ({ user_uuid: bob.user.uuid })],
  ['member', 'POST', '/api/projects/1/feature_flags/', () => ({ key: 'new', filters: { groups: [] } })],
  ['member', 'PATCH', '/api/projects/1/feature_flags/stored/', () => ({ active: false })],
  ['member', 'POST', '/api/projects/1/cohorts/', () => ({ name: 'All', filters: { properties: {} } })],
  ['member', 'POST', '/api/projects/1/early_access_feature/', () => ({ name: 'New' })],
  ['member', 'POST', '/api/projects/1/groups_types/', () => ({ group_type: 'company' })],
  ['member', 'POST', '/api/projects/1/surveys/', () => SURVEY],
  ['member', 'PATCH', '/api/projects/1/surveys/<survey>/', () => ({ name: 'Other' })],
  ['member', 'POST', '/api/projects/1/session_recording_playlists/', () => ({ name: 'x' })],
  ['member', 'PATCH', '/api/projects/1/session_recording_playlists/<playlist>/', () => ({ name: 'x' })],
]
const CASES = REQUESTS.flatMap(([need, method, path, bodyOf]) =>
  LOSSES_OF[need].map(([loss, status, lose]) => [method, path, loss, status, lose, bodyOf] as const),
)

test.each(CASES)('%s %s changes nothing if its key meanwhile %s', async (method, path, _, status, lose, bodyOf) => {
  const world = await open()
  let before: unknown
  world.during(async () => {
    await lose(world)
    before = await readAll(world.metadata)
  })
  const url = path
    .replace('<bob>', world.bob.user.uuid)
    .replace('<survey>', world.survey)
    .replace('<playlist>', world.playlist)
  const response = await world.ann.send(method, url, bodyOf(world))
  expect(response.status).toBe(status)
  expect(before).toBeDefined()
  expect(await readAll(world.metadata)).toEqual(before)
})

test.each([
  ['POST', '/api/projects/1/feature_flags/', { key: 'new', filters: { groups: [] } }],
  ['PATCH', '/api/projects/1/surveys/<survey>/', { name: 'Other' }],
  ['PATCH', '/api/projects/1/session_recording_playlists/<playlist>/', { name: 'Other' }],
] as const)('%s %s changes what it should when nothing is lost', async (method, path, body) => {
  const world = await open()
  const before = await readAll(world.metadata)
  const url = path.replace('<survey>', world.survey).replace('<playlist>', world.playlist)
  expect([200, 201]).toContain((await world.ann.send(method, url, body)).status)
  expect(await readAll(world.metadata)).not.toEqual(before)
})

test('changes no other project when @current has become another one meanwhile', async () => {
  const world = await open()
  const { id } = await createProject(world.metadata, 'Second', 2000)
  await world.metadata
    .updateTable('personal_api_keys')
    .set({ project_ids: `[1, ${id}]` })
    .where('id', '=', 2)
    .execute()
  world.during(() =>
    world.metadata
      .updateTable('personal_api_keys')
      .set({ project_ids: `[${id}, 1]` })
      .where('id', '=', 2)
      .execute(),
  )
  const before = await readAll(world.metadata)
  const flag = { key: 'new', filters: { groups: [] } }
  expect(await world.ann.send('POST', '/api/projects/@current/feature_flags/', flag)).toMatchObject({ status: 404 })
  expect(await readAll(world.metadata)).toEqual(before)
})
