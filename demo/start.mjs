import { resolve } from 'node:path'
import { fastify } from 'fastify'
import { buildIfChanged } from './build-if-changed.mjs'
import { isPortFree } from './is-port-free.mjs'
import { parseOptions, USAGE } from './options.mjs'
import { registerPage } from './page-routes.mjs'

const DEFAULT_PORT = 8010

/** The process exits after this time even if closing takes longer. Acknowledged events are on disk by then. */
const STOP_TIMEOUT_MS = 10_000

const start = async (options) => {
  const port = options.port ?? (await findPort())
  const running = options.backend ? await startPage(options, port) : await startServiceAndPage(options, port)

  let isStopping = false
  const stop = () => {
    // A second signal exits at once.
    if (isStopping) process.exit(1)
    isStopping = true
    setTimeout(() => process.exit(1), STOP_TIMEOUT_MS).unref()
    running.close().then(() => process.exit(0), fail)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  console.log(`\n  Demo shop   ${running.url}\n${running.about}\n\n  Press Ctrl-C to stop.\n`)
}

const findPort = async () => {
  if (await isPortFree(DEFAULT_PORT)) return DEFAULT_PORT
  console.log(`Port ${DEFAULT_PORT} is in use, so the demo uses another one. Use --port to choose one.`)
  return 0
}

/** Starts the service with the page, on one port. */
const startServiceAndPage = async ({ dataFolder, personalApiKey }, port) => {
  // Imported only here, because another backend needs no built service.
  const { openLocalService, scriptTag } = await import('./local-service.mjs')
  const folder = resolve(dataFolder)
  const local = await openLocalService({ dataFolder: folder, port, personalApiKey })
  const { service } = local
  const { apiKey, personalApiKey: firstKey } = service.project
  // Printed before anything can fail, because this key is shown at the first start only.
  if (firstKey !== null) {
    console.log(
      `First start. Your personal API key, shown only once: ${firstKey}   (secret: can read events and change flags)`,
    )
  }
  try {
    await registerPage(service.app, { apiKey, projectId: local.projectId, personalApiKey: local.personalApiKey })
    const { url } = await service.listen()
    const about = `  Service     ${url}   data in ${folder}\n  Project     ${local.projectId}   API key ${apiKey}   (public)\n  Your pages  ${scriptTag(url, apiKey)}`
    return { url, about, close: service.close }
  } catch (error) {
    await service.close()
    throw error
  }
}

/** Starts the page only, for another backend. */
const startPage = async ({ backend, personalApiKey }, port) => {
  const app = fastify()
  await registerPage(app, { ...backend, personalApiKey })
  const url = await app.listen({ host: '127.0.0.1', port })
  return { url, about: `  Backend     ${backend.host}   API key ${backend.apiKey}`, close: () => app.close() }
}

const fail = (error) => {
  // Errors that the user can correct are printed as one sentence, all others with their stack.
  const isUnexpected =
    !['UsageError', 'StartError', 'ConfigError'].includes(error?.name) && error?.code !== 'EADDRINUSE'
  console.error(isUnexpected ? error : `${error.message}${error.name === 'UsageError' ? `\n\n${USAGE}` : ''}`)
  process.exit(1)
}

try {
  const options = parseOptions(process.argv.slice(2))
  if (options.help) console.log(USAGE)
  else {
    buildIfChanged()
    await start(options)
  }
} catch (error) {
  fail(error)
}
