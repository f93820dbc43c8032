import commonjs from '@rollup/plugin-commonjs'
import { nodeResolve } from '@rollup/plugin-node-resolve'
import terser from '@rollup/plugin-terser'
import typescript from '@rollup/plugin-typescript'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { dts } from 'rollup-plugin-dts'
import { readContract } from './test/config/read-contract.mjs'
import { keptNames } from './test/config/kept-names.mjs'
import { takeGlobals } from './test/config/take-globals.mjs'

const service = JSON.parse(readFileSync('src/service/package.json', 'utf8'))

/** Compiles without type checks, which `npm run typecheck` does once for all builds. */
const compile = (target, tsconfig = 'src/tsconfig.agent.json') =>
  typescript({
    tsconfig,
    filterRoot: '.',
    compilerOptions: { target, outDir: undefined, noCheck: true },
  })

const isDependencyOf = (manifest) => (id) =>
  isBuiltin(id) || Object.keys(manifest.dependencies).some((name) => id === name || id.startsWith(`${name}/`))

/** The only library that users install beside the agent, and only for `waymark/react`. */
const isReact = (id) => /^react(\/|$)/.test(id)

/**
 * Keeps only `_compress` of lz-string, which saves 0.7 KB of a page. The package is one object inside a function, so that a bundler cannot
 * remove the unused methods.
 */
const onlyLz64 = {
  name: 'only-lz64',
  transform(code, id) {
    if (!id.endsWith('lz-string.js')) return null
    const sourceOf = ({ start, end }) => code.slice(start, end)
    // var LZString = (function () { …; var LZString = { methods }; return LZString })()
    const statements = this.parse(code).body[0]?.declarations?.[0]?.init?.callee?.body?.body ?? []
    const object = statements.at(-2)?.declarations?.[0]?.init
    const compress = object?.properties?.find(({ key }) => key.name === '_compress')?.value
    if (!compress) return this.error('The code of lz-string has changed: onlyLz64 in rollup.config.mjs must follow it.')
    return { code: `export default { _compress: ${sourceOf(compress)} }`, map: null }
  },
}

/** Removes the helper that TypeScript puts around a computed URL of an import, to turn `.ts` into `.js`. */
const keepComputedImports = {
  name: 'keep-computed-imports',
  transform: (code) => ({ code: code.replace('import(__rewriteRelativeImportExtension(', 'import(('), map: null }),
}

/**
 * The first line of a script for which Chromium compiles all functions at once, and not one by one while the page starts. Other browsers
 * ignore it: https://github.com/explainers-by-googlers/explicit-javascript-compile-hints-file-based
 */
const COMPILE_HINT = '//# allFunctionsCalledOnLoad'

/**
 * Minifies a script, and shortens its property names. Names that other code or the wire sees are kept: they are declared, or contain a
 * dollar or an underscore. The kept names are read in `renderChunk`, because the declarations are built before.
 *
 * @param preamble The first line. Default: none.
 * @param contractNames Returns further names to keep: those that two files use of each other which may be of two versions. Default: none.
 */
const minify = (preamble, contractNames = () => []) => ({
  name: 'minify',
  renderChunk: (code, chunk, output) =>
    terser({
      ecma: 2021,
      compress: { passes: 3, inline: 1, unsafe_arrows: true },
      format: { preamble },
      mangle: {
        properties: {
          regex: /^_?[a-z][a-zA-Z\d]*$/,
          reserved: [...keptNames(), ...contractNames()],
          builtins: true,
          keep_quoted: true,
        },
      },
    }).renderChunk(code, chunk, output),
})

/**
 * Declares constants with `let`, so that a minifier joins them with the variables beside them: 0.15 KB less for a page. No constant is
 * assigned again: the compiler checks ours, and in a library such an assignment throws. Treated are the scripts, but not their chunks, which
 * few pages load, nor the stub, which declares no constant; and `waymark/compat`, which users minify, and may be only 1.5 KB larger than
 * `waymark/full`.
 */
