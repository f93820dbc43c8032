import type { Json, JsonObject } from '../../../../../wire/json.ts'
import { isRecord } from '../../../../../wire/json.ts'
import { writeJsonPointer } from '../../../../sql/json-pointer.ts'
import { quoteString } from '../../../../sql/quote.ts'
import { LAMBDA_FUNCTIONS } from './captured-value.ts'
import { isProperties, listPropertyNames } from './property-names.ts'
import { hasUnicodeSpaces } from './replace-unicode-spaces.ts'
import { readTokens } from './sql-tokens.ts'
import { listNodes, textOf } from './syntax-tree.ts'

/** SQL in which functions read the properties, and none reads them by `->`. */
export interface RewrittenSql {
  readonly sql: string
  /** The name of a column of the result as it is with `->`. */
  readonly restoreName: (column: string) => string
}

/** One or several arrows after `properties`, such as `properties->'a'->>'b'`. */
interface Chain {
  readonly reference: JsonObject
  readonly steps: readonly Step[]
}

interface Step {
  readonly arrow: '->' | '->>'
  /** In bytes from the start of the SQL, as all places. */
  readonly arrowOffset: number
  readonly path: string
  readonly pathOffset: number
}

/** The functions that are written. */
const FUNCTIONS = { '->': 'json_extract_path', '->>': 'json_extract_path_text' } as const

