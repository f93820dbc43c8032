// @vitest-environment happy-dom
import terser from '@rollup/plugin-terser'
import { rollup } from 'rollup'
import ts from 'typescript'
import { beforeEach, describe, expect, it } from 'vitest'

type Call = [verb: string, args: unknown[], time: number, url: string]
type Stub = { q: Call[] } & Record<string, (...args: unknown[]) => unknown>

const page = window as unknown as { waymark?: Stub }

/** Bundles the snippet as the inline classic script of a page. */
const bundleStub = async (): Promise<string> => {
  const bundle = await rollup({
    input: 'src/entry/stub.ts',
    plugins: [
      {
        name: 'strip-types',
        transform: (source: string) =>
          ts.transpileModule(source, {
            compilerOptions: { target: ts.ScriptTarget.ES2020, module: ts.ModuleKind.ESNext },
          }).outputText,
      },
      terser({ ecma: 2020 }),
    ],
  })
  return (await bundle.generate({ format: 'iife' })).output[0].code
}
const script = await bundleStub()
const load = (): Stub => {
  // oxlint-disable-next-line no-eval -- runs it like the page, as a classic script
  ;(0, eval)(script)
  return page.waymark!
}
const leave = () => window.dispatchEvent(new Event('pagehide'))
const storedCalls = () => JSON.parse(localStorage.getItem('waymark_q') ?? '[]') as Call[]

beforeEach(() => {
  leave()
  delete page.waymark
  localStorage.clear()
})

describe('the stub', () => {
  it('is smaller than 400 bytes', () => {
    expect(script.length).toBeLessThan(400)
  })

  it('queues calls of any verb with their time and URL', () => {
    const stub = load()
    const startMs = Date.now()
    expect(stub.capture!('signed up', { plan: 'pro' })).toBeUndefined()
    stub.optOut!()
    expect(stub.q).toHaveLength(2)
    const [verb, args, time, url] = stub.q[0]!
    expect([verb, args, url]).toEqual(['capture', ['signed up', { plan: 'pro' }], location.href])
    expect(time).toBeGreaterThanOrEqual(startMs)
    expect(stub.q[1]!.slice(0, 2)).toEqual(['optOut', []])
  })

  it('accepts verbs that are also array methods', () => {
    const stub = load()
    stub.reset!()
    stub.push!('x')
    expect(stub.q.map((call) => call[0])).toEqual(['reset', 'push'])
  })

  it('does not replace a loaded script', () => {
    const agent = { init: () => {}, q: [] } as unknown as Stub
    page.waymark = agent
    expect(load()).toBe(agent)
  })

  it('stores the calls of pages that are left before the script is loaded', () => {
    load().capture!('one')
    leave()
    delete page.waymark
    load().capture!('two')
    leave()
    expect(storedCalls().map((call) => call[1])).toEqual([['one'], ['two']])
  })

  it('stores no call that the script has already removed', () => {
    const stub = load()
    stub.capture!('one')
    stub.q.splice(0)
    leave()
    expect(localStorage.getItem('waymark_q')).toBeNull()
  })

  it('passes calls through an old reference to a push that was replaced', () => {
    const stub = load()
    const calls: Call[] = []
    stub.q.push = (...newCalls) => calls.push(...newCalls)
    stub.capture!('late')
    expect(calls[0]!.slice(0, 2)).toEqual(['capture', ['late']])
  })

  it('stores at most the latest 99 calls', () => {
    const stub = load()
    for (let index = 0; index < 120; index++) stub.capture!(index)
    leave()
    expect(storedCalls()).toHaveLength(99)
    expect(storedCalls()[98]![1]).toEqual([119])
  })

  it('stores the other calls if one has an argument that is not JSON', () => {
    const stub = load()
    stub.capture!('one')
    stub.capture!('big', { size: 1n })
    stub.capture!('two')
    leave()
    expect(storedCalls().map((call) => call[1])).toEqual([['one'], ['two']])
    expect(stub.q.map((call) => call[1][0])).toEqual(['big'])
  })

  it('can be awaited, because it is not a promise', async () => {
    const stub = load()
    expect(await Promise.race([Promise.resolve(stub), Promise.resolve('never')])).toBe(stub)
    expect(stub.q).toEqual([])
  })

  it('takes the place of an element with its name, but not of the stub or the script', () => {
    const form = document.createElement('form')
    form.innerHTML = '<input name="init"><input name="q">'
    Object.assign(form, { init: form.firstChild })
    page.waymark = form as never
    const stub = load()
    stub.capture!('one')
    expect(stub.q).toHaveLength(1)
    expect(load()).toBe(stub)
    const script = (page.waymark = { init: () => {} } as never)
    expect(load()).toBe(script)
  })

  it('does not throw when nothing can be stored', () => {
    localStorage.setItem('waymark_q', 'not json')
    load().capture!('one')
    leave()
    expect(localStorage.getItem('waymark_q')).toBe('not json')
  })
})
