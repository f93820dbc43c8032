import { definitions } from './workload.mjs'

/** The evaluator as an agent of a server calls it: local, so that a missing property decides nothing. */
export const ourEvaluator = async (path) => {
  const { compile, evaluateFlag, evaluationContext } = await import(path)
  const { flags } = compile(definitions())
  const contextOf = ({ distinctId, properties }) =>
    evaluationContext({ distinctId, personProperties: properties, now: Date.now(), complete: false })
  /** @param {(person: import('./workload.mjs').Person) => unknown} contextFor */
  const calls = (contextFor) => ({
    one: (key) => {
      const flag = flags.get(key)
      return (person) => evaluateFlag(flag, contextFor(person)).value
    },
    all: (person) => {
      const context = contextFor(person)
      let value
      for (const flag of flags.values()) value = evaluateFlag(flag, context).value
      return value
    },
  })
  return { calls, contextOf }
}
