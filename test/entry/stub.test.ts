// @vitest-environment happy-dom
import terser from '@rollup/plugin-terser'
import { rollup } from 'rollup'
import ts from 'typescript'
import { beforeEach, describe, expect, it } from 'vitest'

type Call = [verb: string, args: unknown[], time: number, url: string]
type Stub = { q: Call[] } & Record<string, (...args: unknown[]) => unknown>

const page = window as unknown as { waymark?: Stub }

/** What the snippet does, run as the classic script that a page has inline. */
const code = async (): Promise<string> => {
  const bundle = await rollup({
    input: 'src/entry/stub.ts',
    plugins: [
      {
        name: 'strip-types',
        transform: (text: string) =>
          ts.transpileModule(text, {
            compilerOptions: { target: ts.ScriptTarget.ES2020, module: ts.ModuleKind.ESNext },
          }).outputText,
      },
      terser({ ecma: 2020 }),
    ],
  })
  return (await bundle.generate({ format: 'iife' })).output[0].code
}
const script = await code()
const load = (): Stub => {
  // oxlint-disable-next-line no-eval -- a classic script, as the page runs it
  ;(0, eval)(script)
  return page.waymark!
}
const leave = () => window.dispatchEvent(new Event('pagehide'))
const kept = () => JSON.parse(localStorage.getItem('waymark_q') ?? '[]') as Call[]

beforeEach(() => {
  leave()
  delete page.waymark
  localStorage.clear()
})

describe('the stub', () => {
  it('is smaller than 400 bytes', () => {
    expect(script.length).toBeLessThan(400)
  })

  it('queues each call with its time and address, whatever the verb', () => {
    const stub = load()
    const before = Date.now()
    expect(stub.capture!('signed up', { plan: 'pro' })).toBeUndefined()
    stub.optOut!()
    expect(stub.q).toHaveLength(2)
    const [verb, args, time, url] = stub.q[0]!
    expect([verb, args, url]).toEqual(['capture', ['signed up', { plan: 'pro' }], location.href])
    expect(time).toBeGreaterThanOrEqual(before)
    expect(stub.q[1]!.slice(0, 2)).toEqual(['optOut', []])
  })

  it('takes verbs that arrays have too', () => {
    const stub = load()
    stub.reset!()
    stub.push!('x')
    expect(stub.q.map((call) => call[0])).toEqual(['reset', 'push'])
  })

  it('leaves a script that is there already alone', () => {
    const agent = { q: [] } as unknown as Stub
    page.waymark = agent
    expect(load()).toBe(agent)
  })

  it('keeps the calls of a visitor who leaves before the script arrives, page after page', () => {
    load().capture!('one')
    leave()
    delete page.waymark
    load().capture!('two')
    leave()
    expect(kept().map((call) => call[1])).toEqual([['one'], ['two']])
  })

  it('keeps nothing that the script has taken', () => {
    const stub = load()
    stub.capture!('one')
    stub.q.splice(0)
    leave()
    expect(localStorage.getItem('waymark_q')).toBeNull()
  })

  it('hands later calls of an old reference to whoever replaced push', () => {
    const stub = load()
    const seen: Call[] = []
    stub.q.push = (...calls) => seen.push(...calls)
    stub.capture!('late')
    expect(seen[0]!.slice(0, 2)).toEqual(['capture', ['late']])
  })

  it('keeps at most the newest 99 calls', () => {
    const stub = load()
    for (let at = 0; at < 120; at++) stub.capture!(at)
    leave()
    expect(kept()).toHaveLength(99)
    expect(kept()[98]![1]).toEqual([119])
  })

  it('keeps the other calls when JSON refuses an argument of one', () => {
    const stub = load()
    stub.capture!('one')
    stub.capture!('big', { size: 1n })
    stub.capture!('two')
    leave()
    expect(kept().map((call) => call[1])).toEqual([['one'], ['two']])
    expect(stub.q.map((call) => call[1][0])).toEqual(['big'])
  })

  it('is no promise', async () => {
    const stub = load()
    expect(await Promise.race([Promise.resolve(stub), Promise.resolve('never')])).toBe(stub)
    expect(stub.q).toEqual([])
  })

  it('stays silent when nothing can be kept', () => {
    localStorage.setItem('waymark_q', 'not json')
    load().capture!('one')
    leave()
    expect(localStorage.getItem('waymark_q')).toBe('not json')
  })
})
