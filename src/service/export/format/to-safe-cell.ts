/** What spreadsheet programs take for the begin of a formula, or leave out before one. */
const FORMULA_START = /^[=+\-@\t\r]/

const PLAIN_NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i

/**
 * A value that a spreadsheet program does not take for a formula: an event may have a text such as `=HYPERLINK(…)`, which then runs at the
 * reader. A string that could be one gets an apostrophe, which these programs read as the start of a text. Numbers stay as they are.
 */
export const toSafeCell = (value: unknown): unknown =>
  typeof value === 'string' && FORMULA_START.test(value) && !PLAIN_NUMBER.test(value) ? `'${value}` : value
