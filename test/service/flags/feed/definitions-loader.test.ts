import { createServer, request as sendRequest } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createDefinitionsLoader } from '../../../../src/flags/node/definitions/create-definitions-loader.ts'
import type { LoaderPorts } from '../../../../src/flags/node/definitions/create-definitions-loader.ts'
import type { DefinitionsOptions } from '../../../../src/flags/node/definitions/definitions-options.ts'
import { createClock } from '../../../../src/platform/web/clock.ts'
import { createNodeOpenStream } from '../../../../src/platform/node/open-stream.ts'
import { createFetchSend } from '../../../../src/platform/web/fetch-send.ts'
import { readBody } from '../../../../src/platform/web/read-body.ts'
import { expectWithin } from '../../../support/expect-within.ts'
import { manualClock } from '../../../support/manual-clock.ts'
import { eventually, parseKeys, launchService, startService } from '../../support/service-process.ts'
import { shareService } from '../../support/shared-service.ts'
import { createTempFolder } from '../../support/temp-folder.ts'

/** Longer than any test runs. */
const NEVER_MS = 3_600_000

const service = shareService()

/** A service and a key for it. */
interface Target {
  readonly url: string
  readonly personalApiKey: string
}

/** Creates a flag that is on for everyone, through the management API. */
const addFlag = async (key: string, { url, personalApiKey }: Target = service): Promise<void> => {
  const response = await fetch(`${url}/api/projects/1/feature_flags/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${personalApiKey}` },
    body: JSON.stringify({ key, active: true, filters: { groups: [{ rollout_percentage: 100 }] } }),
  })
  expect(response.status, await response.text()).toBe(201)
}

/** A loader as in a Node process, with the response statuses and warnings it got, and how much of streams it has read. */
const openLoader = (options: Partial<DefinitionsOptions> = {}, ports: Partial<LoaderPorts> = {}) => {
  const statuses: number[] = []
  const warnings: string[] = []
  const read = { heads: 0, chunks: 0 }
  const openStream = createNodeOpenStream()
  const clock = ports.clock ?? createClock()
  const send = createFetchSend({ clock, readBody })
  const loader = createDefinitionsLoader(
    {
      host: service.url,
      apiKey: service.apiKey,
      personalApiKey: service.personalApiKey,
      requestTimeout: 10_000,
      featureFlagsPollingInterval: NEVER_MS,
      ...options,
    },
    {
      clock,
      send: async (request) => {
        const response = await send(request)
        statuses.push(response.status)
        return response
      },
      openStream: (url, headers, listener) =>
        openStream(url, headers, {
          onHead(head) {
            listener.onHead(head)
            read.heads++
          },
          onChunk(chunk) {
            listener.onChunk(chunk)
            read.chunks++
          },
          onEnd: listener.onEnd,
        }),
      logger: { debug: () => {}, warn: (...message) => warnings.push(message.join(' ')) },
      ...ports,
    },
  )
  onTestFinished(() => loader.shutdown())
  loader.start()
  const has = (key: string): boolean => loader.current()?.compiled.flags.has(key) ?? false
  return { loader, statuses, warnings, read, has }
}

test('keeps its definitions on 304 and replaces them after a change', async () => {
  await addFlag('polled-before')
  const { loader, statuses, warnings, has } = openLoader({ featureFlagsPollingInterval: 100 })
  expect(await loader.waitUntilReady(10_000)).toBe(true)
  const first = loader.current()
  await eventually(() => statuses.length >= 4)
  expect(statuses.slice(0, 4)).toEqual([200, 304, 304, 304])
  expect(loader.current()).toBe(first)
  await addFlag('polled-after')
  await eventually(() => has('polled-after'))
  expect(has('polled-before')).toBe(true)
  expect(warnings).toEqual([])
})

test('receives a change over the stream without another request', async () => {
  const { loader, statuses, has } = openLoader({ flagUpdates: 'stream' })
  await loader.waitUntilReady(10_000)
  await addFlag('streamed')
  await eventually(() => has('streamed'))
  await loader.reload()
  // Definitions from the stream have the same entity tag.
  expect(statuses).toEqual([200, 304])
})

test.each(['poll', 'stream'] as const)(
  'clears definitions on "flag pause" and restores them on "flag resume", by %s',
  async (flagUpdates) => {
    const { loader, warnings } = openLoader({ flagUpdates, featureFlagsPollingInterval: 300 })
    await loader.waitUntilReady(10_000)
    await service.runCommand('flag', 'pause')
    await eventually(() => loader.current() === undefined)
    await service.runCommand('flag', 'resume')
    expect(await loader.waitUntilReady(20_000)).toBe(true)
    expect(warnings).toEqual([
      'flag definitions not loaded: status 402: The feature flag quota of this project is used up, so flags are paused. "waymark-service flag resume" resumes them.',
    ])
  },
)

test('logs the error of the service for a wrong personal key once', async () => {
  const { loader, statuses, warnings } = openLoader({ personalApiKey: 'wmx_wrong', featureFlagsPollingInterval: 100 })
  await eventually(() => statuses.length >= 3)
  expect(statuses).toEqual([401, 401, 401])
  expect(loader.current()).toBeUndefined()
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toMatch(/status 401: \w+/)
  expect(warnings[0]).not.toContain('wmx_wrong')
})

