import { plainCopy } from '../capture/plain-copy.ts'
import type { State } from '../capture/state.ts'
import { EventName } from '../wire/event.ts'
import type { JsonObject } from '../wire/json.ts'
import type { Core } from './core.ts'
import type { Properties, ResetOptions, Waymark } from './waymark.ts'

type Told = NonNullable<State['told']>

type IdentityVerbs = Pick<
  Waymark,
  | 'identify'
  | 'alias'
  | 'setPersonProperties'
  | 'createPersonProfile'
  | 'group'
  | 'groupIdentify'
  | 'reset'
  | 'register'
  | 'registerOnce'
  | 'unregister'
  | 'registerForSession'
>

/** The verbs that change who the user is, and what goes along with the user's events. */
export const identityVerbs = ({ pipeline, flags, platform, fresh, bootstrap }: Core): IdentityVerbs => {
  const { capture, sessionId } = pipeline
  const { current, change, sessionProperties, setSessionProperties } = pipeline.state

  const isNews = (told: Told): boolean => Object.keys(told).some((name) => told[name] !== current().told?.[name])

  /** Sends an event that makes a person profile. What was dropped has made none, and has told the service nothing. */
  const tell = (event: string, properties: Record<string, unknown>, told?: Told): boolean => {
    const isSent = capture(event, { ...properties, $process_person_profile: true })
    if (isSent && (told || !current().hasProfile))
      change((state) => ({ ...state, hasProfile: true, told: { ...state.told, ...told } }))
    return isSent
  }

  /** Sends person properties, unless the service knows them all; `isDue`: in any case. */
  const setPerson = (
    event: string,
    set: Properties | undefined,
    setOnce: Properties | undefined,
    isDue: boolean,
    more?: { $anon_distinct_id: string },
  ): void => {
    const given = { $set: set && plainCopy(set), $set_once: setOnce && plainCopy(setOnce) }
    const properties = { ...given.$set_once, ...given.$set }
    const { distinctId } = current()
    const told: Record<string, number> = {}
    for (const name in given.$set) told[`=${name}`] = fingerprint([distinctId, given.$set[name]])
    for (const name in given.$set_once) told[`?${name}`] = fingerprint(distinctId)
    // The service stores them only after it has answered the next flag request.
    if (Object.keys(properties).length) flags.verbs.setPersonPropertiesForFlags(properties, false)
    if ((isDue || isNews(told)) && (tell(event, { ...given, ...more }, told) || isDue)) flags.identityChanged()
  }

  const groupEvent = (type: string, key: string, properties: JsonObject | undefined): Record<string, unknown> => ({
    $group_type: type,
    $group_key: key,
    $group_set: properties,
  })

  const changeSuper = (merge: (known: State['superProperties']) => object): void => {
    change((state) => ({ ...state, superProperties: withoutNulls(merge(state.superProperties)) }))
  }

  return {
    identify(distinctId, set, setOnce) {
      const { distinctId: previous, isIdentified } = current()
      const isOther = distinctId !== previous
      if (isOther && isIdentified) flags.verbs.resetPersonPropertiesForFlags(false)
      if (isOther || !isIdentified)
        change((state) => ({ ...state, distinctId, isIdentified: true, hasProfile: true }), true)
      if (isOther) setPerson(EventName.identify, set, setOnce, true, { $anon_distinct_id: previous })
      else setPerson(EventName.set, set, setOnce, !isIdentified)
    },
    alias: (alias) => void tell(EventName.createAlias, { alias }),
    setPersonProperties: (set, setOnce) => setPerson(EventName.set, set, setOnce, false),
    createPersonProfile() {
      if (!current().hasProfile) tell(EventName.set, { $set: {}, $set_once: {} })
    },
    group(type, key, properties) {
      const isOther = current().groups[type] !== key
      const given = properties && plainCopy(properties)
      const told = { [`#${type}`]: fingerprint(key) }
      const isDue = given || isNews(told)
      for (const name in given) told[`#${type}=${name}`] = fingerprint([key, given[name]])
      const isNew = isNews(told)
      if (isOther) {
        change((state) => ({ ...state, groups: { ...state.groups, [type]: key } }))
        flags.verbs.resetGroupPropertiesForFlags(type, false)
      }
      if (given) flags.verbs.setGroupPropertiesForFlags({ [type]: given }, false)
      if ((isDue && tell(EventName.groupIdentify, groupEvent(type, key, given), told) && isNew) || isOther)
        flags.identityChanged()
    },
    groupIdentify: (type, key, properties) =>
      void capture(EventName.groupIdentify, groupEvent(type, key, properties && plainCopy(properties))),
    reset(options) {
      const id = platform.newId(platform.clock.now())
      const { bootstrap: given, resetDeviceID = options === true } = Object(options) as ResetOptions
      const next = fresh(id, given)
      change(({ isOptedOut, deviceId }) => ({ ...next, isOptedOut, deviceId: resetDeviceID ? id : deviceId }), true)
      bootstrap(given)
      flags.reset(given)
    },
    register(properties) {
      const given = plainCopy(properties)
      changeSuper((known) => ({ ...known, ...given }))
    },
    registerOnce(properties) {
      const given = plainCopy(properties)
      changeSuper((known) => ({ ...given, ...known }))
    },
    unregister: (key) => changeSuper((known) => ({ ...known, [key]: null })),
    registerForSession(properties) {
      const id = sessionId()
      setSessionProperties(id, withoutNulls({ ...sessionProperties(id), ...plainCopy(properties) }))
    },
  }
}

/** 32 bits of what a value is (FNV-1a of its JSON). */
const fingerprint = (value: unknown): number => {
  let hash = -1
  for (const char of JSON.stringify(value)) hash = Math.imul(hash ^ char.codePointAt(0)!, 16_777_619)
  return hash
}

/** A property that is set to null is taken away. */
const withoutNulls = (properties: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== null))
