import { definitions } from './workload.mjs'

/** Loads the evaluator as the Node agent uses it: locally, so that a missing property is inconclusive. */
export const loadEvaluator = async (path) => {
  const { compile, evaluateFlag, evaluationContext } = await import(path)
  const { flags } = compile(definitions())
  const createContext = ({ distinctId, properties }) =>
    evaluationContext({ distinctId, personProperties: properties, now: Date.now(), complete: false })
  /** @param {(person: import('./workload.mjs').Person) => unknown} contextFor */
  const createCalls = (contextFor) => ({
    evaluateOne: (key) => {
      const flag = flags.get(key)
      return (person) => evaluateFlag(flag, contextFor(person)).value
    },
    evaluateAll: (person) => {
      const context = contextFor(person)
      let value
      for (const flag of flags.values()) value = evaluateFlag(flag, context).value
      return value
    },
  })
  return { createCalls, createContext }
}
