// The engine that evaluates flags, for entries that publish it.
export { compile, type CompiledSet } from '../evaluate/compile.ts'
export type { CompiledFlag } from '../evaluate/compiled-flag.ts'
export { evaluateFlag } from '../evaluate/evaluate-flag.ts'
export { explain } from '../evaluate/explain.ts'
export {
  evaluationContext,
  type Conclusive,
  type Evaluation,
  type EvaluationContext,
  type GivenContext,
  type Inconclusive,
} from '../evaluate/evaluation.ts'
export type { FlagDefinition, FlagDefinitions } from '../wire/definition.ts'