const constToLet = {
  name: 'const-to-let',
  renderChunk(code) {
    const starts = []
    const visit = (node) => {
      if (node?.type === 'VariableDeclaration' && node.kind === 'const') starts.push(node.start)
      if (typeof node === 'object' && node !== null) Object.values(node).forEach(visit)
    }
    visit(this.parse(code))
    starts.sort((a, b) => a - b)
    const ends = [...starts.slice(1), code.length]
    const parts = starts.map((start, index) => `let${code.slice(start + 'const'.length, ends[index])}`)
    return { code: code.slice(0, starts[0]) + parts.join(''), map: null }
  },
}

/**
 * Removes the attempt of fflate to use `TextDecoder`, which costs an exception at the import where an engine has none. The agent decodes
 * nothing.
 */
const withoutDecoder = {
  name: 'without-decoder',
  transform(code, id) {
    if (!id.includes('/fflate/')) return null
    const attempt = this.parse(code).body.find(({ type }) => type === 'TryStatement')
    if (!attempt)
      return this.error('The code of fflate has changed: withoutDecoder in rollup.config.mjs must follow it.')
    return { code: code.slice(0, attempt.start) + code.slice(attempt.end), map: null }
  },
}

/** Names and licence texts of the libraries among the modules. */
const licencesOf = (ids, fail) => {
  const folders = ids.map((id) => /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1]).filter(Boolean)
  return [...new Set(folders)].map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name))
    if (file === undefined) return fail(`${name} is bundled, but has no licence file`)
    // Apache-licensed libraries may have a notice to pass on, too.
    const texts = [file, ...readdirSync(folder).filter((name) => name === 'NOTICE')]
      .map((name) => readFileSync(join(folder, name), 'utf8').trim())
      .join('\n\n')
    return `${name} ${version}\n\n${texts}\n`
  })
}

const usedModules = ({ modules }) => Object.keys(modules).filter((id) => modules[id].renderedLength > 0)

/** Appends the licences of bundled libraries to the files that contain their code. */
const keepLicences = {
  name: 'keep-licences',
  renderChunk(code, chunk) {
    const licences = licencesOf(usedModules(chunk), this.error)
    return licences.length === 0
      ? null
      : { code: code + licences.map((text) => `\n/*!\n${text}*/\n`).join(''), map: null }
  },
}

/** Writes the licences of bundled libraries into a file, not into the code, which pages download. */
const licenceFile = {
  name: 'licence-file',
  generateBundle(_, bundle) {
    const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk')
    const source = licencesOf(chunks.flatMap(usedModules), this.error).join('\n\n')
    this.emitFile({ type: 'asset', fileName: 'third-party-licences.txt', source })
  },
}

/** Copies the fonts of pictures, with their licence. The package has many more, and is not installed by users. */
const copyFonts = {
  name: 'copy-fonts',
  generateBundle() {
    const folder = 'src/service/node_modules/dejavu-fonts-ttf'
    for (const name of ['ttf/DejaVuSans.ttf', 'ttf/DejaVuSans-Bold.ttf', 'LICENSE'])
      this.emitFile({ type: 'asset', fileName: `fonts/${basename(name)}`, source: readFileSync(join(folder, name)) })
  },
}

/** The agent's scripts that the service serves, by the name in their URL. The script loads the others by its own URL, beside it. */
const SERVED_SCRIPTS = {
  'waymark.js': 'dist/script-core.js',
  'waymark-full.js': 'dist/script.js',
  'waymark-delivery-1.js': 'dist/waymark-delivery-1.js',
  'waymark-capture.js': 'dist/script-capture.js',
  'waymark-debug.js': 'dist/waymark-debug.js',
  'waymark-extras.js': 'dist/waymark-extras.js',
  'waymark-lz64.js': 'dist/waymark-lz64.js',
  'waymark-tracing.js': 'dist/waymark-tracing.js',
}

