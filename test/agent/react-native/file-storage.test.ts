import { compileFunction } from 'node:vm'
import ts from 'typescript'
import { expect, it } from 'vitest'
import type { AppStorage } from '../../../src/platform/react-native/app-storage.ts'
import { readBlocks } from '../../support/readme-blocks.ts'

const EXAMPLE = readBlocks('src/agent/react-native/README.md').find(({ path }) => path === 'file-storage.ts')!

/** The example's storage writes asynchronously. */
type FileStorage = Omit<AppStorage, 'setItem'> & { setItem(key: string, value: string): Promise<void> }

/** The folder of a phone's disk, and the moment at which the app is killed. */
interface Phone {
  readonly files: Map<string, string>
  /** The app is killed in the middle of this change of the disk, counted from 1. */
  killAt: number
}

/** The part of `expo-file-system` that the example uses, on `phone`. A kill cuts off what is being written. */
const createFileSystem = (phone: Phone) => {
  let changes = 0
  let isKilled = false
  const change = (whole: () => void, half?: () => void): void => {
    isKilled ||= ++changes === phone.killAt
    if (!isKilled) return whole()
    if (changes === phone.killAt) half?.()
    throw new Error('killed')
  }
  class File {
    name: string
    constructor(_folder: Directory, name: string) {
      this.name = name
    }
    async text(): Promise<string> {
      return phone.files.get(this.name)!
    }
    async write(text: string): Promise<void> {
      const write = (content: string) => (): void => void phone.files.set(this.name, content)
      change(write(text), write(text.slice(0, text.length / 2)))
    }
    rename(name: string): void {
      change(() => {
        if (phone.files.has(name)) throw new Error('exists')
        phone.files.set(name, phone.files.get(this.name)!)
        phone.files.delete(this.name)
        this.name = name
      })
    }
    delete(): void {
      change(() => expect(phone.files.delete(this.name)).toBe(true))
    }
  }
  class Directory {
    create(): void {}
    list(): { readonly name: string }[] {
      return [...phone.files.keys()].reverse().map((name) => ({ name }))
    }
  }
  return { Directory, File, Paths: { document: 'documents' } }
}

/** Starts the example as an app does. */
const start = (phone: Phone): FileStorage => {
  const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 }
  const { outputText } = ts.transpileModule(EXAMPLE.code, { compilerOptions })
  const exports = {} as { storage: FileStorage }
  compileFunction(outputText, ['exports', 'require'])(exports, () => createFileSystem(phone))
  return exports.storage
}

const readAll = async (storage: FileStorage): Promise<Record<string, unknown>> =>
  Object.fromEntries(
    await Promise.all((await storage.getAllKeys()).map(async (key) => [key, await storage.getItem(key)] as const)),
  )

it('keeps entries of any key in files, over a restart', async () => {
  const phone: Phone = { files: new Map(), killAt: Infinity }
  const first = start(phone)
  await first.setItem('waymark_1_wm_Ab-9_e/0001 .@:%7E~', 'one')
  await first.setItem('waymark_1_flags', 'old')
  await first.setItem('waymark_1_flags', 'new')
  await first.setItem('waymark_1_gone', 'x')
  await first.removeItem('waymark_1_gone')
  await first.removeItem('waymark_1_unknown')
  const expected = { 'waymark_1_wm_Ab-9_e/0001 .@:%7E~': 'one', waymark_1_flags: 'new' }
  expect(await readAll(first)).toEqual(expected)
  expect(await first.getItem('waymark_1_gone')).toBeUndefined()
  expect(await readAll(start(phone))).toEqual(expected)
  expect([...phone.files.keys()].filter((name) => !/^\d+@[\w.-]+$/.test(name))).toEqual([])
  expect(phone.files.size).toBe(2)
})

it('has the old value or the new one after a kill at any change of the disk', async () => {
  const values = [undefined, 'one', 'two', 'three'] as const
  for (let killAt = 1; killAt <= 8; killAt++) {
    const phone: Phone = { files: new Map(), killAt }
    const storage = start(phone)
    let written = 1
    while (
      await storage.setItem('state', values[written]!).then(
        () => true,
        () => false,
      )
    )
      written++
    phone.killAt = Infinity
    const next = start(phone)
    expect([values[written - 1], values[written]]).toContain(await next.getItem('state'))
    await next.setItem('state', 'after the kill')
    expect(await readAll(start(phone))).toEqual({ state: 'after the kill' })
  }
})
