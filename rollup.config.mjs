import commonjs from '@rollup/plugin-commonjs'
import { nodeResolve } from '@rollup/plugin-node-resolve'
import terser from '@rollup/plugin-terser'
import typescript from '@rollup/plugin-typescript'
import { readFileSync } from 'node:fs'
import { dts } from 'rollup-plugin-dts'

const agent = JSON.parse(readFileSync('package.json', 'utf8'))
const service = JSON.parse(readFileSync('src/service/package.json', 'utf8'))

/** The folders' own projects check the directions (`npm run typecheck`); here one program turns all of them into JavaScript. */
const compile = (target, lib, types) =>
  typescript({
    tsconfig: 'tsconfig.json',
    include: ['src/**/*.ts'],
    compilerOptions: {
      target,
      lib,
      types,
      files: undefined,
      composite: false,
      incremental: false,
      declaration: false,
      emitDeclarationOnly: false,
      isolatedDeclarations: false,
      allowImportingTsExtensions: false,
      rewriteRelativeImportExtensions: true,
      outDir: undefined,
    },
  })

const browser = () => compile('es2020', ['es2020', 'dom'], [])
const node = () => compile('es2022', ['es2023'], ['node'])
const dependenciesOf = (manifest) => (id) =>
  id.startsWith('node:') || Object.keys(manifest.dependencies).some((name) => id === name || id.startsWith(`${name}/`))

const entries = { index: 'src/index.ts' }
const serviceEntries = {
  index: 'src/service/index.ts',
  main: 'src/service/main.ts',
  indexer: 'src/service/indexer/main.ts',
}

export default [
  {
    input: entries,
    external: dependenciesOf(agent),
    output: { dir: 'dist', format: 'es', chunkFileNames: 'shared/[name].js' },
    plugins: [browser()],
  },
  { input: entries, external: dependenciesOf(agent), output: { dir: 'dist', format: 'es' }, plugins: [dts()] },
  {
    input: 'src/script.ts',
    output: { file: 'dist/script.js', format: 'iife' },
    plugins: [
      nodeResolve({ browser: true }),
      commonjs(),
      browser(),
      // Names that begin with one underscore are ours alone in this closed file.
      terser({
        ecma: 2020,
        compress: { passes: 3, unsafe_arrows: true, unsafe_methods: true },
        mangle: { properties: { regex: /^_[a-z]/ } },
      }),
    ],
  },
  {
    input: serviceEntries,
    external: dependenciesOf(service),
    output: { dir: 'src/service/dist', format: 'es', chunkFileNames: 'shared/[name].js' },
    plugins: [node()],
  },
  {
    input: { index: 'src/service/index.ts' },
    external: dependenciesOf(service),
    output: { dir: 'src/service/dist', format: 'es' },
    plugins: [dts()],
  },
]
