import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as React from 'react'
import { beforeAll } from 'vitest'
import type * as WaymarkReact from '../../src/entry/react.ts'
import { installPackages } from '../support/install-packages.mjs'
import { bundleSource } from '../support/bundle-source.ts'

/** What a root of `react-dom` can do. */
export interface Root {
  render(node: React.ReactNode): void
  unmount(): void
}

/** The part of Fast Refresh that bundlers call: Metro, Vite and Next.js. */
export interface FastRefresh {
  /** Must be called before `react-dom` is loaded. */
  injectIntoGlobalHook(target: typeof globalThis): void
  /** Tells the name of a component, which an edited one replaces. */
  register(component: React.FunctionComponent, name: string): void
  /** Tells which hooks a component calls. If others than before, its state is lost. */
  setSignature(component: React.FunctionComponent, hooks: string): void
  performReactRefresh(): unknown
}

/** One version of React, with `waymark/react` from its source on top of it. */
export interface ReactFixture {
  readonly React: typeof React
  readonly waymark: typeof WaymarkReact
  /** Loads `waymark/react` once more, as `require` beside `import` does. */
  loadCopy(): Promise<typeof WaymarkReact>
  /** Returns a package that belongs to this version. */
  load(name: 'react-dom/client'): {
    createRoot(container: Element): Root
    hydrateRoot(container: Element, node: React.ReactNode): Root
  }
  load(name: 'react-dom/server'): {
    renderToString(node: React.ReactNode): string
    renderToPipeableStream(
      node: React.ReactNode,
      options: { bootstrapScripts: string[]; onShellReady(): void },
    ): { pipe(target: NodeJS.WritableStream): void }
  }
  load(name: 'react-refresh/runtime'): FastRefresh
  load(name: 'react-test-renderer'): {
    create(node: React.ReactNode, options: { unstable_isConcurrent: true }): { toJSON(): unknown; unmount(): void }
  }
  /** Returns the path of a package that belongs to this version. */
  resolve(name: string): string
}

export const REACT_VERSIONS = ['18', '19'] as const

/** Loads a version of React before the tests of a file. The packages are installed once per machine. */
export const setUpReact = (version: (typeof REACT_VERSIONS)[number]): ReactFixture => {
  const fixture = {} as ReactFixture
  beforeAll(async () => {
    const versions = pathToFileURL(resolve(`test/react/react-${version}-packages.json`))
    const folder = await installPackages(`react-${version}`, versions)
    const require = createRequire(join(folder, 'package.json'))
    Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true, IS_REACT_NATIVE_TEST_ENVIRONMENT: true })
    const loadCopy = () => loadWaymark(folder, require)
    const waymark = await loadCopy()
    Object.assign(fixture, { React: require('react'), waymark, loadCopy, load: require, resolve: require.resolve })
  }, 240_000)
  return fixture
}

/** Bundles `waymark/react` below the packages, where it finds this version of React. */
const loadWaymark = async (folder: string, require: NodeJS.Require): Promise<unknown> => {
  const { code } = await bundleSource('src/entry/react.ts', 'cjs', ['react'])
  const bundled = mkdtempSync(join(folder, 'waymark-'))
  try {
    writeFileSync(join(bundled, 'react.cjs'), code)
    return require(join(bundled, 'react.cjs'))
  } finally {
    rmSync(bundled, { recursive: true })
  }
}
