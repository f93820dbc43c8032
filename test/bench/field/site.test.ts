import { afterEach, beforeEach, expect, it } from 'vitest'
import { startSite } from './site.mjs'

const SCRIPTS: Record<string, string> = { 'agent.js': 'start()', 'part.js': 'part()' }

let site: Awaited<ReturnType<typeof startSite>>
beforeEach(async () => {
  const agent = { name: 'agent', version: '1.0.0', entry: 'agent.js', isModule: false }
  const readScript = (name: string): string | undefined => SCRIPTS[name]
  site = await startSite({ ...agent, readScript }, 'http://service.test', 'loaded()')
})
afterEach(() => site.close())

const read = async (path: string): Promise<string> => (await fetch(new URL(path, site.url))).text()

it('serves a page with the script by URL', async () => {
  expect(await read('/')).toContain(
    '<script async src="/js/agent.js" data-key="bench" data-host="http://service.test" onload="loaded()"></script>',
  )
  expect(await read('/blank')).not.toContain('<script')
})

it('marks only the script of the page, not its parts', async () => {
  expect(await read('/js/agent.js')).toContain("performance.mark('agent:begin');start()")
  expect(await read('/js/part.js')).toBe('part()')
})

it('counts the bytes of the scripts that the page has loaded', async () => {
  await read('/js/agent.js')
  await read('/js/missing.js')
  expect([...site.downloads.keys()]).toEqual(['agent.js'])
  await read('/js/part.js?version=1')
  expect([...site.downloads.values()].every((bytes: number) => bytes > 20 && bytes < 40)).toBe(true)
  expect(site.downloads.size).toBe(2)
})
