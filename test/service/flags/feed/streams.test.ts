import { connect } from 'node:net'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { deleteFlag, pauseFlags, setFlags } from '../../../../src/service/flags/definitions/change-flags.ts'
import { createFeed } from '../../../../src/service/flags/feed/feed.ts'
import type { FlagSet, FlagSets } from '../../../../src/service/flags/definitions/flag-sets.ts'
import { createStreams } from '../../../../src/service/flags/feed/streams.ts'
import { connectMetadata, openMetadata } from '../../../../src/service/store/metadata/open.ts'
import { LEVELS } from '../../../../src/service/permission/levels.ts'
import { updateProject } from '../../../../src/service/store/metadata/projects.ts'
import { removeUser } from '../../../../src/service/store/metadata/users.ts'
import { expectWithin } from '../../../support/expect-within.ts'
import { until } from '../../../support/until.ts'
import { openApp, OWNER_ID } from '../../support/app.ts'
import { openEventStream } from '../../support/event-stream.ts'
import { createTestSource } from '../../support/open-test-metadata.ts'

const flag = (key: string) => ({ key, filters: { groups: [{}] } })

const openStreamingApp = async () => {
  const bed = await openApp({ now: Date.now })
  const url = await bed.app.listen({ host: '127.0.0.1', port: 0 })
  await setFlags(bed.metadata, bed.project.id, flag('a'), 1)
  const path = `${url}/flags/stream?token=${bed.project.apiKey}`
  const open = (headers: Record<string, string> = {}) =>
    openEventStream(path, { authorization: `Bearer ${bed.personalApiKey}`, ...headers })
  const change = async (key: string): Promise<void> => {
    await setFlags(bed.metadata, bed.project.id, flag(key), 2)
    await bed.flagSets.reload(bed.project.id)
  }
  return { ...bed, url, open, change }
}

const keysOf = (event: Awaited<ReturnType<Awaited<ReturnType<typeof openEventStream>>['next']>>): string[] =>
  event!.data.flags.map(({ key }) => key)

test('pushes the definitions and each change at once, in the form of the feed', async () => {
  const { open, change, url, project, personalApiKey } = await openStreamingApp()
  const stream = await open({ origin: 'https://shop.example' })
  expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  expect(stream.headers.get('access-control-allow-origin')).toBe('*')
  expect(keysOf(await stream.next())).toEqual(['a'])
  await change('b')
  const changed = await stream.next()
  expect(keysOf(changed)).toEqual(['a', 'b'])
  expect(changed!.event).toBe('definitions')
  const feed = await fetch(`${url}/flags/definitions?token=${project.apiKey}`, {
    headers: { authorization: `Bearer ${personalApiKey}` },
  })
  expect([feed.headers.get('etag'), await feed.json()]).toEqual([changed!.id, changed!.data])
})

test('sends only later changes to a reader with the latest definitions', async () => {
  const { open, change } = await openStreamingApp()
  const first = await (await open()).next()
  const again = await open({ 'last-event-id': first!.id })
  await change('b')
  expect(keysOf(await again.next())).toEqual(['a', 'b'])
  const old = await open({ 'last-event-id': first!.id })
  expect(keysOf(await old.next())).toEqual(['a', 'b'])
})

