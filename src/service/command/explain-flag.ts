import { InvalidArgumentError } from 'commander'
import type { Command } from 'commander'
import { explain } from '../../evaluate/explain.ts'
import { evaluationContext } from '../../evaluate/evaluation.ts'
import type { Json } from '../../wire/json.ts'
import { toStoredId } from '../../wire/stored-id.ts'
import { StartError } from '../data-folder.ts'
import { readDefinitions } from '../flags/definitions/read-definitions.ts'
import { readGroups } from '../persons/read-groups.ts'
import { readPerson } from '../persons/read-person.ts'
import { createProjectOption, requireProject } from './project-option.ts'
import { withMetadata } from './with-metadata.ts'

type Pairs<Value> = Readonly<Record<string, Value>>

/** A parser for a repeatable option of the form `name=value`. */
const parsePairs =
  <Value>(parse: (value: string) => Value) =>
  (argument: string, previous: Pairs<Value>): Pairs<Value> => {
    const separator = argument.indexOf('=')
    if (separator < 1) throw new InvalidArgumentError('It must have the form name=value.')
    return { ...previous, [argument.slice(0, separator)]: parse(argument.slice(separator + 1)) }
  }

/** Parses a JSON value; anything else is a string: `5` is a number, `"5"` and `five` are strings. */
const parseValue = (argument: string): Json => {
  try {
    const value: Json = JSON.parse(argument)
    return value
  } catch {
    return argument
  }
}

interface ExplainOptions {
  readonly project: number
  readonly group: Pairs<string>
  readonly property: Pairs<Json>
}

/**
 * `flag explain <key> <distinct id>`: prints why a person gets the flag value that a request would return now. It reads the
 * stored properties of the person and the groups, as a request does, but not the geo properties of an IP address.
 */
export const addExplainCommand = (flag: Command): void => {
  flag
    .command('explain <key> <distinct-id>')
    .description('explain why a person gets a flag value')
    .addOption(createProjectOption())
    .option('--group <type=key>', 'a group of the person; repeatable', parsePairs(String), {})
    .option(
      '--property <name=value>',
      'a person property that overrides the stored one; repeatable',
      parsePairs(parseValue),
      {},
    )
    .action((key: string, distinctId: string, { project, group, property }: ExplainOptions, command: Command) =>
      withMetadata(command.optsWithGlobals(), async (metadata) => {
        await requireProject(metadata, project)
        const { definitions } = await readDefinitions(metadata, project)
        if (!definitions.flags.some((definition) => definition.key === key))
          throw new StartError(`There is no flag "${key}"; run "waymark-service flag list" for all flags.`)
        const [person, groupProperties] = await Promise.all([
          readPerson(metadata, project, distinctId),
          readGroups(metadata, project, group),
        ])
        const context = evaluationContext({
          distinctId,
          // As in a request, where a stored `$device_id` does not count.
          deviceId: toStoredId(property['$device_id']) ?? undefined,
          groups: group,
          personProperties: { ...person?.properties, ...property },
          groupProperties,
          complete: true,
          now: Date.now(),
        })
        for (const line of explain(definitions, key, context)) console.log(line)
      }),
    )
}
