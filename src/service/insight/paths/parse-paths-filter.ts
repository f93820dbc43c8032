import { FilterError } from '../filter/filter-error.ts'
import { ITEM_TYPES } from '../question/paths.ts'
import type { ItemType, PathsQuestion } from '../question/paths.ts'
import type { PathsQuery } from '../schema/paths-query.ts'

const TYPES: Readonly<Record<string, ItemType>> = { $pageview: 'page', $screen: 'screen', custom_event: 'custom' }

const DEFAULT_STEPS = 5
const DEFAULT_EDGES = 50

/** What `pathsFilter` says about the question. */
export type PathsFilter = Pick<PathsQuestion, 'items' | 'start' | 'end' | 'stepLimit' | 'edges'>

/** Throws `FilterError`. */
export const parsePathsFilter = ({ pathsFilter: filter }: PathsQuery): PathsFilter => {
  refuse(filter.pathsHogQLExpression, 'query.pathsFilter.pathsHogQLExpression', 'expressions are not supported')
  const minCount = filter.minEdgeWeight ?? 0
  const maxCount = filter.maxEdgeWeight ?? Number.MAX_SAFE_INTEGER
  if (minCount > maxCount)
    throw new FilterError('query.pathsFilter.minEdgeWeight', 'must not be greater than "maxEdgeWeight"')
  return {
    items: {
      types: filter.includeEventTypes ? filter.includeEventTypes.map((type) => TYPES[type]!) : ITEM_TYPES,
      replacesIds: filter.pathReplacements === true,
      groupings: (filter.pathGroupings ?? []).filter((glob) => glob !== ''),
      excluded: (filter.excludeEvents ?? []).map(toItem),
    },
    start: toItem(filter.startPoint ?? '') || null,
    end: toItem(filter.endPoint ?? '') || null,
    stepLimit: filter.stepLimit ?? DEFAULT_STEPS,
    edges: { limit: filter.edgeLimit ?? DEFAULT_EDGES, minCount, maxCount },
  }
}

/** The item that a name means: the URL or the path of a page has no slash at its end. */
const toItem = (name: string): string => (/^(?:[a-z][a-z\d+.-]*:\/)?\//i.test(name) ? withoutSlash(name) : name)

/** The URL of a page without the slash at its end. */
const withoutSlash = (url: string): string => (url.length > 1 && url.endsWith('/') ? url.slice(0, -1) : url)

/** Throws `FilterError` unless a field is missing, null or empty. */
const refuse = (value: unknown, path: string, reason: string): void => {
  if (value !== undefined && value !== null && value !== '') throw new FilterError(path, `must be null: ${reason}`)
}
