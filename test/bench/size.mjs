import { gzipSync } from 'node:zlib'
import { rollup } from 'rollup'

// A computed URL keeps the compiler from treating the file as a part of the tests.
const { default: listBuilds } = await import(new URL('../../rollup.config.mjs', import.meta.url).href)

const ENTRY = 'entry, script tag, codec and protocol'

/** Parts of the script with the pattern of their modules. The first match counts. */
const PARTS = {
  'idb-keyval': /node_modules\/idb-keyval/,
  'capture, queue and delivery (`src/capture`)': /src\/capture\//,
  'flags (`src/flags`)': /src\/flags\//,
  'verbs, options and identity (`src/agent`)': /src\/agent\//,
  'survey events (`src/surveys`)': /src\/surveys\//,
  'page views and tracing headers (`src/autocapture`)': /src\/autocapture\//,
  'the browser: storage, IndexedDB, page properties, network (`src/platform`)': /src\/platform\//,
  [ENTRY]: /./,
}

/** Distributes the bytes of the script over its parts, in proportion to their sizes when minified and compressed separately. */
export const runSizeBench = async () => {
  const { input, plugins, output } = listBuilds({}).find((build) => build.input === 'src/entry/script.ts')
  // Circular imports between the parts are expected here.
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
  const scriptBytes = gzipSize(whole[0].code)
  const separateParts = chunks.map(({ isEntry, name, code }) => ({
    part: isEntry ? ENTRY : name,
    bytes: gzipSize(code),
  }))
  const sum = separateParts.reduce((total, { bytes }) => total + bytes, 0)
  const parts = separateParts.map(({ part, bytes }) => ({ part, bytes: Math.round((bytes / sum) * scriptBytes) }))
  return { scriptBytes, parts: parts.sort((a, b) => b.bytes - a.bytes) }
}

const gzipSize = (code) => gzipSync(code, { level: 9 }).length
