/** Describes a name whose value differs between two records. The values are JSON, undefined where there is none. */
type DescribeChange = (name: string, from: string | undefined, to: string | undefined) => string

const listChanges = (
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  describe: DescribeChange,
): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const [from, to] = [JSON.stringify(before[name]), JSON.stringify(after[name])]
    return from === to ? [] : describe(name, from, to)
  })

type Compare = (before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>) => string[]

/** Lists what differs between two records, one entry per name: `plan: free -> pro`, `beta: true (new)`, `old: gone`. */
export const describeChanges: Compare = (before, after) =>
  listChanges(before, after, (name, from, to) => {
    if (to === undefined) return `${name}: gone`
    return from === undefined ? `${name}: ${to} (new)` : `${name}: ${from} -> ${to}`
  })

/** Lists the names whose values differ: `plan: changed`, `beta: new`, `old: gone`. */
export const describeNames: Compare = (before, after) =>
  listChanges(before, after, (name, from, to) => {
    if (to === undefined) return `${name}: gone`
    return `${name}: ${from === undefined ? 'new' : 'changed'}`
  })
