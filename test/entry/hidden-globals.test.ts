import vm from 'node:vm'
import { expect, it } from 'vitest'
import { takeGlobals } from '../config/take-globals.mjs'
import { bundleSource } from '../support/bundle-source.ts'

/** What inline scripts of pages declare; it hides the properties of the global object. */
const DECLARATIONS = `class Map {} class Set {} class Symbol {} const URL = '/api/', Date = 0, Promise = 1, Response = 2`

it('delivers events of a page whose scripts hide built-in classes', async () => {
  const { code } = await bundleSource('src/entry/script.ts', 'iife')
  const requests: string[] = []
  const warnings: unknown[] = []
  const page = vm.createContext({
    console: { warn: (...message: unknown[]) => warnings.push(message) },
    setTimeout,
    clearTimeout,
    location: new URL('https://shop.test/'),
    TextEncoder,
    AbortController,
    fetch: async (_url: string, { body }: { body: string }) => {
      requests.push(body)
      return new Response('{"status":1}')
    },
  })
  vm.runInContext(DECLARATIONS, page)
  vm.runInContext(takeGlobals.renderChunk(code)!.code, page)
  await vm.runInContext(
    `waymark.init('key', { host: 'https://waymark.test', persistence: 'memory', disableCompression: true, preloadFeatureFlags: false })
    waymark.capture('beside a map')
    waymark.flush()`,
    page,
  )
  expect(requests.join()).toContain('"event":"beside a map"')
  expect(warnings).toEqual([])
})
