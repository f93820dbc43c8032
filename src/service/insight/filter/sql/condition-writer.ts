import type { MatchingRules } from '../../../../evaluate/operators/operator.ts'
import type { CohortCondition, Condition, EventField, PropertyCondition, PropertySource } from '../condition.ts'
import { FilterError } from '../filter-error.ts'
import type { ConditionDialect } from './condition-dialect.ts'
import { duckDbDialect } from './duckdb-dialect.ts'
import type { PropertySql } from './property-sql.ts'
import { isUuid } from '../../../../codec/uuid.ts'
import type { MatchContext } from '../match-context.ts'
import { matchesAbsent, writePropertyCondition } from './write-property-condition.ts'

/** Most conditions in a query, those of cohorts included. */
const MAX_CONDITIONS = 1000
/** Where conditions are written. */
export interface ConditionContext extends MatchContext {
  /** Path of the filters in the input, for errors about all of them together. */
  readonly path: string
  /** Name of the table `events` in the query, or its alias. Default: `events`. */
  readonly events?: string
  /** Longest SQL of the query, in bytes. Default: as the dialect says. */
  readonly maxQueryBytes?: number
  /** The engine that the SQL is for. Default: DuckDB. */
  readonly dialect?: ConditionDialect
}

/** Writes the conditions of one query. */
export interface ConditionWriter {
  /**
   * Writes a condition as an expression over the table `events`: TRUE for events that match, FALSE or NULL for others. Use it
   * where NULL counts as false, as in WHERE or FILTER, and do not negate it.
   *
   * @throws UnsupportedFilterError for a pattern that the engine cannot search for, FilterError for more than 1,000 conditions.
   */
  readonly write: (condition: Condition) => string
  /**
   * Puts the cohorts that the conditions read in front of the SELECT that contains them.
   *
   * @param tables Further tables that the SELECT reads, as `name AS (SELECT …)`. They may contain conditions.
   * @throws FilterError for SQL of more than `maxQueryBytes`.
   */
  readonly toQuery: (select: string, tables?: readonly string[]) => string
}

/**
 * Creates a writer for one query.
 *
 * Persons and groups are read in subqueries that do not depend on the event, so the engine tests each of them once and not once for
 * each event. A cohort is a subquery with a name, which is written once, however often conditions and other cohorts name it.
 */