test.each(['poll', 'stream'] as const)(
  'keeps flags while the service restarts and then gets changes, by %s',
  async (flagUpdates) => {
    const folder = createTempFolder()
    const first = await launchService(folder)
    const keys = parseKeys(first.output())
    const { loader, has } = openLoader({
      ...keys,
      host: first.url,
      flagUpdates,
      featureFlagsPollingInterval: flagUpdates === 'poll' ? 200 : NEVER_MS,
    })
    await loader.waitUntilReady(10_000)
    await addFlag('before', { ...first, ...keys })
    await eventually(() => has('before'))
    await first.end('SIGKILL')
    expect(has('before')).toBe(true)
    const second = await startService(folder, { args: ['--port', new URL(first.url).port] })
    await addFlag('after', { ...second, ...keys })
    await eventually(() => has('after'))
    expect(has('before')).toBe(true)
  },
)

test(
  'is up to date within 3 s after a restart of up to 12 s of the killed service, by stream',
  { timeout: 240_000 },
  async () => {
    const folder = createTempFolder()
    let current = await launchService(folder)
    const keys = parseKeys(current.output())
    const { port } = new URL(current.url)
    const { loader, has } = openLoader({ ...keys, host: current.url, flagUpdates: 'stream' })
    await loader.waitUntilReady(10_000)
    for (const round of ['first', 'second', 'third'])
      await expectWithin(3_000, async (attempt) => {
        const key = `${round}-${attempt}`
        const killedMs = Date.now()
        await current.end('SIGKILL')
        current = await startService(folder, { args: ['--port', port] })
        const listeningSinceMs = Date.now()
        await addFlag(key, { ...current, ...keys })
        await eventually(() => has(key))
        // After a longer one, which a busy machine may take, the delay is longer in proportion.
        return (Date.now() - listeningSinceMs) * Math.min(1, 12_000 / (listeningSinceMs - killedMs))
      })
  },
)

/** A proxy in front of the service; `pass` forwards the responses of streams. */
const openProxy = async (pass: (upstream: IncomingMessage, response: ServerResponse) => void) => {
  const streams = { opened: 0, closed: 0 }
  const server = createServer((request, response) => {
    const isStream = request.url!.startsWith('/flags/stream')
    if (isStream) streams.opened++
    const proxied = sendRequest(
      `${service.url}${request.url!}`,
      { headers: request.headers, agent: false },
      (upstream) => {
        if (isStream) return pass(upstream, response)
        response.writeHead(upstream.statusCode!, upstream.headers)
        upstream.pipe(response)
      },
    )
    // The proxied request ends together with the client's.
    proxied.on('error', () => response.destroy())
    proxied.end()
    response.on('close', () => {
      proxied.destroy()
      if (isStream) streams.closed++
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, streams }
}

test('polls behind a buffering proxy and gives up the stream after 45 s', async () => {
  const { url, streams } = await openProxy((upstream, response) => {
    const parts: Buffer[] = []
    upstream.on('data', (part: Buffer) => parts.push(part))
    upstream.on('end', () => response.writeHead(200, upstream.headers).end(Buffer.concat(parts)))
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders()
  })
  const clock = manualClock()
  const options = { host: url, flagUpdates: 'stream', featureFlagsPollingInterval: 20_000 } as const
  const { statuses, warnings, read, has } = openLoader(options, { clock })
  await eventually(() => read.heads === 1)
  await addFlag('behind-a-proxy')
  await clock.advance(20_000)
  await eventually(() => has('behind-a-proxy'))
  expect(statuses).toEqual([200, 200])
  await clock.advance(20_000)
  await eventually(() => statuses.length === 3)
  expect(streams.closed).toBe(0)
  await clock.advance(5_000)
  await eventually(() => streams.closed === 1)
  expect(warnings).toEqual(['flag definitions cannot be streamed: no data for 45000 ms; polling for changes'])
})

test('replaces a stream that hangs for 45 s and gets the missed changes', async () => {
  let hangs = true
  const { url, streams } = await openProxy((upstream, response) => {
    response.writeHead(200, upstream.headers)
    // Sends the first line and then nothing, like a connection whose other end is gone without closing.
    if (hangs) upstream.once('data', (part: Buffer) => response.write(part))
    else upstream.pipe(response)
  })
  const clock = manualClock()
  const { loader, statuses, read, has } = openLoader({ host: url, flagUpdates: 'stream' }, { clock })
  await eventually(() => !!loader.current() && read.chunks === 1)
  await addFlag('while-it-hangs')
  hangs = false
  await clock.advance(45_000)
  await eventually(() => streams.closed === 1)
  expect(has('while-it-hangs')).toBe(false)
  // The service sets a reconnection delay of at most 1.5 s.
  await clock.advance(1_500)
  await eventually(() => has('while-it-hangs'))
  expect(streams.opened).toBe(2)
  expect(statuses).toEqual([200])
})

test('ends the stream immediately on shutdown', async () => {
  const { url, streams } = await openProxy((upstream, response) => {
    response.writeHead(200, upstream.headers)
    upstream.pipe(response)
  })
  const { loader, has } = openLoader({ host: url, flagUpdates: 'stream' })
  await loader.waitUntilReady(10_000)
  await addFlag('before-shutdown')
  await eventually(() => has('before-shutdown'))
  await loader.shutdown()
  await eventually(() => streams.closed === 1)
  await addFlag('after-shutdown')
  expect(has('after-shutdown')).toBe(false)
  expect(has('before-shutdown')).toBe(true)
})
