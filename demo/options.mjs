import { parseArgs } from 'node:util'

export const USAGE = `npm start -- [options]

  --port <number>          port on loopback, 0 for any (default 8010; another one if that is taken)
  --data-folder <path>     where the service keeps its data (default ".waymark")
  --host <address>         use this backend of the protocol instead of the local service
  --key <key>              project API key at that backend
  --project <id>           project there, to read events back
  --personal-key <key>     personal API key, to read events back; the page learns it
  --help`

/** Wrong command line. The message is one sentence for people. */
class UsageError extends Error {
  name = 'UsageError'
}

/**
 * Reads the command line.
 *
 * @param {readonly string[]} args
 * @throws {UsageError}
 */
export const readOptions = (args) => {
  const given = parse(args)
  const { host, key, project, 'personal-key': personalApiKey, 'data-folder': dataFolder, port } = given
  if (given.help) return { help: true }
  if (host !== undefined && key === undefined) throw new UsageError('--host needs --key, the project API key there.')
  if (host === undefined && (key ?? project) !== undefined)
    throw new UsageError('--key and --project are for another backend, which --host names.')
  if (host !== undefined && dataFolder !== undefined)
    throw new UsageError('--data-folder is for the local service, which does not run beside --host.')
  if (host !== undefined && (project === undefined) !== (personalApiKey === undefined))
    throw new UsageError('To read events back, --project and --personal-key are both needed.')
  return {
    help: false,
    /** Undefined: nobody asked for a port, so another one will do. */
    port: port === undefined ? undefined : portOf(port),
    dataFolder: dataFolder ?? '.waymark',
    backend: host === undefined ? undefined : { host: originOf(host), apiKey: key, projectId: project },
    personalApiKey,
  }
}

const parse = (args) => {
  const text = { type: 'string' }
  const options = { port: text, 'data-folder': text, host: text, key: text, project: text, 'personal-key': text }
  try {
    return parseArgs({ args: [...args], options: { ...options, help: { type: 'boolean' } } }).values
  } catch (error) {
    throw new UsageError(error.message, { cause: error })
  }
}

const portOf = (value) => {
  const port = Number(value)
  if (value.trim() !== '' && Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new UsageError(`--port must be a whole number from 0 to 65535; it is "${value}".`)
}

/** Address without a slash at the end; a path is kept, for backends behind one. */
const originOf = (value) => {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url && /^https?:$/.test(url.protocol)) return (url.origin + url.pathname).replace(/\/+$/, '')
  throw new UsageError(`--host must be an address with http:// or https://; it is "${value}".`)
}
