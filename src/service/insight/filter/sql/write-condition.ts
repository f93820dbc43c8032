import type { Condition, EventField, PropertyCondition, PropertySource } from '../condition.ts'
import type { PropertySql } from './property-sql.ts'
import { readEventField, readProperty, readString } from './property-sql.ts'
import { quoteString } from '../../../sql/quote.ts'
import type { SqlOperatorContext } from './sql-operator.ts'
import { matchesAbsent, writePropertyCondition } from './write-property-condition.ts'

/** Where a condition is written. */
export interface ConditionContext extends SqlOperatorContext {
  /** Name of the table `events` in the query, or its alias. Default: `events`. */
  readonly events?: string
}

/**
 * Writes a condition as an expression over the table `events`: TRUE for events that match, FALSE or NULL for others. Use it
 * where NULL counts as false, as in WHERE or FILTER, and do not negate it. Throws `UnsupportedFilterError` for a pattern that
 * DuckDB cannot search for.
 *
 * Persons and groups are read in subqueries that do not depend on the event, so DuckDB tests each of them once and not once for
 * each event.
 */
export const writeCondition = (condition: Condition, context: ConditionContext): string => {
  const { events = 'events' } = context
  const write = (node: Condition): string => {
    const owner = findOwner(node)
    if (owner !== undefined) return writeOwned(node, owner)
    if (node.kind === 'event_name') return `(${events}.event = ${quoteString(node.name)})`
    if (node.kind === 'property') return writeOwn(node)
    return join(node.kind, groupByOwner(node.conditions, node.kind).map(write))
  }
  /** Writes conditions that read nothing but the properties of one owner: the event's person, or its group of one type. */
  const writeOwned = (node: Condition, source: OwnerSource): string => {
    const owner = describeOwner(source, events)
    const matching = writeTree(node, (leaf) => writeProperty(leaf, readProperty('owner.properties', leaf.name)))
    return matchesWithoutProperties(node) ? writeIsNot(owner, `(${matching}) IS NOT TRUE`) : writeIs(owner, matching)
  }
  /** Writes a condition on the event itself, or on a property that an event implies. */
  const writeOwn = (leaf: PropertyCondition): string => {
    const { source, name } = leaf
    if (source.of === 'event') return writeProperty(leaf, readProperty(`${events}.properties`, name))
    if (source.of === 'event_metadata') return writeProperty(leaf, readEventField(events, name as EventField))
    const owner = describeOwner(source, events)
    const property = readProperty('owner.properties', name)
    const isSet = `${property.type} IS NOT NULL`
    const implied = readString(source.of === 'person' ? `${events}.distinct_id` : owner.key)
    const hasOwnMatch = writeIs(owner, `${isSet} AND ${writeProperty(leaf, property)}`)
    return `(${hasOwnMatch} OR (${writeIsNot(owner, isSet)} AND ${writeProperty(leaf, implied)}))`
  }
  const writeProperty = (leaf: PropertyCondition, property: PropertySql): string =>
    writePropertyCondition(leaf, property, context)
  return write(condition)
}

type OwnerSource = Extract<PropertySource, { readonly of: 'person' | 'group' }>

interface Owner {
  /** The event's reference to its owner. */
  readonly key: string
  /** Whether the reference may be NULL. */
  readonly isOptional: boolean
  readonly keyColumn: string
  readonly table: string
  /** The start of the WHERE clause. */
  readonly where: string
}

const describeOwner = (source: OwnerSource, events: string): Owner =>
  source.of === 'person'
    ? { key: `${events}.person_id`, isOptional: false, keyColumn: 'id', table: 'persons', where: '' }
    : {
        key: readProperty(`${events}.properties`, '$groups', source.type).text,
        isOptional: true,
        keyColumn: 'group_key',
        table: 'groups',
        where: `owner.group_type = ${quoteString(source.type)} AND `,
      }

/** The owners of which a condition is true. */
const selectOwners = ({ keyColumn, table, where }: Owner, condition: string): string =>
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
  if (node.kind === 'event_name') return undefined
  if (node.kind === 'property')
    return node.source.of === 'event' || node.source.of === 'event_metadata' || isImplied(node)
      ? undefined
      : node.source
  const [first, ...others] = node.conditions.map(findOwner)
  return others.every((owner) => isSameOwner(first, owner)) ? first : undefined
}

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

/** Whether a condition on an owner matches when there is no such person, or a group without properties. */
const matchesWithoutProperties = (node: Condition): boolean => {
  if (node.kind === 'all') return node.conditions.every(matchesWithoutProperties)
  if (node.kind === 'any') return node.conditions.some(matchesWithoutProperties)
  return matchesAbsent(assertProperty(node))
}

const writeTree = (node: Condition, writeLeaf: (leaf: PropertyCondition) => string): string =>
  node.kind === 'all' || node.kind === 'any'
    ? join(
        node.kind,
        node.conditions.map((each) => writeTree(each, writeLeaf)),
      )
    : writeLeaf(assertProperty(node))

const join = (kind: 'all' | 'any', expressions: readonly string[]): string => {
  if (expressions.length === 0) return kind === 'all' ? 'TRUE' : 'FALSE'
  return expressions.length === 1 ? expressions[0]! : `(${expressions.join(kind === 'all' ? ' AND ' : ' OR ')})`
}
