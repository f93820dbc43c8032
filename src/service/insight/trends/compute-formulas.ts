import type { TrendsQuery } from '../schema/trends-query.ts'
import { parseFormula } from './formula.ts'
import type { TrendLine } from './trend-result.ts'

type TrendsFilter = TrendsQuery['trendsFilter']

/** A formula as the query has it. */
interface NamedFormula {
  readonly formula: string
  readonly name: string | null
  readonly path: string
}

const PATH = 'query.trendsFilter'

const listFormulas = (filter: TrendsFilter): readonly NamedFormula[] => {
  const { formula, formulas, formulaNodes } = filter ?? {}
  if (formulaNodes?.length)
    return formulaNodes.map((node, index) => ({
      formula: node.formula,
      name: node.custom_name || null,
      path: `${PATH}.formulaNodes[${index}].formula`,
    }))
  if (formulas?.length)
    return formulas.map((each, index) => ({ formula: each, name: null, path: `${PATH}.formulas[${index}]` }))
  return formula ? [{ formula, name: null, path: `${PATH}.formula` }] : []
}

/** The lines of one group of a breakdown. */
const groupLines = (lines: readonly TrendLine[]): readonly (readonly TrendLine[])[] => {
  const groups = new Map<string, TrendLine[]>()
  for (const line of lines) {
    const key = JSON.stringify(line.value ?? null)
    groups.set(key, [...(groups.get(key) ?? []), line])
  }
  return [...groups.values()]
}

/**
 * The formulas of a query as a function that replaces the lines of its series by lines of the formulas, one for each group of a
 * breakdown; null for a query without formulas. A series that has no line of a group counts as 0.
 *
 * @throws FilterError
 */
export const computeFormulas = (
  filter: TrendsFilter,
  seriesCount: number,
): ((lines: readonly TrendLine[]) => readonly TrendLine[]) | null => {
  const formulas = listFormulas(filter)
  if (formulas.length === 0) return null
  const parsed = formulas.map(({ formula, name, path }) => ({
    formula,
    name,
    compute: parseFormula(formula, seriesCount, path),
  }))
  return (lines) =>
    parsed.flatMap(({ formula, name, compute }) =>
      groupLines(lines).map((group): TrendLine => {
        const { group: groupName, value, numbers } = group[0]!
        const inputs = Array.from(
          { length: seriesCount },
          (_, order) => group.find(({ series }) => series?.order === order)?.numbers,
        )
        return {
          series: null,
          label: name ?? `Formula (${formula})`,
          group: groupName,
          value,
          numbers: numbers.map((_, index) => compute(inputs.map((each) => each?.[index] ?? 0))),
        }
      }),
    )
}
