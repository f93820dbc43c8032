import type { DuckDBListVector } from '@duckdb/node-api'
import { QueryError } from '../../../../indexer/query-error.ts'
import type { NumberOf, PathCollector } from '../../../../insight/paths/collect-paths.ts'
import { createActorFinder, createEdgeCollector } from '../../../../insight/paths/collect-paths.ts'
import { MAX_ITEMS } from '../../../../insight/paths/edge-table.ts'
import type { PathWalker } from '../../../../insight/paths/walk-paths.ts'
import { countsLastItems, createPathWalker, NO_ITEM } from '../../../../insight/paths/walk-paths.ts'
import type { PathsPoint } from '../../../../insight/question/actors.ts'
import type { PathsAnswer, PathsQuestion } from '../../../../insight/question/paths.ts'
import type { Work } from '../../../../work-in-chunks.ts'
import { findFunnelWindows } from './funnel.ts'
import type { BoundedPaths } from './path-events.ts'
import type { PathItems } from './path-items.ts'
import { createNumberOf, listItems } from './path-items.ts'
import type { PathPacking } from './path-packing.ts'
import { createPathPacking } from './path-packing.ts'
import type { ChosenActors } from './path-sql.ts'
import { writePathLists, writePathRows, writePersonPaths, writeRankedPathRows } from './path-sql.ts'
import type { RowReader } from '../query/scan-rows.ts'
import { scanPersons } from './scan-persons.ts'
import type { Scan } from './select.ts'

/** Answers paths with a few SELECTs. The paths are walked in JavaScript, where items are numbers. */
export const answerPaths = async (question: PathsQuestion, scan: Scan): Promise<PathsAnswer> =>
  collectPaths({ question: await boundPaths(question, scan), collector: createEdgeCollector(question), scan })

/** Finds the actors of a point. */
export const findPathActors = async (point: PathsPoint, scan: Scan): Promise<readonly string[]> =>
  collectPaths({ question: await boundPaths(point.question, scan), collector: createActorFinder(point), scan })

/** Finds the times of actors around a step of a funnel. */
const boundPaths = async (question: PathsQuestion, scan: Scan): Promise<BoundedPaths> => ({
  ...question,
  windows: question.around === null ? null : await findFunnelWindows(question.around, scan),
})

/** Most events of one actor that are sorted at once; more of them are read in order. */
const MAX_SORTED_EVENTS = 100_000

/** Most actors have a few events. */
const ACTORS_PER_YIELD = 64

const ROWS_PER_YIELD = 512

/** A question, and what its answer is collected in. */
interface PathScan<Answer> {
  readonly question: BoundedPaths
  readonly collector: PathCollector<Answer>
  readonly scan: Scan
}

/**
 * Few items are listed first. The events of an actor then take little memory, because they have numbers in the place of items, and no
 * uuids; actors with events whose order only uuids tell are read once more. Many items are numbered in one SELECT, which can do all of
 * its work on disk.
 */
const collectPaths = async <Answer>(parts: PathScan<Answer>): Promise<Answer> => {
  const { question, collector, scan } = parts
  const items = await listItems(question, scan)
  if (items === null) return scanRanked(parts)
  const numberOf = createNumberOf(items.texts)
  collector.begin(numberOf)
  const unordered = await scanInAnyOrder(parts, items, numberOf)
  if (unordered === null || countActors(unordered) > 0) await scanRows(parts, items, unordered, numberOf)
  return collector.answer((number) => items.texts[number]!)
}

/** @param readActor Reads the id of the current actor. */
const createWalker = <Answer>(
  { question, collector }: PathScan<Answer>,
  numberOf: NumberOf,
  readActor: () => string,
): PathWalker => {
  const toNumber = (item: string | null): number | null => (item === null ? null : numberOf(item))
  const { start, end, stepLimit } = question
  const bounds = { start: toNumber(start), end: toNumber(end), stepLimit, countsLast: countsLastItems(question) }
  return createPathWalker(bounds, (path) => collector.add(path, readActor))
}

const countActors = (actors: ChosenActors): number => ('ids' in actors ? actors.ids : actors.numbers).length

/**
 * Walks the events of all actors but those that it returns: different items of theirs have the same time, or there are too many. Null, with
 * an unchanged collector, if the events cannot be read so.
 */
const scanInAnyOrder = async <Answer>(
  parts: PathScan<Answer>,
  items: PathItems,
  numberOf: NumberOf,
): Promise<ChosenActors | null> => {
  const { question, collector } = parts
  const packing = createPathPacking(question.range, items.texts.length)
  if (packing === null) return null
  return question.actor.of === 'person' && !collector.readsActors
    ? { numbers: await scanNumbers(parts, items, packing, numberOf) }
    : { ids: await scanLists(parts, items, packing, numberOf) }
}

/** The same for persons by their numbers. */
const scanNumbers = <Answer>(
  parts: PathScan<Answer>,
  items: PathItems,
  packing: PathPacking,
  numberOf: NumberOf,
): Promise<readonly number[]> => {
  const unordered: number[] = []
  const walker = createWalker(parts, numberOf, () => '')
  let personCount = 0
  return scanPersons(parts.scan, writePersonPaths(parts.question, items, packing.sql), {
    *read(numbers, offset, count, person) {
      personCount += 1
      if (personCount % ACTORS_PER_YIELD === 0) yield
      const isInOrder = count <= MAX_SORTED_EVENTS && packing.unpack(numbers, offset, count, walker.add)
      if (isInOrder) walker.endActor()
      else unordered.push(person)
    },
    *end() {
      if (unordered.length === 0) yield* parts.collector.end()
      return unordered
    },
  })
}

