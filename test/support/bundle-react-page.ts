import commonjs from '@rollup/plugin-commonjs'
import { nodeResolve } from '@rollup/plugin-node-resolve'
import { resolve } from 'node:path'
import { rollup } from 'rollup'
import type { Options } from '../../src/agent/options.ts'
import type { ReactFixture } from '../react/load-react.ts'

/**
 * Bundles the script of a page, in development mode: only that warns of HTML that differs from the server's.
 *
 * @param takeOver Code that calls `hydrateRoot(root, …)`. It knows `React`, `waymarkReact`, the agent `waymark`, its `bootstrap`, and
 *   `observe`, which calls a function after each change of the page.
 */
export const bundleReactPage = async (
  react: ReactFixture,
  apiKey: string,
  options: Options,
  takeOver: string,
): Promise<string> => {
  const main = resolve('test/support/react-page.js')
  const code = `
    import * as React from 'react'
    import { hydrateRoot } from 'react-dom/client'
    import { init } from 'waymark'
    import * as waymarkReact from 'waymark/react'
    const options = ${JSON.stringify(options)}
    const { bootstrap } = options
    window.waymark = init('${apiKey}', options)
    const root = document.getElementById('root')
    const observe = (read) => new MutationObserver(read)
      .observe(root, { childList: true, characterData: true, subtree: true })
    ${takeOver}`
  const built = await rollup({
    input: main,
    // Rollup ignores the directive of `waymark/react`, which is for servers, with a warning.
    logLevel: 'silent',
    plugins: [
      {
        name: 'page',
        resolveId: (id) => (id === main ? id : /^react(-dom)?(\/|$)/.test(id) ? react.resolve(id) : null),
        load: (id) => (id === main ? code : null),
        transform: (source) => ({ code: source.replaceAll('process.env.NODE_ENV', '"development"'), map: null }),
      },
      nodeResolve({ browser: true }),
      commonjs(),
    ],
  })
  const { output } = await built.generate({ format: 'iife', inlineDynamicImports: true })
  await built.close()
  return output[0].code
}
