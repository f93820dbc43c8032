import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { execFileSync } from 'node:child_process'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startJourneyService } from '../../support/service.ts'
import type { RunningService } from '../../support/service.ts'
import { fillIn, readBlocks, readFiles, RECIPES } from '../../support/readme-blocks.ts'
import { servePages } from '../../support/page-server.ts'
import { createApp } from './create-app.ts'
import { serveFolder } from './serve-folder.ts'
import { removeFolder } from '../../support/remove-folder.ts'

const MOVE_README = 'src/agent/compat/README.md'

const app = createApp('bundlers')
let served = ''
const pages = servePages(
  serveFolder(() => served, {
    // The strictest policy that lets a page load its own files and send to the service.
    'Content-Security-Policy':
      "default-src 'none'; script-src 'self'; img-src data:; connect-src http://127.0.0.1:*; require-trusted-types-for 'script'; trusted-types 'none'",
  }),
)
let dataFolder: string
let service: RunningService

beforeAll(async () => {
  dataFolder = mkdtempSync(join(tmpdir(), 'waymark-toolchain-'))
  service = await startJourneyService(dataFolder)
})
afterAll(async () => {
  await service?.kill()
  await removeFolder(dataFolder)
})

/** Opens the page of a folder, uses it, and expects its event in the store, and no error on its console. */
const expectDelivery = async (
  folder: string,
  event: string,
  use = async (_page: Page): Promise<void> => undefined,
): Promise<void> => {
  served = folder
  const page = await pages.context.newPage()
  const errors: string[] = []
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  page.on('pageerror', (error) => errors.push(String(error)))
  await page.goto(`${pages.origin}/`)
  await use(page)
  await expect
    .poll(() => service.query(`select properties->>'$lib' from events where event = '${event}'`))
    .toEqual([['waymark']])
  expect(errors).toEqual([])
}

const HTML = (script: string): string =>
  `<!doctype html><title>A shop</title><link rel="icon" href="data:,"><div id="root"></div><script type="module" src="${script}"></script>`

/** A page's own code. */
const source = (event: string): string => `
  import { init } from 'waymark'
  const waymark = init('${service.apiKey}', { host: '${service.url}' })
  waymark.capture('${event}')
`

/** The settings of an app that Vite bundles, as strict as they can be. */
const STRICT_TYPESCRIPT = JSON.stringify({
  compilerOptions: {
    target: 'es2022',
    lib: ['es2022', 'dom'],
    jsx: 'react-jsx',
    module: 'esnext',
    moduleResolution: 'bundler',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    verbatimModuleSyntax: true,
    noEmit: true,
    types: ['vite/client'],
  },
  include: ['src'],
})