/** Puts the agent's scripts into the service, with their compressed forms, so that the service compresses nothing. */
const copyScripts = {
  name: 'copy-scripts',
  generateBundle() {
    for (const [name, path] of Object.entries(SERVED_SCRIPTS)) {
      const source = readFileSync(path)
      const fileName = `scripts/${name}`
      this.emitFile({ type: 'asset', fileName, source })
      this.emitFile({ type: 'asset', fileName: `${fileName}.br`, source: brotliCompressSync(source) })
      this.emitFile({ type: 'asset', fileName: `${fileName}.gz`, source: gzipSync(source, { level: 9 }) })
    }
  },
}

const browserEntries = {
  index: 'src/entry/index.ts',
  full: 'src/entry/full.ts',
  capture: 'src/entry/capture.ts',
  evaluate: 'src/entry/evaluate.ts',
  extras: 'src/entry/extras.ts',
}
/** Takes the place of `waymark` on a page. Built separately, so that its smaller agent does not change the chunks of the others. */
const compatEntries = { compat: 'src/entry/compat.ts' }
/** Built separately from the browser entries, so that neither loads code that only the other one needs. */
const nodeEntries = { node: 'src/entry/node.ts', edge: 'src/entry/edge.ts' }
/** Their UTF-8 encoder needs no `TextEncoder`, which engines for apps may lack. */
const reactNativeEntries = {
  'react-native': 'src/entry/react-native.ts',
  'react-native-evaluate': 'src/entry/react-native-evaluate.ts',
}
/** Entries that need further libraries. They are bundled, so that users of the agent do not install them. */
const importEntries = { import: 'src/entry/import.ts', cli: 'src/entry/cli.ts' }
/** For tests of users. Built separately, so that its two agents do not change the chunks of the others. */
const testingEntries = { testing: 'src/entry/testing.ts' }
/** In one file, which a page can load without a bundler. */
const managementEntries = { management: 'src/entry/management.ts' }
/** In one file, so that there is one context, and one directive. */
const reactEntries = { react: 'src/entry/react.ts' }
const serviceEntries = {
  index: 'src/service/index.ts',
  main: 'src/service/main.ts',
  indexer: 'src/service/indexer/main.ts',
  'body-thread': 'src/service/ingest/body-thread.ts',
  'decompression-thread': 'src/service/indexer/decompression/decompression-thread.ts',
  'store-thread': 'src/service/store/events/duckdb/thread/store-thread.ts',
  'picture-thread': 'src/service/export/picture/picture-thread.ts',
}

const declarationsOf = ([name, input]) => ({
  input: { [name]: input },
  external: (id) => isBuiltin(id) || isReact(id),
  output: ['ts', 'cts'].map((end) => ({ dir: 'dist', format: 'es', entryFileNames: `[name].d.${end}` })),
  plugins: [dts()],
})

/**
 * Every entry as a module and as CommonJS, which Jest and older tools need. They share what runs: a page, an app or a process that loads
 * both has one agent per project key (`running-agents.ts`). In `waymark/node` and `waymark/edge` each `init()` creates an agent, in either
 * format.
 */
const bothFormats = (output) => [asModule(output), asCommonJs(output)]

const asModule = (output) => ({ dir: 'dist', format: 'es', chunkFileNames: 'shared/[name].js', ...output })

const asCommonJs = (output) => ({
  dir: 'dist',
  format: 'cjs',
  entryFileNames: '[name].cjs',
  // Jest runs no `import()` in CommonJS.
  dynamicImportInCjs: false,
  ...output,
  chunkFileNames: (output.chunkFileNames ?? 'shared/[name].js').replace('.js', '.cjs'),
})

/**
 * Removes the chunks of earlier builds from a folder that is published whole: their names may have been others. Right before the new ones are
 * written, because a service that runs imports some of its chunks late.
 */
