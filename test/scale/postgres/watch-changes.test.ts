import { expect, inject, onTestFinished, test } from 'vitest'
import { createProjectAuthenticator } from '../../../src/service/auth/project-authenticator.ts'
import { setFlags } from '../../../src/service/flags/definitions/change-flags.ts'
import { createFlagSets } from '../../../src/service/flags/definitions/flag-sets.ts'
import { openMetadata } from '../../../src/service/store/metadata/open.ts'
import { createProject } from '../../../src/service/store/metadata/projects.ts'
import { saveSurvey } from '../../../src/service/store/metadata/surveys.ts'
import { watchMetadata } from '../../../src/service/store/metadata/watch-changes.ts'
import { createSurveyCache } from '../../../src/service/survey/survey-cache.ts'
import { parseKeys } from '../../service/support/service-process.ts'
import { createTempFolder } from '../../service/support/temp-folder.ts'
import { createEmptyDatabase } from '../support/create-empty-database.ts'
import { queryPostgres } from '../support/query-postgres.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { startOnPostgres } from '../support/start-on-postgres.ts'

/** A second: the time within which all nodes know of a change. */
const SOON = { timeout: 1000 }

const FLAG = { key: 'new', filters: { groups: [{}] } }

/** The caches of a node, whose clock stands still, so that they expire only by what the node is told. */
const openNode = async (source: Parameters<typeof openMetadata>[0]) => {
  const metadata = await openMetadata(source)
  const changes = watchMetadata(source)
  onTestFinished(() => metadata.destroy())
  onTestFinished(changes.close)
  const parts = { metadata, watchChanges: changes.watch, now: () => 0, onError: () => undefined }
  const connected = new Promise<void>((resolve) => changes.watch((id) => void (id === null && resolve())))
  const flagSets = createFlagSets(parts)
  const surveys = createSurveyCache(parts)
  const authenticate = createProjectAuthenticator(metadata, changes.watch)
  await connected
  return {
    metadata,
    flags: async () => (await flagSets.get(1)).flags.map(({ key }) => key),
    surveys: () => surveys.listJson(1),
    authenticate: (key: string) => authenticate(key, 0),
  }
}

test('a node learns of changes by others from PostgreSQL alone', async () => {
  const source = await createEmptyDatabase()
  const node = await openNode(source)
  const other = await openMetadata(source)
  onTestFinished(() => other.destroy())
  const { apiKey } = await createProject(other, 'Shop', 0)
  expect([await node.flags(), await node.surveys()]).toEqual([[], expect.stringContaining('"surveys":[]')])
  await node.authenticate(apiKey)

  await setFlags(other, 1, FLAG, 0)
  await expect.poll(node.flags, SOON).toEqual(['new'])
  await other.transaction().execute((transaction) => saveSurvey(transaction, 1, 'a', { name: 'NPS' } as never, 0))
  await expect.poll(node.surveys, SOON).toContain('NPS')
  await other.updateTable('projects').set({ api_key: 'wm_other' }).execute()
  await expect.poll(() => node.authenticate(apiKey).catch(String), SOON).toContain('No project has this API key')
})

test('a node reads what changed while its connection was away', async () => {
  const server = await startPostgres(inject('postgresPackage')!)
  onTestFinished(() => server.remove())
  const source = await createEmptyDatabase(server.url)
  const node = await openNode(source)
  await createProject(node.metadata, 'Shop', 0)
  expect(await node.flags()).toEqual([])
  await server.stop()
  await server.start()
  // Before the node listens again.
  await queryPostgres(source.url, 'alter table flag_settings disable trigger all')
  const other = await openMetadata(source)
  await setFlags(other, 1, FLAG, 0)
  await other.destroy()
  await expect.poll(node.flags, { timeout: 3000 }).toEqual(['new'])
})

test('a flag that one service changes is decided by another within a second', async () => {
  const { url } = await createEmptyDatabase()
  const first = await startOnPostgres(createTempFolder(), url)
  const { apiKey, personalApiKey } = parseKeys(first.output())
  // As if their events were in a store that both share.
  await queryPostgres(url, 'delete from inbox_mark')
  const second = await startOnPostgres(createTempFolder(), url)
  const decide = async () => {
    const response = await fetch(`${second.url}/decide?v=3`, {
      method: 'POST',
      body: JSON.stringify({ api_key: apiKey, distinct_id: 'ada' }),
    })
    return (await response.json()).featureFlags
  }
  const change = async (method: string, path: string, body: object): Promise<number> => {
    const response = await fetch(`${first.url}/api/projects/1/${path}`, {
      method,
      headers: { authorization: `Bearer ${personalApiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return response.status
  }
  expect(await decide()).toEqual({})
  expect(await change('POST', 'feature_flags/', FLAG)).toBe(201)
  await expect.poll(decide, SOON).toEqual({ new: true })
  expect(await change('PATCH', 'feature_flags/new/', { active: false })).toBe(200)
  await expect.poll(decide, SOON).toEqual({ new: false })
})
