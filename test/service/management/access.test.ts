import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ManagementRoute } from '../../../src/service/management/api.ts'
import { withDefaults } from '../../../src/service/config.ts'
import { SCOPES } from '../../../src/service/permission/scopes.ts'
import type { Grant } from '../../../src/service/permission/scopes.ts'
import { LEVELS } from '../../../src/service/permission/levels.ts'
import type { Level } from '../../../src/service/permission/levels.ts'
import { createPersonalApiKey, removePersonalApiKey } from '../../../src/service/store/metadata/keys.ts'
import type { NewPersonalApiKey } from '../../../src/service/store/metadata/keys.ts'
import {
  addOrganizationMember,
  findOrganizationMember,
} from '../../../src/service/store/metadata/organization-members.ts'
import { createOrganization } from '../../../src/service/store/metadata/organizations.ts'
import { addProjectMember } from '../../../src/service/store/metadata/project-members.ts'
import { createProject, updateProject } from '../../../src/service/store/metadata/projects.ts'
import { createUser } from '../../../src/service/store/metadata/users.ts'
import { openServiceForFile } from '../support/app.ts'
import { createSender, withManagement } from '../support/management.ts'
import type { ManagementResponse } from '../support/management.ts'

/**
 * Walks every route of the management API with every kind of key. The routes come from the route table, so a new route is walked
 * without a change here. Ids of items in paths are unknown and bodies are empty, so no request changes anything: a request that
 * is allowed gets a success, 400 for its body, or 404 for its item.
 */

const NOW = 1_800_000_000_000

const open = async () => {
  const config = withDefaults({ maxWrongKeysPerMinute: 100_000, maxKeyRequestsPerMinute: 100_000 })
  const { service, close } = await openServiceForFile({ config, now: () => NOW })
  const { addUser, metadata, project, app } = withManagement(service)
  const owner = await addUser('owner@shop.example', LEVELS.owner)
  const administrator = await addUser('administrator@shop.example', LEVELS.administrator)
  const member = await addUser('member@shop.example', LEVELS.member)
  const outsider = await addUser('outsider@shop.example', LEVELS.member)
  await updateProject(metadata, project.id, { isPrivate: true }, 1000)
  const membership = (await findOrganizationMember(metadata, project.organizationId, member.user.id))!
  await addProjectMember(metadata, { projectId: project.id, membershipId: membership.id, level: LEVELS.member }, 1000)
  const other = await createProject(metadata, 'Other', 1000)
  // Another organisation with its own owner. The owner of the first is a member, who sees both.
  const otherOrganization = await createOrganization(metadata, 'Elsewhere', 1000)
  await createProject(metadata, 'Elsewhere', 1000, { organizationId: otherOrganization.id })
  const stranger = await createUser(metadata, { email: 'stranger@elsewhere.example' }, 1000)
  const join = (userId: number, level: Level) =>
    addOrganizationMember(metadata, { organizationId: otherOrganization.id, userId, level }, 2000)
  await join(stranger.id, LEVELS.owner)
  await join(owner.user.id, LEVELS.member)
  const keyOf = (fields: Partial<NewPersonalApiKey>) =>
    createPersonalApiKey(metadata, { userId: owner.user.id, label: 'x', scopes: ['*'], now: 1000, ...fields })
  const revoked = await keyOf({})
  await removePersonalApiKey(metadata, revoked.id)
  return {
    app,
    close,
    project,
    routes: app.managementRoutes,
    keys: {
      owner: owner.key,
      administrator: administrator.key,
      member: member.key,
      outsider: outsider.key,
      expired: (await keyOf({ expiresAt: NOW })).key,
      revoked: revoked.key,
      otherProject: (await keyOf({ projectIds: [other.id] })).key,
      stranger: (await keyOf({ userId: stranger.id })).key,
      otherOrganization: (await keyOf({ organizationIds: [otherOrganization.id] })).key,
      ofProject: (await keyOf({ projectIds: [project.id] })).key,
      ofOrganization: (await keyOf({ organizationIds: [project.organizationId] })).key,
      ofBoth: (await keyOf({ projectIds: [project.id], organizationIds: [project.organizationId] })).key,
    },
    keyWithout: async (scope: string) => (await keyOf({ scopes: SCOPES.filter((each) => each !== scope) })).key,
    keyWith: async (scope: Grant) => (await keyOf({ scopes: [scope] })).key,
  }
}

