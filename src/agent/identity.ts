import { serialise } from '../capture/serialise.ts'
import type { State } from '../capture/state.ts'
import { EventName } from '../wire/event.ts'
import type { JsonObject } from '../wire/json.ts'
import type { Core } from './core.ts'
import type { Properties, ResetOptions, Waymark } from './waymark.ts'

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
export function identityVerbs({ pipeline, flags, platform, fresh, bootstrap }: Core): IdentityVerbs {
  /** The person properties that went out last: they are not sent twice. */
  let lastSet: string | undefined

  const { capture, sessionId } = pipeline
  const { current, change, sessionProperties, setSessionProperties } = pipeline.state

  /** Later events belong to a person profile. */
  function beginProfile(): void {
    if (!current().hasProfile) change((state) => ({ ...state, hasProfile: true }))
  }

  /** Sends person properties, unless there are none or they were the last ones; `isDue`: in any case. */
  function setPerson(
    event: string,
    set: Properties | undefined,
    setOnce: Properties | undefined,
    isDue: boolean,
    more?: { $anon_distinct_id: string },
  ): void {
    const given = { $set: set && plain(set), $set_once: setOnce && plain(setOnce) }
    const properties = { ...given.$set_once, ...given.$set }
    const isEmpty = !Object.keys(properties).length
    const content = JSON.stringify([current().distinctId, given])
    // The service stores them only after it has answered the next flag request.
    if (!isEmpty) flags.verbs.setPersonPropertiesForFlags(properties, false)
    if (!isDue && (isEmpty || content === lastSet)) return
    beginProfile()
    if (capture(event, { ...given, ...more })) lastSet = content
    flags.identityChanged()
  }

  function sendGroup(type: string, key: string, properties: JsonObject | undefined): void {
    capture(EventName.groupIdentify, { $group_type: type, $group_key: key, $group_set: properties })
  }

  function changeSuper(merge: (known: State['superProperties']) => object): void {
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
    alias(alias) {
      beginProfile()
      capture(EventName.createAlias, { alias })
    },
    setPersonProperties: (set, setOnce) => setPerson(EventName.set, set, setOnce, false),
    createPersonProfile() {
      if (current().hasProfile) return
      beginProfile()
      capture(EventName.set, { $set: {}, $set_once: {} })
    },
    group(type, key, properties) {
      const isNew = current().groups[type] !== key
      const given = properties && plain(properties)
      if (isNew) {
        change((state) => ({ ...state, hasProfile: true, groups: { ...state.groups, [type]: key } }))
        flags.verbs.resetGroupPropertiesForFlags(type, false)
      }
      if (given) flags.verbs.setGroupPropertiesForFlags({ [type]: given }, false)
      if (isNew || given) {
        sendGroup(type, key, given)
        flags.identityChanged()
      }
    },
    groupIdentify: (type, key, properties) => sendGroup(type, key, properties && plain(properties)),
    reset(options) {
      const id = platform.newId(platform.clock.now())
      const { bootstrap: given, resetDeviceID = options === true } = Object(options) as ResetOptions
      const next = fresh(id, given)
      lastSet = undefined
      change(({ isOptedOut, deviceId }) => ({ ...next, isOptedOut, deviceId: resetDeviceID ? id : deviceId }), true)
      bootstrap(given)
      flags.reset(given)
    },
    register(properties) {
      const given = plain(properties)
      changeSuper((known) => ({ ...known, ...given }))
    },
    registerOnce(properties) {
      const given = plain(properties)
      changeSuper((known) => ({ ...given, ...known }))
    },
    unregister: (key) => changeSuper((known) => ({ ...known, [key]: null })),
    registerForSession(properties) {
      const id = sessionId()
      setSessionProperties(id, withoutNulls({ ...sessionProperties(id), ...plain(properties) }))
    },
  }
}

/** A copy as JSON can carry it: what is kept is written again with every later change, which must not fail. */
function plain(properties: unknown): JsonObject {
  const copy: unknown = JSON.parse(serialise(properties) ?? '0')
  return { ...(copy as JsonObject) }
}

/** A property that is set to null is taken away. */
function withoutNulls(properties: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== null))
}
