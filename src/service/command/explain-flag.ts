import { InvalidArgumentError } from 'commander'
import type { Command } from 'commander'
import { explain } from '../../evaluate/explain.ts'
import { evaluationContext } from '../../evaluate/evaluation.ts'
import type { Json } from '../../wire/json.ts'
import { StartError } from '../data-folder.ts'
import { readDefinitions } from '../flags/definitions/read-definitions.ts'
import { readGroups } from '../persons/read-groups.ts'
import { readPerson } from '../persons/read-person.ts'
import { projectOption, requireProject } from './project-option.ts'
import { withMetadata } from './with-metadata.ts'

type Pairs<Value> = Readonly<Record<string, Value>>

/** An option that may be repeated, each time with one `name=value`. */
const pairs =
  <Value>(read: (text: string) => Value) =>
  (given: string, earlier: Pairs<Value>): Pairs<Value> => {
    const at = given.indexOf('=')
    if (at < 1) throw new InvalidArgumentError('It must have the form name=value.')
    return { ...earlier, [given.slice(0, at)]: read(given.slice(at + 1)) }
  }

/** JSON where it is some, else the text itself: `5` is a number, `"5"` and `five` are texts. */
const valueOf = (text: string): Json => {
  try {
    const value: Json = JSON.parse(text)
    return value
  } catch {
    return text
  }
}

interface Options {
  readonly project: number
  readonly group: Pairs<string>
  readonly property: Pairs<Json>
}

/**
 * `flag explain <key> <distinct id>`: says why somebody has the value of a flag that a request would get now. Reads the stored
 * properties of the person and the groups as a request does; a place that only an address tells is not known.
 */
export const addExplainCommand = (flag: Command): void => {
  flag
    .command('explain <key> <distinct-id>')
    .description('say why somebody has the value of a flag')
    .addOption(projectOption())
    .option('--group <type=key>', 'a group that they act for; may be repeated', pairs(String), {})
    .option('--property <name=value>', 'a person property, over a stored one; may be repeated', pairs(valueOf), {})
    .action((key: string, distinctId: string, { project, group, property }: Options, command: Command) =>
      withMetadata(command.optsWithGlobals(), async (metadata) => {
        await requireProject(metadata, project)
        const { definitions } = await readDefinitions(metadata, project)
        if (!definitions.flags.some((definition) => definition.key === key))
          throw new StartError(`There is no flag "${key}"; "flag list" shows them.`)
        const [person, groupProperties] = await Promise.all([
          readPerson(metadata, project, distinctId),
          readGroups(metadata, project, group),
        ])
        const personProperties = { ...person?.properties, ...property }
        const device = personProperties['$device_id']
        const context = evaluationContext({
          distinctId,
          deviceId: typeof device === 'string' ? device : undefined,
          groups: group,
          personProperties,
          groupProperties,
          complete: true,
          now: Date.now(),
        })
        for (const line of explain(definitions, key, context)) console.log(line)
      }),
    )
}