/** The same for all actors, by their ids. */
const scanLists = <Answer>(
  parts: PathScan<Answer>,
  items: PathItems,
  packing: PathPacking,
  numberOf: NumberOf,
): Promise<readonly string[]> => {
  const unordered: string[] = []
  let readActor = (): string => ''
  const walker = createWalker(parts, numberOf, () => readActor())
  let actorCount = 0
  const { sql, parameters } = writePathLists(parts.question, items, packing.sql)
  return parts.scan(
    sql,
    {
      *read(chunk) {
        const { rowCount } = chunk
        const [lists, actors] = [chunk.getColumnVector(0) as DuckDBListVector, chunk.getColumnVector(1)]
        const numbers = lists.childVector
        let actorRow = 0
        readActor = () => String(actors.getItem(actorRow))
        for (let row = 0; row < rowCount; row++) {
          actorCount += 1
          if (actorCount % ACTORS_PER_YIELD === 0) yield
          actorRow = row
          const [offset, count] = [lists.getEntryOffset(row), lists.getEntryLength(row)]
          const isInOrder = count <= MAX_SORTED_EVENTS && packing.unpack(numbers, offset, count, walker.add)
          if (isInOrder) walker.endActor()
          else unordered.push(readActor())
        }
      },
      *end() {
        if (unordered.length === 0) yield* parts.collector.end()
        return unordered
      },
    },
    parameters,
  )
}

/** Walks the events of some actors in their order; null for all actors. */
const scanRows = <Answer>(
  parts: PathScan<Answer>,
  items: PathItems,
  actors: ChosenActors | null,
  numberOf: NumberOf,
): Promise<unknown> => {
  let actor = ''
  const walker = createWalker(parts, numberOf, () => actor)
  const { sql, parameters } = writePathRows(parts.question, items, actors)
  return parts.scan(
    sql,
    {
      *read(chunk) {
        const { rowCount } = chunk
        const [numbers, times, starts] = [0, 1, 2].map((index) => chunk.getColumnVector(index))
        for (let row = 0; row < rowCount; row++) {
          if (row % ROWS_PER_YIELD === ROWS_PER_YIELD - 1) yield
          const start = starts!.getItem(row)
          if (start !== null) {
            walker.endActor()
            actor = start as string
          }
          walker.add(times!.getItem(row) as number, numbers!.getItem(row) as number)
        }
      },
      *end() {
        walker.endActor()
        return yield* parts.collector.end()
      },
    },
    parameters,
  )
}

/** Walks the events of all actors in their order, with numbers that the SELECT gives to the items. */
const scanRanked = <Answer>(parts: PathScan<Answer>): Promise<Answer> => {
  const { question, collector, scan } = parts
  const namedItems = [question.start, question.end, ...collector.items].filter((item) => item !== null)
  const named = new Map<string, number>()
  const numberOf: NumberOf = (item) => named.get(item) ?? NO_ITEM
  const texts = new Map<number, string>()
  let actor = ''
  /** Null before the first event. */
  let walker: PathWalker | null = null
  /** The items whose texts are needed; null before the last event. */
  let wanted: ReadonlySet<number> | null = null

  const begin = (): PathWalker => {
    collector.begin(numberOf)
    return createWalker(parts, numberOf, () => actor)
  }
  const end = function* (): Work<ReadonlySet<number>> {
    walker?.endActor()
    return new Set(yield* collector.end())
  }
  const reader: RowReader<Answer> = {
    *read(chunk) {
      const { rowCount } = chunk
      const [numbers, times, starts, values] = [0, 1, 2, 3].map((index) => chunk.getColumnVector(index))
      for (let row = 0; row < rowCount; row++) {
        if (row % ROWS_PER_YIELD === ROWS_PER_YIELD - 1) yield
        const number = numbers!.getItem(row) as number
        const time = times!.getItem(row)
        if (time !== null) {
          walker ??= begin()
          const start = starts!.getItem(row)
          if (start !== null) {
            walker.endActor()
            actor = start as string
          }
          checkNumber(number)
          walker.add(time as number, number)
        } else if (walker === null) {
          named.set(String(values!.getItem(row)), number)
        } else {
          wanted ??= yield* end()
          if (wanted.has(number) && !texts.has(number)) texts.set(number, String(values!.getItem(row)))
        }
      }
    },
    *end() {
      wanted ??= yield* end()
      return collector.answer((number) => texts.get(number)!)
    },
  }
  const { sql, parameters } = writeRankedPathRows(question, namedItems)
  return scan(sql, reader, parameters)
}

const checkNumber = (number: number): void => {
  if (number >= MAX_ITEMS)
    throw new QueryError(
      'memory',
      `The paths have more than ${MAX_ITEMS} different pages, screens and events. Join similar items with "pathGroupings" or ` +
        '"pathReplacements", or ask for a shorter time.',
    )
}