test('pushes and serves changes by another node within a second', async () => {
  const source = await createTestSource()
  const [metadata, otherMetadata] = [await openMetadata(source), connectMetadata(source)]
  const here = await openApp({ metadata, now: Date.now })
  const there = await openApp({ metadata: otherMetadata, now: Date.now })
  await setFlags(metadata, here.project.id, flag('a'), 1)
  const url = await here.app.listen({ host: '127.0.0.1', port: 0 })
  const stream = await openEventStream(`${url}/flags/stream`, { authorization: `Bearer ${here.personalApiKey}` })
  await stream.next()
  const decideKeys = async ({ app }: typeof here): Promise<string[]> => {
    const payload = { api_key: here.project.apiKey, distinct_id: 'u' }
    const response = await app.inject({ method: 'POST', url: '/decide?v=3', payload })
    return Object.keys(response.json().featureFlags)
  }
  expect([await decideKeys(here), await decideKeys(there)]).toEqual([['a'], ['a']])

  const keys = ['a']
  await expectWithin(1000, async (attempt) => {
    keys.push(`b${attempt}`)
    const changedAt = Date.now()
    await setFlags(there.metadata, here.project.id, flag(keys.at(-1)!), 2)
    expect(keysOf(await stream.next())).toEqual(keys)
    for (const node of [here, there])
      await until(
        () => decideKeys(node),
        (decided) => decided.length === keys.length,
        30_000,
        10,
      )
    return Date.now() - changedAt
  })

  await deleteFlag(there.metadata, here.project.id, 'a')
  expect(keysOf(await stream.next())).toEqual(keys.slice(1))
})

test('ends a stream when flags are paused', async () => {
  const { open, metadata, project, flagSets } = await openStreamingApp()
  const stream = await open()
  await stream.next()
  await pauseFlags(metadata, project.id, true)
  await flagSets.reload(project.id)
  expect(await stream.next()).toBeUndefined()
})

test.each<[string, (bed: Awaited<ReturnType<typeof openStreamingApp>>) => Promise<unknown>]>([
  ['is revoked', ({ metadata }) => metadata.deleteFrom('personal_api_keys').execute()],
  ['has expired', ({ metadata }) => metadata.updateTable('personal_api_keys').set({ expires_at: 1 }).execute()],
  [
    'loses the scope',
    ({ metadata }) => metadata.updateTable('personal_api_keys').set({ scopes: '["query:read"]' }).execute(),
  ],
  [
    'is limited to other projects',
    ({ metadata }) => metadata.updateTable('personal_api_keys').set({ project_ids: '[7]' }).execute(),
  ],
  ['loses its user', ({ metadata }) => removeUser(metadata, OWNER_ID)],
  ['belongs to a user who left', ({ metadata }) => metadata.deleteFrom('organization_members').execute()],
  [
    'belongs to a user to whom the project was closed',
    async ({ metadata, project }) => {
      await metadata.updateTable('organization_members').set({ level: LEVELS.member }).execute()
      await updateProject(metadata, project.id, { isPrivate: true }, 2)
    },
  ],
])('ends a stream within a second when its key %s', async (_, lose) => {
  await expectWithin(1000, async () => {
    const bed = await openStreamingApp()
    const [stream, other] = [await bed.open(), await bed.open()]
    await stream.next()
    await other.next()
    const lostAt = Date.now()
    await lose(bed)
    expect(await stream.next()).toBeUndefined()
    expect(await other.next()).toBeUndefined()
    const delayMs = Date.now() - lostAt
    expect([401, 403, 404]).toContain((await bed.open()).status)
    return delayMs
  })
})

test('keeps a stream whose key may still read the definitions', async () => {
  const { open, change, metadata } = await openStreamingApp()
  const stream = await open()
  await stream.next()
  await metadata.updateTable('personal_api_keys').set({ scopes: '["feature_flag:read"]' }).execute()
  // Longer than the interval of the checks.
  await new Promise((resolve) => setTimeout(resolve, 1100))
  await change('b')
  expect(keysOf(await stream.next())).toEqual(['a', 'b'])
})

test('ends streams when the service stops, even if a reader does not read', async () => {
  const { open, app, url, project, personalApiKey, metadata, flagSets } = await openStreamingApp()
  const stream = await open()
  await stream.next()
  const idle = connect(Number(new URL(url).port), '127.0.0.1')
  idle.pause()
  idle.on('error', () => {})
  idle.write(
    `GET /flags/stream?token=${project.apiKey} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${personalApiKey}\r\n\r\n`,
  )
  // In total more than the buffers of both sockets can hold.
  const padding = 'x'.repeat(500_000)
  for (let size = 0; size < 30; size++) {
    await setFlags(metadata, project.id, { ...flag('a'), name: `${size}${padding}` }, 2)
    await flagSets.reload(project.id)
    await stream.next()
  }
  const stoppedAt = Date.now()
  await app.close()
  expect(Date.now() - stoppedAt).toBeLessThan(5000)
  expect(await stream.next()).toBeUndefined()
  idle.destroy()
})

