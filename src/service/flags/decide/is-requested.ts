import { isMeantFor } from '../../../evaluate/is-meant-for.ts'
import type { FlagDefinition } from '../../../wire/definition.ts'
import type { FlagRequestBody } from './parse-flag-request-body.ts'

/** Whether a request includes a flag, judging by the flag's key, runtime and contexts. */
export const isRequested = (
  definition: FlagDefinition,
  { keys, runtime, contexts }: Pick<FlagRequestBody, 'keys' | 'runtime' | 'contexts'>,
): boolean => (!keys || keys.has(definition.key)) && isMeantFor(definition, runtime, contexts)
