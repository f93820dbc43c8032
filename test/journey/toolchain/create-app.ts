import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, vi } from 'vitest'
import { installPackages } from '../../support/install-packages.mjs'
import { packPackage } from '../../support/packed-package.ts'

/** A folder as a user has it: tools, the packed package, and files of their own. Its properties are set when the tests run. */
export interface App {
  readonly folder: string
  /** The folder with the tools, above the app's. */
  readonly tools: string
  /** Writes the user's files. */
  write(files: Readonly<Record<string, string>>): void
  /** Runs a JavaScript file of the tools in the folder, and returns its output, or throws with it. */
  run(tool: string, ...args: readonly string[]): string
}

/** How long one tool may take on a busy machine. */
const TOOL_TIMEOUT_MS = 180_000

/** How long a test may take, which runs several tools, and the installation of all of them. */
const TEST_TIMEOUT_MS = 600_000

/**
 * Creates the app before the tests of the file, and removes it after them.
 *
 * @param tools Name of a list of packages in `packages/`, installed once per machine.
 */
export const createApp = (tools: string): App => {
  vi.setConfig({ testTimeout: TEST_TIMEOUT_MS, hookTimeout: TEST_TIMEOUT_MS })
  const app = {} as { -readonly [Name in keyof App]: App[Name] }
  beforeAll(async () => {
    app.tools = await installPackages(tools, new URL(`packages/${tools}.json`, import.meta.url))
    app.folder = mkdtempSync(join(app.tools, 'app-'))
    const packed = packPackage()
    packed.installInto(app.folder)
    packed.remove()
  })
  afterAll(() => rmSync(app.folder, { recursive: true, force: true }))
  app.write = (files) => {
    for (const [path, content] of Object.entries(files)) {
      const file = join(app.folder, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, content)
    }
  }
  app.run = (tool, ...args) => {
    try {
      return execFileSync(process.execPath, [join(app.tools, 'node_modules', tool), ...args], {
        cwd: app.folder,
        env: { PATH: process.env['PATH'], HOME: app.folder, CI: '1', NEXT_TELEMETRY_DISABLED: '1' },
        encoding: 'utf8',
        timeout: TOOL_TIMEOUT_MS,
        stdio: 'pipe',
      })
    } catch (error) {
      const { stdout, stderr } = error as { readonly stdout?: string; readonly stderr?: string }
      throw new Error(`${tool} failed:\n${stdout}\n${stderr}`, { cause: error })
    }
  }
  return app
}
