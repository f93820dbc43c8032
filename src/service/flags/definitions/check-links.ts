import type { NewCohort } from '../../store/metadata/cohorts.ts'
import type { NewFlag } from '../../store/metadata/flags.ts'
import { DefinitionError, InUseError } from './definition-error.ts'
import { groupIndexesOf, referencesOfCohort, referencesOfFlag } from './references.ts'
import type { Reference } from './references.ts'

/** All definitions of a project that are not deleted, and what they can refer to. */
export interface Links {
  /** By key. */
  readonly flags: ReadonlyMap<string, NewFlag>
  /** By id. */
  readonly cohorts: ReadonlyMap<string, NewCohort>
  /** Group type index, as text, to group type. */
  readonly groupTypes: Readonly<Record<string, string>>
}

/** A flag or a cohort. */
export type Named = Pick<Reference, 'kind' | 'name'>

/** Most flags and cohorts that may depend on each other in a row. */
const MOST_IN_A_ROW = 50

/** All definitions. */
export const namesIn = ({ flags, cohorts }: Links): readonly Named[] => [
  ...[...flags.keys()].map((name) => ({ kind: 'flag', name }) as const),
  ...[...cohorts.keys()].map((name) => ({ kind: 'cohort', name }) as const),
]

const wordsFor = ({ kind, name }: Named, { cohorts }: Links): string =>
  kind === 'flag' ? `flag "${name}"` : `cohort ${name}${cohorts.has(name) ? ` ("${cohorts.get(name)!.name}")` : ''}`

const isThere = ({ kind, name }: Named, { flags, cohorts }: Links): boolean =>
  kind === 'flag' ? flags.has(name) : cohorts.has(name)

const referencesOf = ({ kind, name }: Named, { flags, cohorts }: Links): readonly Reference[] => {
  const flag = kind === 'flag' ? flags.get(name) : undefined
  if (flag) return referencesOfFlag(flag)
  const cohort = kind === 'cohort' ? cohorts.get(name) : undefined
  return cohort ? referencesOfCohort(cohort.filters.properties) : []
}

const nodeOf = ({ kind, name }: Named): string => `${kind} ${name}`

/**
 * Checks that what a definition refers to is there.
 *
 * @throws DefinitionError
 */
export const checkReferences = (named: Named, links: Links): void => {
  for (const reference of referencesOf(named, links)) {
    if (!isThere(reference, links))
      throw new DefinitionError(reference.attr, `refers to ${wordsFor(reference, links)}, which does not exist`)
  }
  const flag = named.kind === 'flag' ? links.flags.get(named.name) : undefined
  for (const { index, attr } of flag ? groupIndexesOf(flag) : []) {
    if (!Object.hasOwn(links.groupTypes, index))
      throw new DefinitionError(attr, `is ${index}, and "group_type_mapping" does not say which group type ${index} is`)
  }
}

/**
 * Checks that a definition does not depend on itself, nor on more others in a row than may be.
 *
 * @param heights How many definitions stand in a row below each that was looked at; filled here, for the next call.
 * @throws DefinitionError
 */
export const checkRows = (named: Named, links: Links, heights: Map<string, number>): void => {
  const path: Named[] = []
  const checkHeight = (below: number, attr: string): void => {
    if (path.length + below > MOST_IN_A_ROW)
      throw new DefinitionError(
        attr,
        `makes more than ${MOST_IN_A_ROW} flags and cohorts depend on each other in a row`,
      )
  }
  const heightOf = (node: Named, attr: string): number => {
    const open = path.findIndex((each) => nodeOf(each) === nodeOf(node))
    if (open >= 0) {
      const circle = [...path.slice(open), node].map((each) => wordsFor(each, links)).join(' → ')
      throw new DefinitionError(attr, `leads round in a circle: ${circle}`)
    }
    const known = heights.get(nodeOf(node))
    if (known !== undefined) return known
    path.push(node)
    checkHeight(0, attr)
    const below = referencesOf(node, links).map((next) => heightOf(next, path.length === 1 ? next.attr : attr))
    const height = 1 + Math.max(0, ...below)
    checkHeight(height - 1, attr)
    path.pop()
    heights.set(nodeOf(node), height)
    return height
  }
  heightOf(named, 'filters')
}

/** What depends on one of these definitions, by whatever others, and these themselves. */
export const dependentsOf = (changed: readonly Named[], links: Links): readonly Named[] => {
  const users = new Map<string, Named[]>()
  for (const user of namesIn(links))
    for (const used of referencesOf(user, links)) {
      const known = users.get(nodeOf(used))
      if (known) known.push(user)
      else users.set(nodeOf(used), [user])
    }
  return reachable(changed, (node) => users.get(nodeOf(node)) ?? [])
}

/** What these definitions depend on, by whatever others, and these themselves. */
export const dependenciesOf = (nodes: readonly Named[], links: Links): readonly Named[] =>
  reachable(nodes, (node) => referencesOf(node, links))

const reachable = (from: readonly Named[], next: (node: Named) => readonly Named[]): readonly Named[] => {
  const found = new Map(from.map((node) => [nodeOf(node), node]))
  // A map is walked to its end, entries that come meanwhile too.
  for (const node of found.values())
    for (const each of next(node)) if (!found.has(nodeOf(each))) found.set(nodeOf(each), each)
  return [...found.values()]
}

/**
 * Checks that nothing refers to what a change takes away, nor is for groups of a type that it takes away.
 *
 * @throws InUseError
 */
export const checkUnused = (before: Links, after: Links): void => {
  const gone = new Set(namesIn(before).flatMap((named) => (isThere(named, after) ? [] : [nodeOf(named)])))
  for (const user of gone.size > 0 ? namesIn(after) : []) {
    const used = referencesOf(user, after).find((reference) => gone.has(nodeOf(reference)))
    if (used) throw new InUseError(`${wordsFor(user, after)} still refers to ${wordsFor(used, before)}`)
  }
  const goneIndexes = Object.keys(before.groupTypes).filter((index) => !Object.hasOwn(after.groupTypes, index))
  for (const [key, flag] of goneIndexes.length > 0 ? after.flags : []) {
    const used = groupIndexesOf(flag).find(({ index }) => goneIndexes.includes(String(index)))
    if (used)
      throw new InUseError(
        `flag "${key}" is still for groups of type ${used.index} ("${before.groupTypes[used.index]}")`,
      )
  }
}
