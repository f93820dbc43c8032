import type { State } from '../../capture/state.ts'
import type { FlagVerbs } from '../../flags/flag-verbs.ts'
import { EventName } from '../../wire/event.ts'
import { isNonBlankString } from '../../wire/is-non-blank-string.ts'
import type { CaptureWaymark } from '../waymark.ts'
import type { ExtraVerbs } from './extra-verbs.ts'

/** The user's state, and who must be told of a change. */
export interface StateAccess {
  readonly getState: () => State
  readonly changeState: (update: (state: State) => State) => void
  readonly identityChanged: () => void
}

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
  getGroups: () => ({ ...getAccess()?.getState().groups }),
  resetGroups() {
    const access = getAccess()
    if (!access || !Object.keys(access.getState().groups).length) return
    access.changeState((state) => ({ ...state, groups: {} }))
    getAgent().resetGroupPropertiesForFlags(undefined, false)
    access.identityChanged()
  },
  getConsent() {
    const isOptedOut = getAccess()?.getState().isOptedOut
    if (typeof isOptedOut !== 'boolean') return 'undecided'
    return isOptedOut ? 'denied' : 'granted'
  },
})
