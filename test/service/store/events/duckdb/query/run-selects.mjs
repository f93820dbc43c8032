// Runs SELECTs one after the other on a new store, in a process of its own, and reports to its parent how each ended.
// Arguments: the bundled `open-store.ts`, the file of the store. Messages in: SQL. Messages out: `{code, ms, peakMb}`.
const [, , bundle, file] = process.argv
const { openDuckDbStore } = await import(bundle)
const store = await openDuckDbStore({ file, deriveOriginId: (id) => id, memoryMb: 256, spillMb: 64, threads: 2 })

const run = async (sql) => {
  try {
    await store.query({ sql, timeoutMs: 3_000, maxRows: 1_000 })
    return null
  } catch (error) {
    return `${error.code}: ${error.message}${error.code === 'store_unavailable' ? ` (${error.cause})` : ''}`
  }
}

const report = async (sql) => {
  const startedAt = performance.now()
  const error = await run(sql)
  const ms = Math.round(performance.now() - startedAt)
  process.send({ error, ms, peakMb: Math.round(process.resourceUsage().maxRSS / 1024) })
}

process.on('message', (sql) => void report(sql))
process.on('disconnect', () => process.exit(0))
process.send('ready')
