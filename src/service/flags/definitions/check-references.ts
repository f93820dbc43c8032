import type { NewCohort } from '../../store/metadata/cohorts.ts'
import type { NewFlag } from '../../store/metadata/flags.ts'
import { DefinitionError, InUseError } from './definition-error.ts'
import { findGroupIndexes, findCohortReferences, findFlagReferences } from './references.ts'
import type { Reference } from './references.ts'

/** All definitions of a project that are not deleted, and the group types that they can refer to. */
export interface LiveDefinitions {
  /** By key. */
  readonly flags: ReadonlyMap<string, NewFlag>
  /** By id. */
  readonly cohorts: ReadonlyMap<string, NewCohort>
  /** Group type index, as a string, to group type. */
  readonly groupTypes: Readonly<Record<string, string>>
}

/** Identifies a flag or a cohort. */
export type DefinitionRef = Pick<Reference, 'kind' | 'name'>

/** Longest chain of flags and cohorts that depend on each other. */
const MAX_DEPENDENCY_DEPTH = 50

/** Lists all flags and cohorts. */
export const listRefs = ({ flags, cohorts }: LiveDefinitions): readonly DefinitionRef[] => [
  ...[...flags.keys()].map((name) => ({ kind: 'flag', name }) as const),
  ...[...cohorts.keys()].map((name) => ({ kind: 'cohort', name }) as const),
]

const describeRef = ({ kind, name }: DefinitionRef, { cohorts }: LiveDefinitions): string =>
  kind === 'flag' ? `flag "${name}"` : `cohort ${name}${cohorts.has(name) ? ` ("${cohorts.get(name)!.name}")` : ''}`

const isDefined = ({ kind, name }: DefinitionRef, { flags, cohorts }: LiveDefinitions): boolean =>
  kind === 'flag' ? flags.has(name) : cohorts.has(name)

const findReferences = ({ kind, name }: DefinitionRef, { flags, cohorts }: LiveDefinitions): readonly Reference[] => {
  const flag = kind === 'flag' ? flags.get(name) : undefined
  if (flag) return findFlagReferences(flag)
  const cohort = kind === 'cohort' ? cohorts.get(name) : undefined
  return cohort ? findCohortReferences(cohort.filters.properties) : []
}

const refKey = ({ kind, name }: DefinitionRef): string => `${kind} ${name}`

/**
 * Checks that everything a definition refers to exists.
 *
 * @throws DefinitionError
 */
export const checkReferences = (ref: DefinitionRef, definitions: LiveDefinitions): void => {
  for (const reference of findReferences(ref, definitions)) {
    if (!isDefined(reference, definitions))
      throw new DefinitionError(
        reference.attr,
        `refers to ${describeRef(reference, definitions)}, which does not exist; create it first`,
      )
  }
  const flag = ref.kind === 'flag' ? definitions.flags.get(ref.name) : undefined
  for (const { index, attr } of flag ? findGroupIndexes(flag) : []) {
    if (!Object.hasOwn(definitions.groupTypes, index))
      throw new DefinitionError(
        attr,
        `is ${index}, but the project has no group type ${index}; add it to "group_type_mapping" first`,
      )
  }
}

/**
 * Checks that a definition neither depends on itself nor exceeds the maximum dependency depth.
 *
 * @param depths Cache of the dependency depth of each visited definition, for the next call; this function fills it.
 * @throws DefinitionError
 */
export const checkDependencyDepth = (
  ref: DefinitionRef,
  definitions: LiveDefinitions,
  depths: Map<string, number>,
): void => {
  const path: DefinitionRef[] = []
  const checkDepth = (below: number, attr: string): void => {
    if (path.length + below > MAX_DEPENDENCY_DEPTH)
      throw new DefinitionError(
        attr,
        `makes a chain of more than ${MAX_DEPENDENCY_DEPTH} flags and cohorts that depend on each other; shorten it`,
      )
  }
  const findDepth = (node: DefinitionRef, attr: string): number => {
    const start = path.findIndex((each) => refKey(each) === refKey(node))
    if (start >= 0) {
      const cycle = [...path.slice(start), node].map((each) => describeRef(each, definitions)).join(' → ')
      throw new DefinitionError(attr, `makes a dependency cycle: ${cycle}`)
    }
    const cached = depths.get(refKey(node))
    if (cached !== undefined) return cached
    path.push(node)
    checkDepth(0, attr)
    const below = findReferences(node, definitions).map((next) => findDepth(next, path.length === 1 ? next.attr : attr))
    const depth = 1 + Math.max(0, ...below)
    checkDepth(depth - 1, attr)
    path.pop()
    depths.set(refKey(node), depth)
    return depth
  }
  findDepth(ref, 'filters')
}

/** These definitions and all that depend on one of them, directly or not. */
export const findDependents = (
  changed: readonly DefinitionRef[],
  definitions: LiveDefinitions,
): readonly DefinitionRef[] => {
  const users = new Map<string, DefinitionRef[]>()
  for (const user of listRefs(definitions))
    for (const used of findReferences(user, definitions)) {
      const usersOfRef = users.get(refKey(used))
      if (usersOfRef) usersOfRef.push(user)
      else users.set(refKey(used), [user])
    }
  return findReachable(changed, (node) => users.get(refKey(node)) ?? [])
}

/** These definitions and all that one of them depends on, directly or not. */
export const findDependencies = (
  nodes: readonly DefinitionRef[],
  definitions: LiveDefinitions,
): readonly DefinitionRef[] => findReachable(nodes, (node) => findReferences(node, definitions))

const findReachable = (
  from: readonly DefinitionRef[],
  next: (node: DefinitionRef) => readonly DefinitionRef[],
): readonly DefinitionRef[] => {
  const reached = new Map(from.map((node) => [refKey(node), node]))
  // Iterating over a map also visits entries that are added meanwhile.
  for (const node of reached.values())
    for (const each of next(node)) if (!reached.has(refKey(each))) reached.set(refKey(each), each)
  return [...reached.values()]
}

/**
 * Checks that no definition refers to a definition or a group type that a change removes.
 *
 * @throws InUseError
 */
export const checkNotInUse = (before: LiveDefinitions, after: LiveDefinitions): void => {
  const removed = new Set(listRefs(before).flatMap((ref) => (isDefined(ref, after) ? [] : [refKey(ref)])))
  for (const user of removed.size > 0 ? listRefs(after) : []) {
    const used = findReferences(user, after).find((reference) => removed.has(refKey(reference)))
    if (used)
      throw new InUseError(
        `${describeRef(user, after)} still refers to ${describeRef(used, before)}; remove that reference first`,
      )
  }
  const removedIndexes = Object.keys(before.groupTypes).filter((index) => !Object.hasOwn(after.groupTypes, index))
  for (const [key, flag] of removedIndexes.length > 0 ? after.flags : []) {
    const used = findGroupIndexes(flag).find(({ index }) => removedIndexes.includes(String(index)))
    if (used)
      throw new InUseError(
        `flag "${key}" still uses group type ${used.index} ("${before.groupTypes[used.index]}"); change the flag first`,
      )
  }
}
