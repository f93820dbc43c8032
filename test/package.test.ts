import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProgram, findTypeErrors } from './support/create-program.ts'
import { linkReact } from './support/link-react.ts'
import { packPackage } from './support/packed-package.ts'
import { readBlocks } from './support/readme-blocks.ts'

/** The files that an entry loads, with their code. */
const loadedBy = (entry: string, loaded: Map<string, string> = new Map<string, string>()): Map<string, string> => {
  if (loaded.has(entry)) return loaded
  const code = readFileSync(entry, 'utf8')
  loaded.set(entry, code)
  for (const [, path] of code.matchAll(/(?:from |import )'(\.[^']+)'/g)) loadedBy(join(dirname(entry), path!), loaded)
  return loaded
}

describe('the build', () => {
  it.each(['dist', 'src/service/dist'])(
    'leaves no chunks of earlier builds in %s, which is published whole',
    (folder) => {
      const programs = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => /\.c?js$/.test(path))
      const code = programs.map((path) => readFileSync(join(folder, path), 'utf8')).join('\n')
      const unused = readdirSync(join(folder, 'shared')).filter(
        (name) => !new RegExp(`['"]\\./(shared/)?${name}['"]`).test(code),
      )
      expect(unused, 'files that nothing imports; "npm run build" removes them').toEqual([])
    },
  )
})

