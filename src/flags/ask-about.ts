import type { DecideRequest } from '../wire/decide.ts'
import type { AskFlags, FlagReply } from './ask-flags.ts'
import type { FlagSnapshot } from './flag-snapshot.ts'

/** Asks the service for some flags. Of what is known it replaces these alone; one that the answer does not name is dropped. */
export const askAbout = async (
  keys: readonly string[],
  ask: AskFlags,
  known: FlagSnapshot,
  subject: DecideRequest,
  isWanted: () => boolean,
): Promise<FlagReply> => {
  const asked = new Set(keys)
  const part = (isAsked: boolean): FlagSnapshot['flags'] =>
    known.flags && Object.fromEntries(Object.entries(known.flags).filter(([key]) => asked.has(key) === isAsked))
  const reply = await ask({ ...known, flags: part(true) }, { ...subject, flag_keys_to_evaluate: keys }, isWanted)
  const { flags } = reply.known
  return {
    ...reply,
    known: {
      ...reply.known,
      flags: flags && { ...part(false), ...flags },
      // Flags that no request told were bootstrapped: not all that there are.
      isPart: known.isPart || !known.requestId,
    },
  }
}
