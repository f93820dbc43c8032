import { writeFile } from 'node:fs/promises'
import { createClient } from '../../management/client.ts'
import type { Client } from '../../management/client.ts'
import { TYPES_HELP } from '../help.ts'
import { runCommand } from '../run-command.ts'
import { readServiceOptions, SERVICE_OPTIONS } from '../service-options.ts'
import { UsageError } from '../usage-error.ts'
import { formatDeclarations } from './format-declarations.ts'
import type { ProjectNames } from './format-declarations.ts'

const FLAGS = '/api/environments/{project_id}/feature_flags/'
const EVENTS = '/api/environments/{project_id}/event_definitions/'

/** The size of a page of names, in items: the largest that the service allows. */
const PAGE_SIZE = 1_000

/** Runs `waymark types` and returns its exit code. */
export const runTypesCommand = (args: readonly string[]): Promise<number> =>
  runCommand(
    {
      name: 'types',
      help: TYPES_HELP,
      options: { ...SERVICE_OPTIONS, out: { type: 'string' }, only: { type: 'string' } },
      run: async ({ values, positionals }, signal) => {
        if (positionals.length > 0) throw new UsageError('There is an argument too many. Name the file with --out.')
        const kinds = readKinds(values.only)
        const client = createClient(readServiceOptions(values, process.env))
        const declarations = formatDeclarations(await readNames(client, kinds, signal))
        if (values.out === undefined) return declarations
        await writeOutput(values.out, declarations)
        return ''
      },
    },
    args,
  )

const KINDS = ['events', 'flags'] as const

type Kind = (typeof KINDS)[number]

const readKinds = (only: string | undefined): readonly Kind[] => {
  if (only === undefined) return KINDS
  const kind = KINDS.find((each) => each === only)
  if (kind === undefined) throw new UsageError(`--only must be events or flags, not "${only}".`)
  return [kind]
}

const readNames = async (client: Client, kinds: readonly Kind[], signal: AbortSignal): Promise<ProjectNames> => {
  const options = { query: { limit: PAGE_SIZE }, signal }
  const events = kinds.includes('events') ? await readAll(client.list(EVENTS, options)) : null
  const flags = kinds.includes('flags') ? await readAll(client.list(FLAGS, options)) : null
  return { events: events?.map(({ name }) => name) ?? null, flags }
}

const readAll = async <Item>(list: AsyncIterable<Item>): Promise<readonly Item[]> => {
  const items: Item[] = []
  for await (const item of list) items.push(item)
  return items
}

const writeOutput = async (path: string, content: string): Promise<void> => {
  try {
    await writeFile(path, content)
  } catch (error) {
    throw new UsageError(`The file "${path}" cannot be written: ${(error as Error).message}`)
  }
}
