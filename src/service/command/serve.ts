import { checkPort } from '../check-port.ts'
import { readConfig } from '../read-config.ts'
import type { Config } from '../config.ts'
import { openIndexer, openService } from '../index.ts'
import type { ServiceProject, ServiceTask } from '../index.ts'
import { StartError } from '../data-folder.ts'
import { createLogs } from '../log/create-logs.ts'
import { STDOUT, writeBytes } from '../log/write-bytes.ts'
import { scriptTag } from '../script/script-tag.ts'

const log = createLogs()('service')

/** Runs a service, or a part of it, until SIGINT or SIGTERM. `flags` are the settings from the command line. */
export const serve = async (
  flags: Readonly<Record<string, string | undefined>>,
  task: ServiceTask = {},
): Promise<void> => {
  const config = readConfig(process.env, flags)
  // The signal handlers are added during the start, so a signal during the start ends the service as soon as it is open.
  const opening =
    config.role === 'indexer' && task.moveEventsTo === undefined ? startIndexer(config) : startFront(config, task)
  let isStopping = false
  const stop = (signal: string): void => {
    // On a second signal, do not wait for a clean stop.
    if (isStopping) process.exit(1)
    isStopping = true
    log.info(`${signal}: stopping`)
    setTimeout(() => process.exit(1), config.stopTimeoutMs).unref()
    opening
      .then(({ close }) => close())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          log.error(error)
          process.exit(1)
        },
      )
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)

  const { listen, close } = await opening
  if (isStopping) return
  try {
    announce(await listen())
  } catch (error) {
    if (isStopping) return
    await close()
    throw error
  }
}

/** A part of the service that was opened. */
interface OpenPart {
  /** Begins its work; resolves to what is then printed. */
  readonly listen: () => Promise<string>
  readonly close: () => Promise<void>
}

const startFront = async (config: Config, task: ServiceTask): Promise<OpenPart> => {
  const showFirstStart = async (first: ServiceProject): Promise<void> => {
    // Keys of a service that then cannot listen would be shown once, and never again.
    await checkPort(config)
    showKeys(first)
  }
  const { listen, close, project } = await openService(config, showFirstStart, task)
  return {
    async listen() {
      const { url } = await listen()
      return `waymark-service listens on ${url} and keeps its data in ${config.dataFolder}\n${describeScriptTag(config.publicUrl ?? url, project)}`
    },
    close,
  }
}

/** Shows the keys before they are stored. Throws `StartError` if it cannot: nothing is stored then, and the next start shows others. */
const showKeys = (project: ServiceProject): void => {
  try {
    writeBytes(STDOUT, `${describeFirstStart(project)}\n`)
  } catch (error) {
    throw new StartError(
      `The keys of the first start cannot be shown, because the standard output cannot be written (${messageOf(error)}). They were not ` +
        'created. Give the output a reader or a disk with free space, then start again.',
      { cause: error },
    )
  }
}

/** Prints where the service is. It runs also when nobody can read that. */
const announce = (text: string): void => {
  try {
    writeBytes(STDOUT, `${text}\n`)
  } catch (error) {
    log.warn(`The standard output cannot be written (${messageOf(error)}). It would say: ${text}`)
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const startIndexer = async (config: Config): Promise<OpenPart> => ({
  ...(await openIndexer(config)),
  listen: async () => `waymark-service stores the events of the front on ${config.dataFolder}`,
})

const describeFirstStart = ({ id, name, apiKey, personalApiKey }: ServiceProject): string => `
First start, with project ${id}, "${name}". Its keys:

  project api key    ${apiKey}   (public: pages and servers send it)
  personal api key   ${personalApiKey}   (secret: reads events, changes flags; shown only once)
`

const describeScriptTag = (url: string, { id, name, apiKey }: ServiceProject): string => `
Track a page in project ${id}, "${name}", with this tag:

  ${scriptTag(url, apiKey)}
`
