import { createServer, request as ask } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createDefinitionsLoader } from '../../../../src/flags/node/definitions/create-loader.ts'
import type { LoaderPorts } from '../../../../src/flags/node/definitions/create-loader.ts'
import type { DefinitionsOptions } from '../../../../src/flags/node/definitions/options.ts'
import { browserClock } from '../../../../src/platform/browser/clock.ts'
import { createNodeOpenStream } from '../../../../src/platform/node/open-stream.ts'
import { createFetchSend } from '../../../../src/platform/edge/fetch-send.ts'
import { manualClock } from '../../../support/manual-clock.ts'
import { eventually, keysIn, launchService, startService } from '../../support/service-process.ts'
import { shareService } from '../../support/shared-service.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/** So long that no test sees it pass. */
const NEVER_MS = 3_600_000

const service = shareService()

/** A service, and the key to it. */
interface Where {
  readonly url: string
  readonly personalApiKey: string
}

/** Makes a flag that is on for everybody, by the management API. */
const addFlag = async (key: string, { url, personalApiKey }: Where = service): Promise<void> => {
  const answer = await fetch(`${url}/api/projects/1/feature_flags/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${personalApiKey}` },
    body: JSON.stringify({ key, active: true, filters: { groups: [{ rollout_percentage: 100 }] } }),
  })
  expect(answer.status, await answer.text()).toBe(201)
}

/** A loader as in a Node process, and what it was answered. */
const openLoader = (options: Partial<DefinitionsOptions> = {}, ports: Partial<LoaderPorts> = {}) => {
  const statuses: number[] = []
  const warnings: string[] = []
  const clock = ports.clock ?? browserClock()
  const send = createFetchSend({ clock })
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
        const answer = await send(request)
        statuses.push(answer.status)
        return answer
      },
      openStream: createNodeOpenStream(),
      logger: { debug: () => {}, warn: (...message) => warnings.push(message.join(' ')) },
      ...ports,
    },
  )
  onTestFinished(() => loader.shutdown())
  loader.start()
  const has = (key: string): boolean => loader.current()?.set.flags.has(key) ?? false
  return { loader, statuses, warnings, has }
}

test('polls with the tag: 304 leaves the same object in use, a change by the API replaces it', async () => {
  await addFlag('polled-before')
  const { loader, statuses, warnings, has } = openLoader({ featureFlagsPollingInterval: 100 })
  expect(await loader.ready(10_000)).toBe(true)
  const first = loader.current()
  await eventually(() => statuses.length >= 4)
  expect(statuses.slice(0, 4)).toEqual([200, 304, 304, 304])
  expect(loader.current()).toBe(first)
  await addFlag('polled-after')
  await eventually(() => has('polled-after'))
  expect(has('polled-before')).toBe(true)
  expect(warnings).toEqual([])
})

test('a change by the API arrives over the stream, without a further request', async () => {
  const { loader, statuses, has } = openLoader({ flagUpdates: 'stream' })
  await loader.ready(10_000)
  await addFlag('streamed')
  await eventually(() => has('streamed'))
  await loader.reload()
  // What the stream brought goes by the same tag.
  expect(statuses).toEqual([200, 304])
})

test.each(['poll', 'stream'] as const)(
  '"flag pause" clears them (402), "flag resume" brings them back, by %s',
  async (flagUpdates) => {
    const { loader, warnings } = openLoader({ flagUpdates, featureFlagsPollingInterval: 300 })
    await loader.ready(10_000)
    await service.command('flag', 'pause')
    await eventually(() => loader.current() === undefined)
    await service.command('flag', 'resume')
    expect(await loader.ready(20_000)).toBe(true)
    expect(warnings).toEqual([
      'flag definitions not loaded: status 402: The feature flag quota of this project is used up; flags are paused.',
    ])
  },
)

test('a wrong personal key is told in the words of the service, once', async () => {
  const { loader, statuses, warnings } = openLoader({ personalApiKey: 'wmx_wrong', featureFlagsPollingInterval: 100 })
  await eventually(() => statuses.length >= 3)
  expect(statuses).toEqual([401, 401, 401])
  expect(loader.current()).toBeUndefined()
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toMatch(/status 401: \w+/)
  expect(warnings[0]).not.toContain('wmx_wrong')
})