type World = Awaited<ReturnType<typeof open>>
let world: World
beforeAll(async () => {
  world = await open()
})
afterAll(() => world.close())

/** The path of a route, with the project and the organisation of the test and unknown items. */
const pathOf = ({ url }: ManagementRoute): string =>
  url
    .replace(':project_id', String(world.project.id))
    .replace(':organization_id', world.project.organizationId)
    .replaceAll(/:\w+/g, 'missing')

const send = (route: ManagementRoute, key?: string): Promise<ManagementResponse> => {
  const method = route.method as 'GET'
  const body = ['POST', 'PATCH', 'PUT'].includes(method) ? {} : undefined
  return createSender(world.app, key)(method, pathOf(route), body)
}

/**
 * Whether the request got past the checks of its key; without that, even an unknown item is not looked up. The route that
 * deletes playlists then answers 405.
 */
const isAllowed = ({ status, body }: ManagementResponse): boolean =>
  status < 300 ||
  status === 400 ||
  status === 405 ||
  (status === 404 && !String(body.detail).includes('personal API key may see'))

const securedRoutes = () =>
  world.routes.flatMap(({ access, ...route }) => (access.kind === 'personalKey' ? [{ ...route, access }] : []))

const expectEach = async (
  routes: readonly ManagementRoute[],
  key: string | undefined,
  expected: (response: ManagementResponse) => unknown,
): Promise<void> => {
  expect(routes.length).toBeGreaterThan(0)
  for (const route of routes) {
    const at = `${route.method} ${route.url}`
    expect([at, expected(await send(route, key))]).toEqual([at, true])
  }
}

const isError = (status: number, code: string) => (response: ManagementResponse) =>
  (response.status === status && response.body.code === code && typeof response.body.detail === 'string') ||
  `${response.status} ${JSON.stringify(response.body)}`

/** The answer that is the same for a place that does not exist and for one that the key may not see. */
const isHidden = (response: ManagementResponse) =>
  isAllowed(response) ? 'allowed' : isError(404, 'not_found')(response)

test('walks all routes of the service', () => {
  const urls = world.routes.map(({ method, url }) => `${method} ${url}`)
  expect(new Set(urls).size).toBe(urls.length)
  for (const url of [
    'GET /api/projects/',
    'POST /api/environments/:project_id/query/',
    'GET /api/environments/:project_id/query/:id/',
    'DELETE /api/projects/:project_id/query/:id/',
    'POST /api/projects/:project_id/query/check_auth_for_async/',
    'DELETE /api/projects/:project_id/surveys/:id/',
    'PATCH /api/organizations/:organization_id/members/:user__uuid/',
    'DELETE /api/personal_api_keys/:id/',
  ])
    expect(urls).toContain(url)
})

