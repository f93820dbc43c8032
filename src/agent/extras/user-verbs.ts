import type { FlagVerbs } from '../../flags/flag-verbs.ts'
import { keepEqual } from '../../lib/keep-equal.ts'
import { EventName } from '../../wire/event.ts'
import { isNonBlankString } from '../../wire/is-non-blank-string.ts'
import type { CaptureWaymark } from '../waymark.ts'
import type { ExtraVerbs } from './extra-verbs.ts'
import { readConsent } from './read-consent.ts'
import { resetGroups } from './reset-groups.ts'
import type { StateAccess } from './state-access.ts'

/**
 * Creates the verbs that read and change the user.
 *
 * @param getAccess Starts the agent. Undefined: the agent does nothing, or was started without extras.
 */
export const createUserVerbs = (
  getAgent: () => CaptureWaymark & FlagVerbs,
  getAccess: () => StateAccess | undefined,
): Pick<ExtraVerbs, 'unsetPersonProperties' | 'getGroups' | 'resetGroups' | 'getConsent'> => ({
  unsetPersonProperties(names) {
    const agent = getAgent()
    const $unset = [names].flat().filter(isNonBlankString)
    agent.capture(EventName.set, { $unset, $process_person_profile: true })
    if (agent.isOptedOut()) return
    const forgotten = new Set($unset.flatMap((name) => [`=${name}`, `?${name}`]))
    getAccess()?.changeState((state) => ({
      ...state,
      hasProfile: true,
      // The same value is sent again when it is set again.
      told: Object.fromEntries(Object.entries(state.told ?? {}).filter(([name]) => !forgotten.has(name))),
    }))
    agent.setPersonPropertiesForFlags(Object.fromEntries($unset.map((name) => [name, undefined])))
  },
  ...keepEqual({ getGroups: () => ({ ...getAccess()?.getState().groups }) }),
  resetGroups: () => resetGroups(getAgent(), getAccess()),
  getConsent: () => readConsent(getAccess()?.getState().isOptedOut),
})