const removeOldChunks = (folder) => ({
  name: 'remove-old-chunks',
  buildEnd(error) {
    if (!error) rmSync(join(folder, 'shared'), { recursive: true, force: true })
  },
})

/**
 * With their libraries, so that a page can load the files without a bundler. Of lz-string only a part is used, which a bundler of users could
 * not find out.
 */
const browserModules = (input, output, ...plugins) => ({
  input,
  output: output({
    manualChunks: { agent: ['src/entry/init-browser.ts', 'src/entry/lazy-gzip.ts', 'src/entry/load-describer.ts'] },
    hoistTransitiveImports: false,
  }),
  plugins: [nodeResolve({ browser: true }), onlyLz64, compile('es2020'), takeGlobals, ...plugins],
})

const modules = [
  // The first build into `dist`: the others add their chunks.
  browserModules(browserEntries, asModule, licenceFile, removeOldChunks('dist')),
  // What is required has the delivery at once.
  browserModules({ ...browserEntries, index: browserEntries.full }, asCommonJs),
  {
    input: nodeEntries,
    // Imports of external libraries that are not used are removed.
    treeshake: { moduleSideEffects: 'no-external' },
    external: isBuiltin,
    output: bothFormats({
      // Names of their own: a page must not load what the agents of servers share.
      chunkFileNames: 'shared/node-[name].js',
      manualChunks: { agent: ['src/entry/init-node.ts'] },
      hoistTransitiveImports: false,
    }),
    // Bundles the parser of server-sent events.
    plugins: [nodeResolve(), compile('es2020'), keepLicences],
  },
  {
    // Its library, fflate, has its licence in the file of the browser entries.
    input: reactNativeEntries,
    output: bothFormats({
      chunkFileNames: 'shared/react-native-[name].js',
      manualChunks: { agent: ['src/entry/init-react-native.ts', 'src/entry/react-native-shared.ts'] },
      hoistTransitiveImports: false,
    }),
    plugins: [nodeResolve({ browser: true }), withoutDecoder, compile('es2020')],
  },
  {
    input: importEntries,
    external: isBuiltin,
    output: {
      dir: 'dist',
      format: 'es',
      chunkFileNames: 'shared/[name].js',
      manualChunks: { import: ['src/entry/import.ts'] },
      hoistTransitiveImports: false,
    },
    plugins: [nodeResolve({ preferBuiltins: true }), commonjs(), compile('es2022'), keepLicences],
  },
  {
    // The command stays a module.
    input: { import: importEntries.import },
    external: isBuiltin,
    output: { dir: 'dist', format: 'cjs', entryFileNames: '[name].cjs' },
    plugins: [nodeResolve({ preferBuiltins: true }), commonjs(), compile('es2022'), keepLicences],
  },
]

const compat = {
  input: compatEntries,
  output: bothFormats({ chunkFileNames: 'shared/compat-[name].js' }),
  plugins: [nodeResolve({ browser: true }), compile('es2020'), takeGlobals, constToLet],
}

const testing = {
  input: testingEntries,
  output: bothFormats({ chunkFileNames: 'shared/testing-[name].js' }),
  plugins: [nodeResolve(), onlyLz64, compile('es2020'), keepLicences],
}

const management = {
  input: managementEntries,
  output: bothFormats({}),
  plugins: [compile('es2022', 'src/management/tsconfig.build.json')],
}

const react = {
  input: reactEntries,
  external: isReact,
  // Marks the boundary to server components. As a banner, because rollup drops directives of sources.
  output: bothFormats({ banner: `'use client'` }),
  plugins: [compile('es2020')],
}

/** One build per entry, so that all types of an entry are in one file. */
const declarations = Object.entries({
  ...browserEntries,
  ...compatEntries,
  ...nodeEntries,
  ...testingEntries,
  ...reactNativeEntries,
  ...managementEntries,
  ...reactEntries,
  import: importEntries.import,
}).map(declarationsOf)

