import { parseArgs } from 'node:util'

export const USAGE = `npm start -- [options]

  --port <number>          port on 127.0.0.1, 0 for any free port (default 8010, or any free port if 8010 is in use)
  --data-folder <path>     data folder of the service (default ".waymark")
  --host <URL>             use this backend instead of the local service
  --key <key>              project API key of that backend
  --project <id>           project of that backend, to read events
  --personal-key <key>     personal API key to read events; the page receives it
  --help`

/** An invalid command line. The message is one sentence for people. */
class UsageError extends Error {
  name = 'UsageError'
}

/**
 * Parses the command line.
 *
 * @param {readonly string[]} args
 * @throws {UsageError}
 */
export const parseOptions = (args) => {
  const values = parseValues(args)
  const { host, key, project, 'personal-key': personalApiKey, 'data-folder': dataFolder, port } = values
  if (values.help) return { help: true }
  if (host !== undefined && key === undefined)
    throw new UsageError('--host needs --key, the project API key of that backend.')
  if (host === undefined && (key ?? project) !== undefined)
    throw new UsageError('--key and --project need --host, the URL of another backend.')
  if (host !== undefined && dataFolder !== undefined)
    throw new UsageError('--data-folder cannot be used with --host: it is the folder of the local service.')
  if (host !== undefined && (project === undefined) !== (personalApiKey === undefined))
    throw new UsageError('--project and --personal-key must be used together, to read events.')
  return {
    help: false,
    /** Undefined if no port was set, so that any port is acceptable. */
    port: port === undefined ? undefined : parsePort(port),
    dataFolder: dataFolder ?? '.waymark',
    backend: host === undefined ? undefined : { host: parseHost(host), apiKey: key, projectId: project },
    personalApiKey,
  }
}

const parseValues = (args) => {
  const string = { type: 'string' }
  const options = {
    port: string,
    'data-folder': string,
    host: string,
    key: string,
    project: string,
    'personal-key': string,
    help: { type: 'boolean' },
  }
  try {
    return parseArgs({ args: [...args], options }).values
  } catch (error) {
    throw new UsageError(error.message, { cause: error })
  }
}

const parsePort = (value) => {
  const port = Number(value)
  if (value.trim() !== '' && Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new UsageError(`--port must be a whole number from 0 to 65535, not "${value}".`)
}

/** Returns the URL without a slash at its end. A path is kept, because a backend may be below one. */
const parseHost = (value) => {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url && /^https?:$/.test(url.protocol)) return (url.origin + url.pathname).replace(/\/+$/, '')
  throw new UsageError(`--host must be a URL with http:// or https://, not "${value}".`)
}
