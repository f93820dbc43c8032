import { plainCopy } from '../plain-copy.ts'
import { commonProperties } from './common-properties.ts'
import type { CommonProperties } from './common-properties.ts'

/** What holds for all events of one agent. It is kept in memory alone: a server has many users, and many processes. */
export interface ProcessState {
  isOptedOut(): boolean
  setOptedOut(isOptedOut: boolean): void
  /** Properties of every event, the caller's among them. */
  common(): CommonProperties
  /** The same for events of nobody in particular, who gets no person profile unless the caller says so. */
  nameless(): CommonProperties
  /** Adds properties to all later events; null takes one away. */
  register(properties: object): void
}

/** @param automatic The agent's own properties, weaker than all that is registered. */
export const createProcessState = (automatic: Readonly<Record<string, unknown>>, isOptedOut: boolean): ProcessState => {
  let registered: Readonly<Record<string, unknown>> = {}
  let common: CommonProperties
  let nameless: CommonProperties

  const prepare = (): void => {
    const all = { ...automatic, ...registered }
    common = commonProperties(all)
    nameless = commonProperties({ $process_person_profile: false, ...all })
  }

  prepare()
  return {
    isOptedOut: () => isOptedOut,
    setOptedOut(isOut) {
      isOptedOut = isOut
    },
    common: () => common,
    nameless: () => nameless,
    register(properties) {
      const all = Object.entries({ ...registered, ...plainCopy(properties) })
      registered = Object.fromEntries(all.filter(([, value]) => value !== null))
      prepare()
    },
  }
}