describe('the package of npm pack', () => {
  let folder: string
  let files: string[]
  let installed: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'waymark-package-'))
    const packed = packPackage()
    files = [...packed.files]
    installed = packed.installInto(folder)
    packed.remove()
    await linkReact(folder)
  }, 240_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /** Runs a script of the folder and returns its output. */
  const run = (...args: readonly string[]): string =>
    execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8', timeout: 60_000, stdio: 'pipe' })

  /** Compiles files of the folder and returns TypeScript’s errors. */
  const compile = (files: string | readonly string[], options: ts.CompilerOptions): readonly string[] => {
    const paths = [files].flat().map((file) => join(folder, file))
    const program = createProgram(paths, {
      strict: true,
      noEmit: true,
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      exactOptionalPropertyTypes: true,
      typeRoots: [resolve('node_modules/@types')],
      ...options,
    })
    return findTypeErrors(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
  }

  const JSX: ts.CompilerOptions = {
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    jsx: ts.JsxEmit.ReactJSX,
    types: ['node'],
  }

  it('contains only the agent', () => {
    const others = files.filter((path) => !/^(dist\/[\w./-]+|package\.json|([\w-]+\/)*README\.md|LICENSE)$/.test(path))
    expect(others).toEqual([])
    expect(files.filter((path) => path.includes('service') && !path.endsWith('README.md'))).toEqual([])
  })

  it('installs nothing else, and names the licences of the libraries that it contains', () => {
    const { dependencies, peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect([dependencies, peerDependencies]).toEqual([undefined, { react: '>=18' }])
    const licences = readFileSync(join(installed, 'dist/third-party-licences.txt'), 'utf8')
    for (const name of ['fflate', 'idb-keyval', 'lz-string']) expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'))
  })

  it('captures in a worker, without a page, and lets the process end', () => {
    writeFileSync(
      join(folder, 'use.mjs'),
      `import { init } from 'waymark'
       const bodies = []
       globalThis.location = new URL('https://shop.test/worker.js') // on a server the agent does nothing
       const alive = setInterval(() => undefined, 1000) // the agent's own timers never keep a process alive
       const waymark = init('key', {
         host: 'http://127.0.0.1:9',
         fetch: async (url, { body }) => {
           bodies.push([url, body])
           return new Response('{"status":1}')
         },
         disableCompression: true,
         preloadFeatureFlags: false,
       })
       waymark.capture('from node')
       await waymark.flush()
       clearInterval(alive)
       console.log(JSON.stringify(bodies.map(([url, body]) => [url, JSON.parse(body).batch.map((event) => event.event)])))`,
    )
    const output = execFileSync(process.execPath, ['use.mjs'], {
      cwd: folder,
      encoding: 'utf8',
      timeout: 60_000,
      stdio: 'pipe',
    })
    expect(JSON.parse(output)).toEqual([['http://127.0.0.1:9/batch/', ['from node']]])
  })

  it('has one agent per process and key, by import and by require', () => {
    writeFileSync(
      join(folder, 'both.mjs'),
      `import { createRequire } from 'node:module'
       import { init } from 'waymark'
       import { init as initCapture } from 'waymark/capture'
       const require = createRequire(import.meta.url)
       globalThis.location = new URL('https://shop.test/')
       const starts = [init, require('waymark').init, initCapture, require('waymark/capture').init]
       const agents = starts.map((start) => start('key', { host: 'http://127.0.0.1:9' }))
       console.log(new Set(starts).size, new Set(agents).size)
       void agents[0].shutdown(0)`,
    )
    expect(run('both.mjs')).toBe('4 1\n')
  })

  it('contains the Node agent, which delivers at the end of its process', () => {
    writeFileSync(
      join(folder, 'server.mjs'),
      `import { init } from 'waymark/node'
       const waymark = init('key', {
         host: 'http://127.0.0.1:9',
         fetch: async (url, { body }) => {
           console.log(url, ...JSON.parse(body).batch.map(({ event, properties }) => event + ' by ' + properties.$lib))
           return new Response('{"status":1}')
         },
         disableCompression: true,
       })
       waymark.capture({ distinctId: 'ada', event: 'paid' })`,
    )
    expect(run('server.mjs')).toBe('http://127.0.0.1:9/batch/ paid by waymark-node\n')
  })

  it('contains the edge agent, which captures in edge runtimes', () => {
    writeFileSync(
      join(folder, 'edge.mjs'),
      `import { init } from 'waymark/node'
       import * as edge from 'waymark/edge'
       const bodies = []
       const fetch = async (url, { body }) => (bodies.push(JSON.parse(body)), new Response('{"status":1}'))
       const waymark = init('key', { host: 'http://127.0.0.1:9', disableCompression: true, fetch })
       waymark.capture({ distinctId: 'ada', event: 'paid' })
       await waymark.flush()
       console.log(init === edge.init, bodies[0].batch[0].properties.$lib)`,
    )
    expect(run('--conditions=workerd', 'edge.mjs')).toBe('true waymark-edge\n')
  })

  it('loads only the code for its runtime in pages, Node and edge', () => {
    const [page, node, edge] = ['index.js', 'node.js', 'edge.js'].map((entry) =>
      loadedBy(join(installed, 'dist', entry)),
    )
    expect([...page!.keys()].filter((path) => node!.has(path) || edge!.has(path))).toEqual([])
    for (const code of [...node!.values(), ...edge!.values()])
      expect(code).not.toMatch(/from '(idb-keyval|lz-string|fflate)'|import '|indexedDB|localStorage|sendBeacon/)
    expect([...node!.values()].join()).toContain("from 'node:zlib'")
    // The only dynamic import is that of the sentences of debug mode, which belong to the package.
    for (const code of edge!.values()) expect(code).not.toMatch(/from '(?!\.)|import\((?!'\.)/)
  })

  it('exports all types that users of the Node agent need', () => {
    writeFileSync(
      join(folder, 'use.ts'),
      `import { init, expressContext, type AliasInput, type BeforeSend, type CachedDefinitions, type CaptureInput,
         type DropReason, type EvaluatedFlags, type EvaluateOptions, type FlagDefinitionCacheProvider, type FlagOptions,
         type FlagReader, type FlagResult, type FlagValue, type GroupIdentifyInput, type IdentifyInput, type NodeOptions,
         type OnDrop, type OutgoingEvent, type Properties, type ReadOptions, type RequestContext, type SendReport,
         type ServerOptions, type Waymark } from 'waymark/node'
       import { init as initEdge, type EdgeOptions } from 'waymark/edge'
       const options: NodeOptions = { host: 'https://a.test', persistenceDir: '/var/lib/shop', flushAt: 20 }
       const waymark: Waymark = init('key', options)
       const edge: Waymark = initEdge('key', { host: 'https://a.test' } satisfies EdgeOptions)
       interface Order { total: number }
       const order: Order = { total: 5 }
       waymark.capture({ distinctId: 'ada', event: 'paid', properties: order })
       const value: Promise<boolean> = edge.isFeatureEnabled('beta', 'ada', { defaultValue: false })
       // @ts-expect-error An event needs a name.
       waymark.capture({ distinctId: 'ada' })
       expressContext(waymark)
       export type All = [AliasInput, BeforeSend, CachedDefinitions, CaptureInput, DropReason, EvaluatedFlags, EvaluateOptions,
         FlagDefinitionCacheProvider, FlagOptions, FlagReader, FlagResult, FlagValue, GroupIdentifyInput, IdentifyInput, OnDrop,
         OutgoingEvent, Properties, ReadOptions, RequestContext, SendReport, ServerOptions, typeof value]`,
    )
    expect(compile('use.ts', { types: ['node'] })).toEqual([])
  }, 60_000)

  it('allows all events and flags until the user declares some', () => {
    writeFileSync(
      join(folder, 'loose.ts'),
      `import { init, type FlagValue, type Waymark } from 'waymark'
       import { init as initNode, type CaptureInput } from 'waymark/node'
       const waymark: Waymark = init('key')
       interface Order { total: number }
       const order: Order = { total: 5 }
       const track = (name: string, properties?: object) => waymark.capture(name, properties, { timestamp: new Date() })
       track('paid', order)
       waymark.capture('seen')
       waymark.capture('seen', undefined, undefined)
       const [name, properties, options]: Parameters<Waymark['capture']> = ['seen', order]
       const value: FlagValue | undefined = waymark.getFeatureFlag('any' as string)
       const values: Record<string, FlagValue> = waymark.getFeatureFlags()
       const isOn: boolean = waymark.isFeatureEnabled('any', { defaultValue: false })
       const input: CaptureInput = { distinctId: 'ada', event: 'paid' as string, properties: order }
       initNode('key').capture(input)
       window.waymark?.capture('seen')
       // @ts-expect-error It may be missing.
       window.waymark.capture('seen')
       // @ts-expect-error Properties are an object.
       waymark.capture('seen', 'pro')
       export const all = [name, properties, options, value, values, isOn]`,
    )
    expect(compile('loose.ts', { types: ['node'] })).toEqual([])
  }, 60_000)

  it('checks the events and flags that the user declares, in pages and on servers', () => {
    writeFileSync(
      join(folder, 'declared.d.ts'),
      `interface WaymarkEvents {
         'signed up': { plan: 'free' | 'pro' }
         opened: { from?: string }
       }
       interface WaymarkFlags { beta: boolean; hero: 'calm' | 'bold' | false }
       interface WaymarkFlagPayloads { hero: { title: string } }`,
    )
    writeFileSync(
      join(folder, 'typed.ts'),
      `/// <reference path="declared.d.ts" />
       import { init, type EventKey, type FlagKey } from 'waymark'
       import { init as initEdge } from 'waymark/edge'
       import { withExtras } from 'waymark/extras'
       import { init as initNode } from 'waymark/node'
       import { createTestAgent, createTestServerAgent } from 'waymark/testing'
       type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
       const same = <A, B>(_: Same<A, B>): void => undefined

       const page = withExtras(init)('key')
       page.capture('signed up', { plan: 'pro' })
       page.capture('signed up', { plan: 'pro', $set: { plan: 'pro' } }, { timestamp: new Date() })
       page.capture('opened')
       page.capture('opened', { from: 'mail' })
       page.capture('$my_protocol_event', { anything: 1 })
       interface SignUp { plan: 'free' }
       page.capture('signed up', { plan: 'free' } as SignUp)
       window.waymark?.capture('opened')
       const isSame: typeof page = createTestAgent({ flags: { hero: 'calm' } })
       // @ts-expect-error There is no such variant.
       createTestAgent({ flags: { hero: 'loud' } })
       // @ts-expect-error There is no such event.
       page.capture('signed upp', { plan: 'pro' })
       // @ts-expect-error The plan is missing.
       page.capture('signed up')
       // @ts-expect-error There is no such plan.
       page.capture('signed up', { plan: 'gold' })
       // @ts-expect-error There is no such property.
       page.capture('signed up', { plan: 'pro', plam: 1 })
       same<EventKey, 'signed up' | 'opened' | \`$\${string}\`>(true)
       same<FlagKey, 'beta' | 'hero'>(true)

       const beta = page.getFeatureFlag('beta')
       same<typeof beta, boolean | undefined>(true)
       const hero = page.getFeatureFlagResult('hero')!
       same<typeof hero.variant, 'calm' | 'bold' | undefined>(true)
       same<typeof hero.payload, { title: string } | undefined>(true)
       const payload = page.getFeatureFlagPayload('beta')
       same<typeof payload, unknown>(true)
       page.getFeatureFlags().hero === 'bold'
       page.onFeatureFlags(({ beta }) => beta === true)
       page.overrideFeatureFlags({ hero: 'calm' })
       // @ts-expect-error There is no such flag.
       page.isFeatureEnabled('gamma')
       // @ts-expect-error There is no such variant.
       page.getFeatureFlag('hero') === 'loud'
       // @ts-expect-error There is no such variant.
       page.overrideFeatureFlags({ hero: 'loud' })

       for (const server of [initNode('key'), initEdge('key'), createTestServerAgent()]) {
         server.capture({ distinctId: 'ada', event: 'signed up', properties: { plan: 'pro', $groups: {} } })
         server.capture({ distinctId: 'ada', event: 'opened' })
         server.captureImmediate({ event: '$set', properties: { anything: 1 } })
         // @ts-expect-error There is no such event.
         server.capture({ distinctId: 'ada', event: 'closed' })
         // @ts-expect-error The plan is missing.
         server.capture({ distinctId: 'ada', event: 'signed up' })
         // @ts-expect-error There is no such plan.
         server.captureImmediate({ event: 'signed up', properties: { plan: 'gold' } })
         const value = server.getFeatureFlag('hero', 'ada')
         same<typeof value, Promise<'calm' | 'bold' | false | undefined>>(true)
         const payload = server.getFeatureFlagPayload('hero', 'ada')
         same<typeof payload, Promise<{ title: string } | undefined>>(true)
         const snapshot = server.evaluateFlags('ada', { flagKeys: ['hero'] })
         void snapshot.then((flags) => [flags.getFlag('hero') === 'calm', flags.isEnabled('beta')])
         // @ts-expect-error There is no such flag.
         void server.isFeatureEnabled('gamma', 'ada')
         // @ts-expect-error There is no such flag.
         void server.evaluateFlags('ada', { flagKeys: ['gamma'] })
       }`,
    )
    expect(compile('typed.ts', { types: ['node'] })).toEqual([])
  }, 60_000)

  it('accepts the request types of the servers themselves', () => {
    writeFileSync(
      join(folder, 'middleware.ts'),
      `import { createServer } from 'node:http'
       import { createServer as createSecureServer } from 'node:http2'
       import { edgeContext, httpContext, init } from 'waymark/node'
       const waymark = init('key', { host: 'https://a.test' })
       createServer(httpContext(waymark, (request, response) => response.end(request.url)))
       createServer(httpContext(waymark, (request, response) => {
         response.end('hello')
       }, { ip: (request) => request.headers['x-real-ip'] }))
       createSecureServer(httpContext(waymark, (_request, response) => response.end('hello')))
       edgeContext(waymark, (request: Request) => new Response(request.url), {
         ip: (request) => request.headers.get('cf-connecting-ip'),
       })`,
    )
    expect(compile('middleware.ts', { types: ['node'] })).toEqual([])
  }, 60_000)

  it('needs no types of Node at the edge, and has no Node-only options there', () => {
    writeFileSync(
      join(folder, 'edge.ts'),
      `import { init } from 'waymark/node'
       import { edgeContext } from 'waymark/edge'
       const waymark = init('key', { host: 'https://a.test' })
       export default { fetch: edgeContext(waymark, async () => new Response('hello')) }
       // @ts-expect-error There is no disk.
       init('key', { host: 'https://a.test', persistenceDir: '/var/lib/shop' })`,
    )
    expect(compile('edge.ts', { types: [], customConditions: ['workerd'] })).toEqual([])
  }, 60_000)

  it('contains the React Native agent, which loads nothing of pages and Node', () => {
    const loaded = loadedBy(join(installed, 'dist/react-native.js'))
    expect([...loaded.keys()].filter((path) => !path.includes('react-native'))).toEqual([])
    const code = [...loaded.values()].join()
    expect(code).not.toMatch(/^import (?!.*'\.\/)/m)
    expect(code).not.toMatch(/indexedDB|navigator\.|document\.|location\.|import\(|\\p\{/)
    writeFileSync(
      join(folder, 'app.mjs'),
      `import { init } from 'waymark'
       import * as native from 'waymark/react-native'
       const entries = new Map()
       const storage = {
         getItem: (key) => entries.get(key),
         setItem: (key, value) => void entries.set(key, value),
         removeItem: (key) => void entries.delete(key),
         getAllKeys: () => [...entries.keys()],
       }
       const requests = []
       const fetch = async (url) => (requests.push(url), new Response('{"status":1}'))
       const waymark = init('key', { host: 'http://127.0.0.1:9', storage, fetch, preloadFeatureFlags: false })
       waymark.capture('opened')
       const alive = setInterval(() => undefined, 1000)
       await waymark.flush()
       clearInterval(alive)
       console.log(init === native.init, requests.join(), [...entries.keys()].sort().join())`,
    )
    expect(run('--conditions=react-native', 'app.mjs')).toBe(
      'true http://127.0.0.1:9/batch/ waymark_1_key_app,waymark_1_key_c/state\n',
    )
  })

  it('accepts the modules of an app by their shape', () => {
    writeFileSync(
      join(folder, 'app.ts'),
      `import { init, mask, touchHandlers, type AppStorage, type ReactNativeOptions, type Waymark } from 'waymark/react-native'
       import { init as initByCondition } from 'waymark'
       // Copied from the declarations of AsyncStorage 2, React Native 0.79 and NetInfo 11.
       type Callback<T> = (error?: Error | null, result?: T | null) => void
       declare const AsyncStorage: {
         getItem: (key: string, callback?: Callback<string>) => Promise<string | null>
         setItem: (key: string, value: string, callback?: Callback<void>) => Promise<void>
         removeItem: (key: string, callback?: Callback<void>) => Promise<void>
         getAllKeys: (callback?: Callback<readonly string[]>) => Promise<readonly string[]>
         multiGet: (keys: readonly string[]) => Promise<readonly [string, string | null][]>
         multiSet: (pairs: ReadonlyArray<readonly [string, string]>) => Promise<void>
         multiRemove: (keys: readonly string[]) => Promise<void>
       }
       type AppStateStatus = 'active' | 'background' | 'inactive' | 'unknown' | 'extension'
       declare const AppState: {
         currentState: AppStateStatus
         addEventListener(type: 'change' | 'memoryWarning', listener: (state: AppStateStatus) => void): { remove(): void }
       }
       declare const Platform: { OS: 'ios'; Version: string; isPad: boolean } | { OS: 'android'; Version: number }
       declare const Dimensions: { get(dimension: 'window' | 'screen'): { width: number; height: number; scale: number } }
       declare const NetInfo: {
         addEventListener(listener: (state: { type: string; isConnected: boolean | null }) => void): () => void
       }
       type EmitterSubscription = { remove(): void }
       declare const Linking: {
         getInitialURL(): Promise<string | null>
         addEventListener(type: 'url', handler: (event: { url: string }) => void): EmitterSubscription
       }
       type ErrorHandlerCallback = (error: any, isFatal?: boolean) => void
       declare const ErrorUtils: {
         setGlobalHandler: (callback: ErrorHandlerCallback) => void
         getGlobalHandler: () => ErrorHandlerCallback
       }
       interface GestureResponderEvent {
         nativeEvent: { pageX: number; pageY: number; target: string; touches: object[] }
         target: unknown
       }
       interface ViewProps {
         onTouchStartCapture?: ((event: GestureResponderEvent) => void) | undefined
         onTouchEndCapture?: ((event: GestureResponderEvent) => void) | undefined
       }
       const waymark: Waymark = init('key', {
         host: 'https://a.test', storage: AsyncStorage, appState: AppState, platform: Platform, dimensions: Dimensions, netInfo: NetInfo,
         linking: Linking, errorUtils: ErrorUtils, before_send: mask({ maskUrlParameters: true }),
       })
       const viewProps: ViewProps = { ...touchHandlers(waymark) }
       waymark.captureException(new Error('no cart'), { screen: 'Cart' })
       waymark.trackPath('/cart', { params: { id: 7 }, getScreenName: ({ path }) => path })
       const storage: AppStorage = {
         getItem: (key) => localStorage.getItem(key),
         setItem: (key, value) => localStorage.setItem(key, value),
         removeItem: (key) => localStorage.removeItem(key),
         getAllKeys: () => Object.keys(localStorage),
       }
       const options: ReactNativeOptions = { host: 'https://a.test', storage }
       const again: Waymark = initByCondition('key', options)
       // @ts-expect-error An app has no pages.
       waymark.pageview()
       // @ts-expect-error An option of pages.
       init('key', { host: 'https://a.test', crossSubdomainCookie: true })
       export type All = [typeof again, typeof viewProps]`,
    )
    expect(compile('app.ts', { types: [], customConditions: ['react-native'] })).toEqual([])
  }, 60_000)

  it('exports the flag engine separately', () => {
    writeFileSync(
      join(folder, 'evaluate.mjs'),
      `import { compile, evaluateFlag, evaluationContext, explain } from 'waymark/evaluate'
       const definitions = { flags: [{ id: 1, key: 'on', active: true, filters: { groups: [{}] } }] }
       const { flags } = compile(definitions)
       const context = evaluationContext({ distinctId: 'user', complete: false, now: Date.now() })
       console.log(evaluateFlag(flags.get('on'), context).value, explain(definitions, 'on', context).length > 1)`,
    )
    expect(execFileSync(process.execPath, ['evaluate.mjs'], { cwd: folder, encoding: 'utf8', stdio: 'pipe' })).toBe(
      'true true\n',
    )
  })

  it('contains agents for tests of users, with types', () => {
    writeFileSync(
      join(folder, 'testing.mjs'),
      `import { createTestAgent, createTestServerAgent } from 'waymark/testing'
       const page = createTestAgent({ flags: { beta: 'blue' } })
       page.capture('opened')
       const server = createTestServerAgent({ flags: { beta: 'red' } })
       server.capture({ distinctId: 'ada', event: 'paid' })
       console.log(page.getFeatureFlag('beta'), page.calls.length, page.events[0].event)
       console.log(await server.getFeatureFlag('beta', 'ada'), server.calls.length, server.events[0].event)`,
    )
    expect(run('testing.mjs')).toBe('blue 2 opened\nred 2 paid\n')
    writeFileSync(
      join(folder, 'testing.ts'),
      `import type { Waymark } from 'waymark'
       import type { ExtendedWaymark } from 'waymark/extras'
       import type { Waymark as ServerWaymark } from 'waymark/node'
       import { createTestAgent, createTestServerAgent, type RecordedCall, type TestAgent } from 'waymark/testing'
       const agent: TestAgent = createTestAgent({ flags: { beta: true }, maskProperties: ['email'] })
       const page: Waymark = agent
       const extended: ExtendedWaymark = agent
       const server: ServerWaymark = createTestServerAgent({ disableGeoip: true })
       const calls: readonly RecordedCall[] = agent.calls
       // @ts-expect-error A value is a boolean or a string.
       agent.setFlags({ beta: 1 })
       export const all = [page, extended, server, calls]`,
    )
    expect(compile('testing.ts', { types: ['node'] })).toEqual([])
  }, 60_000)

  it('contains the hooks of React in one file, which server components can import', () => {
    const loaded = loadedBy(join(installed, 'dist/react.js'))
    expect(loaded.size).toBe(1)
    const [code] = [...loaded.values()]
    expect(code).toMatch(/^'use client';?\n/)
    expect([...code!.matchAll(/^import .* from '(.*)'/gm)].map(([, name]) => name)).toEqual(['react'])
    expect(code).not.toMatch(/import\(|require\(/)
  })

  it('needs React for nothing but the hooks', () => {
    const others = files.filter((path) => /\.c?[jt]s$/.test(path) && !path.startsWith('dist/react.'))
    const namesReact = (path: string): boolean =>
      /(from|require\(|import\() ?['"]react['"]/.test(readFileSync(join(installed, path), 'utf8'))
    expect(others.filter(namesReact)).toEqual([])
  })

  it('compiles the examples of the README for React', () => {
    const app = join(folder, 'react')
    const write = (path: string, code: string): void => {
      mkdirSync(dirname(join(app, path)), { recursive: true })
      writeFileSync(join(app, path), code)
    }
    const examples = readBlocks('src/react/README.md').filter(({ language }) => language === 'tsx')
    for (const { path, code } of examples) write(path!, code)
    const paths = examples.map(({ path }) => join('react', path!))
    expect(paths).toHaveLength(6)
    // What the examples import beside the package.
    write(
      'others.d.ts',
      `declare module 'react-dom/client' {
         export const createRoot: (container: Element) => { render(node: import('react').ReactNode): void }
       }
       declare module '@testing-library/react' {
         export const render: (node: import('react').ReactNode) => void
       }`,
    )
    write('app/session.ts', `export const getUserId = async (): Promise<string> => 'ada'`)
    // Few programs have this option, which refuses a variable of the environment that may be undefined.
    expect(compile(['react/others.d.ts', ...paths], { ...JSX, exactOptionalPropertyTypes: false })).toEqual([])
  }, 60_000)

  it('checks the events and flags that the user declares, in hooks and components', () => {
    writeFileSync(
      join(folder, 'typed.tsx'),
      `import { init, type Waymark } from 'waymark'
       import { CaptureOnView, Feature, useFeatureFlag, useFeatureFlagPayload, useFeatureFlagResult, useWaymark,
         WaymarkProvider, type CaptureOnViewProps, type FeatureProps, type WaymarkClient, type WaymarkProviderProps } from 'waymark/react'
       import { init as initNative } from 'waymark/react-native'
       import { createTestAgent } from 'waymark/testing'
       declare global {
         interface WaymarkEvents { 'signed up': { plan: 'free' | 'pro' }; opened: { from?: string } }
         interface WaymarkFlags { beta: boolean; hero: 'calm' | 'bold' | false }
         interface WaymarkFlagPayloads { hero: { title: string } }
       }
       type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
       const same = <A, B>(_: Same<A, B>): void => undefined
       const clients: (WaymarkClient | undefined)[] = [init('key'), initNative('key', { host: 'https://a.test' }), createTestAgent(), undefined]

       export const Typed = () => {
         const hero = useFeatureFlag('hero')
         same<typeof hero, 'calm' | 'bold' | false | undefined>(true)
         const payload = useFeatureFlagPayload('hero')
         same<typeof payload, { title: string } | undefined>(true)
         const result = useFeatureFlagResult('hero')!
         same<typeof result.variant, 'calm' | 'bold' | undefined>(true)
         // @ts-expect-error There is no such flag.
         useFeatureFlag('gamma')
         const waymark = useWaymark()
         waymark?.identify('ada')
         // @ts-expect-error An app has no pages.
         waymark?.pageview()
         useWaymark<Waymark>()?.pageview()
         // @ts-expect-error There may be no agent.
         waymark.capture('opened')
         return (
           <WaymarkProvider client={clients[0]} bootstrap={undefined}>
             <Feature flag="hero" match="calm" fallback={<p>off</p>}>{(payload) => payload?.title}</Feature>
             {/* @ts-expect-error There is no such flag. */}
             <Feature flag="gamma" />
             {/* @ts-expect-error There is no such variant. */}
             <Feature flag="hero" match="loud" />
             <CaptureOnView event="opened" />
             <CaptureOnView event="signed up" properties={{ plan: 'pro' }} threshold={0.5} once={false} as="li" className="row">
               <p>Plans</p>
             </CaptureOnView>
             {/* @ts-expect-error There is no such plan. */}
             <CaptureOnView event="signed up" properties={{ plan: 'gold' }} />
             {/* @ts-expect-error The plan is missing. */}
             <CaptureOnView event="signed up" />
             {/* @ts-expect-error There is no such event. */}
             <CaptureOnView event="closed" />
           </WaymarkProvider>
         )
       }
       // @ts-expect-error The agent must be named, also when there is none.
       export const missing = <WaymarkProvider />
       export type All = [CaptureOnViewProps, FeatureProps, WaymarkProviderProps]`,
    )
    expect(compile('typed.tsx', JSX)).toEqual([])
  }, 60_000)

  it('contains the calls of posthog-js, with the types that pages use', () => {
    writeFileSync(
      join(folder, 'compat.mjs'),
      `import analytics from 'waymark/compat'
       console.log(analytics.__loaded, analytics.capture('early'))`,
    )
    expect(run('compat.mjs')).toBe('false undefined\n')
    writeFileSync(
      join(folder, 'compat.ts'),
      `import analytics, { posthog, type BeforeSendFn, type CaptureResult, type PostHog, type PostHogConfig } from 'waymark/compat'
       const before_send: BeforeSendFn = (event) => (event.properties.$current_url.includes('secret') ? null : event)
       const config: Partial<PostHogConfig> = {
         api_host: 'https://a.test', before_send, rageclick: false, loaded: (instance) => instance.debug(),
       }
       const client: PostHog = posthog.init('key', config)
       const isOn: boolean | undefined = analytics.isFeatureEnabled('beta')
       const isOff: boolean = analytics.isFeatureEnabled('beta', { defaultValue: false })
       client.capture('opened', { from: 'mail' }, { send_instantly: true, $set: { plan: 'pro' } })
       client.on('eventCaptured', (event: CaptureResult) => event.event)
       client.onFeatureFlags((flags, variants) => flags.filter((flag) => variants[flag] === 'blue'))()
       // @ts-expect-error A name is a string.
       client.capture(5)
       // @ts-expect-error There is no such persistence.
       client.init('key', { persistence: 'disk' })
       export const all = [isOn, isOff]`,
    )
    expect(compile('compat.ts', { types: ['node'] })).toEqual([])
  }, 60_000)

  it('compiles a program that was written for posthog-js, with the types of either package', () => {
    // Real folders, so that the compiler finds the types that the package itself imports.
    symlinkSync(resolve('node_modules/posthog-js'), join(folder, 'node_modules/posthog-js'))
    const program = (name: string): string => `
      import posthog, { type BootstrapConfig, type CaptureOptions, type CaptureResult, type FeatureFlagResult, type JsonType,
        type PostHog, type PostHogConfig, type Properties, type Property } from '${name}'
      const bootstrap: BootstrapConfig = { distinctID: 'ada', isIdentifiedID: true, featureFlags: { beta: true } }
      const config: Partial<PostHogConfig> = {
        api_host: 'https://a.test', ui_host: 'https://b.test', person_profiles: 'identified_only', bootstrap, capture_pageview: false,
        autocapture: { dom_event_allowlist: ['click'], url_allowlist: [/shop/] },
        session_recording: { maskAllInputs: true, maskInputFn: (text, element) => (element?.id ? text : '*') },
        before_send: (event) => (event && event.properties['$current_url'].includes('secret') ? null : event),
        sanitize_properties: (properties, name) => ({ ...properties, name }),
        get_device_id: (uuid) => uuid, on_request_error: (response) => void response.statusCode,
        loaded: (instance) => { if (instance.__loaded) instance.debug(false) },
      }
      const client: PostHog = posthog.init('key', config)
      posthog.init('key', { api_host: 'https://a.test', opt_in_site_apps: true, error_tracking: {}, loaded: (other) => other.reset() }, 'shop2')
      const options: CaptureOptions = { transport: 'sendBeacon', send_instantly: true, $set: { plan: 'pro' }, timestamp: new Date() }
      const result: CaptureResult | undefined = client.capture('opened', { from: 'mail' }, options)
      export const uuid: string | undefined = result?.uuid
      client.capture('$exception', null, { skip_client_rate_limiting: true, $set_once: { first: 1 }, $unset: ['trial'] })
      client.register({ app: 'shop' }, 7)
      client.register_once({ app: 'shop' }, 'None', 7)
      client.unregister('app')
      const property: Property = client.get_property('app')
      export const plan: string = property
      client.identify('ada', { plan: 'pro' }, { first: 1 })
      client.alias('ada', 'bob')
      client.people.set('plan', 'pro')
      client.people.set_once({ plan: 'pro' })
      client.group('company', 'acme', { seats: 5 })
      client.resetGroups()
      client.reset({ resetDeviceID: true })
      client.opt_in_capturing({ captureEventName: 'agreed', captureProperties: { from: 'banner' } })
      client.clear_opt_in_out_capturing()
      export const consent: 'granted' | 'denied' | 'pending' = client.get_explicit_consent_status()
      export const isOn: boolean | undefined = client.isFeatureEnabled('beta', { send_event: false })
      export const isKnown: boolean = client.isFeatureEnabled('beta', { defaultValue: false })
      export const variant = client.getFeatureFlag('beta', { fresh: true }) === 'blue'
      export const payload: JsonType = client.getFeatureFlagPayload('beta')
      const flag: FeatureFlagResult | undefined = client.getFeatureFlagResult('beta')
      export const title = (flag?.payload as { title: string }).title
      client.onFeatureFlags((flags, variants, context) => void [flags.length, variants['beta'], context?.errorsLoading])()
      client.on('eventCaptured', (event) => void event.uuid)()
      client.on('featureFlagsReloading', () => undefined)()
      client.updateFlags({ beta: true })
      client.setPersonPropertiesForFlags({ plan: 'pro' }, false)
      client.setGroupPropertiesForFlags({ company: { seats: 5 } })
      client.onSessionId((id) => id.length)()
      client.onSurveysLoaded((surveys) => surveys.map(({ id }) => id))
      client.getSurveys((surveys) => surveys.length, true)
      client.getActiveMatchingSurveys((surveys) => surveys.length)
      client.renderSurvey('id', '#survey')
      client.getEarlyAccessFeatures((features) => features.map(({ name }) => name), true, ['beta'])
      client.updateEarlyAccessFeatureEnrollment('beta', true)
      client.startSessionRecording({ sampling: true, linked_flag: true })
      client.stopSessionRecording()
      export const isRecording: boolean = client.sessionRecordingStarted()
      export const replay: string = client.get_session_replay_url({ withTimestamp: true, timestampLookBack: 30 })
      client.captureException(new Error('broken'), { page: 'cart' })
      client.startExceptionAutocapture()
      client.captureTraceFeedback('trace', 'good')
      client.set_config({ disable_session_recording: true })
      client.setIdentity('ada', 'hash')
      client.unsetPersonProperties(['plan'])
      export const properties: Properties = { id: client.get_distinct_id(), session: client.get_session_id() }
      void client.shutdown(1_000)`
    for (const name of ['posthog-js', 'waymark/compat']) {
      const file = `program-${name.replace('/', '-')}.ts`
      writeFileSync(join(folder, file), program(name))
      expect([name, compile(file, { types: [], skipLibCheck: true, exactOptionalPropertyTypes: false })]).toEqual([
        name,
        [],
      ])
    }
  }, 120_000)

  it('contains the management client, in one file for Node, edge and browsers', () => {
    const loaded = loadedBy(join(installed, 'dist/management.js'))
    expect([...loaded.values()].join()).not.toMatch(/\bfrom '|\bimport\b|\brequire\(|\bprocess\b|\bBuffer\b/)
    writeFileSync(
      join(folder, 'management.mjs'),
      `import { createClient, ServiceError } from 'waymark/management'
       const responses = [Response.json({ results: [[1]] }), Response.json({ type: 't', code: 'c', detail: 'd', attr: null }, { status: 400 })]
       const fetch = async (url, init) => {
         if ('credentials' in init) throw new TypeError('Workers have no credentials.')
         return responses.shift()
       }
       const client = createClient({ host: 'https://a.test', personalApiKey: 'key', fetch })
       const { results } = await client.query('select 1')
       const error = await client.get('/api/users/').catch((error) => error)
       console.log(JSON.stringify(results), error instanceof ServiceError, error.code)`,
    )
    for (const conditions of [[], ['--conditions=workerd'], ['--conditions=browser']])
      expect(run(...conditions, 'management.mjs')).toBe('[[1]] true c\n')
  })

  it('exports the types of the management client', () => {
    writeFileSync(
      join(folder, 'management.ts'),
      `import { createClient, type Client, type FeatureFlag, type ItemOf, type ManagementError } from 'waymark/management'
       const client: Client = createClient({ host: 'https://a.test', personalApiKey: 'key', projectId: undefined })
       const FLAGS = '/api/environments/{project_id}/feature_flags/'
       const flags = async (): Promise<FeatureFlag[]> => {
         const flags: ItemOf<typeof FLAGS>[] = []
         for await (const flag of client.list(FLAGS, { query: { limit: 2 } })) flags.push(flag)
         return flags
       }
       // @ts-expect-error There is no such path.
       void client.get('/api/nothing/')
       // @ts-expect-error A flag needs a key.
       void client.post(FLAGS, { body: { filters: { groups: [] } } })
       export type All = [ManagementError, typeof flags]`,
    )
    expect(compile('management.ts', { lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'], types: [] })).toEqual([])
  }, 60_000)

  it('has the delivery in the same file where a bundler builds a worker', () => {
    writeFileSync(
      join(folder, 'worker.mjs'),
      `console.log(import.meta.resolve('waymark').split('/').at(-1), typeof (await import('waymark')).init)`,
    )
    expect([run('worker.mjs'), run('--conditions=worker', 'worker.mjs')]).toEqual([
      'index.js function\n',
      'full.js function\n',
    ])
  })

  it('resolves to the edge agent with the same functions in runtimes without Node', () => {
    writeFileSync(
      join(folder, 'conditions.mjs'),
      `const agent = await import('waymark/node')
       console.log(JSON.stringify([import.meta.resolve('waymark/node').split('/').at(-1), Object.keys(agent).sort()]))`,
    )
    const resolved = ['node', 'edge-light', 'workerd', 'worker', 'browser'].map((condition) => {
      const output = execFileSync(process.execPath, [`--conditions=${condition}`, 'conditions.mjs'], {
        cwd: folder,
        encoding: 'utf8',
        stdio: 'pipe',
      })
      return JSON.parse(output) as [file: string, names: string[]]
    })
    expect(resolved.map(([file]) => file)).toEqual(['node.js', 'edge.js', 'edge.js', 'edge.js', 'edge.js'])
    for (const [, names] of resolved) {
      expect(names).toEqual(['edgeContext', 'expressContext', 'fastifyContext', 'httpContext', 'init'])
    }
  })

  it('starts nothing and changes no global when an entry is loaded, as a module or by require', () => {
    const { exports: entries } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      exports: Record<string, unknown>
    }
    const names = Object.keys(entries).filter((path) => typeof entries[path] === 'object')
    expect(names).toContain('./react')
    const isUnchanged = (load: string): string =>
      `const read = () => [globalThis, process, Object.prototype, Array.prototype].flatMap((target) => Reflect.ownKeys(target))
         .concat(process.eventNames(), process.getActiveResourcesInfo().filter((name) => name.endsWith('Timeout')))
       const run = async () => {
         // Node creates some globals on first use.
         for (const name of Object.getOwnPropertyNames(globalThis)) void globalThis[name]
         const before = read()
         ${load}
         await new Promise((resolve) => setImmediate(resolve))
         console.log(JSON.stringify(read().filter((name) => !before.includes(name)).map(String)))
       }
       run()`
    for (const name of names) {
      const id = JSON.stringify(name.replace('.', 'waymark'))
      writeFileSync(join(folder, 'load.mjs'), isUnchanged(`await import(${id})`))
      writeFileSync(join(folder, 'load.cjs'), isUnchanged(`require(${id})`))
      expect([name, run('load.mjs'), run('load.cjs')]).toEqual([name, '[]\n', '[]\n'])
    }
  }, 60_000)

  it('contains the command with the licences of its bundled libraries', () => {
    const { bin } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { bin: { waymark: string } }
    const command = join(installed, bin.waymark)
    expect(readFileSync(command, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
    writeFileSync(join(folder, 'a.csv'), 'event,distinct_id,timestamp\ne,u,2024-01-31\n')
    const output = execFileSync(process.execPath, [command, 'import', 'a.csv', '--dry-run'], {
      cwd: folder,
      encoding: 'utf8',
    })
    expect(output).toContain('1 event can be imported.')
    const code = files.filter((path) => path.endsWith('.js')).map((path) => readFileSync(join(installed, path), 'utf8'))
    for (const library of ['csv-parse', 'cli-progress', 'string-width']) {
      expect(code.filter((text) => RegExp(`/\\*!\n${library} \\d.*\n\n[^*]*MIT`).test(text))).toHaveLength(1)
    }
  })

  it('imports history through the API', () => {
    writeFileSync(
      join(folder, 'import.mjs'),
      `import { checkHistory, importHistory, ImportError } from 'waymark/import'
       const source = new Blob(['{"event":"e","distinct_id":"u","timestamp":"2024-01-31"}']).stream()
       const failure = await importHistory({ source: 'missing', key: 'k', host: 'http://127.0.0.1' }).catch((error) => error)
       console.log((await checkHistory({ source })).valid, failure instanceof ImportError, failure.code)`,
    )
    expect(execFileSync(process.execPath, ['import.mjs'], { cwd: folder, encoding: 'utf8', stdio: 'pipe' })).toBe(
      '1 true unreadable_input\n',
    )
  })
})
