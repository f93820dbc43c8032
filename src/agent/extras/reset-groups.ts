import type { FlagVerbs } from '../../flags/flag-verbs.ts'
import type { StateAccess } from './state-access.ts'

/** Takes the user out of all groups, and tells the flags. Does nothing without groups, or without access. */
export const resetGroups = (
  { resetGroupPropertiesForFlags }: Pick<FlagVerbs, 'resetGroupPropertiesForFlags'>,
  access: StateAccess | undefined,
): void => {
  if (!access || !Object.keys(access.getState().groups).length) return
  access.changeState((state) => ({ ...state, groups: {} }))
  resetGroupPropertiesForFlags(undefined, false)
  access.identityChanged()
}
