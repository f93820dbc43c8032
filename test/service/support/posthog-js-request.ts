import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { nodeResolve } from '@rollup/plugin-node-resolve'
import { rollup } from 'rollup'
import type { Plugin } from 'rollup'
import { vi } from 'vitest'
import { createTempFolder } from './temp-folder.ts'

/** The input of the send function of posthog-js 1.150. */
export interface PosthogJsRequest {
  readonly url: string
  readonly method: 'POST'
  readonly data: unknown
  readonly transport: 'fetch' | 'sendBeacon'
  readonly compression?: 'gzip-js' | 'base64'
  /** Not called for beacons, whose response is never seen. */
  readonly callback?: (response: { readonly statusCode: number; readonly json?: unknown }) => void
}

/** The package reads its version from its `package.json`. */
const jsonVersionPlugin: Plugin = {
  name: 'read-json',
  transform: (code, id) => (id.endsWith('.json') ? `export const { version } = ${code}` : null),
}

/**
 * Loads the original function with which posthog-js 1.150 builds the URL, encodes and sends a request.
 *
 * @param beacon Replaces `navigator.sendBeacon`.
 */
export const loadPosthogJsRequest = async (
  beacon: (url: string, body: Blob) => void,
): Promise<(request: PosthogJsRequest) => void> => {
  const input = createRequire(import.meta.url).resolve('posthog-js-1.150/lib/src/request.js')
  const bundle = await rollup({ input, plugins: [nodeResolve({ browser: true }), jsonVersionPlugin], onwarn: () => {} })
  const { output } = await bundle.generate({ format: 'esm', inlineDynamicImports: true })
  await bundle.close()
  const file = join(createTempFolder(), 'request.mjs')
  writeFileSync(file, output[0].code)
  // The package reads the globals when it is loaded.
  vi.stubGlobal('navigator', { sendBeacon: (url: string, body: Blob) => (beacon(url, body), true) })
  try {
    return (await import(/* @vite-ignore */ pathToFileURL(file).href)).request
  } finally {
    vi.unstubAllGlobals()
  }
}
