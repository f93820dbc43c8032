import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installPackages } from '../../support/install-packages.mjs'
import type { Evaluation, GivenContext } from '../../../src/evaluate/evaluation.ts'
import type { FlagDefinitions } from '../../../src/wire/definition.ts'
import { createAppFolder } from './create-app-folder.ts'
import { installWaymark } from './install-waymark.ts'

const HERE = new URL('.', import.meta.url).pathname
const BINARIES: Partial<Record<NodeJS.Platform, string>> = { darwin: 'osx-bin', win32: 'win64-bin' }

/** One request of the app, as it calls `fetch`. */
export interface AppRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | readonly number[]
}

/** What one run of the app has printed. */
export interface AppRunOutput {
  /** Globals that a browser has, but not this engine. */
  readonly missing: readonly string[]
  /** Whether `waymark` and `waymark/react-native` are the same module, and those that evaluate flags too. */
  readonly isSame: boolean
  /** The evaluations of `flagSets`: by set, then by person, then by flag. */
  readonly evaluated: readonly (readonly (readonly Evaluation[])[])[]
  readonly reads: readonly unknown[]
  /** What the app's own error handler has seen. */
  readonly ended: readonly unknown[]
  readonly requests: readonly AppRequest[]
  readonly console: readonly (readonly string[])[]
  readonly disk: Readonly<Record<string, string>>
}

/** Definitions, and the people for whom they are evaluated. */
export interface FlagSet {
  readonly definitions: FlagDefinitions
  readonly contexts: readonly GivenContext[]
}

/** The test's app, built by Metro with Babel's preset of React Native, for Hermes. */
export interface HermesApp {
  /** Runs the app for eight seconds of its own clock. */
  run(options: {
    readonly apiKey: string
    readonly startMs: number
    readonly isOnline: boolean
    readonly disk: Readonly<Record<string, string>>
    /** With definitions, the agent evaluates their flags, and the app all flags of `flagSets`. */
    readonly definitions?: FlagDefinitions
    readonly flagSets?: readonly FlagSet[]
  }): AppRunOutput
  /** Compiles the app with the compiler of React Native 0.83 and later, and returns the bytecode. It cannot run in this Hermes. */
  compile(): Uint8Array
  remove(): void
}

/** Installs Metro and Hermes (once per machine, in half a minute), and builds the app with the built package. */
export const buildHermesApp = async (): Promise<HermesApp> => {
  const packages = await installPackages('hermes', new URL('hermes-packages.json', import.meta.url))
  const app = createAppFolder(packages, 'hermes')
  cpSync(join(HERE, 'app'), app, { recursive: true })
  writeFileSync(join(app, 'babel.config.js'), "module.exports = { presets: ['@react-native/babel-preset'] }")
  installWaymark(app)
  execFileSync(process.execPath, [join(HERE, 'bundle.mjs'), packages, app], { stdio: 'pipe' })

  const runtime = readFileSync(join(HERE, 'runtime.js'), 'utf8')
  const bundle = readFileSync(join(app, 'bundle.js'), 'utf8')
  const folder = BINARIES[process.platform] ?? 'linux64-bin'
  const hermes = (program: string, ...args: readonly string[]): string => {
    const file = join(packages, 'node_modules/hermes-engine-cli', folder, program)
    return execFileSync(file, args, { encoding: 'utf8', maxBuffer: 2 ** 26, stdio: 'pipe' })
  }

  return {
    run(options) {
      const [source, bytecode] = [join(app, 'run.js'), join(app, 'run.hbc')]
      writeFileSync(source, `${runtime.replace('(RUN)', () => `(${JSON.stringify(options)})`)}\n${bundle}`)
      hermes('hermesc', '-O', '-w', '-emit-binary', '-out', bytecode, source)
      const lines = hermes('hermes', '-b', bytecode).split('\n')
      const printed = (word: string): unknown[] =>
        lines.filter((line) => line.startsWith(`${word} `)).map((line) => JSON.parse(line.slice(word.length)))
      return {
        missing: printed('MISSING')[0] as string[],
        isSame: printed('SAME')[0] as boolean,
        evaluated: printed('EVALUATED')[0] as AppRunOutput['evaluated'],
        reads: printed('READ'),
        ended: printed('ENDED'),
        requests: printed('REQUEST') as AppRequest[],
        console: printed('CONSOLE') as string[][],
        disk: printed('DISK')[0] as Record<string, string>,
      }
    },
    compile() {
      const bytecode = join(app, 'bundle.hbc')
      const file = join(packages, 'node_modules/hermes-compiler/hermesc', folder, 'hermesc')
      execFileSync(file, ['-O', '-w', '-emit-binary', '-out', bytecode, join(app, 'bundle.js')], { stdio: 'pipe' })
      return readFileSync(bytecode)
    },
    remove: () => rmSync(app, { recursive: true, force: true }),
  }
}
