import { gzipSync } from 'node:zlib'
import { rollup } from 'rollup'

// Not by name: the compiler would take it for a part of the tests.
const { default: builds } = await import(new URL('../../rollup.config.mjs', import.meta.url).href)

const ENTRY = 'entry, script tag, codec and protocol'

/** What makes up the script, each with the modules that belong to it. The first that matches counts. */
const PARTS = {
  'lz-string': /node_modules\/lz-string/,
  'idb-keyval': /node_modules\/idb-keyval/,
  'capture, queue and delivery (`src/capture`)': /src\/capture\//,
  'flags (`src/flags`)': /src\/flags\//,
  'verbs, options and identity (`src/agent`)': /src\/agent\//,
  'survey events (`src/surveys`)': /src\/surveys\//,
  'page views and tracing headers (`src/autocapture`)': /src\/autocapture\//,
  'the browser: storage, IndexedDB, page properties, network (`src/platform`)': /src\/platform\//,
  [ENTRY]: /./,
}

/** Attributes the script's bytes to its parts: the share of each in the sum of the parts, minified and compressed one by one. */
export const runSizeBench = async () => {
  const { input, plugins, output } = builds.find((build) => build.input === 'src/entry/script.ts')
  // Parts that import each other's modules are no fault here.
  const built = await rollup({ input, plugins, onwarn: () => undefined })
  const { output: chunks } = await built.generate({
    dir: 'dist',
    format: 'es',
    manualChunks: (id) => Object.keys(PARTS).find((part) => PARTS[part].test(id)),
    chunkFileNames: '[name]',
    sanitizeFileName: false,
  })
  const { output: whole } = await built.generate({ ...output, dir: undefined })
  await built.close()
  const scriptBytes = gzipped(whole[0].code)
  const alone = chunks.map(({ isEntry, name, code }) => ({ part: isEntry ? ENTRY : name, bytes: gzipped(code) }))
  const sum = alone.reduce((total, { bytes }) => total + bytes, 0)
  const parts = alone.map(({ part, bytes }) => ({ part, bytes: Math.round((bytes / sum) * scriptBytes) }))
  return { scriptBytes, parts: parts.sort((one, other) => other.bytes - one.bytes) }
}

const gzipped = (code) => gzipSync(code, { level: 9 }).length
