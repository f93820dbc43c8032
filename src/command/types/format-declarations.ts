import { flagPayloadType, flagValueType } from './flag-types.ts'
import type { TypedFlag } from './flag-types.ts'
import { keyOf } from './json-type.ts'

/** The names of a project; null for a kind that is left out. */
export interface ProjectNames {
  readonly events: readonly string[] | null
  readonly flags: readonly TypedFlag[] | null
}

const HEADER = '// Made by "waymark types". Do not change this file: run the command again.\n'

/**
 * Writes the declarations that make the agent check these names. The same names give the same output, in whatever order they come, and if one
 * comes twice: names arrive in pages, whose order may change meanwhile.
 */
export const formatDeclarations = ({ events, flags }: ProjectNames): string => {
  const interfaces: string[] = []
  if (events !== null) {
    // Names with a dollar belong to the protocol, and are free in any case.
    const ownEvents = [...new Set(events)].filter((name) => name !== '' && !name.startsWith('$'))
    interfaces.push(
      formatInterface(
        'WaymarkEvents',
        ownEvents.map((name) => [name, 'object']),
      ),
    )
  }
  if (flags !== null) {
    const payloads = flags.map((flag) => [flag.key, flagPayloadType(flag)] as const)
    interfaces.push(
      formatInterface(
        'WaymarkFlags',
        flags.map((flag) => [flag.key, flagValueType(flag)]),
      ),
      formatInterface('WaymarkFlagPayloads', payloads),
    )
  }
  return [HEADER, ...interfaces].join('\n')
}

const formatInterface = (
  name: string,
  members: readonly (readonly [name: string, type: string | undefined])[],
): string => {
  const lines = members.flatMap(([key, type]) => (type === undefined ? [] : [`  ${keyOf(key)}: ${type}\n`]))
  return lines.length === 0 ? `interface ${name} {}\n` : `interface ${name} {\n${lines.sort().join('')}}\n`
}
