import { connect } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { deleteFlag, pauseFlags, setFlags } from '../../../../src/service/flags/definitions/change-flags.ts'
import { createFeed } from '../../../../src/service/flags/feed/feed.ts'
import type { FlagSet, FlagSets } from '../../../../src/service/flags/definitions/flag-sets.ts'
import { createStreams } from '../../../../src/service/flags/feed/streams.ts'
import { connectMetadata, openMetadata } from '../../../../src/service/store/metadata/open.ts'
import { until } from '../../../support/until.ts'
import { openApp } from '../../support/app.ts'
import { openEventStream } from '../../support/event-stream.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const flag = (key: string) => ({ key, filters: { groups: [{}] } })

const openNode = async () => {
  const bed = await openApp({ now: Date.now })
  const url = await bed.app.listen({ host: '127.0.0.1', port: 0 })
  await setFlags(bed.metadata, bed.project.id, flag('a'), 1)
  const path = `${url}/flags/stream?token=${bed.project.apiKey}`
  const open = (headers: Record<string, string> = {}) =>
    openEventStream(path, { authorization: `Bearer ${bed.key}`, ...headers })
  const change = async (key: string): Promise<void> => {
    await setFlags(bed.metadata, bed.project.id, flag(key), 2)
    await bed.flagSets.changed(bed.project.id)
  }
  return { ...bed, url, open, change }
}

const keysOf = (event: Awaited<ReturnType<Awaited<ReturnType<typeof openEventStream>>['next']>>): string[] =>
  event!.data.flags.map(({ key }) => key)