test('releases readers that have disconnected', async () => {
  const { open, app, url, project, personalApiKey } = await openStreamingApp()
  await (await open()).next()
  const connections = (): Promise<number> =>
    new Promise((resolve, reject) =>
      app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    )
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(
    `GET /flags/stream?token=${project.apiKey} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${personalApiKey}\r\n\r\n`,
  )
  await new Promise((resolve) => socket.once('data', resolve))
  expect(await connections()).toBe(2)
  socket.destroy()
  await until(connections, (count) => count === 1)
})

/** Flag sets that a test changes by calling `notify`. */
const manualFlagSets = () => {
  const listeners = new Set<(set: FlagSet) => void>()
  const setOf = (...keys: string[]): FlagSet => ({
    revision: 1,
    flags: [],
    isPaused: false,
    findRequiredData: () => [],
    minimalFlagCalledEvents: false,
    feed: createFeed({ flags: keys.map((key, id) => ({ id, key, active: true, filters: { groups: [] } })) }),
  })
  const flagSets: FlagSets = {
    get: () => Promise.resolve(setOf()),
    reload: () => Promise.resolve(),
    watch: (_projectId, listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const onError = (error: unknown): void => {
    throw error
  }
  return {
    flagSets,
    setOf,
    onError,
    listeners,
    notify: (set: FlagSet) => listeners.forEach((listener) => listener(set)),
  }
}

/** What a key that is never revoked allows. */
const access = { projectId: 1, keyId: 1, checkAgain: () => Promise.resolve(), hold: () => () => {} }

test('spreads the reconnection delay of readers over half a second to one and a half', () => {
  const { flagSets, setOf, onError } = manualFlagSets()
  const randoms = [0, 0.5, 1]
  const streams = createStreams({ flagSets, onError, random: () => randoms.shift()! })
  const retries = [1, 2, 3].map(() => {
    const out = new PassThrough({ encoding: 'utf8' })
    streams.open({ ...access, set: setOf('a'), withCohorts: true, lastEventId: undefined, begin: () => out })
    return /^retry: (\d+)\n\n/.exec(out.read())![1]
  })
  streams.close()
  expect(retries).toEqual(['500', '1000', '1500'])
})

test('sends only real changes, heartbeats in between, and limits streams', async () => {
  const { flagSets, setOf, onError, listeners, notify } = manualFlagSets()
  const streams = createStreams({ flagSets, onError, maxPerProject: 1, heartbeatMs: 20, random: () => 0 })
  const out = new PassThrough()
  const request = { ...access, set: setOf('a'), withCohorts: true, lastEventId: undefined, begin: () => out }
  streams.open(request)
  notify(setOf('a'))
  notify(setOf('b'))
  let output = ''
  out.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  await until(
    () => output,
    (all) => all.endsWith(':\n\n:\n\n'),
  )
  expect(output).toMatch(
    /^retry: 500\n\nid: .*\nevent: definitions\ndata: .*\n\nid: .*\nevent: definitions\ndata: .*\n\n(:\n\n)+$/,
  )
  expect(() => streams.open(request)).toThrow(expect.objectContaining({ status: 429, retryAfterSeconds: 30 }))
  streams.open({ ...request, projectId: 2, begin: () => new PassThrough() })
  out.destroy()
  await until(
    () => listeners.size,
    (size) => size === 1,
  )
  streams.open({ ...request, begin: () => new PassThrough() })
  streams.close()
  expect(() => streams.open({ ...request, projectId: 3 })).toThrow(expect.objectContaining({ status: 503 }))
})
