import type { PathEdge, PathNode } from '../question/paths.ts'

/** The name of an item at a place in the protocol: `1_/home`. */
const toStepName = ({ step, item }: PathNode): string => `${step}_${item}`

/** The names of the two ends of an edge: `1_/home`, `2_/prices`. */
export const toStepNames = ({ step, source, target }: Pick<PathEdge, 'step' | 'source' | 'target'>) => ({
  source: toStepName({ step, item: source }),
  target: toStepName({ step: step + 1, item: target }),
})

const STEP_NAME = /^([1-9]\d?)_([^]+)$/

/** Reads a name; null if it is none. */
export const parseStepName = (name: string): PathNode | null => {
  const [, step, item] = STEP_NAME.exec(name) ?? []
  return step === undefined || item === undefined ? null : { step: Number(step), item }
}
