import { copyAsJson } from '../copy-as-json.ts'
import { prepareCommonProperties } from './common-properties.ts'
import type { CommonProperties } from './common-properties.ts'

/** State for all events of one agent. It is not persisted: a process has many users, and a user many processes. */
export interface ProcessState {
  isOptedOut(): boolean
  setOptedOut(isOptedOut: boolean): void
  /** Properties of every event: automatic and registered ones. */
  common(): CommonProperties
  /** The same for events without a distinct id, which by default create no person profile. */
  anonymous(): CommonProperties
  /** Adds properties to all later events; a value of null removes the property. */
  register(properties: object): void
}

/** @param automaticProperties The agent's own properties; registered ones override them. */
export const createProcessState = (
  automaticProperties: Readonly<Record<string, unknown>>,
  isOptedOut: boolean,
): ProcessState => {
  let registered: Readonly<Record<string, unknown>> = {}
  let common: CommonProperties
  let anonymous: CommonProperties

  const prepare = (): void => {
    const all = { ...automaticProperties, ...registered }
    common = prepareCommonProperties(all)
    anonymous = prepareCommonProperties({ $process_person_profile: false, ...all })
  }

  prepare()
  return {
    isOptedOut: () => isOptedOut,
    setOptedOut(isOut) {
      isOptedOut = isOut
    },
    common: () => common,
    anonymous: () => anonymous,
    register(properties) {
      const all = Object.entries({ ...registered, ...copyAsJson(properties) })
      registered = Object.fromEntries(all.filter(([, value]) => value !== null))
      prepare()
    },
  }
}
