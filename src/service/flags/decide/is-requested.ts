import { isMeantFor } from '../../../evaluate/is-meant-for.ts'
import type { FlagDefinition } from '../../../wire/definition.ts'
import type { DecideSubject } from './decide-subject.ts'

/** Whether a request wants to hear of a flag: by its key, the runtime it is for and the contexts it names. */
export const isWanted = (
  definition: FlagDefinition,
  { keys, runtime, contexts }: Pick<DecideSubject, 'keys' | 'runtime' | 'contexts'>,
): boolean => (!keys || keys.has(definition.key)) && isMeantFor(definition, runtime, contexts)
