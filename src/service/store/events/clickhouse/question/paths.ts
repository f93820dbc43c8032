import { QueryError } from '../../../../indexer/query-error.ts'
import type { ActorWindows } from '../../../../insight/funnel/find-windows.ts'
import type { PathCollector } from '../../../../insight/paths/collect-paths.ts'
import { createActorFinder, createEdgeCollector } from '../../../../insight/paths/collect-paths.ts'
import { countsLastItems, createPathWalker, NO_ITEM } from '../../../../insight/paths/walk-paths.ts'
import type { PathsPoint } from '../../../../insight/question/actors.ts'
import type { ItemRules, ItemType, PathsAnswer, PathsQuestion } from '../../../../insight/question/paths.ts'
import type { Actor } from '../../../../insight/question/subject.ts'
import { quoteString } from '../../../../sql/quote-clickhouse.ts'
import { escapePattern, ID_PATTERN, MAX_PATH_BYTES } from '../../question/item-patterns.ts'
import type { EventSource } from '../../question/event-source.ts'
import { EVENT_TIME, EVENT_UUID } from './clickhouse-engine.ts'
import { createEventSource } from './event-source.ts'
import type { FunnelParts } from './funnel.ts'
import { findFunnelWindows } from './funnel.ts'

/** Most different items: their texts are kept. */
const MAX_ITEMS = 1_000_000

/** Most characters of all of them. */
const MAX_CHARACTERS = 128 * 1024 * 1024

/** Most events have an actor that had one before. */
const ROWS_PER_YIELD = 512

/** Answers paths: a SELECT of the different items, and one of the events in their order. The paths are walked in JavaScript. */
export const answerPaths = (question: PathsQuestion, parts: FunnelParts): Promise<PathsAnswer> =>
  collectPaths(question, createEdgeCollector(question), parts)

/** Finds the actors of a point. */
export const findPathActors = (point: PathsPoint, parts: FunnelParts): Promise<readonly string[]> =>
  collectPaths(point.question, createActorFinder(point), parts)

const collectPaths = async <Answer>(
  question: PathsQuestion,
  collector: PathCollector<Answer>,
  parts: FunnelParts,
): Promise<Answer> => {
  const windows = question.around === null ? null : await findFunnelWindows(question.around, parts)
  const source = createEventSource(question.events)
  const items = writeItems(question, windows, source)
  const texts = await listItems(source.toQuery(`SELECT DISTINCT item FROM (${items}) ORDER BY item`), parts)
  const numbers = new Map(texts.map((text, number) => [text, number]))
  const numberOf = (item: string): number => numbers.get(item) ?? NO_ITEM
  const toNumber = (item: string | null): number | null => (item === null ? null : numberOf(item))
  collector.begin(numberOf)
  let actor = ''
  const bounds = {
    start: toNumber(question.start),
    end: toNumber(question.end),
    stepLimit: question.stepLimit,
    countsLast: countsLastItems(question),
  }
  const walker = createPathWalker(bounds, (path) => collector.add(path, () => actor))
  let rowCount = 0
  return parts.scan(source.toQuery(`SELECT actor, time, item FROM (${items}) ORDER BY actor, time, uuid_text`), {
    *read([nextActor, time, item]) {
      rowCount += 1
      if (rowCount % ROWS_PER_YIELD === 0) yield
      if (nextActor !== actor) walker.endActor()
      actor = String(nextActor)
      const number = numberOf(String(item))
      // An event that arrived after the items were listed counts next time.
      if (number !== NO_ITEM) walker.add(Number(time), number)
    },
    *end() {
      walker.endActor()
      yield* collector.end()
      return collector.answer((number) => texts[number]!)
    },
  })
}

/** Lists the items in the order of their bytes. */
const listItems = (sql: string, { scan }: FunnelParts): Promise<readonly string[]> => {
  const texts: string[] = []
  let characters = 0
  return scan(sql, {
    *read([item]) {
      if (texts.length % ROWS_PER_YIELD === 0) yield
      const text = String(item)
      texts.push(text)
      characters += text.length
      if (texts.length > MAX_ITEMS || characters > MAX_CHARACTERS)
        throw new QueryError(
          'memory',
          `The paths have more than ${MAX_ITEMS} different pages, screens and events. Join similar items with "pathGroupings" or ` +
            '"pathReplacements", or ask for a shorter time.',
        )
    },
    *end() {
      yield
      return texts
    },
  })
}

