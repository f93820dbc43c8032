import type { PersonProfiles } from '../capture/enrich.ts'
import type { Pipeline } from '../capture/pipeline.ts'
import { serialise } from '../capture/serialise.ts'
import { freshState, type State } from '../capture/state.ts'
import type { Flags } from '../flags/flags.ts'
import type { Logger } from '../port/logger.ts'
import { EventName } from '../wire/event.ts'
import type { JsonObject } from '../wire/json.ts'
import type { Waymark } from './waymark.ts'

type IdentityVerbs = Pick<Waymark, 'identify' | 'alias' | 'group' | 'reset' | 'register' | 'unregister'>

/** The verbs that change who the user is. Bad input changes nothing and sends nothing. */
export function identityVerbs(
  { state, capture }: Pipeline,
  flags: Flags,
  personProfiles: PersonProfiles,
  newId: () => string,
  logger: Logger,
): IdentityVerbs {
  /** The person properties that went out last: they are not sent twice. */
  let lastSet: string | undefined

  /** True when a call that needs a person profile may go on. */
  function mayProfile(verb: string, ...texts: readonly unknown[]): boolean {
    const isGiven = texts.every((text) => typeof text === 'string' && text.trim())
    if (isGiven && personProfiles !== 'never') return true
    logger.warn(`${verb}() is refused: ${isGiven ? "personProfiles is 'never'" : 'it needs texts that are not empty'}`)
    return false
  }

  function change(changes: Partial<State>): void {
    state.change((current) => ({ ...current, ...changes }))
  }

  function registerAll(properties: JsonObject): void {
    state.change((current) => ({
      ...current,
      superProperties: Object.fromEntries(
        Object.entries({ ...current.superProperties, ...properties }).filter(([, value]) => value !== null),
      ),
    }))
  }

  return {
    identify(distinctId, set, setOnce) {
      if (!mayProfile('identify', distinctId)) return
      const { distinctId: previous, isIdentified } = state.current()
      const isOther = distinctId !== previous
      const properties = { $set: set && plain(set), $set_once: setOnce && plain(setOnce) }
      const content = (set ?? setOnce) && JSON.stringify([distinctId, properties])
      if (isOther && isIdentified) flags.verbs.resetPersonPropertiesForFlags(false)
      // The service stores them only after it has answered the next flag request.
      if (content) flags.verbs.setPersonPropertiesForFlags({ ...properties.$set_once, ...properties.$set }, false)
      if (isOther || !isIdentified) change({ distinctId, isIdentified: true, hasProfile: true })
      let isSent = false
      if (isOther) {
        isSent = capture(EventName.identify, { ...properties, $anon_distinct_id: previous })
        flags.identityChanged()
      } else if (!isIdentified || (content && content !== lastSet)) {
        isSent = capture(EventName.set, properties)
        flags.identityChanged()
      }
      if (isSent) lastSet = content || undefined
    },
    alias(alias) {
      if (!mayProfile('alias', alias)) return
      change({ hasProfile: true })
      capture(EventName.createAlias, { alias })
    },
    group(type, key, properties) {
      if (!mayProfile('group', type, key)) return
      const { groups } = state.current()
      const isNew = groups[type] !== key
      const $group_set = properties && plain(properties)
      if (isNew) {
        change({ groups: { ...groups, [type]: key }, hasProfile: true })
        flags.verbs.resetGroupPropertiesForFlags(type, false)
      }
      if ($group_set) flags.verbs.setGroupPropertiesForFlags({ [type]: $group_set }, false)
      if (isNew || $group_set) {
        capture(EventName.groupIdentify, { $group_type: type, $group_key: key, $group_set })
        flags.identityChanged()
      }
    },
    reset(options) {
      const id = newId()
      lastSet = undefined
      state.change((current) => freshState(id, current.isOptedOut, options?.resetDeviceID ? id : current.deviceId))
      flags.reset()
    },
    register: (properties) => registerAll(plain(properties)),
    unregister: (key) => registerAll({ [key]: null }),
  }
}

/** A copy as JSON can carry it: what is kept is written again with every later change, which must not fail. */
function plain(properties: unknown): JsonObject {
  const copy: unknown = JSON.parse(serialise(properties) ?? '0')
  return { ...(copy as JsonObject) }
}
