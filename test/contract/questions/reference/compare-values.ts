import type { GroupValues } from '../../../../src/service/insight/question/trend.ts'

const compareText = (a: string | null, b: string | null): number => {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? 1 : -1
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

/** The order of groups of the same size: by the bytes of their texts, missing ones last. */
export const compareValues = (a: GroupValues, b: GroupValues): number =>
  a.map((value, index) => compareText(value, b[index]!)).find((order) => order !== 0) ?? 0
