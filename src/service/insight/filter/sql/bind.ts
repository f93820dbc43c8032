/**
 * Evaluates an expression once, and `body` with its value as `name`. DuckDB has no other way to name an intermediate result, and
 * reads a property again at each place where it is written, which costs more than all else.
 */
export const bind = (expression: string, name: string, body: string): string =>
  `(list_transform([${expression}], lambda ${name}: ${body})[1])`

/** Writes a number, also an infinite one, so that SQL reads exactly the same double. */
export const quoteNumber = (number: number): string => `'${number}'::DOUBLE`
