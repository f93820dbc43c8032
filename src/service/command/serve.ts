import { readConfig } from '../read-config.ts'
import { openService } from '../index.ts'
import type { ServiceProject } from '../index.ts'

/** Runs a service until SIGINT or SIGTERM. `flags` are the configuration keys given on the command line. */
export const serve = async (flags: Readonly<Record<string, string | undefined>>): Promise<void> => {
  const config = readConfig(process.env, flags)
  // Signals are heard before the start begins: one that comes while it runs ends the service as soon as it is open.
  const opening = openService(config, (project) => console.log(firstStart(project)))
  let isStopping = false
  const stop = (signal: string): void => {
    // A second signal is somebody who does not want to wait.
    if (isStopping) process.exit(1)
    isStopping = true
    console.log(`${signal}: stopping`)
    setTimeout(() => process.exit(1), config.stopTimeoutMs).unref()
    opening
      .then((service) => service.close())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          console.error(error)
          process.exit(1)
        },
      )
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)

  const service = await opening
  if (isStopping) return
  try {
    const { url } = await service.listen()
    console.log(`waymark-service listens on ${url} and keeps its data in ${config.dataFolder}`)
  } catch (error) {
    if (isStopping) return
    await service.close()
    throw error
  }
}

const firstStart = ({ id, name, apiKey, personalApiKey }: ServiceProject): string => `
First start, with project ${id}, "${name}". Its keys, shown this once:

  project api key    ${apiKey}   (public: pages and servers send it)
  personal api key   ${personalApiKey}   (secret: reads events, changes flags)
`
