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
  const reply = await ask(known, { ...subject, flag_keys_to_evaluate: keys }, isWanted)
  const { flags } = reply.known
  const asked = new Set(keys)
  const others = Object.entries(known.flags ?? {}).filter(([key]) => !asked.has(key))
  return {
    ...reply,
    known: {
      ...reply.known,
      flags: flags && { ...Object.fromEntries(others), ...flags },
      // Flags that no request told were bootstrapped: not all that there are.
      isPart: known.isPart || !known.requestId,
    },
  }
}
