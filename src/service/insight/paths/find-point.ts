import type { FilterContext } from '../filter/filter-context.ts'
import { FilterError } from '../filter/filter-error.ts'
import type { PathsPoint } from '../question/actors.ts'
import type { PathNode } from '../question/paths.ts'
import type { Ask } from '../question/questions.ts'
import type { PathsQuery } from '../schema/paths-query.ts'
import { createPathsQuestion } from './answer-paths.ts'
import { parseStepName } from './step-name.ts'

const PATH = 'query.pathsFilter'

type Key = 'pathStartKey' | 'pathEndKey' | 'pathDropoffKey'

/** Finds the point of an edge or an item, which the filter of paths names by keys. Throws `FilterError`; rejects with `QueryError`. */
export const findPathsPoint = async (query: PathsQuery, context: FilterContext, ask: Ask): Promise<PathsPoint> => {
  const question = await createPathsQuestion(query, context, ask)
  const read = (key: Key): PathNode | null => readKey(query, key, question.stepLimit)
  const [from, to, last] = [read('pathStartKey'), read('pathEndKey'), read('pathDropoffKey')]
  if (from !== null && to !== null && to.step !== from.step + 1)
    throw new FilterError(`${PATH}.pathEndKey`, `must begin with "${from.step + 1}_", the step after "pathStartKey"`)
  if (last !== null && (from ?? to) !== null)
    throw new FilterError(`${PATH}.pathDropoffKey`, 'must be missing beside "pathStartKey" or "pathEndKey"')
  return { kind: 'paths', question, from, to, last }
}

const readKey = ({ pathsFilter }: PathsQuery, key: Key, stepLimit: number): PathNode | null => {
  const name = pathsFilter[key]
  if (name === undefined || name === null) return null
  const node = parseStepName(name)
  if (node === null)
    throw new FilterError(`${PATH}.${key}`, 'must be a "source" or "target" of the answer, such as "1_/home"')
  if (node.step > stepLimit)
    throw new FilterError(`${PATH}.${key}`, `must be one of the first ${stepLimit} steps, as "stepLimit" says`)
  return node
}