export const createConditionWriter = ({
  path,
  events = 'events',
  dialect = duckDbDialect,
  maxQueryBytes = dialect.maxSqlBytes,
  ...context
}: ConditionContext): ConditionWriter => {
  const { quoteString, readProperty, readEventField, readString, isNotTrue, tableAs } = dialect
  const cohorts = new Map<CohortCondition, string>()
  const cohortTables: string[] = []
  const matchesWithoutProperties = createTestWithoutProperties(context.rules)
  /** How many times a cohort is read for each place that names it: once, and as often as those that it names. */
  const readsOfCohorts = new Map<CohortCondition, number>()
  let [count, length, reads] = [0, 0, 0]
  /** Stops as soon as the limits are exceeded: what cannot be written once could be written without end. */
  const add = (sql: string): string => {
    count += 1
    length += sql.length
    if (count > MAX_CONDITIONS)
      throw new FilterError(path, `must have at most ${MAX_CONDITIONS} conditions, with those of all cohorts`)
    checkLength(length, dialect.maxSqlBytes)
    return sql
  }
  const checkLength = (bytes: number, maxBytes: number): void => {
    if (bytes > maxBytes)
      throw new FilterError(path, `must be shorter: with all cohorts they are more than ${maxBytes} bytes of SQL`)
  }

  const write = (node: Condition): string => {
    if (node.kind === 'cohort')
      return readsEvent(node) ? write(node.condition) : writeMembership(node, `${events}.person_id`)
    const owner = findOwner(node)
    if (owner !== undefined) return writeOwned(node, owner)
    if (node.kind === 'event_name') return add(`(${events}.event = ${quoteString(node.name)})`)
    if (node.kind === 'event_field') return add(writeField(node, events, dialect))
    if (node.kind === 'property') return writeOwn(node)
    if (node.conditions.length === 0) return add(join(node.kind, []))
    return join(node.kind, groupByOwner(node.conditions, node.kind).map(write))
  }
  /** Writes conditions that read nothing but the properties of one owner: the event's person, or its group of one type. */
  const writeOwned = (node: Condition, source: OwnerSource): string => {
    const owner = describeOwner(source, events, dialect)
    const matching = writeTree(node)
    return matchesWithoutProperties(node) ? writeIsNot(owner, isNotTrue(matching)) : writeIs(owner, matching)
  }
  /** Writes a condition as an expression over one owner. */
  const writeTree = (node: Condition): string => {
    if (node.kind === 'cohort') return writeMembership(node, 'owner.id')
    if (node.kind !== 'all' && node.kind !== 'any') {
      const leaf = assertProperty(node)
      return writeProperty(leaf, readProperty('owner.properties', leaf.name))
    }
    return node.conditions.length === 0 ? add(join(node.kind, [])) : join(node.kind, node.conditions.map(writeTree))
  }
  /** Writes whether a person is among those of a cohort that does not read the event. */
  const writeMembership = (cohort: CohortCondition, personId: string): string => {
    // Persons without properties are in no table, so a cohort that has them is the persons who are not in it.
    const isComplement = matchesWithoutProperties(cohort)
    let name = cohorts.get(cohort)
    if (name === undefined) {
      const outerReads = reads
      reads = 1
      const matching = writeTree(cohort.condition)
      readsOfCohorts.set(cohort, reads)
      reads = outerReads
      name = `cohort_${cohorts.size}`
      cohorts.set(cohort, name)
      const persons = selectOwners(PERSON, isComplement ? isNotTrue(matching) : matching)
      cohortTables.push(`${name} ${tableAs} (${persons})`)
    }
    reads += readsOfCohorts.get(cohort)!
    if (reads > dialect.maxCohortReads)
      throw new FilterError(
        path,
        `must name fewer cohorts that name others: ${dialect.maxCohortReads} may be read in all`,
      )
    return add(`(${personId} ${isComplement ? 'NOT IN' : 'IN'} (SELECT ${name}.id FROM ${name}))`)
  }
  /** Writes a condition on the event itself, or on a property that an event implies. */
  const writeOwn = (leaf: PropertyCondition): string => {
    const { source, name } = leaf
    if (source.of === 'event') return writeProperty(leaf, readProperty(`${events}.properties`, name))
    if (source.of === 'event_metadata') return writeProperty(leaf, readEventField(events, name as EventField))
    const owner = describeOwner(source, events, dialect)
    const property = readProperty('owner.properties', name)
    const isSet = `${property.type} IS NOT NULL`
    const implied = readString(source.of === 'person' ? `${events}.distinct_id` : owner.key)
    const hasOwnMatch = writeIs(owner, `${isSet} AND ${writeProperty(leaf, property)}`)
    return `(${hasOwnMatch} OR (${writeIsNot(owner, isSet)} AND ${writeProperty(leaf, implied)}))`
  }
  const writeProperty = (leaf: PropertyCondition, property: PropertySql): string =>
    add(writePropertyCondition(leaf, property, { ...context, operators: dialect.operators }))
  return {
    write,
    toQuery: (select, tables = []) => {
      const all = [...cohortTables, ...tables]
      const sql = all.length === 0 ? select : `WITH ${all.join(', ')} ${select}`
      checkLength(Buffer.byteLength(sql), maxQueryBytes)
      return sql
    },
  }
}

const writeField = (
  { field, value }: Extract<Condition, { kind: 'event_field' }>,
  events: string,
  { quoteString, quoteUuid }: ConditionDialect,
): string => {
  if (field === 'distinct_id') return `(${events}.distinct_id = ${quoteString(value)})`
  // A constant of the column's type, so that no strings are compared.
  return isUuid(value) ? `(${events}.${field} = ${quoteUuid(value)})` : 'FALSE'
}

type OwnerSource = Extract<PropertySource, { readonly of: 'person' | 'group' }>

/** The table of an owner. */
interface OwnerTable {
  readonly keyColumn: string
  readonly table: string
  /** The start of the WHERE clause. */
  readonly where: string
}

interface Owner extends OwnerTable {
  /** The event's reference to its owner. */
  readonly key: string
  /** Whether the reference may be NULL. */
  readonly isOptional: boolean
}

const PERSON: OwnerTable = { keyColumn: 'id', table: 'persons', where: '' }

const describeOwner = (source: OwnerSource, events: string, { quoteString, readProperty }: ConditionDialect): Owner =>
  source.of === 'person'
    ? { ...PERSON, key: `${events}.person_id`, isOptional: false }
    : {
        key: readProperty(`${events}.properties`, '$groups', source.type).text,
        isOptional: true,
        keyColumn: 'group_key',
        table: 'groups',
        where: `owner.group_type = ${quoteString(source.type)} AND `,
      }

