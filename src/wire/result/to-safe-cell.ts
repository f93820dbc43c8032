/**
 * The begin of what a spreadsheet program may take for a formula: a sign, also one of full width, at the begin of the text, or after a character
 * by which some programs divide cells or rows. Quotes do not prevent it, because such a program may read them as characters of the cell.
 */
const FORMULA_START = /(^|[;|\t\r\n]"*)(?=[=+\-@＝＋－＠])/g

/** Programs may leave it out before a formula. */
const LEADING_SPACE = /^[\t\r]/

const PLAIN_NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i

/**
 * A value that common spreadsheet programs do not take for a formula: an event may have a text such as `=HYPERLINK(…)`, which then runs at
 * the reader. An apostrophe before the sign makes it text. Programs show the apostrophe when they open a CSV file, because it hides
 * only in a cell into which it was typed. Numbers stay as they are, and so do strings that are a number.
 */
export const toSafeCell = (value: unknown): unknown => {
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : value
  if (typeof text !== 'string' || PLAIN_NUMBER.test(text)) return text
  const safe = text.replace(FORMULA_START, "$1'")
  return LEADING_SPACE.test(safe) ? `'${safe}` : safe
}
