import type { Pipeline } from '../capture/pipeline.ts'
import type { PersonProfiles } from '../capture/enrich.ts'
import { freshState, type State } from '../capture/state.ts'
import type { Flags } from '../flags/flags.ts'
import type { Logger } from '../port/logger.ts'
import { EventName } from '../wire/event.ts'
import type { JsonObject } from '../wire/json.ts'
import type { Properties, Waymark } from './waymark.ts'

type IdentityVerbs = Pick<Waymark, 'identify' | 'alias' | 'group' | 'reset' | 'register' | 'unregister'>

/** The verbs that change who the user is. Bad input changes nothing and sends nothing. */
export function identityVerbs(
  { state, capture }: Pipeline,
  flags: Flags,
  personProfiles: PersonProfiles,
  newId: () => string,
  logger: Logger,
): IdentityVerbs {
  let lastSet = ''

  /** True when a call that needs a person profile may go on; then the user has one. */
  function mayProfile(verb: string, ...texts: readonly unknown[]): boolean {
    if (texts.some((text) => typeof text !== 'string' || !text.trim()))
      logger.warn(`${verb}() was called with an empty id; nothing is sent`)
    else if (personProfiles === 'never') logger.warn(`${verb}() is refused: personProfiles is 'never'`)
    else return true
    return false
  }

  const withProfile =
    (change: Partial<State>) =>
    (current: State): State => ({ ...current, ...change, hasProfile: true })

  return {
    identify(distinctId, set, setOnce) {
      if (!mayProfile('identify', distinctId)) return
      const { distinctId: previous, isIdentified } = state.current()
      const properties = { $set: set, $set_once: setOnce }
      const content = JSON.stringify([distinctId, set, setOnce])
      if (distinctId !== previous && isIdentified) flags.resetPersonPropertiesForFlags({ reload: false })
      // The service stores them only after it has answered the next flag request.
      if (set ?? setOnce) flags.setPersonPropertiesForFlags({ ...setOnce, ...set } as JsonObject, { reload: false })
      if (distinctId !== previous || !isIdentified) state.change(withProfile({ distinctId, isIdentified: true }))
      if (distinctId !== previous) {
        capture(EventName.identify, { ...properties, $anon_distinct_id: previous })
        flags.identityChanged()
      } else if (!isIdentified || ((set ?? setOnce) && content !== lastSet)) {
        capture(EventName.set, properties)
        if (set ?? setOnce) flags.identityChanged({ keepCalled: true })
      }
      lastSet = content
    },
    alias(alias) {
      if (!mayProfile('alias', alias)) return
      state.change(withProfile({}))
      capture(EventName.createAlias, { alias })
    },
    group(type, key, properties) {
      if (!mayProfile('group', type, key)) return
      const { groups } = state.current()
      const isNew = groups[type] !== key
      if (isNew) {
        state.change(withProfile({ groups: { ...groups, [type]: key } }))
        flags.resetGroupPropertiesForFlags(type, { reload: false })
      }
      if (properties) flags.setGroupPropertiesForFlags({ [type]: properties as JsonObject }, { reload: false })
      if (isNew || properties) {
        capture(EventName.groupIdentify, { $group_type: type, $group_key: key, $group_set: properties })
        flags.identityChanged({ keepCalled: true })
      }
    },
    reset({ resetDeviceId } = {}) {
      const id = newId()
      lastSet = ''
      state.change((current) => freshState(id, current.isOptedOut, resetDeviceId ? id : current.deviceId))
      flags.reset()
    },
    register(properties: Properties) {
      state.change((current) => ({
        ...current,
        superProperties: withoutNull({ ...current.superProperties, ...properties }),
      }))
    },
    unregister(key) {
      state.change((current) => ({
        ...current,
        superProperties: withoutNull({ ...current.superProperties, [key]: null }),
      }))
    },
  }
}

function withoutNull(properties: Properties): Properties {
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== null && value !== undefined))
}