describe('every route with a personal API key', () => {
  test.each([
    ['no key', undefined, 'not_authenticated'],
    ['an unknown key', 'wmx_unknown', 'invalid_personal_api_key'],
    ['an expired key', 'expired', 'expired_personal_api_key'],
    ['a revoked key', 'revoked', 'invalid_personal_api_key'],
  ] as const)('answers 401 to %s', async (_what, name, code) => {
    const key = name === 'expired' || name === 'revoked' ? world.keys[name] : name
    await expectEach(securedRoutes(), key, (response) => {
      const result = isError(401, code)(response)
      return response.headers['www-authenticate'] === 'Bearer' ? result : 'without WWW-Authenticate'
    })
  })

  test('answers 403 to a key without the scope, and names it', async () => {
    for (const scope of new Set(securedRoutes().map(({ access }) => access.scope))) {
      const routes = securedRoutes().filter(({ access }) => access.scope === scope)
      await expectEach(routes, await world.keyWithout(scope), (response) => {
        const isNamed = String(response.body?.detail).includes(`"${scope}"`)
        return isNamed ? isError(403, 'permission_denied')(response) : JSON.stringify(response.body)
      })
    }
  })

  test('needs no other scope than its own', async () => {
    for (const scope of new Set(securedRoutes().map(({ access }) => access.scope))) {
      const routes = securedRoutes().filter(({ access }) => access.scope === scope)
      await expectEach(routes, await world.keyWith(scope), isAllowed)
    }
  })

  test('answers 404 when the key may not see the project', async () => {
    const routes = securedRoutes().filter(({ url }) => url.includes(':project_id'))
    const { otherProject, otherOrganization, outsider, stranger } = world.keys
    for (const key of [otherProject, otherOrganization, outsider, stranger]) await expectEach(routes, key, isHidden)
  })

  test('answers 404 when the key may not see the organisation', async () => {
    const routes = securedRoutes().filter(({ url }) => url.includes(':organization_id'))
    for (const key of [world.keys.otherOrganization, world.keys.stranger]) await expectEach(routes, key, isHidden)
  })

  test('shows nothing of an organisation in the lists of another one', async () => {
    const routes = securedRoutes().filter(({ method, url }) => method === 'GET' && !url.includes(':'))
    for (const key of [world.keys.otherOrganization, world.keys.stranger])
      await expectEach(routes, key, ({ status, body }) => {
        const { apiKey, organizationId } = world.project
        const secrets = [apiKey, organizationId, 'administrator@shop.example', 'member@shop.example']
        return status === 200 && secrets.every((secret) => !JSON.stringify(body).includes(secret))
      })
  })

  test('lets a key that is limited to a project change nothing outside of it, but keys', async () => {
    const isRefused = ({ access: { scope }, url }: ReturnType<typeof securedRoutes>[number]): boolean =>
      scope.endsWith(':write') && !url.includes(':project_id') && scope !== 'personal_api_key:write'
    for (const key of [world.keys.ofProject, world.keys.ofBoth]) {
      const routes = securedRoutes()
      await expectEach(routes.filter(isRefused), key, isError(403, 'permission_denied'))
      await expectEach(
        routes.filter((route) => !isRefused(route)),
        key,
        isAllowed,
      )
    }
  })

  test('lets a key that is limited to an organisation do everything there', async () => {
    await expectEach(securedRoutes(), world.keys.ofOrganization, isAllowed)
  })

  test('lets members do what needs no higher level', async () => {
    const [open, restricted] = [[] as ManagementRoute[], [] as ManagementRoute[]]
    for (const route of securedRoutes()) ((route.access.level ?? 1) > 1 ? restricted : open).push(route)
    await expectEach(open, world.keys.member, isAllowed)
    await expectEach(restricted, world.keys.member, isError(403, 'permission_denied'))
  })

  test.each(['administrator', 'owner'] as const)('lets an %s do everything', async (name) => {
    await expectEach(securedRoutes(), world.keys[name], isAllowed)
  })
})

test('every other route needs no personal API key', async () => {
  const routes = world.routes.filter(({ access }) => access.kind !== 'personalKey')
  await expectEach(routes, undefined, ({ status, body }) => status === 200 || body.code === 'missing_api_key')
})

/** The resources that have a route for DELETE, which refuses it. */
const REFUSES_DELETE = /_playlists\/|\/insights\/|\/dashboards\//

test('every path answers 405 to other methods, with those that it allows', async () => {
  const methodsByUrl = new Map<string, string[]>()
  for (const { method, url } of world.routes) methodsByUrl.set(url, [...(methodsByUrl.get(url) ?? []), method])
  for (const [url, methods] of methodsByUrl)
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      if (methods.includes(method)) continue
      const response = await send({ method, url, access: { kind: 'public' } })
      const allowed = String(response.headers['allow']).split(', ')
      const expected = methods.filter((each) => !(each === 'DELETE' && REFUSES_DELETE.test(url)))
      expect([method, url, response.status, allowed.sort()]).toEqual([method, url, 405, expected.sort()])
    }
})

// API: "All management paths end with a trailing slash when called. `:project_id` is a string path parameter in every management
// path."
test('every path can be called with and without its last slash', async () => {
  for (const route of securedRoutes().filter(({ method }) => method === 'GET')) {
    const path = pathOf(route)
    const bare = path.replace(/\/$/, '')
    const request = createSender(world.app, world.keys.owner)
    const [withSlash, without] = [await request('GET', `${bare}/`), await request('GET', bare)]
    expect([bare, without.status, without.body]).toEqual([bare, withSlash.status, withSlash.body])
  }
})