const checkTypes = (folder: string): void => {
  const compiler = resolve('node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [compiler, '-p', join(app.folder, folder)], { stdio: 'pipe' })
}

/** posthog-js captures nothing of automated browsers, unless an option says so that the README has not. */
const VISITOR = `
  const visitor = { webdriver: false, userAgent: navigator.userAgent.replace('Headless', ''), userAgentData: undefined }
  for (const name in visitor) Object.defineProperty(navigator, name, { value: visitor[name] })`

it('is bundled by Vite with React and strict TypeScript, as the recipe says', async () => {
  const files = readFiles(RECIPES, 'Vite and React', service)
  expect(Object.keys(files)).toEqual(['.env', 'src/analytics.ts', 'src/main.tsx', 'src/App.tsx'])
  app.write({
    ...Object.fromEntries(Object.entries(files).map(([path, code]) => [`vite/${path}`, code])),
    'vite/index.html': HTML('/src/main.tsx'),
    'vite/vite.config.mjs': `
      import react from '@vitejs/plugin-react'
      export default { plugins: [react()] }`,
    'vite/tsconfig.json': STRICT_TYPESCRIPT,
  })
  checkTypes('vite')
  app.run('vite/bin/vite.js', 'build', 'vite', '--logLevel', 'error')
  await expectDelivery(join(app.folder, 'vite/dist'), 'bought', (page) => page.getByText('Buy').click())
})

it('takes the place of posthog-js by the import and the options that the README shows', async () => {
  const imported = readBlocks(MOVE_README).find(({ section }) => section === 'Move from posthog-js')
  app.write({
    'compat/main.js': `import './visitor.js'\n${fillIn(imported!.code, service)}\nposthog.capture('moved')`,
    'compat/visitor.js': VISITOR,
    'compat/dist/index.html': HTML('/main.js'),
  })
  app.run('esbuild/bin/esbuild', 'compat/main.js', '--bundle', '--format=esm', '--outfile=compat/dist/main.js')
  await expectDelivery(join(app.folder, 'compat/dist'), 'moved')
})

it('takes the place of posthog-js in Vite by the alias of the README, as the client of the React example', async () => {
  const move = readBlocks(MOVE_README).find(({ section }) => section === 'Move from posthog-js')!
  const [alias] = /\{ find: [^`]*\}/.exec(readFileSync(MOVE_README, 'utf8'))!
  const example = readFiles('src/react/README.md', 'Install', service)
  const [imported, started] = fillIn(move.code, service).split('\n\n')
  const moved = example['src/main.tsx']!.replace("import { init } from 'waymark'", imported!)
    .replace(/const waymark = init\(.*\)/, started!)
    .replace('client={waymark}', 'client={posthog}')
  app.write({
    'alias/src/main.tsx': moved,
    'alias/src/shop.tsx': example['src/shop.tsx']!.replace("'bought'", "'bought after a move'"),
    'alias/tsconfig.json': STRICT_TYPESCRIPT,
    'alias/unchanged.tsx': `import './visitor.js'\n${moved.replace('waymark/compat', 'posthog-js').replace('./shop', './src/shop')}`,
    'alias/visitor.js': VISITOR,
    'alias/index.html': HTML('/unchanged.tsx'),
    'alias/vite.config.mjs': `
      import react from '@vitejs/plugin-react'
      export default { plugins: [react()], resolve: { alias: [${alias}] } }`,
  })
  checkTypes('alias')
  app.run('vite/bin/vite.js', 'build', 'alias', '--logLevel', 'error')
  await expectDelivery(join(app.folder, 'alias/dist'), 'bought after a move', (page) => page.getByText('Buy').click())
})

it('is bundled by webpack, and `require` and `import` of one page give one agent', async () => {
  app.write({
    'webpack/main.mjs': `
      import { init } from 'waymark'
      import posthog from 'waymark/compat'
      import { isSame, required } from './required.cjs'
      posthog.init('${service.apiKey}', { api_host: '${service.url}', autocapture: false, opt_out_useragent_filter: true })
      const waymark = init('${service.apiKey}')
      if (!isSame(waymark)) throw new Error('two agents')
      required.identify('ada')
      if (posthog.get_distinct_id() !== 'ada' || waymark.getDistinctId() !== 'ada') throw new Error('two objects')
      waymark.capture('webpack')`,
    'webpack/required.cjs': `
      const { init } = require('waymark')
      exports.isSame = (waymark) => init('${service.apiKey}') === waymark
      exports.required = require('waymark/compat').posthog`,
    'webpack/dist/index.html': HTML('/main.js'),
    'webpack/build.cjs': `
      require('webpack')(
        { mode: 'production', context: __dirname, entry: './main.mjs', performance: { hints: false } },
        (error, stats) => {
          if (error || stats.hasErrors() || stats.hasWarnings()) throw error ?? new Error(stats.toString())
        },
      )`,
  })
  execFileSync(process.execPath, ['build.cjs'], { cwd: join(app.folder, 'webpack'), stdio: 'pipe' })
  await expectDelivery(join(app.folder, 'webpack/dist'), 'webpack')
})

it('is bundled by esbuild, in parts that are loaded when needed', async () => {
  app.write({
    'esbuild/main.js': source('esbuild'),
    'esbuild/dist/index.html': HTML('/main.js'),
    'esbuild/build.cjs': `
      const { errors, warnings, metafile } = require('esbuild').buildSync({
        entryPoints: ['main.js'], bundle: true, splitting: true, format: 'esm', minify: true, outdir: 'dist', metafile: true,
      })
      const main = metafile.outputs['dist/main.js']
      const paths = Object.keys(main.inputs)
      console.log(errors.length + warnings.length, paths.some((path) => /gzip|delivery/.test(path)))`,
  })
  const output = execFileSync(process.execPath, ['build.cjs'], { cwd: join(app.folder, 'esbuild'), encoding: 'utf8' })
  expect(output).toBe('0 false\n')
  await expectDelivery(join(app.folder, 'esbuild/dist'), 'esbuild')
})

/** The entries for pages that need no library. */
const ENTRIES = [
  'index',
  'full',
  'capture',
  'compat',
  'edge',
  'evaluate',
  'extras',
  'management',
  'react-native',
  'react-native-evaluate',
  'testing',
]

/** Loads all entries, and lists the entries without exports, and the globals that are new. */
const LOAD_ENTRIES = `
  const before = new Set(Reflect.ownKeys(globalThis))
  const problems = []
  for (const name of ${JSON.stringify(ENTRIES)}) {
    if (!Object.keys(await import('./' + name + '.js')).length) problems.push(name)
  }
  problems.push(...Reflect.ownKeys(globalThis).filter((name) => !before.has(name)).map(String))
`

describe('without a bundler', () => {
  const FOLDER = 'node_modules/waymark/dist'

  it('a page can load the files of the package as modules', async () => {
    app.write({
      [`${FOLDER}/main.js`]: source('no bundler').replace("'waymark'", "'./index.js'"),
      [`${FOLDER}/index.html`]: HTML('/main.js'),
    })
    await expectDelivery(join(app.folder, FOLDER), 'no bundler')
  })

  it.each(['page', 'worker'])('loading all entries in a %s changes no global, and sends nothing', async (where) => {
    const isPage = where === 'page'
    app.write({
      [`${FOLDER}/main.js`]: isPage
        ? `${LOAD_ENTRIES}\nwindow.problems = problems`
        : `new Worker('/worker.js', { type: 'module' }).onmessage = ({ data }) => { window.problems = data }`,
      [`${FOLDER}/worker.js`]: `${LOAD_ENTRIES}\npostMessage(problems)`,
      [`${FOLDER}/index.html`]: HTML('/main.js'),
    })
    served = join(app.folder, FOLDER)
    const page = await pages.context.newPage()
    // A page with Trusted Types cannot start a worker by a string.
    const session = await pages.context.newCDPSession(page)
    await session.send('Page.setBypassCSP', { enabled: !isPage })
    const others: string[] = []
    page.on('request', (request) => {
      if (!/^\/([\w./-]+\.js)?$/.test(request.url().replace(pages.origin, ''))) others.push(request.url())
    })
    await page.goto(`${pages.origin}/`)
    const handle = await page.waitForFunction(() => (window as { problems?: readonly string[] }).problems)
    expect(await handle.jsonValue()).toEqual([])
    expect(others).toEqual([])
  })
})