test.each(['poll', 'stream'] as const)(
  'a service that is killed and started again: flags stay, then changes arrive, by %s',
  async (flagUpdates) => {
    const folder = tempFolder()
    const first = await launchService(folder)
    const keys = keysIn(first.output())
    const { loader, has } = openLoader({
      ...keys,
      host: first.url,
      flagUpdates,
      featureFlagsPollingInterval: flagUpdates === 'poll' ? 200 : NEVER_MS,
    })
    await loader.ready(10_000)
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

/** A proxy before the service; `pass` says what becomes of an answer's part, in order. */
const openProxy = async (pass: (answer: IncomingMessage, response: ServerResponse) => void) => {
  const streams = { opened: 0, gone: 0 }
  const server = createServer((request, response) => {
    const isStream = request.url!.startsWith('/flags/stream')
    if (isStream) streams.opened++
    const onward = ask(`${service.url}${request.url!}`, { headers: request.headers, agent: false }, (answer) => {
      if (isStream) return pass(answer, response)
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    // It ends with the other side.
    onward.on('error', () => response.destroy())
    onward.end()
    response.on('close', () => {
      onward.destroy()
      if (isStream) streams.gone++
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, streams }
}

test('behind a proxy that keeps answers back until they end: polls, gives the stream up after 45 s, says so', async () => {
  const { url, streams } = await openProxy((answer, response) => {
    const parts: Buffer[] = []
    answer.on('data', (part: Buffer) => parts.push(part))
    answer.on('end', () => response.writeHead(200, answer.headers).end(Buffer.concat(parts)))
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders()
  })
  const clock = manualClock()
  const options = { host: url, flagUpdates: 'stream', featureFlagsPollingInterval: 20_000 } as const
  const { statuses, warnings, has } = openLoader(options, { clock })
  await eventually(() => streams.opened === 1)
  await addFlag('behind-a-proxy')
  await clock.advance(20_000)
  await eventually(() => has('behind-a-proxy'))
  expect(statuses).toEqual([200, 200])
  await clock.advance(20_000)
  await eventually(() => statuses.length === 3)
  expect(streams.gone).toBe(0)
  await clock.advance(5_000)
  await eventually(() => streams.gone === 1)
  expect(warnings).toEqual(['no stream of flag definitions: nothing has come for 45000 ms; changes are polled for'])
})

test('a stream that hangs is given up after 45 s without a byte, and the next one brings what was missed', async () => {
  let hangs = true
  const { url, streams } = await openProxy((answer, response) => {
    response.writeHead(200, answer.headers)
    // Its first line, and then nothing: what a connection looks like whose other end is gone without a word.
    if (hangs) answer.once('data', (part: Buffer) => response.write(part))
    else answer.pipe(response)
  })
  const clock = manualClock()
  const { loader, statuses, has } = openLoader({ host: url, flagUpdates: 'stream' }, { clock })
  await eventually(() => streams.opened === 1 && !!loader.current())
  // The first line of the stream is on its way.
  await new Promise((resolve) => setTimeout(resolve, 300))
  await addFlag('while-it-hangs')
  hangs = false
  await clock.advance(45_000)
  await eventually(() => streams.gone === 1)
  expect(has('while-it-hangs')).toBe(false)
  // The service has named a time between 1 and 5 s.
  await clock.advance(5_000)
  await eventually(() => has('while-it-hangs'))
  expect(streams.opened).toBe(2)
  expect(statuses).toEqual([200])
})

test('shutdown ends the stream at once', async () => {
  const { url, streams } = await openProxy((answer, response) => {
    response.writeHead(200, answer.headers)
    answer.pipe(response)
  })
  const { loader, has } = openLoader({ host: url, flagUpdates: 'stream' })
  await loader.ready(10_000)
  await addFlag('before-shutdown')
  await eventually(() => has('before-shutdown'))
  await loader.shutdown()
  await eventually(() => streams.gone === 1, 1_000)
  await addFlag('after-shutdown')
  expect(has('after-shutdown')).toBe(false)
  expect(has('before-shutdown')).toBe(true)
})