/** A call of these functions in the name of a column: function, reference, path. */
const CALL = /(json_extract_path(?:_text)?)\(((?:[^()'"]|"[^"]*")+), ('(?:[^']|'')*')\)/g

/**
 * Writes `properties->'a'` and `properties->'a'->>'b'` as calls of functions: DuckDB parses `->` as a lambda, for which there can be no
 * macro (`createPropertyMacros`), so that the properties would be read as JSON. Null if the SQL has no such part, or if the names of its
 * columns would not be certain.
 */
export const rewriteArrows = (sql: string, tree: Json): RewrittenSql | null => {
  if (hasUnicodeSpaces(sql)) return null
  const bytes = Buffer.from(sql)
  const parts: Buffer[] = []
  /** What each call was, by its function and path as SQL. */
  const stepsOfCalls = new Map<string, readonly Step[]>()
  let end = 0
  const chains = listChains(tree, listPropertyNames(tree)).sort((a, b) => offsetOf(a.reference) - offsetOf(b.reference))
  for (const { reference, steps } of chains) {
    const path = joinPaths(steps.map((step) => step.path))
    const name = readReference(bytes, offsetOf(reference), steps)
    if (path === null || name === null || offsetOf(reference) < end) continue
    const call = FUNCTIONS[steps.at(-1)!.arrow]
    const key = keyOf(call, quoteString(path))
    const sameSteps = stepsOfCalls.get(key) ?? steps
    // `properties->'a'->'b'` and `properties->'/a/b'` are the same call, and columns of other names.
    if (sameSteps.length !== steps.length) return null
    stepsOfCalls.set(key, sameSteps)
    parts.push(bytes.subarray(end, offsetOf(reference)), Buffer.from(`${call}(${name}, ${quoteString(path)})`))
    end = endOf(steps.at(-1)!)
  }
  if (stepsOfCalls.size === 0 || hasSuchNames(sql)) return null
  return {
    sql: Buffer.concat([...parts, bytes.subarray(end)]).toString(),
    restoreName: (column) =>
      column.replace(CALL, (call, name: string, reference: string, path: string) => {
        const steps = stepsOfCalls.get(keyOf(name, path))
        return steps === undefined ? call : writeArrows(reference, steps)
      }),
  }
}

const keyOf = (name: string, path: string): string => `${name} ${path}`

const writeArrows = (reference: string, steps: readonly Step[]): string =>
  steps.reduce((value, step) => `(${value} ${step.arrow} ${quoteString(step.path)})`, reference)

/** Whether SQL itself calls these functions, or names a column like a call or an arrow. */
const hasSuchNames = (sql: string): boolean => {
  for (const { text } of readTokens(sql))
    if (/json_extract_path/i.test(text) || (text.startsWith('"') && text.includes('->'))) return true
  return false
}

const listChains = (value: Json, propertyNames: ReadonlySet<string>, chains: Chain[] = []): Chain[] => {
  if (Array.isArray(value)) for (const part of value) listChains(part, propertyNames, chains)
  if (!isRecord(value)) return chains
  const chain = readChain(value, propertyNames)
  if (chain !== null) chains.push(chain)
  else for (const part of partsOf(value)) listChains(part, propertyNames, chains)
  return chains
}

/** The parts of a node; of a lambda as an argument, only what it computes. */
const partsOf = (node: JsonObject): readonly Json[] => {
  if (!LAMBDA_FUNCTIONS.has(textOf(node['function_name']).toLowerCase())) return Object.values(node)
  return listNodes(node['children']).map((child) => (child['class'] === 'LAMBDA' ? (child['expr'] ?? null) : child))
}

const readChain = (node: JsonObject, propertyNames: ReadonlySet<string>): Chain | null => {
  const steps: Step[] = []
  let target: JsonObject | undefined = node
  for (let step = readStep(target); step !== null; step = target === undefined ? null : readStep(target)) {
    // `->>` gives a text, which has no properties.
    if (step.arrow === '->>' && steps.length > 0) return null
    steps.unshift(step)
    target = step.target
  }
  const isChain = steps.some(({ arrow }) => arrow === '->')
  return isChain && target !== undefined && isProperties(target, propertyNames) ? { reference: target, steps } : null
}

const readStep = (node: JsonObject): (Step & { readonly target: JsonObject | undefined }) | null => {
  const isText = node['class'] === 'FUNCTION' && node['function_name'] === '->>' && node['is_operator'] === true
  if (!isText && node['class'] !== 'LAMBDA') return null
  const [target, path] = isText ? listNodes(node['children']) : listNodes([node['lhs'] ?? null, node['expr'] ?? null])
  const value = path?.['class'] === 'CONSTANT' && isRecord(path['value']) ? path['value']['value'] : undefined
  if (path === undefined || typeof value !== 'string') return null
  return { target, arrow: isText ? '->>' : '->', arrowOffset: offsetOf(node), path: value, pathOffset: offsetOf(path) }
}

/** One path for several. Null for one with JSONPaths, numbers or `*`, which mean something else in a JSON Pointer. */
const joinPaths = (paths: readonly string[]): string | null => {
  if (paths.length === 1) return paths[0]!
  return paths.every((path) => /^(?![/\d-]|\$(?:[.[*"]|$))(?!\*$)[^"~]+$/.test(path)) ? writeJsonPointer(paths) : null
}

/** How the SQL writes `properties` before the steps. Null if there is anything else between them, such as parentheses or a comment. */
const readReference = (bytes: Buffer, start: number, steps: readonly Step[]): string | null => {
  let end = start
  const textTo = (offset: number): string => bytes.subarray(end, offset).toString()
  const reference = textTo(steps[0]!.arrowOffset).trim()
  if (!/^(?:(?:[\p{L}\w$]+|"[^"]+")\s*\.\s*)?(?:[\p{L}\w$]+|"[^"]+")$/u.test(reference)) return null
  end = steps[0]!.arrowOffset
  for (const step of steps) {
    if (textTo(step.arrowOffset).trim() !== '') return null
    end = step.arrowOffset
    if (textTo(step.pathOffset).trim() !== step.arrow) return null
    end = step.pathOffset
    if (textTo(endOf(step)) !== quoteString(step.path)) return null
    end = endOf(step)
  }
  return reference
}

const offsetOf = (node: JsonObject): number => Number(node['query_location'])

const endOf = ({ path, pathOffset }: Step): number => pathOffset + Buffer.byteLength(quoteString(path))
