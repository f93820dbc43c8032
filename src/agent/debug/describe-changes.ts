/** Lists what differs between two records, one entry per name: `plan: free -> pro`, `beta: true (new)`, `old: gone`. */
export const describeChanges = (
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const [from, to] = [JSON.stringify(before[name]), JSON.stringify(after[name])]
    if (from === to) return []
    if (to === undefined) return `${name}: gone`
    return from === undefined ? `${name}: ${to} (new)` : `${name}: ${from} -> ${to}`
  })
