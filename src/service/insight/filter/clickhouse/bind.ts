/** Evaluates an expression once, and `body` with its value as `name`. */
export const bind = (expression: string, name: string, body: string): string =>
  `(arrayMap(${name} -> ${body}, [${expression}])[1])`

/** Writes a number, also an infinite one, so that SQL reads exactly the same double. */
export const quoteNumber = (number: number): string => {
  if (Number.isFinite(number)) return `toFloat64(${number})`
  return Number.isNaN(number) ? 'nan' : number > 0 ? 'inf' : '(-inf)'
}
