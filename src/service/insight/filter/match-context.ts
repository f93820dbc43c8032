import type { FilterContext } from './filter-context.ts'

/** What the operators of conditions need besides their values. */
export type MatchContext = Pick<FilterContext, 'rules' | 'now'>
