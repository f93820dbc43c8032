import { randomUUID } from 'node:crypto'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createProjectAuthenticator } from '../../../src/service/auth/project-authenticator.ts'
import { setFlags } from '../../../src/service/flags/definitions/change-flags.ts'
import { createFlagSets } from '../../../src/service/flags/definitions/flag-sets.ts'
import { openMetadata } from '../../../src/service/store/metadata/open.ts'
import { createProject } from '../../../src/service/store/metadata/projects.ts'
import { saveSurvey } from '../../../src/service/store/metadata/surveys.ts'
import { watchMetadata } from '../../../src/service/store/metadata/watch-changes.ts'
import { createSurveyCache } from '../../../src/service/survey/survey-cache.ts'
import { createEmptyDatabase } from '../support/create-empty-database.ts'
import { queryPostgres } from '../support/query-postgres.ts'
import { startRelay } from '../support/start-relay.ts'
import { startPostgres } from '../support/postgres-server.mjs'

/** All nodes know of a change within a second; a busy machine needs longer. */
const SOON = { timeout: 5_000 }

const FLAG = { key: 'new', filters: { groups: [{}] } }

/** The caches of a node, whose clock stands still, so that they expire only by what the node is told. */
const openNode = async (source: Parameters<typeof openMetadata>[0]) => {
  const metadata = await openMetadata(source)
  const changes = watchMetadata(source, randomUUID())
  onTestFinished(() => metadata.destroy())
  onTestFinished(changes.close)
  const parts = { metadata, watchChanges: changes.watch, now: () => 0, onError: () => undefined }
  const connected = new Promise<void>((resolve) => changes.watch((id) => void (id === null && resolve())))
  const flagSets = createFlagSets(parts)
  const surveys = createSurveyCache(parts)
  const authenticate = createProjectAuthenticator(metadata, () => {}, changes.watch)
  await connected
  return {
    metadata,
    flags: async () => (await flagSets.get(1)).flags.map(({ key }) => key),
    surveys: () => surveys.listJson(1),
    authenticate: (key: string) => authenticate(key, 0, '192.0.2.1'),
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
  const source = await createEmptyDatabase()
  const relay = await startRelay(source.url)
  const node = await openNode({ ...source, url: relay.url })
  const other = await openMetadata(source)
  onTestFinished(() => other.destroy())
  await createProject(other, 'Shop', 0)
  expect(await node.flags()).toEqual([])
  relay.cut()
  await setFlags(other, 1, FLAG, 0)
  relay.restore()
  await expect.poll(node.flags).toEqual(['new'])
})

test('one process at a time has a node id, also after the server was restarted', async () => {
  const server = await startPostgres(inject('postgresPackage')!)
  onTestFinished(() => server.remove())
  const source = await createEmptyDatabase(server.url)
  const nodeId = randomUUID()
  const watch = (id: string) => {
    const changes = watchMetadata(source, id)
    onTestFinished(changes.close)
    return changes
  }
  const first = watch(nodeId)
  expect(await first.claim(5000)).toBe(true)
  expect(await watch(randomUUID()).claim(5000)).toBe(true)
  const copy = watch(nodeId)
  expect(await copy.claim(5000)).toBe(false)
  await first.close()
  expect(await copy.claim(5000)).toBe(true)

  await server.stop()
  await server.start()
  const isHeld = async () => {
    const [row] = await queryPostgres(
      source.url,
      "select count(*)::int as count from pg_locks where locktype = 'advisory'",
    )
    return row
  }
  await expect.poll(isHeld, { timeout: 10_000 }).toEqual({ count: 2 })
  expect(await watch(nodeId).claim(5000)).toBe(false)
})

test('nothing is refused while the server is away', async () => {
  const changes = watchMetadata({ url: 'postgres://nobody@127.0.0.1:9/none', passwordFile: null }, randomUUID())
  onTestFinished(changes.close)
  expect(await changes.claim(200)).toBe(true)
})
