import type { PathsPoint } from '../../../../src/service/insight/question/actors.ts'
import type {
  FunnelPaths,
  ItemRules,
  PathEdge,
  PathNode,
  PathsAnswer,
  PathsQuestion,
} from '../../../../src/service/insight/question/paths.ts'
import type { WorldEvent } from '../world.ts'
import { actorOf } from './actor.ts'
import { findConversionsOfPoint } from './funnel.ts'
import { matches, textOf } from './matches.ts'
import { isIn } from './periods.ts'

const PAUSE_MS = 1_800_000

/** The text that names the item of an event, before any rule; null for an event that is none. */
const valueOf = ({ types }: ItemRules, event: WorldEvent): string | null => {
  const read = (name: string): string | null => textOf({ source: { of: 'event' }, name }, event)
  if (event.event === '$pageview') return types.includes('page') ? read('$current_url') : null
  if (event.event === '$screen') return types.includes('screen') ? read('$screen_name') : null
  return types.includes('custom') && !event.event.startsWith('$') ? event.event : null
}

const isId = (segment: string): boolean =>
  /^\d+$/.test(segment) || /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(segment)

const replaceIds = (item: string): string => {
  const end = item.search(/[?#]/)
  const [path, query] = end < 0 ? [item, ''] : [item.slice(0, end), item.slice(end)]
  const [first, ...segments] = path.split('/')
  return [first, ...segments.map((segment) => (isId(segment) ? ':id' : segment))].join('/') + query
}

const matchesGlob = (glob: string, item: string): boolean =>
  new RegExp(
    `^${glob
      .split('*')
      .map((part) => part.replace(/[^\w]/g, '\\$&'))
      .join('[^]*')}$`,
  ).test(item)

const itemOf = (rules: ItemRules, event: WorldEvent): string | null => {
  let item = valueOf(rules, event)
  if (item === null || item === '') return null
  if (event.event === '$pageview' && item !== '/') item = item.replace(/\/$/, '')
  if (rules.replacesIds) item = replaceIds(item)
  item = rules.groupings.find((glob) => matchesGlob(glob, item!)) ?? item
  return rules.excluded.includes(item) ? null : item
}

interface Step {
  readonly item: string
  readonly time: number
  readonly uuid: string
}

/** The steps of one actor, cut where nothing happened for half an hour. */
const toPaths = (steps: readonly Step[]): readonly (readonly Step[])[] => {
  const sorted = steps.toSorted((a, b) => a.time - b.time || (a.uuid < b.uuid ? -1 : 1))
  const paths: Step[][] = []
  for (const [index, step] of sorted.entries()) {
    if (index === 0 || step.time - sorted[index - 1]!.time >= PAUSE_MS) paths.push([])
    paths.at(-1)!.push(step)
  }
  return paths.map((path) => path.filter((step, index) => index === 0 || path[index - 1]!.item !== step.item))
}

const cut = (path: readonly Step[], { start, end, stepLimit, around }: PathsQuestion): readonly Step[] => {
  const from = start === null ? 0 : path.findIndex(({ item }) => item === start)
  if (from < 0) return []
  const rest = path.slice(from)
  const to = end === null ? rest.length - 1 : rest.findIndex(({ item }) => item === end)
  const chosen = rest.slice(0, to + 1)
  return start === null && (end !== null || around?.part === 'before')
    ? chosen.slice(-stepLimit)
    : chosen.slice(0, stepLimit)
}

/** The first and the last time of each actor in which its events count. */
const findWindows = (
  { question, doneStep, missedStep, part }: FunnelPaths,
  all: readonly WorldEvent[],
): ReadonlyMap<string, readonly [number, number]> => {
  const point = { kind: 'funnel', question, doneStep, missedStep, group: null } as const
  return new Map(
    findConversionsOfPoint(point, all).map(({ id, times }) => {
      const target = missedStep ?? doneStep
      const before = times.slice(0, target).findLast((time) => time !== null) ?? times[0]!
      const at = missedStep === null ? times[doneStep]! : before
      if (part === 'after') return [id, [at, Infinity]]
      if (part === 'between') return [id, [before, at]]
      return [id, [-Infinity, missedStep === null ? at : times[0]! + question.windowMs]]
    }),
  )
}

/** The steps that count of all paths that do, by actor. */
const listPaths = (
  question: PathsQuestion,
  all: readonly WorldEvent[],
): readonly { readonly actor: string; readonly path: readonly Step[] }[] => {
  const { events, range, actor, items, around } = question
  const windows = around === null ? null : findWindows(around, all)
  const steps = new Map<string, Step[]>()
  for (const event of all) {
    const key = actorOf(actor, event)
    if (key === null || !isIn(range, event.timestamp)) continue
    const [from, to] = windows === null ? [-Infinity, Infinity] : (windows.get(key) ?? [Infinity, -Infinity])
    if (event.timestamp < from || event.timestamp > to) continue
    const item = itemOf(items, event)
    if (item === null || !matches(events.condition, event, events.matching)) continue
    const own = steps.get(key) ?? []
    own.push({ item, time: event.timestamp, uuid: event.uuid })
    steps.set(key, own)
  }
  return [...steps].flatMap(([key, own]) =>
    toPaths(own)
      .map((path) => ({ actor: key, path: cut(path, question) }))
      .filter(({ path }) => path.length > 0),
  )
}

/** The actors of a point, each of them once. */
export const findPathActors = (
  { question, from, to, last }: PathsPoint,
  all: readonly WorldEvent[],
): readonly string[] => {
  const has = (path: readonly Step[], node: PathNode | null): boolean =>
    node === null || path[node.step - 1]?.item === node.item
  return [
    ...new Set(
      listPaths(question, all)
        .filter(
          ({ path }) =>
            has(path.slice(0, -1), from) &&
            has(path, to) &&
            (last === null || (path.length === last.step && path.at(-1)!.item === last.item)),
        )
        .map(({ actor }) => actor),
    ),
  ]
}

/** An answer that is computed one event at a time. */
export const answerPaths = (question: PathsQuestion, all: readonly WorldEvent[]): PathsAnswer => {
  const { edges: limits } = question
  const found = new Map<string, { edge: Omit<PathEdge, 'count' | 'averageMs'>; durations: number[] }>()
  for (const { path } of listPaths(question, all)) {
    for (const [index, target] of path.entries()) {
      if (index === 0) continue
      const source = path[index - 1]!
      const edge = { step: index, source: source.item, target: target.item }
      const key = JSON.stringify(edge)
      const entry = found.get(key) ?? { edge, durations: [] }
      entry.durations.push(target.time - source.time)
      found.set(key, entry)
    }
  }
  const nameOf = ({ step, source }: Pick<PathEdge, 'step' | 'source'>): string => `${step}_${source}`
  const compare = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
  const edges = [...found.values()]
    .map(({ edge: { step, source, target }, durations }): PathEdge => {
      const count = durations.length
      const averageMs = durations.reduce((sum, each) => sum + each, 0) / count
      return { step, source, target, count, averageMs }
    })
    .filter(({ count }) => count >= limits.minCount && count <= limits.maxCount)
    .toSorted(
      (a, b) =>
        b.count - a.count ||
        compare(nameOf(a), nameOf(b)) ||
        compare(`${a.step + 1}_${a.target}`, `${b.step + 1}_${b.target}`),
    )
  return { edges: edges.slice(0, limits.limit) }
}
