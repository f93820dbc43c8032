import { copyAsJson } from '../copy-as-json.ts'
import { prepareCommonProperties } from './common-properties.ts'
import type { CommonProperties } from './common-properties.ts'

/**
 * State for all events of one agent. It is never stored: it belongs to no single user, because one process captures the events of many
 * users.
 */
export interface ProcessState {
  isOptedOut(): boolean
  setOptedOut(isOptedOut: boolean): void
  /** The automatic and registered properties, for events with a distinct id. */
  commonProperties(): CommonProperties
  /** The same properties for events without a distinct id: by default, such events create no person profile. */
  anonymousProperties(): CommonProperties
  /** Adds properties to all later events; a value of null removes the property. */
  register(properties: object): void
}

/** @param automaticProperties The agent's own properties; registered ones override them. */
export const createProcessState = (
  automaticProperties: Readonly<Record<string, unknown>>,
  isOptedOut: boolean,
): ProcessState => {
  let registeredProperties: Readonly<Record<string, unknown>> = {}
  let commonProperties: CommonProperties
  let anonymousProperties: CommonProperties

  const updateProperties = (): void => {
    const properties = { ...automaticProperties, ...registeredProperties }
    commonProperties = prepareCommonProperties(properties)
    anonymousProperties = prepareCommonProperties({ $process_person_profile: false, ...properties })
  }

  updateProperties()
  return {
    isOptedOut: () => isOptedOut,
    setOptedOut(isOut) {
      isOptedOut = isOut
    },
    commonProperties: () => commonProperties,
    anonymousProperties: () => anonymousProperties,
    register(properties) {
      const entries = Object.entries({ ...registeredProperties, ...copyAsJson(properties) })
      registeredProperties = Object.fromEntries(entries.filter(([, value]) => value !== null))
      updateProperties()
    },
  }
}
