import { resolve } from 'node:path'
import { fastify } from 'fastify'
import { isFree } from './free-port.mjs'
import { readOptions, USAGE } from './options.mjs'
import { addPage } from './page-routes.mjs'

const PORT = 8010

/** A stop that takes longer than this ends the process all the same; what the service acknowledged is on disk. */
const STOP_MS = 10_000

const start = async (options) => {
  const port = options.port ?? (await defaultPort())
  const running = options.backend ? await startPage(options, port) : await startAll(options, port)

  let isStopping = false
  const stop = () => {
    // A second signal is somebody who does not want to wait.
    if (isStopping) process.exit(1)
    isStopping = true
    setTimeout(() => process.exit(1), STOP_MS).unref()
    running.close().then(() => process.exit(0), fail)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  console.log(`\n  Demo shop   ${running.url}\n${running.about}\n\n  Ctrl-C ends it.\n`)
}

const defaultPort = async () => {
  if (await isFree(PORT)) return PORT
  console.log(`Port ${PORT} is taken, so another one is used; --port chooses one.`)
  return 0
}

/** The service, its data and the page, on one port. */
const startAll = async ({ dataFolder, personalApiKey }, port) => {
  // Only here: with another backend there need be no service at all.
  const { openLocalService } = await import('./local-service.mjs')
  const folder = resolve(dataFolder)
  const local = await openLocalService({ dataFolder: folder, port, personalApiKey })
  const { service } = local
  const { apiKey, personalApiKey: firstKey } = service.project
  // Before anything that may still fail: this key is shown on this start only.
  if (firstKey !== null) {
    console.log(`First start: a personal API key, shown this once: ${firstKey}   (secret: reads events, changes flags)`)
  }
  try {
    await addPage(service.app, { apiKey, projectId: local.projectId, personalApiKey: local.personalApiKey })
    const { url } = await service.listen()
    const about = `  Service     ${url}   data in ${folder}\n  Project     ${local.projectId}   API key ${apiKey}   (public)`
    return { url, about, close: service.close }
  } catch (error) {
    await service.close()
    throw error
  }
}

/** The page alone, pointed at another backend. */
const startPage = async ({ backend, personalApiKey }, port) => {
  const app = fastify()
  await addPage(app, { ...backend, personalApiKey })
  const url = await app.listen({ host: '127.0.0.1', port })
  return { url, about: `  Backend     ${backend.host}   API key ${backend.apiKey}`, close: () => app.close() }
}

const fail = (error) => {
  // What a person can put right is one sentence; anything else is ours and needs its stack.
  const isOurs = !['UsageError', 'StartError', 'ConfigError'].includes(error?.name) && error?.code !== 'EADDRINUSE'
  console.error(isOurs ? error : `${error.message}${error.name === 'UsageError' ? `\n\n${USAGE}` : ''}`)
  process.exit(1)
}

try {
  const options = readOptions(process.argv.slice(2))
  if (options.help) console.log(USAGE)
  else await start(options)
} catch (error) {
  fail(error)
}
