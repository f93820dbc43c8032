import { createSend } from '../../management/send.ts'
import type { ApiRequest } from '../../management/send.ts'
import { API_HELP } from '../help.ts'
import { readInputFile, readStandardInput } from '../read-input.ts'
import { runCommand } from '../run-command.ts'
import { readServiceOptions, SERVICE_OPTIONS } from '../service-options.ts'
import { UsageError } from '../usage-error.ts'

const METHODS: readonly ApiRequest['method'][] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Runs `waymark api` and returns its exit code. */
export const runApiCommand = (args: readonly string[]): Promise<number> =>
  runCommand(
    {
      name: 'api',
      help: API_HELP,
      options: { ...SERVICE_OPTIONS, data: { type: 'string' } },
      run: async ({ values, positionals }, signal) => {
        const { method, path } = readTarget(positionals)
        const options = readServiceOptions(values, process.env)
        const body = values.data === undefined ? undefined : parseData(await readData(values.data))
        const projectPath = path.replaceAll('{project_id}', encodeURIComponent(options.projectId))
        return format(await createSend(options)({ method, path: projectPath, body, signal }))
      },
    },
    args,
  )

const readTarget = ([name, path, ...others]: readonly string[]): Pick<ApiRequest, 'method' | 'path'> => {
  const method = METHODS.find((each) => each === name?.toUpperCase())
  if (name === undefined || path === undefined) throw new UsageError('The method or the path is missing.')
  if (method === undefined) throw new UsageError(`The method must be ${METHODS.join(', ')}, not "${name}".`)
  if (!path.startsWith('/')) throw new UsageError(`The path must begin with a slash, such as /api/projects/.`)
  if (others.length > 0) throw new UsageError('There are more arguments than a method and a path.')
  return { method, path }
}

const readData = async (data: string): Promise<string> => {
  if (data === '-') return readStandardInput()
  return data.startsWith('@') ? readInputFile(data.slice(1)) : data
}

const parseData = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch (error) {
    throw new UsageError(`--data is not JSON: ${(error as Error).message}`)
  }
}

/** Indented on a terminal, one line elsewhere. */
const format = (result: unknown): string =>
  result === undefined ? '' : `${JSON.stringify(result, null, process.stdout.isTTY ? 2 : 0)}\n`