/** The owners of which a condition is true. */
const selectOwners = ({ keyColumn, table, where }: OwnerTable, condition: string): string =>
  `SELECT owner.${keyColumn} FROM ${table} AS owner WHERE ${where}${condition}`

/** The event has such an owner. */
const writeIs = (owner: Owner, condition: string): string => `(${owner.key} IN (${selectOwners(owner, condition)}))`

/** The event has an owner, but not such a one. */
const writeIsNot = (owner: Owner, condition: string): string => {
  const isNot = `${owner.key} NOT IN (${selectOwners(owner, condition)})`
  return owner.isOptional ? `(${owner.key} IS NOT NULL AND ${isNot})` : `(${isNot})`
}

/** The property that an event implies for its person or group; it is not among the owner's properties. */
const isImplied = ({ source, name }: PropertyCondition): boolean =>
  (source.of === 'person' && name === 'distinct_id') || (source.of === 'group' && name === '$group_key')

const isSameOwner = (a: OwnerSource | undefined, b: OwnerSource | undefined): boolean =>
  a?.of === b?.of && (a?.of !== 'group' || b?.of !== 'group' || a.type === b.type)

/** The person or group whose properties are all that a condition reads; undefined if it reads something else, or nothing. */
const findOwner = (node: Condition): OwnerSource | undefined => {
  if (node.kind === 'event_name' || node.kind === 'event_field') return undefined
  if (node.kind === 'cohort') return readsEvent(node) ? undefined : { of: 'person' }
  if (node.kind === 'property')
    return node.source.of === 'event' || node.source.of === 'event_metadata' || isImplied(node)
      ? undefined
      : node.source
  const [first, ...others] = node.conditions.map(findOwner)
  return others.every((owner) => isSameOwner(first, owner)) ? first : undefined
}

/** Finds out something about a cohort once, however often others name it. */
const rememberPerCohort = (find: (cohort: CohortCondition) => boolean): typeof find => {
  const known = new WeakMap<CohortCondition, boolean>()
  return (cohort) => {
    const answer = known.get(cohort) ?? find(cohort)
    known.set(cohort, answer)
    return answer
  }
}

/** Whether a cohort depends on the event, and not only on its person: it names the distinct id. */
const readsEvent = rememberPerCohort((cohort) => {
  const reads = (node: Condition): boolean => {
    if (node.kind === 'cohort') return readsEvent(node)
    return node.kind === 'all' || node.kind === 'any' ? node.conditions.some(reads) : isImplied(assertProperty(node))
  }
  return reads(cohort.condition)
})

/** Joins the conditions of each owner to one condition, so that it is read once. */
const groupByOwner = (conditions: readonly Condition[], kind: 'all' | 'any'): readonly Condition[] => {
  const groups: { readonly owner: OwnerSource | undefined; readonly conditions: Condition[] }[] = []
  for (const condition of conditions) {
    const owner = findOwner(condition)
    const group = owner && groups.find((each) => isSameOwner(each.owner, owner))
    if (group) group.conditions.push(condition)
    else groups.push({ owner, conditions: [condition] })
  }
  return groups.map((group) =>
    group.conditions.length === 1 ? group.conditions[0]! : { kind, conditions: group.conditions },
  )
}

/** A condition on the properties of an owner, which contains no other condition; see `findOwner`. */
const assertProperty = (node: Condition): PropertyCondition => {
  if (node.kind === 'property') return node
  throw new TypeError(`A condition of the kind ${node.kind} reads no property.`)
}

/** Tells whether a condition on an owner matches when there is no such person, or a group without properties. */
const createTestWithoutProperties = (rules: MatchingRules): ((node: Condition) => boolean) => {
  const matches = (node: Condition): boolean => {
    if (node.kind === 'cohort') return cohortMatches(node)
    if (node.kind === 'all') return node.conditions.every(matches)
    if (node.kind === 'any') return node.conditions.some(matches)
    return matchesAbsent(assertProperty(node), rules)
  }
  const cohortMatches = rememberPerCohort(({ condition }) => matches(condition))
  return matches
}

const join = (kind: 'all' | 'any', expressions: readonly string[]): string => {
  if (expressions.length === 0) return kind === 'all' ? 'TRUE' : 'FALSE'
  return expressions.length === 1 ? expressions[0]! : `(${expressions.join(kind === 'all' ? ' AND ' : ' OR ')})`
}
