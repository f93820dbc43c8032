import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProgram, findTypeErrors } from '../../support/create-program.ts'
import { packPackage } from '../../support/packed-package.ts'
import { readBlocks } from '../../support/readme-blocks.ts'
import { installAppPackages } from './install-app-packages.ts'

let folder: string
beforeAll(async () => {
  const packages = await installAppPackages()
  folder = mkdtempSync(join(packages, 'readme-'))
  const packed = packPackage()
  packed.installInto(folder)
  packed.remove()
  cpSync('demo/native', join(folder, 'demo'), { recursive: true })
}, 400_000)
afterAll(() => folder && rmSync(folder, { recursive: true, force: true }))

/** What the examples import from the reader's own program. */
const READER_FILES = {
  'flags.json':
    '{ "flags": [{ "id": 1, "key": "on", "active": true, "filters": { "groups": [{ "rollout_percentage": 50 }] } }] }',
}

const USE_OF_ASYNC_STORAGE_3 = `
import AsyncStorage, { createAsyncStorage } from 'async-storage-3'
import { init } from 'waymark/react-native'

for (const storage of [AsyncStorage, createAsyncStorage('waymark')]) init('key', { host: 'https://waymark.test', storage })
`

/** Writes the examples of a README into one folder per section, beside those of earlier sections. Returns the paths of those of each section. */
const writeExamples = (readme: string, target: string): Record<string, string[]> => {
  const files = new Map<string, string>(Object.entries(READER_FILES))
  const written: Record<string, string[]> = {}
  const examples = readBlocks(readme).filter(({ language }) => /^tsx?$/.test(language))
  for (const title of new Set(examples.map(({ section }) => section))) {
    const blocks = examples.filter(({ section }) => section === title)
    const names = blocks.map(({ path }) => path)
    expect(names, `the first line of each example of "${title}" names its file`).not.toContain(undefined)
    for (const { path, code } of blocks) files.set(path!, code)
    const root = join(target, title.replaceAll(' ', '-'))
    for (const [name, code] of files) {
      mkdirSync(dirname(join(root, name)), { recursive: true })
      writeFileSync(join(root, name), code)
    }
    written[title] = names.map((name) => join(root, name!))
  }
  return written
}

const findErrors = (files: readonly string[], options: ts.CompilerOptions): string[] =>
  findTypeErrors(createProgram(files, { ...options, strict: true, noEmit: true })).map(
    ({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
  )

/** The options of the sample app, which are those of Expo. */
const readAppConfig = (): ts.ParsedCommandLine => {
  const path = join(folder, 'demo/tsconfig.json')
  return ts.parseJsonConfigFileContent(ts.readConfigFile(path, ts.sys.readFile).config, ts.sys, dirname(path))
}

describe('with the packed package and the types of React, React Native and Expo', () => {
  it('the examples for apps compile: Expo, bare React Native, and all others', () => {
    const examples = writeExamples('src/agent/react-native/README.md', join(folder, 'apps'))
    expect(Object.keys(examples)).toEqual(expect.arrayContaining(['Expo', 'Bare React Native']))
    // The examples are compiled with version 2, which `npx expo install` chooses.
    const newerStorage = join(folder, 'apps/async-storage-3.ts')
    writeFileSync(newerStorage, USE_OF_ASYNC_STORAGE_3)
    expect(findErrors([newerStorage, ...Object.values(examples).flat()], readAppConfig().options)).toEqual([])
  }, 60_000)

  it('the sample app compiles', () => {
    const { fileNames, options, errors } = readAppConfig()
    expect(errors).toEqual([])
    expect(fileNames.length).toBeGreaterThan(5)
    expect(findErrors(fileNames, options)).toEqual([])
  }, 60_000)
})
