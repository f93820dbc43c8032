import { findClosestName } from '../../closest-name.ts'
import type { JsonObject } from '../../../wire/json.ts'
import { QueryError } from '../../indexer/query-error.ts'
import type { AnswerCache } from '../cache/answer-cache.ts'
import { isFresh } from '../cache/is-fresh.ts'
import type { Condition } from '../filter/condition.ts'
import type { FilterContext } from '../filter/filter-context.ts'
import type { PropertyOwner } from '../question/names.ts'
import type { Ask } from '../question/questions.ts'
import { collectNames } from './collect-names.ts'
import type { UsedName } from './collect-names.ts'

/** Most events of a project whose properties are all searched for a name; of a larger one only the newest events are. */
const MAX_SEARCHED_EVENTS = 1_000_000
/** Names of events that a store lists at most. With so many, one that is not listed may be rare. */
const MAX_LISTED = 10_000
/** Warnings of one answer. */
const MAX_WARNINGS = 20

/** Names that a project has, as they are cached. */
interface KnownNames {
  readonly names: readonly string[]
  /** Events of the project. */
  readonly total: number
}

/** What warnings are found with. */
export interface WarningsOptions {
  readonly query: JsonObject
  readonly context: FilterContext
  readonly cache: AnswerCache
  /** Null for an answer that must ask nothing: it has the warnings that are known. */
  readonly ask: Ask | null
  /** Whether a name that was not found before is looked for again. */
  readonly isForced: boolean
}

/**
 * Finds the events and properties that a query names and that the project never had: its answer is empty because of them, and a
 * misspelled name looks the same. The names of a project are cached among its answers, so that a query whose names are known asks nothing.
 */
export const findWarnings = async (options: WarningsOptions): Promise<readonly string[]> => {
  const used = collectNames(options.query, options.context.groupTypes)
  if (used.length === 0) return []
  try {
    const warnings: string[] = []
    const kinds = new Map<string, UsedName[]>()
    for (const each of used) {
      const kind = JSON.stringify(each.of)
      kinds.set(kind, [...(kinds.get(kind) ?? []), each])
    }
    for (const ofKind of kinds.values()) {
      const known = await findKnown(ofKind, options)
      if (known === null) continue
      if (known.total === 0) return ['The project has no events yet.']
      for (const each of ofKind) if (!known.names.includes(each.name)) warnings.push(...writeWarning(each, known))
    }
    return warnings.slice(0, MAX_WARNINGS)
  } catch (error) {
    // The answer is right without warnings: there was no time for them.
    if (error instanceof QueryError) return []
    throw error
  }
}

const writeWarning = ({ path, name, of }: UsedName, { names, total }: KnownNames): readonly string[] => {
  if (of.kind === 'event' && names.length >= MAX_LISTED) return []
  const closest = findClosestName(name, names)
  const hint = closest === null ? '' : `; the closest name is ${JSON.stringify(closest)}`
  const owner = of.kind === 'event' ? 'event' : of.owner.of
  const isSearched = total <= MAX_SEARCHED_EVENTS
  const missing =
    of.kind === 'event'
      ? `the project never had an event ${JSON.stringify(name)}`
      : isSearched
        ? `no ${owner} of the project has a property ${JSON.stringify(name)}`
        : `none of the newest ${owner}s of the project has a property ${JSON.stringify(name)}`
  return [`"${path}": ${missing}${hint}.`]
}

/** The names of one kind; null if they are not known and must not be asked. */
const findKnown = async (
  used: readonly UsedName[],
  { context, cache, ask, isForced }: WarningsOptions,
): Promise<KnownNames | null> => {
  const { of } = used[0]!
  const key = `names of project ${context.projectId}: ${JSON.stringify(of)}`
  const cached = cache.find(key)
  const known = (cached?.results ?? null) as KnownNames | null
  if (ask === null) return known
  if (known !== null && used.every(({ name }) => known.names.includes(name))) return known
  const countEvents = (): Promise<number> => ask('countEvents', { range: {} })
  if (cached !== undefined && !isForced && (await isFresh(cached, context.now, countEvents))) return known
  // Counted first: events that arrive meanwhile make the count wrong.
  const total = await countEvents()
  const names = total === 0 ? [] : await readNames(used, total, context, ask)
  const results: KnownNames = { names, total }
  const counts = [{ range: {}, count: total }]
  cache.add(key, { results, computedAt: context.now, validBefore: Infinity, counts })
  return results
}

/** Reads the names that are listed, and looks for those that are used and not among them. */
const readNames = async (
  used: readonly UsedName[],
  total: number,
  context: FilterContext,
  ask: Ask,
): Promise<readonly string[]> => {
  const { of } = used[0]!
  const listed = of.kind === 'event' ? await ask('eventNames', {}) : await ask('propertyNames', { owner: of.owner })
  const names = new Set(listed.map(({ name }) => name))
  if (of.kind === 'property' && total <= MAX_SEARCHED_EVENTS)
    for (const { name, path } of used)
      if (!names.has(name) && (await hasProperty(name, of.owner, path, context, ask))) names.add(name)
  return [...names]
}

/** Whether an event, or an owner of any event, has a property: those that are listed are the ones of the newest. */
const hasProperty = async (
  name: string,
  owner: PropertyOwner,
  path: string,
  { rules, now }: FilterContext,
  ask: Ask,
): Promise<boolean> => {
  const condition: Condition = {
    kind: 'property',
    path,
    source: owner,
    name,
    operator: 'is_set',
    value: null,
    isNegated: false,
  }
  const { events } = await ask('events', {
    events: { condition, matching: { rules, now }, path: 'query' },
    range: {},
    hasProperties: false,
    hasPersons: false,
    texts: [],
    order: [{ by: 'timestamp', isDescending: true }],
    limit: 1,
    offset: 0,
  })
  return events.length > 0
}
