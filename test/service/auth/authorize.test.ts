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
import { openManagement } from '../support/management.ts'

/** What happens to the caller between the check of the key and the change: a large body takes seconds to decode. */

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
  return {
    ...management,
    ann,
    bob,
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
  keys: await metadata.selectFrom('personal_api_keys').select(['id', 'label', 'version']).execute(),
  members: await metadata.selectFrom('organization_members').select(['id', 'level', 'version']).execute(),
  projectMembers: await metadata.selectFrom('project_members').select(['id', 'level', 'version']).execute(),
  projects: await metadata.selectFrom('projects').select(['id', 'name', 'version']).execute(),
  organizations: await metadata.selectFrom('organizations').select(['name', 'version']).execute(),
  users: await metadata.selectFrom('users').select(['id', 'version']).execute(),
})

const REQUESTS: readonly (readonly ['POST' | 'PATCH', string, (world: World) => object])[] = [
  ['POST', '/api/personal_api_keys/', () => ({ label: 'x', scopes: ['*'] })],
  ['PATCH', '/api/personal_api_keys/@current/', () => ({ label: 'x' })],
  ['PATCH', '/api/users/@me/', () => ({ first_name: 'x' })],
  ['POST', '/api/projects/', () => ({ name: 'x' })],
  ['PATCH', '/api/projects/1/', () => ({ name: 'x' })],
  ['PATCH', '/api/organizations/@current/', () => ({ name: 'x' })],
  ['PATCH', '/api/organizations/@current/members/<bob>/', () => ({ level: LEVELS.owner })],
  ['POST', '/api/projects/1/explicit_members/', ({ bob }) => ({ user_uuid: bob.user.uuid })],
]
// The first three need no level.
const CASES = REQUESTS.flatMap(([method, path, bodyOf], index) =>
  [...LOSSES, ...(index < 3 ? [] : LOST_LEVELS)].map(
    ([loss, status, lose]) => [method, path, loss, status, lose, bodyOf] as const,
  ),
)

test.each(CASES)('%s %s changes nothing if its key meanwhile %s', async (method, path, _, status, lose, bodyOf) => {
  const world = await open()
  let before: unknown
  world.during(async () => {
    await lose(world)
    before = await readAll(world.metadata)
  })
  const response = await world.ann.send(method, path.replace('<bob>', world.bob.user.uuid), bodyOf(world))
  expect(response.status).toBe(status)
  expect(before).toBeDefined()
  expect(await readAll(world.metadata)).toEqual(before)
})
