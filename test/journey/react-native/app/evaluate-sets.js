import { compile, evaluateFlag, evaluationContext } from 'waymark/evaluate'

/** Evaluates all flags of each set of definitions for all of its people. */
export const evaluateSets = (sets) =>
  sets.map(({ definitions, contexts }) => {
    const { flags } = compile(definitions)
    return contexts.map((context) => [...flags.values()].map((flag) => evaluateFlag(flag, evaluationContext(context))))
  })
