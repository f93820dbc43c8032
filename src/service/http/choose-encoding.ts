/** The content codings in which the build stores a file, the smallest first; `identity` is the file itself. */
export const ENCODINGS = ['br', 'gzip', 'identity'] as const

export type Encoding = (typeof ENCODINGS)[number]

/**
 * Chooses the coding of a response by `Accept-Encoding` (RFC 9110, section 12.5.3): the one that the client prefers, and the smallest one of
 * those that it likes equally. `identity` without the header, and when the client accepts no other.
 */
export const chooseEncoding = (acceptEncoding = ''): Encoding => {
  const weights = new Map(acceptEncoding.split(',').map(parseCoding))
  // `*` stands for all codings that are not named. It never selects identity: a smaller coding is always acceptable then.
  const weightOf = (encoding: Encoding): number =>
    weights.get(encoding) ?? (encoding === 'identity' ? 0 : weights.get('*')) ?? 0
  const [best] = ENCODINGS.filter((encoding) => weightOf(encoding) > 0).toSorted((a, b) => weightOf(b) - weightOf(a))
  return best ?? 'identity'
}

/** Parses one member of the header: `gzip`, or `br;q=0.8`. A malformed weight counts as 0. */
const parseCoding = (member: string): [name: string, weight: number] => {
  const [name = '', ...parameters] = member.toLowerCase().split(';')
  const weight = parameters
    .map((parameter) => /^\s*q\s*=(.*)$/.exec(parameter)?.[1])
    .find((value) => value !== undefined)
  return [name.trim(), weight === undefined ? 1 : Number(weight) || 0]
}
