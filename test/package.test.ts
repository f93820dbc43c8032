import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: Record<string, string> }
/** Without the settings that `npm test` of this repository hands to its children. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')))

describe('what npm pack ships of the root', () => {
  let folder: string
  let files: string[]
  let installed: string

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'waymark-package-'))
    const said = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], { env, encoding: 'utf8' })
    const [packed] = JSON.parse(said) as [{ filename: string; files: { path: string }[] }]
    files = packed.files.map(({ path }) => path)
    installed = join(folder, 'node_modules/waymark')
    mkdirSync(installed, { recursive: true })
    execFileSync('tar', ['-xzf', join(folder, packed.filename), '--strip-components=1', '-C', installed])
    for (const name of Object.keys(manifest.dependencies)) {
      symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name))
    }
  }, 60_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('is the agent alone', () => {
    expect(files.filter((path) => !/^(dist\/[\w./-]+|package\.json|README\.md|LICENSE)$/.test(path))).toEqual([])
    expect(files.filter((path) => path.includes('service'))).toEqual([])
  })

  it('needs fflate, lz-string and idb-keyval, and nothing else', () => {
    expect(Object.keys(manifest.dependencies).sort()).toEqual(['fflate', 'idb-keyval', 'lz-string'])
  })

  it('is imported where there is no page, captures there, and lets the process end', () => {
    writeFileSync(
      join(folder, 'use.mjs'),
      `import { init } from 'waymark'
       const bodies = []
       const alive = setInterval(() => undefined, 1000) // the agent's own timers never hold a process
       const waymark = init('key', {
         host: 'http://127.0.0.1:9',
         fetch: async (url, { body }) => {
           bodies.push([url, body])
           return new Response('{"status":1}')
         },
         disableCompression: true,
         preloadFeatureFlags: false,
       })
       waymark.capture('from node')
       await waymark.flush()
       clearInterval(alive)
       console.log(JSON.stringify(bodies.map(([url, body]) => [url, JSON.parse(body).batch.map((event) => event.event)])))`,
    )
    const said = execFileSync(process.execPath, ['use.mjs'], {
      cwd: folder,
      encoding: 'utf8',
      timeout: 20_000,
      stdio: 'pipe',
    })
    expect(JSON.parse(said)).toEqual([['http://127.0.0.1:9/batch/', ['from node']]])
  })

  it('has the flag engine for whoever wants it alone', () => {
    writeFileSync(
      join(folder, 'evaluate.mjs'),
      `import { compile, evaluateFlag, evaluationContext, explain } from 'waymark/evaluate'
       const definitions = { flags: [{ id: 1, key: 'on', active: true, filters: { groups: [{}] } }] }
       const { flags } = compile(definitions)
       const context = evaluationContext({ distinctId: 'user', complete: false, now: Date.now() })
       console.log(evaluateFlag(flags.get('on'), context).value, explain(definitions, 'on', context).length > 1)`,
    )
    expect(execFileSync(process.execPath, ['evaluate.mjs'], { cwd: folder, encoding: 'utf8', stdio: 'pipe' })).toBe(
      'true true\n',
    )
  })

  it('gives runtimes without Node the agent that needs none, under the same name and with the same functions', () => {
    writeFileSync(
      join(folder, 'conditions.mjs'),
      `const agent = await import('waymark/node')
       console.log(JSON.stringify([import.meta.resolve('waymark/node').split('/').at(-1), Object.keys(agent).sort()]))`,
    )
    const resolved = ['node', 'edge-light', 'workerd', 'worker', 'browser'].map((condition) => {
      const said = execFileSync(process.execPath, [`--conditions=${condition}`, 'conditions.mjs'], {
        cwd: folder,
        encoding: 'utf8',
        stdio: 'pipe',
      })
      return JSON.parse(said) as [file: string, names: string[]]
    })
    expect(resolved.map(([file]) => file)).toEqual(['node.js', 'edge.js', 'edge.js', 'edge.js', 'edge.js'])
    for (const [, names] of resolved) {
      expect(names).toEqual(['edgeContext', 'expressContext', 'fastifyContext', 'httpContext', 'init'])
    }
  })
})