/** What `waymark.js` loads when the page rests. */
const DELIVERY_CHUNK = 'src/entry/delivery-chunk.ts'

let readNames
/** The names that `waymark.js` and that chunk use of each other. Read once, because the compiler takes seconds for it. */
const deliveryNames = () => (readNames ??= readContract(DELIVERY_CHUNK).names)

/** A script for a script tag. */
const pageScript = (name, contractNames) => ({
  input: `src/entry/${name}.ts`,
  output: { file: `dist/${name}.js`, format: 'iife' },
  plugins: [
    nodeResolve({ browser: true }),
    onlyLz64,
    compile('es2021'),
    keepComputedImports,
    takeGlobals,
    constToLet,
    minify(COMPILE_HINT, contractNames),
  ],
})

/** What a page loads. `minify` reads the declarations of `waymark`, so they are built before. */
const scripts = [
  pageScript('script'),
  pageScript('script-capture'),
  pageScript('script-core', deliveryNames),
  {
    // Its number is that of `src/entry/delivery-contract.ts`.
    input: DELIVERY_CHUNK,
    output: { file: 'dist/waymark-delivery-1.js', format: 'es' },
    plugins: [
      nodeResolve({ browser: true }),
      compile('es2021'),
      takeGlobals,
      constToLet,
      minify(COMPILE_HINT, deliveryNames),
    ],
  },
  {
    // Chunks that the script imports when it needs them. Their property names are not shortened: the script's data has the real ones.
    input: 'src/agent/debug/create-describer.ts',
    output: { file: 'dist/waymark-debug.js', format: 'es' },
    plugins: [compile('es2021'), terser({ ecma: 2021, module: true })],
  },
  {
    input: 'src/codec/lz64.ts',
    output: { file: 'dist/waymark-lz64.js', format: 'es' },
    plugins: [nodeResolve({ browser: true }), onlyLz64, compile('es2021'), terser({ ecma: 2021, module: true })],
  },
  {
    input: 'src/autocapture/start-tracing.ts',
    output: { file: 'dist/waymark-tracing.js', format: 'es' },
    plugins: [compile('es2021'), takeGlobals, terser({ ecma: 2021, module: true })],
  },
  {
    // A second script tag, not a chunk. It knows only public names of the script, so its own are not shortened either.
    input: 'src/entry/script-extras.ts',
    output: { file: 'dist/waymark-extras.js', format: 'iife' },
    plugins: [compile('es2021'), takeGlobals, terser({ ecma: 2021 })],
  },
  {
    input: 'src/entry/stub.ts',
    output: { file: 'dist/stub.js', format: 'iife' },
    plugins: [compile('es2021'), minify()],
  },
]

const servicePrograms = [
  {
    input: serviceEntries,
    external: isDependencyOf(service),
    output: { dir: 'src/service/dist', format: 'es', chunkFileNames: 'shared/[name].js' },
    // Libraries of many small files are bundled: finding and parsing these files took half of the start of a process.
    plugins: [
      nodeResolve({ preferBuiltins: true }),
      commonjs(),
      compile('es2022', 'src/tsconfig.build.json'),
      keepComputedImports,
      keepLicences,
      copyFonts,
      copyScripts,
      removeOldChunks('src/service/dist'),
    ],
  },
]

const serviceDeclarations = [
  {
    input: { index: 'src/service/index.ts' },
    external: isDependencyOf(service),
    output: { dir: 'src/service/dist', format: 'es' },
    plugins: [dts()],
  },
]

/** Builds everything, or with `--configDemo` only what the demo runs. */
export default ({ configDemo }) =>
  configDemo
    ? [declarationsOf(['index', browserEntries.index]), ...scripts, management, ...servicePrograms]
    : [
        ...modules,
        compat,
        testing,
        management,
        react,
        ...declarations,
        ...scripts,
        ...servicePrograms,
        ...serviceDeclarations,
      ]