test('pushes the definitions at once and each change as soon as it is made, in the form of the feed', async () => {
  const { open, change, url, project, key } = await openNode()
  const stream = await open({ origin: 'https://shop.example' })
  expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  expect(stream.headers.get('access-control-allow-origin')).toBe('*')
  expect(keysOf(await stream.next())).toEqual(['a'])
  await change('b')
  const changed = await stream.next()
  expect(keysOf(changed)).toEqual(['a', 'b'])
  expect(changed!.event).toBe('definitions')
  const feed = await fetch(`${url}/flags/definitions?token=${project.apiKey}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  expect([feed.headers.get('etag'), await feed.json()]).toEqual([changed!.id, changed!.data])
})

test('sends nothing to a reader that comes back with the newest definitions, but what changes then', async () => {
  const { open, change } = await openNode()
  const first = await (await open()).next()
  const again = await open({ 'last-event-id': first!.id })
  await change('b')
  expect(keysOf(await again.next())).toEqual(['a', 'b'])
  const old = await open({ 'last-event-id': first!.id })
  expect(keysOf(await old.next())).toEqual(['a', 'b'])
})

test('pushes within a second what another node changes in the same metadata, and serves it', async () => {
  const file = join(tempFolder(), 'metadata.sqlite')
  const [metadata, otherMetadata] = [await openMetadata(file), connectMetadata(file)]
  const here = await openApp({ metadata, now: Date.now })
  const there = await openApp({ metadata: otherMetadata, now: Date.now })
  await setFlags(metadata, here.project.id, flag('a'), 1)
  const url = await here.app.listen({ host: '127.0.0.1', port: 0 })
  const stream = await openEventStream(`${url}/flags/stream`, { authorization: `Bearer ${here.key}` })
  await stream.next()
  const decided = async ({ app }: typeof here): Promise<string[]> => {
    const payload = { api_key: here.project.apiKey, distinct_id: 'u' }
    const answer = await app.inject({ method: 'POST', url: '/decide?v=3', payload })
    return Object.keys(answer.json().featureFlags)
  }
  expect([await decided(here), await decided(there)]).toEqual([['a'], ['a']])

  const changedAt = Date.now()
  await setFlags(there.metadata, here.project.id, flag('b'), 2)
  expect(keysOf(await stream.next())).toEqual(['a', 'b'])
  for (const node of [here, there])
    await until(
      () => decided(node),
      (keys) => keys.length === 2,
      1000,
      10,
    )
  expect(Date.now() - changedAt).toBeLessThan(1000)

  await deleteFlag(there.metadata, here.project.id, 'a')
  expect(keysOf(await stream.next())).toEqual(['b'])
})

test('ends when the flags are paused', async () => {
  const { open, metadata, project, flagSets } = await openNode()
  const stream = await open()
  await stream.next()
  await pauseFlags(metadata, project.id, true)
  await flagSets.changed(project.id)
  expect(await stream.next()).toBeUndefined()
})

test('ends at once when the service stops, also for a reader that does not read', async () => {
  const { open, app, url, project, key, metadata, flagSets } = await openNode()
  const stream = await open()
  await stream.next()
  const idle = connect(Number(new URL(url).port), '127.0.0.1')
  idle.pause()
  idle.on('error', () => {})
  idle.write(`GET /flags/stream?token=${project.apiKey} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`)
  // Together more than the buffers of both sockets hold.
  const padding = 'x'.repeat(500_000)
  for (let size = 0; size < 30; size++) {
    await setFlags(metadata, project.id, { ...flag('a'), name: `${size}${padding}` }, 2)
    await flagSets.changed(project.id)
    await stream.next()
  }
  const stoppedAt = Date.now()
  await app.close()
  expect(Date.now() - stoppedAt).toBeLessThan(5000)
  expect(await stream.next()).toBeUndefined()
  idle.destroy()
})

test('lets go of readers that have gone', async () => {
  const { open, app, url, project, key } = await openNode()
  await (await open()).next()
  const connections = (): Promise<number> =>
    new Promise((resolve, reject) =>
      app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    )
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(`GET /flags/stream?token=${project.apiKey} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`)
  await new Promise((resolve) => socket.once('data', resolve))
  expect(await connections()).toBe(2)
  socket.destroy()
  await until(connections, (count) => count === 1)
})

/** Sets of flags that a test changes. */
const heldSets = () => {
  const listeners = new Set<(set: FlagSet) => void>()
  const setOf = (...keys: string[]): FlagSet => ({
    revision: 1,
    flags: [],
    isPaused: false,
    needs: () => [],
    minimalFlagCalledEvents: false,
    feed: createFeed({ flags: keys.map((key, id) => ({ id, key, active: true, filters: { groups: [] } })) }),
  })
  const flagSets: FlagSets = {
    of: () => Promise.resolve(setOf()),
    changed: () => Promise.resolve(),
    watch: (_projectId, listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  return { flagSets, setOf, listeners, tell: (set: FlagSet) => listeners.forEach((listener) => listener(set)) }
}

test('tells readers to come back at moments that are spread over one to five seconds', () => {
  const { flagSets, setOf } = heldSets()
  const randoms = [0, 0.5, 1]
  const streams = createStreams({ flagSets, random: () => randoms.shift()! })
  const retries = [1, 2, 3].map(() => {
    const out = new PassThrough({ encoding: 'utf8' })
    streams.start({ projectId: 1, set: setOf('a'), withCohorts: true, lastEventId: undefined, begin: () => out })
    return /^retry: (\d+)\n\n/.exec(out.read())![1]
  })
  streams.close()
  expect(retries).toEqual(['1000', '3000', '5000'])
})

test('tells of a change only where the definitions asked for are others, comments in between, and refuses one stream too many', async () => {
  const { flagSets, setOf, listeners, tell } = heldSets()
  const streams = createStreams({ flagSets, mostPerProject: 1, heartbeatMs: 20, random: () => 0 })
  const out = new PassThrough()
  const request = { projectId: 1, set: setOf('a'), withCohorts: true, lastEventId: undefined, begin: () => out }
  streams.start(request)
  tell(setOf('a'))
  tell(setOf('b'))
  let text = ''
  out.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  await until(
    () => text,
    (all) => all.endsWith(':\n\n:\n\n'),
  )
  expect(text).toMatch(
    /^retry: 1000\n\nid: .*\nevent: definitions\ndata: .*\n\nid: .*\nevent: definitions\ndata: .*\n\n(:\n\n)+$/,
  )
  expect(() => streams.start(request)).toThrow(expect.objectContaining({ status: 429, retryAfterSeconds: 30 }))
  streams.start({ ...request, projectId: 2, begin: () => new PassThrough() })
  out.destroy()
  await until(
    () => listeners.size,
    (size) => size === 1,
  )
  streams.start({ ...request, begin: () => new PassThrough() })
  streams.close()
  expect(() => streams.start({ ...request, projectId: 3 })).toThrow(expect.objectContaining({ status: 503 }))
})
