import { copyAsJson } from '../capture/copy-as-json.ts'
import type { State } from '../capture/state.ts'
import { EventName } from '../wire/event.ts'
import type { JsonObject } from '../wire/json.ts'
import type { Core } from './core.ts'
import type { CaptureWaymark, Properties, ResetOptions } from './waymark.ts'

/** Fingerprints of captured properties. Keys: `=name` ($set), `?name` ($set_once), `#type` and `#type=name` (groups). */
type Fingerprints = NonNullable<State['told']>

type IdentityVerbs = Pick<
  CaptureWaymark,
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

/** Creates the verbs that change the user's identity, groups and super properties. Ids are strings already. */
export const createIdentityVerbs = ({
  pipeline,
  flags,
  platform,
  createState,
  applyBootstrap,
}: Core): IdentityVerbs => {
  const { capture, sessionId } = pipeline
  const { current, change, sessionProperties, setSessionProperties } = pipeline.state

  const isNew = (fingerprints: Fingerprints): boolean =>
    Object.keys(fingerprints).some((name) => fingerprints[name] !== current().told?.[name])

  /** Captures an event that creates a person profile. The state changes only if the event was not dropped. */
  const captureWithProfile = (
    event: string,
    properties: Record<string, unknown>,
    fingerprints?: Fingerprints,
  ): boolean => {
    const isCaptured = capture(event, { ...properties, $process_person_profile: true })
    if (isCaptured && (fingerprints || !current().hasProfile))
      change((state) => ({ ...state, hasProfile: true, told: { ...state.told, ...fingerprints } }))
    return isCaptured
  }

  /** Captures person properties, but only if some of them are new or `isForced` is true. Reloads the flags then. */
  const setPerson = (
    event: string,
    set: Properties | undefined,
    setOnce: Properties | undefined,
    isForced: boolean,
    extra?: { $anon_distinct_id: string },
  ): void => {
    const $set = set && copyAsJson(set)
    const $set_once = setOnce && copyAsJson(setOnce)
    const properties = { ...$set_once, ...$set }
    const { distinctId } = current()
    const fingerprints: Record<string, number> = {}
    for (const name of Object.keys($set ?? {})) fingerprints[`=${name}`] = fingerprint([distinctId, $set![name]])
    for (const name of Object.keys($set_once ?? {})) fingerprints[`?${name}`] = fingerprint(distinctId)
    // The service may answer the next flag request before it has stored these properties.
    if (Object.keys(properties).length) flags?.verbs.setPersonPropertiesForFlags(properties, false)
    if (
      (isForced || isNew(fingerprints)) &&
      (captureWithProfile(event, { $set, $set_once, ...extra }, fingerprints) || isForced)
    )
      flags?.identityChanged()
  }

  const createGroupProperties = (
    type: string,
    key: string,
    properties: JsonObject | undefined,
  ): Record<string, unknown> => ({
    $group_type: type,
    $group_key: key,
    $group_set: properties,
  })

  const changeSuperProperties = (merge: (stored: State['superProperties']) => object): void => {
    change((state) => ({ ...state, superProperties: withoutNulls(merge(state.superProperties)) }))
  }

  return {
    identify(distinctId: string, set, setOnce) {
      const { distinctId: previousId, isIdentified } = current()
      const isOther = distinctId !== previousId
      if (isOther && isIdentified) flags?.verbs.resetPersonPropertiesForFlags(false)
      if (isOther || !isIdentified)
        change((state) => ({ ...state, distinctId, isIdentified: true, hasProfile: true }), true)
      if (isOther) setPerson(EventName.identify, set, setOnce, true, { $anon_distinct_id: previousId })
      else setPerson(EventName.set, set, setOnce, !isIdentified)
    },
    alias: (alias: string) => void captureWithProfile(EventName.createAlias, { alias }),
    setPersonProperties: (set, setOnce) => setPerson(EventName.set, set, setOnce, false),
    createPersonProfile() {
      if (!current().hasProfile) captureWithProfile(EventName.set, { $set: {}, $set_once: {} })
    },
    group(type: string, key: string, properties) {
      const isOther = current().groups[type] !== key
      const groupProperties = properties && copyAsJson(properties)
      const fingerprints = { [`#${type}`]: fingerprint(key) }
      const mustCapture = groupProperties || isNew(fingerprints)
      for (const name of Object.keys(groupProperties ?? {}))
        fingerprints[`#${type}=${name}`] = fingerprint([key, groupProperties![name]])
      const hasNewValues = isNew(fingerprints)
      if (isOther) {
        change((state) => ({ ...state, groups: { ...state.groups, [type]: key } }))
        flags?.verbs.resetGroupPropertiesForFlags(type, false)
      }
      if (groupProperties) flags?.verbs.setGroupPropertiesForFlags({ [type]: groupProperties }, false)
      const isCaptured =
        mustCapture &&
        captureWithProfile(EventName.groupIdentify, createGroupProperties(type, key, groupProperties), fingerprints)
      if ((isCaptured && hasNewValues) || isOther) flags?.identityChanged()
    },
    groupIdentify: (type: string, key: string, properties) =>
      void capture(EventName.groupIdentify, createGroupProperties(type, key, properties && copyAsJson(properties))),
    reset(options) {
      const id = platform.newId(platform.clock.now())
      const { bootstrap, resetDeviceID = options === true } = Object(options) as ResetOptions
      const newState = createState(id, bootstrap)
      change(({ isOptedOut, deviceId }) => ({ ...newState, isOptedOut, deviceId: resetDeviceID ? id : deviceId }), true)
      applyBootstrap(bootstrap)
      flags?.reset(bootstrap)
    },
    register(properties) {
      const newProperties = copyAsJson(properties)
      changeSuperProperties((stored) => ({ ...stored, ...newProperties }))
    },
    registerOnce(properties) {
      const newProperties = copyAsJson(properties)
      changeSuperProperties((stored) => ({ ...newProperties, ...stored }))
    },
    unregister: (key) => changeSuperProperties((stored) => ({ ...stored, [key]: null })),
    registerForSession(properties) {
      const id = sessionId()
      setSessionProperties(id, withoutNulls({ ...sessionProperties(id), ...copyAsJson(properties) }))
    },
  }
}

/** A 32-bit hash of a value: FNV-1a of its JSON. */
const fingerprint = (value: unknown): number => {
  let hash = -1
  for (const char of JSON.stringify(value)) hash = Math.imul(hash ^ char.codePointAt(0)!, 16_777_619)
  return hash
}

/** Removes properties that are null. */
const withoutNulls = (properties: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== null))
