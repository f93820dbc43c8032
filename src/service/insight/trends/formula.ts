import jsep from 'jsep'
import type { BinaryExpression, Expression, Identifier, UnaryExpression } from 'jsep'
import { FilterError } from '../filter/filter-error.ts'
import { roundSum } from '../question/round-sum.ts'

/** Computes a number from the numbers of all series. */
export type Formula = (numbers: readonly number[]) => number

type Operation = (left: number, right: number) => number

const OPERATIONS: Readonly<Record<string, Operation>> = {
  '+': (left, right) => roundSum(left + right, Math.abs(left) + Math.abs(right)),
  '-': (left, right) => roundSum(left - right, Math.abs(left) + Math.abs(right)),
  '*': (left, right) => roundSum(left * right),
  // A rate of nothing is shown as 0, as the protocol's services do.
  '/': (left, right) => (right === 0 ? 0 : roundSum(left / right)),
}

/** Index of the series that a letter names. */
const toIndex = (letter: string): number => letter.toUpperCase().charCodeAt(0) - 'A'.charCodeAt(0)

/**
 * Parses a formula of numbers, the letters of series from A, and `+ - * / ( )`.
 *
 * @throws FilterError
 */
export const parseFormula = (text: string, seriesCount: number, path: string): Formula => {
  const fail = (rule: string): never => {
    throw new FilterError(path, rule)
  }
  const compile = (node: Expression): Formula => {
    switch (node.type) {
      case 'Literal': {
        const { value } = node
        return typeof value === 'number' ? () => value : fail('must have numbers without quotes')
      }
      case 'Identifier': {
        const { name } = node as Identifier
        const index = /^[A-Za-z]$/.test(name) ? toIndex(name) : seriesCount
        if (index >= seriesCount)
          fail(`names "${name}", but the series are A to ${String.fromCharCode(64 + seriesCount)}`)
        return (numbers) => numbers[index]!
      }
      case 'UnaryExpression': {
        const { operator, argument: operand } = node as UnaryExpression
        const argument = compile(operand)
        if (operator === '+') return argument
        return operator === '-' ? (numbers) => -argument(numbers) : fail(`cannot use "${operator}"`)
      }
      case 'BinaryExpression': {
        const { operator, left: first, right: second } = node as BinaryExpression
        const operation = OPERATIONS[operator] ?? fail(`cannot use "${operator}"`)
        const [left, right] = [compile(first), compile(second)]
        return (numbers) => operation(left(numbers), right(numbers))
      }
      default:
        return fail('must have only numbers, letters of series, + - * / and parentheses')
    }
  }
  return compile(parse(text, path))
}

const parse = (text: string, path: string): Expression => {
  try {
    return jsep(text)
  } catch (cause) {
    throw new FilterError(path, `cannot be read: ${(cause as Error).message}`)
  }
}
