/** Rows or ids of one statement: far below the number of values a statement may carry (SQLite 32,766, PostgreSQL 65,535). */
const SLICE = 500

/** A list in parts that fit into one statement each. */
export const inSlices = <Item>(list: readonly Item[]): Item[][] => {
  const slices: Item[][] = []
  for (let from = 0; from < list.length; from += SLICE) slices.push(list.slice(from, from + SLICE))
  return slices
}