/** Writes a SELECT of actor, time, uuid_text and item of the events that are items and count. */
const writeItems = (
  { range, actor, items }: PathsQuestion,
  windows: ActorWindows | null,
  source: EventSource,
): string => {
  const kinds = items.types.map((type) => writeType(type, source))
  const isItem = kinds.map(({ test }) => test).join(' OR ')
  const value = `multiIf(${kinds.map(({ test, value: text }) => `${test}, ${text}`).join(', ')}, NULL)`
  const actorSql = source.writeActor(actor)
  const events =
    `SELECT ${actorSql} AS actor, ${EVENT_TIME} AS time, ${EVENT_UUID} AS uuid_text, ${value} AS value ` +
    source.writeFrom(range, `(${isItem})`, `${actorSql} IS NOT NULL`, `${value} != ''`)
  const bounded =
    windows === null
      ? events
      : `SELECT actor, time, uuid_text, value FROM (${events}) AS events_of_paths ` +
        `INNER JOIN (${writeWindows(windows, actor)}) AS windows ON windows.window_actor = events_of_paths.actor ` +
        'WHERE time BETWEEN window_from AND window_to'
  const named = writeNaming(bounded, items)
  const { excluded } = items
  return excluded.length === 0
    ? named
    : `SELECT * FROM (${named}) WHERE item NOT IN (${excluded.map(quoteString).join(', ')})`
}

const writeWindows = ({ actors, from, to }: ActorWindows, { of }: Actor): string => {
  const list = (values: readonly string[], type: string): string => `CAST([${values.join(', ')}], 'Array(${type})')`
  const ids = list(actors.map(quoteString), of === 'person' ? 'UUID' : 'String')
  const zipped = `arrayZip(${ids}, ${list(from.map(String), 'Int64')}, ${list(to.map(String), 'Int64')})`
  return `SELECT bounds.1 AS window_actor, bounds.2 AS window_from, bounds.3 AS window_to FROM (SELECT arrayJoin(${zipped}) AS bounds)`
}

/** SQL for whether an event is of a type, and for its text; of a URL, without the slash at its end. */
const writeType = (type: ItemType, { writeText }: EventSource): { readonly test: string; readonly value: string } => {
  const read = (name: string): string => writeText({ source: { of: 'event' }, name })
  switch (type) {
    case 'page': {
      const url = read('$current_url')
      return {
        test: "events.event = '$pageview'",
        value: `if(${url} = '/', '/', replaceRegexpOne(${url}, '/\\\\z', ''))`,
      }
    }
    case 'screen':
      return { test: "events.event = '$screen'", value: read('$screen_name') }
    default:
      return { test: "NOT startsWith(events.event, '$')", value: 'toString(events.event)' }
  }
}

/** Writes the SELECT with a column `item` in the place of `value`: what the rules make of it. */
const writeNaming = (select: string, { replacesIds, groupings }: ItemRules): string => {
  const named = replacesIds
    ? replaceIds(select)
    : `SELECT actor, time, uuid_text, assumeNotNull(value) AS item FROM (${select})`
  if (groupings.length === 0) return named
  const cases = groupings.map((glob) => {
    const pattern = `\\A${glob.split('*').map(escapePattern).join('(?s:.*)')}\\z`
    return `match(name, ${quoteString(pattern)}), ${quoteString(glob)}`
  })
  return `SELECT actor, time, uuid_text, multiIf(${cases.join(', ')}, name) AS item FROM (SELECT actor, time, uuid_text, item AS name FROM (${named}))`
}

/** Replaces ids between two slashes, or after the last one, in what is before `?` and `#`. */
const replaceIds = (select: string): string => {
  const divided = `SELECT actor, time, uuid_text, assumeNotNull(value) AS text, extract(text, '^[^?#]*') AS place FROM (${select})`
  const whole = quoteString(`^(?:${ID_PATTERN})$`)
  const segments =
    `arrayMap((segment, number) -> if(number > 1 AND match(segment, ${whole}), ':id', segment), ` +
    "splitByChar('/', place), arrayEnumerate(splitByChar('/', place)))"
  const replaced = `concat(arrayStringConcat(${segments}, '/'), substring(text, length(place) + 1))`
  return `SELECT actor, time, uuid_text, if(length(place) <= ${MAX_PATH_BYTES}, ${replaced}, text) AS item FROM (${divided})`
}
